/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/frame_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/files.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/reader.h"
#include "base/text_stream.h"

#define READ_MOST          (1u << 20) /* octets of the file that are read: enough for everything before the first frame */
#define LINK_TYPE_ETHERNET 1
#define FRAME_MOST_OCTETS  65535u
#define DONT_FRAGMENT      0x4000
#define FRAGMENT_MASK      0x3fff
#define TOO_SHORT          "its first frame is too short"

/* The types of headers: EtherTypes, and above them IP's protocols. */
enum {
	TYPE_IPV4 = 0x0800,
	TYPE_ETHERNET = 0x6558,
	TYPE_VLAN = 0x8100,
	TYPE_IPV6 = 0x86dd,
	TYPE_MPLS = 0x8847,
	TYPE_MPLS_GROUPS = 0x8848,
	TYPE_PPPOE = 0x8864,
	TYPE_SERVICE_VLAN = 0x88a8,
	TYPE_PROTOCOL = 0x10000,
	TYPE_IPV4_IN_IP = TYPE_PROTOCOL + 4,
	TYPE_UDP = TYPE_PROTOCOL + 17,
	TYPE_IPV6_IN_IP = TYPE_PROTOCOL + 41,
	TYPE_GRE = TYPE_PROTOCOL + 47,
};

enum { PORT_GTP_U = 2152, PORT_VXLAN = 4789, PORT_GENEVE = 6081 };

/* Octets in memory, and how numbers are stored in them. */
struct input {
	const uint8_t *octets;
	size_t size;
	bool swapped; /* big-endian */
};

struct frame {
	const uint8_t *octets;
	size_t captured, wire;
};

static uint32_t get16(const struct input *input, size_t at)
{
	const uint8_t *octets = input->octets + at;

	return input->swapped ? (uint32_t)octets[0] << 8 | octets[1] : (uint32_t)octets[1] << 8 | octets[0];
}

static uint32_t get32(const struct input *input, size_t at)
{
	uint32_t first = get16(input, at), second = get16(input, at + 2);

	return input->swapped ? first << 16 | second : second << 16 | first;
}

/* --- the two formats ------------------------------------------------------------------------------------------------ */

static const char *find_in_pcap(struct input *input, struct frame *ret)
{
	enum { HEADER_OCTETS = 24, RECORD_OCTETS = 16 };
	size_t captured;

	if (input->size < HEADER_OCTETS + RECORD_OCTETS)
		return "it has no frame";
	if ((get32(input, 20) & 0xffff) != LINK_TYPE_ETHERNET)
		return "its frames are not Ethernet frames";
	captured = get32(input, HEADER_OCTETS + 8);
	if (captured > input->size - HEADER_OCTETS - RECORD_OCTETS)
		return "it ends within its first frame";
	*ret = (struct frame){ input->octets + HEADER_OCTETS + RECORD_OCTETS, captured, get32(input, HEADER_OCTETS + 12) };
	return NULL;
}

/* Get the frame of an enhanced or a simple packet block. */
static const char *take_block(const struct input *input, size_t at, uint32_t type, size_t block_octets, struct frame *ret)
{
	size_t data = type == 6 ? 28 : 12, room, captured, wire;

	if (block_octets < data + 4)
		return "it has a damaged block";
	room = block_octets - data - 4;
	wire = get32(input, at + data - 4);
	captured = type == 6 ? get32(input, at + 20) : wire < room ? wire : room;
	if (captured > room)
		return "it has a damaged block";
	*ret = (struct frame){ input->octets + at + data, captured, wire };
	return NULL;
}

