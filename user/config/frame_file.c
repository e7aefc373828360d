/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/frame_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_MOST          (1u << 20) /* of the file: enough for everything before the first frame */
#define LINK_TYPE_ETHERNET 1
#define FRAME_MOST_OCTETS  65535u
#define DONT_FRAGMENT      0x4000
#define FRAGMENT_MASK      0x3fff
#define PROTOCOL_UDP       17

/* Octets in memory, and how numbers stand in them. */
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

/* The frame of an enhanced or a simple packet block. */
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

/* VLAN tags; where the IP header starts, 0: nowhere. */
static const char *parse_ethernet(const struct input *frame, struct mlr_frame_spec *spec, size_t *ret_ip, uint32_t *ret_type)
{
	size_t at = 12;

	for (;; at += 4) {
		if (frame->size < at + 4)
			return "its first frame is too short";
		*ret_type = get16(frame, at);
		if (*ret_type != 0x8100 && *ret_type != 0x88a8)
			break;
		if (spec->vlan_count == MLR_VLANS_MAX)
			return "its first frame has more than two VLAN tags";
		spec->vlans[spec->vlan_count++] =
			(struct mlr_vlan){ .type = (uint16_t)*ret_type, .control = (uint16_t)get16(frame, at + 2) };
	}
	*ret_ip = at + 2;
	return NULL;
}

static const char *parse_ipv4(const struct input *frame, size_t ip, struct mlr_frame_spec *spec, size_t *ret_udp)
{
	const uint8_t *header = frame->octets + ip;
	size_t header_octets;

	if (frame->size < ip + 20)
		return "its first frame is too short";
	header_octets = (size_t)(header[0] & 15) * 4;
	if (header[0] >> 4 != 4 || header_octets < 20 || frame->size < ip + header_octets)
		return "the IPv4 header of its first frame is damaged";
	if (get16(frame, ip + 6) & FRAGMENT_MASK)
		return "its first frame is a fragment";
	if (header[9] != PROTOCOL_UDP)
		return "its first frame is not UDP";
	spec->ip_version = 4;
	spec->traffic_class = header[1];
	spec->identification = (uint16_t)get16(frame, ip + 4);
	spec->fragment = (uint16_t)get16(frame, ip + 6) & DONT_FRAGMENT;
	spec->hop_limit = header[8];
	spec->ip_options_octets = (unsigned int)header_octets - 20;
	memcpy(spec->ip_options, header + 20, spec->ip_options_octets);
	*ret_udp = ip + header_octets;
	return NULL;
}

static const char *parse_ipv6(const struct input *frame, size_t ip, struct mlr_frame_spec *spec, size_t *ret_udp)
{
	const uint8_t *header = frame->octets + ip;
	uint32_t first;

	if (frame->size < ip + 40)
		return "its first frame is too short";
	first = get32(frame, ip);
	if (first >> 28 != 6)
		return "the IPv6 header of its first frame is damaged";
	if (header[6] != PROTOCOL_UDP)
		return "its first frame is not UDP right behind the IPv6 header";
	spec->ip_version = 6;
	spec->traffic_class = (uint8_t)(first >> 20);
	spec->flow_label = first & 0xfffff;
	spec->hop_limit = header[7];
	*ret_udp = ip + 40;
	return NULL;
}

/* Ports, and what of the payload is behind the tag. */
static const char *parse_udp(const struct input *frame, size_t udp, struct frame_file *ret)
{
	size_t payload = udp + 8 + sizeof(struct mlr_tag), end;

	if (frame->size < udp + 8)
		return "its first frame is too short";
	ret->source_port = (uint16_t)get16(frame, udp);
	ret->destination_port = (uint16_t)get16(frame, udp + 2);
	end = udp + get16(frame, udp + 4);
	if (end > frame->size)
		end = frame->size;
	if (end <= payload)
		return NULL;
	ret->payload = malloc(end - payload);
	if (!ret->payload)
		return "there is no memory for it";
	memcpy(ret->payload, frame->octets + payload, end - payload);
	ret->spec.payload = ret->payload;
	ret->spec.payload_octets = (unsigned int)(end - payload);
	return NULL;
}

const char *frame_file_parse(const uint8_t *octets, size_t size, size_t wire_octets, struct frame_file *ret)
{
	const struct input frame = { .octets = octets, .size = size, .swapped = true };
	struct frame_file file = { 0 };
	size_t ip, udp;
	uint32_t type;
	const char *wrong = parse_ethernet(&frame, &file.spec, &ip, &type);

	if (wrong)
		return wrong;
	if (wire_octets < size || wire_octets > FRAME_MOST_OCTETS)
		return "the length of its first frame is damaged";
	if (type == 0x0800)
		wrong = parse_ipv4(&frame, ip, &file.spec, &udp);
	else if (type == 0x86dd)
		wrong = parse_ipv6(&frame, ip, &file.spec, &udp);
	else
		wrong = "its first frame is neither IPv4 nor IPv6";
	if (!wrong)
		wrong = parse_udp(&frame, udp, &file);
	if (wrong)
		return wrong;
	file.size_octets = (unsigned int)wire_octets + MLR_FCS_OCTETS;
	*ret = file;
	return NULL;
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

/* Its beginning, up to READ_MOST. NULL with errno set. */
static uint8_t *read_beginning(const char *path, size_t *ret_size)
{
	FILE *stream = fopen(path, "re");
	uint8_t *octets = stream ? malloc(READ_MOST) : NULL;
	int error;

	if (!stream)
		return NULL;
	if (octets) {
		*ret_size = fread(octets, 1, READ_MOST, stream);
		if (ferror(stream)) {
			error = errno;
			free(octets);
			octets = NULL;
			errno = error;
		}
	}
	error = errno;
	fclose(stream);
	errno = error;
	return octets;
}

enum exit_code frame_file_read(const char *path, struct frame_file **ret)
{
	struct input input = { 0 };
	struct frame frame = { 0 };
	uint8_t *octets = read_beginning(path, &input.size);
	struct frame_file *file;
	const char *wrong;

	if (!octets)
		return refuse(EXIT_USAGE_ERROR, "--template: cannot read %s: %s", path, strerror(errno));
	input.octets = octets;
	file = calloc(1, sizeof(*file));
	wrong = file ? find_frame(&input, &frame) : "there is no memory for it";
	if (!wrong)
		wrong = frame_file_parse(frame.octets, frame.captured, frame.wire, file);
	free(octets);
	if (wrong) {
		frame_file_free(file);
		return refuse(EXIT_USAGE_ERROR, "--template: %s cannot be used: %s", path, wrong);
	}
	*ret = file;
	return EXIT_DONE;
}

void frame_file_free(struct frame_file *file)
{
	if (!file)
		return;
	free(file->payload);
	free(file);
}