static const char *find_in_pcapng(struct input *input, struct frame *ret)
{
	enum { INTERFACE = 1, SIMPLE_PACKET = 3, ENHANCED_PACKET = 6, LEAST_OCTETS = 12 };

	input->swapped = input->size >= LEAST_OCTETS && input->octets[8] == 0x1a;
	for (size_t at = 0; input->size - at >= LEAST_OCTETS;) {
		uint32_t type = get32(input, at), octets = get32(input, at + 4);

		if (octets < LEAST_OCTETS || octets % 4 || octets > input->size - at)
			return "it has a damaged block";
		if (type == INTERFACE && get16(input, at + 8) != LINK_TYPE_ETHERNET)
			return "its frames are not Ethernet frames";
		if (type == SIMPLE_PACKET || type == ENHANCED_PACKET)
			return take_block(input, at, type, octets, ret);
		at += octets;
	}
	return "it has no frame";
}

static const char *find_frame(struct input *input, struct frame *ret)
{
	uint32_t magic;

	if (input->size < 4)
		return "it is neither pcap nor pcapng";
	magic = get32(input, 0);
	if (magic == 0x0a0d0d0a)
		return find_in_pcapng(input, ret);
	input->swapped = magic == 0xd4c3b2a1 || magic == 0x4d3cb2a1;
	if (input->swapped || magic == 0xa1b2c3d4 || magic == 0xa1b23c4d)
		return find_in_pcap(input, ret);
	return "it is neither pcap nor pcapng";
}

/* --- the frame ------------------------------------------------------------------------------------------------------ */

/* The position on the way from a frame's outermost header to the innermost UDP. */
struct walk {
	struct input frame;
	struct frame_file *file;
	size_t at;      /* offset of the next header */
	uint32_t type;  /* type of the next header */
	size_t outer;   /* offset of spec.outer, behind the first VLAN tags */
	size_t network; /* offset of the last IP header, 0: none yet; and what there was before it: */
	size_t names_octets;
	unsigned int field_count;
};

static bool has(const struct walk *walk, size_t octets)
{
	return walk->frame.size >= walk->at + octets;
}

static uint32_t peek(const struct walk *walk, size_t offset)
{
	return get16(&walk->frame, walk->at + offset);
}

/* Go past a header of this name, to one of this type. */
static const char *pass(struct walk *walk, const char *name, size_t octets, uint32_t type)
{
	if (!has(walk, octets))
		return TOO_SHORT;
	walk->at += octets;
	walk->type = type;
	text_join(walk->file->tunnels, sizeof(walk->file->tunnels), ", ", "%s", name);
	return NULL;
}

/* Note that a field of the next header, at this offset, depends on what begins at that one. */
static void follows(struct walk *walk, enum mlr_outer_kind kind, size_t offset, size_t from)
{
	struct mlr_frame_spec *spec = &walk->file->spec;
	size_t start = walk->at - walk->outer, network = walk->network ? walk->network - walk->outer : 0;

	if (spec->outer_field_count < MLR_OUTER_FIELDS_MAX)
		spec->outer_fields[spec->outer_field_count++] = (struct mlr_outer_field){ .kind = (uint8_t)kind,
											  .at = (uint8_t)(start + offset),
											  .from = (uint8_t)(start + from),
											  .network = (uint8_t)network };
}

static const char *walk_vlan(struct walk *walk)
{
	struct mlr_frame_spec *spec = &walk->file->spec;

	if (!has(walk, 4))
		return TOO_SHORT;
	if (walk->at - 2 != walk->outer || spec->vlan_count == MLR_VLANS_MAX)
		return pass(walk, "VLAN", 4, peek(walk, 2));
	spec->vlans[spec->vlan_count++] =
		(struct mlr_vlan){ .type = (uint16_t)walk->type, .control = (uint16_t)peek(walk, 0) };
	walk->type = peek(walk, 2);
	walk->outer += 4;
	walk->at += 4;
	return NULL;
}

/* What begins at this offset of the next header, where only its first octet says so: behind MPLS a control word and Ethernet
 * begin with zeros. */
static uint32_t type_behind(const struct walk *walk, size_t offset)
{
	unsigned int version = has(walk, offset + 1) ? walk->frame.octets[walk->at + offset] >> 4 : 0xf;

	return version == 4 ? TYPE_IPV4 : version == 6 ? TYPE_IPV6 : version ? 0 : TYPE_ETHERNET;
}

static const char *walk_mpls(struct walk *walk)
{
	size_t octets = 4;

	while (has(walk, octets) && !(walk->frame.octets[walk->at + octets - 2] & 1))
		octets += 4;
	if (type_behind(walk, octets) == TYPE_ETHERNET)
		return pass(walk, "MPLS", octets + 4, TYPE_ETHERNET);
	return pass(walk, "MPLS", octets, type_behind(walk, octets));
}

static const char *walk_pppoe(struct walk *walk)
{
	uint32_t protocol;

	if (!has(walk, 8))
		return TOO_SHORT;
	protocol = peek(walk, 6);
	follows(walk, MLR_OUTER_LENGTH, 4, 6);
	return pass(walk, "PPPoE", 8, protocol == 0x21 ? TYPE_IPV4 : protocol == 0x57 ? TYPE_IPV6 : 0);
}

static const char *walk_gre(struct walk *walk)
{
	uint32_t flags;

	if (!has(walk, 4))
		return TOO_SHORT;
	flags = peek(walk, 0);
	if (flags & 0x4fff) /* routing, or another version */
		return "its first frame has another GRE than that of RFC 2784 and RFC 2890";
	if (flags & 0x8000)
		follows(walk, MLR_OUTER_ALL, 4, 0);
	return pass(walk, "GRE", (size_t)4 * (1 + (flags >> 15) + (flags >> 13 & 1) + (flags >> 12 & 1)), peek(walk, 2));
}

/* Remember what there was before an IP header, which may be the innermost. */
static void meet_network(struct walk *walk, uint8_t ip_version)
{
	walk->file->spec.ip_version = ip_version;
	walk->network = walk->at;
	walk->names_octets = strlen(walk->file->tunnels);
	walk->field_count = walk->file->spec.outer_field_count;
}

static const char *walk_ipv4(struct walk *walk)
{
	struct mlr_frame_spec *spec = &walk->file->spec;
	const uint8_t *header = walk->frame.octets + walk->at;
	size_t header_octets;

	if (!has(walk, 20))
		return TOO_SHORT;
	header_octets = (size_t)(header[0] & 15) * 4;
	if (header[0] >> 4 != 4 || header_octets < 20 || !has(walk, header_octets))
		return "an IPv4 header of its first frame is damaged";
	if (peek(walk, 6) & FRAGMENT_MASK)
		return "its first frame is a fragment";
	meet_network(walk, 4);
	follows(walk, MLR_OUTER_HEADER, 10, 0);
	follows(walk, MLR_OUTER_LENGTH, 2, 0);
	follows(walk, MLR_OUTER_ADDRESSES, 12, 16);
	spec->traffic_class = header[1];
	spec->identification = (uint16_t)peek(walk, 4);
	spec->fragment = (uint16_t)peek(walk, 6) & DONT_FRAGMENT;
	spec->hop_limit = header[8];
	spec->ip_options_octets = (unsigned int)header_octets - 20;
	memcpy(spec->ip_options, header + 20, spec->ip_options_octets);
	return pass(walk, "IPv4", header_octets, TYPE_PROTOCOL + header[9]);
}

static const char *walk_ipv6(struct walk *walk)
{
	struct mlr_frame_spec *spec = &walk->file->spec;
	const uint8_t *header = walk->frame.octets + walk->at;
	uint32_t first;

	if (!has(walk, 40))
		return TOO_SHORT;
	first = get32(&walk->frame, walk->at);
	if (first >> 28 != 6)
		return "an IPv6 header of its first frame is damaged";
	meet_network(walk, 6);
	follows(walk, MLR_OUTER_LENGTH, 4, 40);
	follows(walk, MLR_OUTER_ADDRESSES, 8, 24);
	spec->traffic_class = (uint8_t)(first >> 20);
	spec->flow_label = first & 0xfffff;
	spec->hop_limit = header[7];
	spec->ip_options_octets = 0;
	return pass(walk, "IPv6", 40, TYPE_PROTOCOL + header[6]);
}

/* Return how long the tunnel's header behind this UDP header is; 0: there is none. */
static size_t find_tunnel(const struct walk *walk, const char **ret_name, uint32_t *ret_type)
{
	const uint8_t *header = walk->frame.octets + walk->at + 8;
	size_t octets = 8;

	if (!has(walk, 8 + octets))
		return 0;
	switch (peek(walk, 2)) {
	case PORT_VXLAN:
		*ret_name = "VXLAN";
		*ret_type = TYPE_ETHERNET;
		return (header[0] & 0x7f) == 0x08 ? octets : 0; /* The flags of a group policy may be set. */
	case PORT_GENEVE:
		*ret_name = "GENEVE";
		*ret_type = peek(walk, 10);
		return header[0] >> 6 ? 0 : octets + (size_t)header[0] * 4;
	case PORT_GTP_U:
		if (header[0] >> 4 != 3 || header[1] != 0xff)
			return 0;
		octets += header[0] & 7 ? 4 : 0;
		while (header[0] & 4 && has(walk, 8 + octets) && header[octets - 1] && has(walk, 9 + octets) &&
		       header[octets])
			octets += (size_t)header[octets] * 4;
		*ret_name = "GTP-U";
		*ret_type = type_behind(walk, 8 + octets);
		return octets;
	default:
		return 0;
	}
}

/* The UDP header may be a tunnel's, or the innermost one. The latter gives ports, and the payload behind the tag. */
static const char *walk_udp(struct walk *walk, bool *ret_found)
{
	size_t payload = walk->at + 8 + sizeof(struct mlr_tag), end, octets;
	struct frame_file *file = walk->file;
	const char *name, *wrong;
	uint32_t type;

	if (!has(walk, 8))
		return TOO_SHORT;
	octets = find_tunnel(walk, &name, &type);
	if (octets) {
		if (peek(walk, 6))
			follows(walk, MLR_OUTER_TRANSPORT, 6, 0);
		follows(walk, MLR_OUTER_LENGTH, 4, 0);
		if (peek(walk, 2) == PORT_GTP_U)
			follows(walk, MLR_OUTER_LENGTH, 8 + 2, 8 + 8);
		wrong = pass(walk, "UDP", 8, 0);
		return wrong ? wrong : pass(walk, name, octets, type);
	}
	*ret_found = true;
	file->source_port = (uint16_t)peek(walk, 0);
	file->destination_port = (uint16_t)peek(walk, 2);
	end = walk->at + peek(walk, 4);
	if (end > walk->frame.size)
		end = walk->frame.size;
	if (end <= payload)
		return NULL;
	file->payload = malloc(end - payload);
	if (!file->payload)
		return "there is no memory for it";
	memcpy(file->payload, walk->frame.octets + payload, end - payload);
	file->spec.payload = file->payload;
	file->spec.payload_octets = (unsigned int)(end - payload);
	return NULL;
}

static const char *walk_header(struct walk *walk, bool *ret_found)
{
	switch (walk->type) {
	case TYPE_ETHERNET:
		return has(walk, 14) ? pass(walk, "Ethernet", 14, peek(walk, 12)) : TOO_SHORT;
	case TYPE_VLAN:
	case TYPE_SERVICE_VLAN:
		return walk_vlan(walk);
	case TYPE_MPLS:
	case TYPE_MPLS_GROUPS:
		return walk_mpls(walk);
	case TYPE_PPPOE:
		return walk_pppoe(walk);
	case TYPE_IPV4:
	case TYPE_IPV4_IN_IP:
		return walk_ipv4(walk);
	case TYPE_IPV6:
	case TYPE_IPV6_IN_IP:
		return walk_ipv6(walk);
	case TYPE_GRE:
		return walk_gre(walk);
	case TYPE_UDP:
		return walk_udp(walk, ret_found);
	default:
		return "its first frame is not UDP over IPv4 or IPv6, by itself or in VLAN, MPLS, PPPoE, IP, GRE, VXLAN, "
		       "GENEVE or GTP-U";
	}
}

const char *frame_file_parse(const uint8_t *octets, size_t size, size_t wire_octets, struct frame_file *ret)
{
	struct frame_file file = { 0 };
	struct walk walk = { .frame = { octets, size, true }, .file = &file, .at = 12, .outer = 12 };
	struct mlr_frame_spec *spec = &file.spec;
	const char *wrong = has(&walk, 2) ? NULL : TOO_SHORT;
	bool found = false;

	if (!wrong && (wire_octets < size || wire_octets > FRAME_MOST_OCTETS))
		wrong = "the length of its first frame is damaged";
	if (!wrong) {
		walk.type = peek(&walk, 0);
		walk.at += 2;
	}
	while (!wrong && !found)
		wrong = walk_header(&walk, &found);
	if (!wrong &&
	    (walk.network - walk.outer > MLR_OUTER_MAX_OCTETS || spec->outer_field_count == MLR_OUTER_FIELDS_MAX)) {
		wrong = "too much is in front of the UDP packet of its first frame";
		free(file.payload);
	}
	if (wrong)
		return wrong;
	file.tunnels[walk.names_octets] = '\0';
	spec->outer_field_count = walk.field_count;
	spec->outer_octets = (unsigned int)(walk.network - walk.outer);
	memcpy(spec->outer, octets + walk.outer, spec->outer_octets);
	file.size_octets = (unsigned int)wire_octets + MLR_FCS_OCTETS;
	*ret = file;
	return NULL;
}

/* --- the flat form -------------------------------------------------------------------------------------------------- */

/* A frame file without its pointers is handed over as it is, in base64, and so is its payload. */
static json_t *pack_octets(const void *octets, size_t length)
{
	owned char *text = base64_text(octets, length);

	return json_string(text);
}

json_t *frame_file_pack(const struct frame_file *file)
{
	struct frame_file bare = *file;

	bare.payload = NULL;
	bare.spec.payload = NULL;
	return json_with("frame", pack_octets(&bare, sizeof(bare)), "payload",
			 pack_octets(file->payload, file->spec.payload_octets));
}

/* Whether the offsets of a tunnel's fields, and what is read and written there, are within the headers. */
static bool fields_fit(const struct mlr_frame_spec *spec)
{
	unsigned int inside_from = spec->outer_octets;

	for (unsigned int i = spec->outer_field_count; i-- > 0;) {
		const struct mlr_outer_field *field = &spec->outer_fields[i];
		bool covers = field->kind == MLR_OUTER_ALL || field->kind == MLR_OUTER_TRANSPORT;
		unsigned int behind = field->kind == MLR_OUTER_ADDRESSES ? 2u * field->from - field->at : field->from;

		if (field->kind > MLR_OUTER_ADDRESSES || (field->at | field->from | field->network) % 2 ||
		    field->at + 2u > spec->outer_octets || field->network > spec->outer_octets ||
		    (field->kind == MLR_OUTER_ADDRESSES && field->from < field->at) || behind > spec->outer_octets ||
		    (covers && field->from > inside_from))
			return false;
		if (covers)
			inside_from = field->from;
	}
	return true;
}

static bool spec_fits(const struct mlr_frame_spec *spec)
{
	return (spec->ip_version == 4 || spec->ip_version == 6) && spec->vlan_count <= MLR_VLANS_MAX &&
	       spec->outer_octets <= MLR_OUTER_MAX_OCTETS && spec->outer_octets % 2 == 0 &&
	       spec->outer_field_count <= MLR_OUTER_FIELDS_MAX && spec->ip_options_octets <= MLR_IP_OPTIONS_MAX_OCTETS &&
	       spec->ip_options_octets % 4 == 0 && !(spec->fragment & ~DONT_FRAGMENT) && fields_fit(spec);
}

/* Whether the names of tunnels are such: they are shown. */
static bool names_fit(const char *names, size_t size)
{
	size_t length = strnlen(names, size);

	return length < size && length == strspn(names, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789, -");
}

bool frame_file_unpack(const json_t *packed, struct frame_file *ret)
{
	const char *frame = read_text(packed, "frame"), *payload = read_text(packed, "payload");
	owned uint8_t *octets = memory_noticed(malloc(strlen(frame) + 1)),
		      *payload_octets = memory_noticed(malloc(strlen(payload) + 1));
	struct frame_file file;

	if (!octets || !payload_octets || base64_read(frame, octets) != sizeof(file))
		return false;
	memcpy(&file, octets, sizeof(file));
	file.payload = NULL;
	file.spec.key = NULL;
	file.spec.way_back = false;
	file.spec.payload_octets = (unsigned int)base64_read(payload, payload_octets);
	if (!names_fit(file.tunnels, sizeof(file.tunnels)) || !spec_fits(&file.spec) ||
	    file.size_octets > FRAME_MOST_OCTETS + MLR_FCS_OCTETS || file.spec.payload_octets > FRAME_MOST_OCTETS)
		return false;
	if (file.spec.payload_octets) {
		file.payload = payload_octets;
		payload_octets = NULL;
	}
	file.spec.payload = file.payload;
	*ret = file;
	return true;
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

struct source {
	const char *path;
	FILE *stream;
};

/* Read the beginning of a file, up to READ_MOST, in the reader. */
static enum exit_code write_frame(void *context, FILE *flat)
{
	const struct source *source = context;
	const size_t most = file_octets(fileno(source->stream), READ_MOST);
	owned uint8_t *octets = malloc(most + 1);
	struct input input = { .octets = octets };
	struct frame_file file = { 0 };
	struct frame frame = { 0 };
	json_auto_t *packed = NULL;
	const char *wrong;

	if (!octets)
		return out_of_memory();
	input.size = fread(octets, 1, most, source->stream);
	if (ferror(source->stream))
		return refuse(EXIT_USAGE_ERROR, "--template: cannot read %s: %s", source->path, strerror(errno));
	wrong = find_frame(&input, &frame);
	if (!wrong)
		wrong = frame_file_parse(frame.octets, frame.captured, frame.wire, &file);
	if (wrong)
		return refuse(EXIT_USAGE_ERROR, "--template: %s cannot be used: %s", source->path, wrong);
	packed = frame_file_pack(&file);
	free(file.payload);
	if (!packed)
		return out_of_memory();
	flat_write(flat, packed);
	return EXIT_DONE;
}

enum exit_code frame_file_read(const char *path, struct frame_file **ret)
{
	struct source source = { .path = path, .stream = fopen(path, "re") };
	struct reader_plan plan = { .parse = write_frame, .context = &source, .name = path };
	json_auto_t *packed = NULL;
	struct frame_file *file;
	enum exit_code code;

	if (!source.stream)
		return refuse(EXIT_USAGE_ERROR, "--template: cannot read %s: %s", path, strerror(errno));
	plan.fd = fileno(source.stream);
	reader_buffer(source.stream);
	code = reader_run(&plan, &packed, NULL);
	fclose(source.stream);
	if (code != EXIT_DONE)
		return code;
	file = calloc(1, sizeof(*file));
	if (file && frame_file_unpack(packed, file)) {
		*ret = file;
		return EXIT_DONE;
	}
	free(file);
	return refuse(EXIT_INCAPABLE, "--template: %s: what was read of it cannot be used", path);
}

void frame_file_free(struct frame_file *file)
{
	if (!file)
		return;
	free(file->payload);
	free(file);
}
