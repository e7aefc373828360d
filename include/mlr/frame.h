/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * This header builds the frames of a Traffic Profile (4.5.4): Ethernet, up to two VLAN tags, IPv4 or IPv6, UDP, tag and
 * payload. The caller owns all memory: specification, template and frame. A template is made once, and is read for every
 * frame of its kind until the run ends.
 *
 * Between the VLAN tags and the IP header there may be the headers of tunnels. Lengths and checksums are right.
 *
 * A template holds what all frames of one kind (a stream in one size) have in common. Before each departure the transmitter
 * copies the template's header, and mlr_frame_fill() writes what varies. That is the flow's addresses and ports, the stamp,
 * the signature and both checksums. Transmitters in C and in BPF share that function. So it includes nothing but fixed-size integers,
 * calls nothing and has no loop.
 *
 * Sizes are those on the wire and include the FCS, as RFC 2544 counts them. In memory a frame is MLR_FCS_OCTETS shorter.
 */
#ifndef MLR_FRAME_H
#define MLR_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlr/signature.h"
#include "mlr/tag.h"

#define MLR_FCS_OCTETS               4
#define MLR_FRAME_MIN_OCTETS         64
#define MLR_FRAME_MAX_OCTETS         9216
#define MLR_FRAME_L1_OVERHEAD_OCTETS 20 /* preamble, start delimiter, inter-frame gap */
#define MLR_MAC_OCTETS               6
#define MLR_VLANS_MAX                2
#define MLR_IP_OPTIONS_MAX_OCTETS    40
#define MLR_ADDRESS6_OCTETS          16

/* The limits of what stands between the VLAN tags and the IP header. The EtherType is included. */
#define MLR_OUTER_MAX_OCTETS 150
#define MLR_OUTER_FIELDS_MAX 24

/* A template keeps so many octets from the beginning of a frame. The longest header fits: Ethernet, two VLAN tags, tunnels,
 * IPv4 with all options, UDP, tag. It is a power of two because it is a mask, too. */
#define MLR_HEADER_MAX_OCTETS 256
/* The size of the buffer that a BPF program gives to mlr_frame_fill(). Nothing is written behind the template's
 * header_octets. But the verifier knows of an offset only that it is below MLR_HEADER_MAX_OCTETS, and the longest field
 * behind an offset ends 38 octets later. */
#define MLR_HEADER_SCRATCH_OCTETS 320

/* The ports of the UDP test frame of RFC 2544, C.2.6.4. */
#define MLR_UDP_SOURCE_PORT      0xc020
#define MLR_UDP_DESTINATION_PORT 7

#define MLR_TTL 64

/* The flow of frames that are sent in addition to the load: modifiers of RFC 2544 section 11, learning frames. They are
 * counted apart. */
#define MLR_FLOW_EXTRA 0xffffffu

/* One kind of frame. BPF programs share this structure. */
struct mlr_frame_template {
	uint8_t header[MLR_HEADER_MAX_OCTETS]; /* the first octets of the frame; what varies is zero */
	uint16_t header_octets;                /* the length through the end of the tag; even */
	uint16_t memory_octets;                /* the length of the whole frame, without FCS */
	uint8_t network_offset;                /* offset of the IP header; all offsets are even */
	uint8_t transport_offset;              /* offset of the UDP header */
	uint8_t tag_offset;
	uint8_t ip_version;               /* 4 or 6 */
	uint32_t network_checksum_base;   /* the sum over the IPv4 header without addresses; 0 for IPv6 */
	uint32_t transport_checksum_base; /* the sum over all that the UDP checksum covers, without what varies */
	uint32_t
		outer_checksum_base; /* the sum over all that a tunnel's checksum covers; the addresses are subtracted from it */
	uint16_t outer_checksum_offset; /* offset of the tunnel's checksum; 0: no tunnel has a checksum that varies */
	uint16_t is_signed;             /* A signature stands behind the tag; the next members belong to it. */
	uint64_t digest, mixing;        /* digest of the payload, and of the key */
	uint32_t signature_key[4];
};

_Static_assert(sizeof(struct mlr_frame_template) == MLR_HEADER_MAX_OCTETS + 56, "layout shared with BPF");

/* What varies from flow to flow, in host order. BPF programs share this structure. */
struct mlr_flow {
	uint32_t id;             /* the number in the tag; below 2^MLR_TAG_FLOW_BITS */
	uint32_t source_address; /* an IPv4 address, or the last four octets of an IPv6 address */
	uint32_t destination_address;
	uint16_t source_port;
	uint16_t destination_port;
	uint16_t stream; /* the row of the templates, see mlr/profile.h */
	uint16_t more;   /* how many other entries of the list of flows are this flow, and which of them this entry is */
	uint16_t place;
	uint16_t service;
};

_Static_assert(sizeof(struct mlr_flow) == 24, "layout shared with BPF");

/* --- filling in, in C and in BPF ------------------------------------------------------------------------------------ */

typedef uint16_t __attribute__((may_alias)) mlr_word;
/* Four octets at an even address. The compiler for BPF would make two writes of one that is said not to be aligned; the kernel
 * takes it as one on amd64 and arm64. */
#ifdef __bpf__
typedef uint32_t __attribute__((may_alias)) mlr_words_at;
#else
typedef uint32_t __attribute__((may_alias, aligned(2))) mlr_words_at;
#endif

static inline void mlr_put16(uint8_t *at, uint16_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	value = __builtin_bswap16(value);
#endif
	*(mlr_word *)at = value;
}

/* Read in network byte order, at any address. */
static inline uint16_t mlr_get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t mlr_get32(const uint8_t *at)
{
	return (uint32_t)mlr_get16(at) << 16 | mlr_get16(at + 2);
}

static inline void mlr_put32(uint8_t *at, uint32_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	value = __builtin_bswap32(value);
#endif
	*(mlr_words_at *)at = value;
}

/* Return the sum of the two words of a value, for a checksum. */
static inline uint32_t mlr_words(uint32_t value)
{
	return (value >> 16) + (value & 0xffff);
}

/* Return the checksum of RFC 1071 from a sum below 2^40 of big-endian words, or of pairs of them: 2^16 counts as 1. */
static inline uint16_t mlr_checksum_fold(uint64_t sum)
{
	sum = (sum >> 32) + (uint32_t)sum;
	sum = (sum >> 16) + (sum & 0xffff);
	return (uint16_t)~mlr_words((uint32_t)sum);
}

/* Write a UDP checksum. In UDP 0 means that there is none, so 0 is written as 0xffff, which is as valid in every other
 * checksum. */
static inline void mlr_put_sum(uint8_t *at, uint64_t sum)
{
	uint16_t checksum = mlr_checksum_fold(sum);

	mlr_put16(at, checksum ? checksum : 0xffff);
}

/* Filling in a frame takes three steps. The result of the first holds for all frames of a flow; the last can wait until the
 * frame departs. `header` was copied from the template and starts at an even address. In a BPF program it has
 * MLR_HEADER_SCRATCH_OCTETS. */

/* Return the offset, bounded in the way that the BPF verifier understands. */
static inline __attribute__((always_inline)) unsigned int mlr_bounded(uint8_t offset)
{
#ifdef __bpf__
	return offset & (MLR_HEADER_MAX_OCTETS - 1);
#else
	return offset;
#endif
}

/* First step: write what varies from flow to flow, which is addresses, ports and the flow's number in the tag. Returns the
 * sum over what the UDP checksum covers so far. */
static inline __attribute__((always_inline)) uint64_t
mlr_frame_flow(uint8_t *header, const struct mlr_frame_template *template, const struct mlr_flow *flow)
{
	uint8_t *network = header + mlr_bounded(template->network_offset);
	uint8_t *transport = header + mlr_bounded(template->transport_offset);
	uint8_t *tag = header + mlr_bounded(template->tag_offset);
	uint64_t addresses = (uint64_t)flow->source_address + flow->destination_address;
	uint32_t ports = (uint32_t)flow->source_port << 16 | flow->destination_port;

	if (template->ip_version == 4) {
		mlr_put16(network + 10, mlr_checksum_fold(template->network_checksum_base + addresses));
		mlr_put32(network + 12, flow->source_address);
		mlr_put32(network + 16, flow->destination_address);
	} else {
		mlr_put32(network + 20, flow->source_address);
		mlr_put32(network + 36, flow->destination_address);
	}
	if (template->outer_checksum_offset)
		mlr_put_sum(header + mlr_bounded((uint8_t) template->outer_checksum_offset),
			    template->outer_checksum_base - mlr_words(flow->source_address) -
				    mlr_words(flow->destination_address));
	mlr_put32(transport, ports);
	mlr_put32(tag + offsetof(struct mlr_tag, departure_high), flow->id);
	return template->transport_checksum_base + addresses + ports + flow->id;
}

/* Second step: write what varies from frame to frame, without the times. `sum` is the result of the first step. Returns the
 * frame's sum. */
static inline __attribute__((always_inline)) uint64_t
mlr_frame_number(uint8_t *header, const struct mlr_frame_template *template, uint64_t sum, uint16_t trial, uint32_t sequence)
{
	uint8_t *tag = header + mlr_bounded(template->tag_offset);

	mlr_put16(tag + offsetof(struct mlr_tag, trial), trial);
	mlr_put32(tag + offsetof(struct mlr_tag, sequence), sequence);
	return sum + trial + sequence;
}

/* Third step: write the stamp, and the UDP checksum from the frame's sum. The intended departure is in ns of
 * CLOCK_MONOTONIC. The lateness is encoded as in the tag. */
static inline __attribute__((always_inline)) void mlr_frame_stamp(uint8_t *header, const struct mlr_frame_template *template,
								  uint64_t sum, uint64_t intended_ns, uint16_t lateness)
{
	uint8_t *transport = header + mlr_bounded(template->transport_offset);
	uint8_t *tag = header + mlr_bounded(template->tag_offset);
	uint32_t departure_ns = (uint32_t)intended_ns, departure_high = (uint32_t)(intended_ns >> 32) & 0xff;

	mlr_put_sum(transport + 6, sum + (departure_high << 8) + departure_ns + lateness);
	tag[offsetof(struct mlr_tag, departure_high)] = (uint8_t)departure_high;
	mlr_put32(tag + offsetof(struct mlr_tag, departure_ns), departure_ns);
	mlr_put16(tag + offsetof(struct mlr_tag, lateness), lateness);
}

/* Write the signature of a signed frame behind its tag, before the third step. Returns what it adds to the frame's sum. */
static inline __attribute__((always_inline)) uint32_t mlr_frame_sign(uint8_t *at, const struct mlr_frame_template *template,
								     uint32_t flow, uint16_t trial, uint32_t sequence,
								     uint64_t intended_ns, uint16_t lateness)
{
	const struct mlr_signed_tag tag = {
		.sequence = sequence,
		.departure_ns = (uint32_t)intended_ns,
		.high_and_flow = ((uint32_t)(intended_ns >> 32) & 0xff) << MLR_TAG_FLOW_BITS | flow,
		.trial_and_lateness = (uint32_t)trial << 16 | lateness,
	};
	uint64_t mix = mlr_signature_tag(template->signature_key, &tag) + template->digest;
	uint32_t signature = mlr_signature_of(mix, template->mixing);

	mlr_put32(at, signature);
	return signature;
}

/* Take all three steps, with a lateness that is encoded as in the tag. */
static inline __attribute__((always_inline)) void
mlr_frame_fill_late(uint8_t *header, const struct mlr_frame_template *template, const struct mlr_flow *flow, uint16_t trial,
		    uint32_t sequence, uint64_t intended_ns, uint16_t lateness)
{
	uint64_t sum = mlr_frame_flow(header, template, flow);

	sum = mlr_frame_number(header, template, sum, trial, sequence);
	if (template->is_signed)
		sum += mlr_frame_sign(header + mlr_bounded(template->tag_offset) + sizeof(struct mlr_tag), template,
				      flow->id, trial, sequence, intended_ns, lateness);
	mlr_frame_stamp(header, template, sum, intended_ns, lateness);
}

/* Take all three steps. Times are in ns of CLOCK_MONOTONIC, and actual >= intended. */
static inline __attribute__((always_inline)) void mlr_frame_fill(uint8_t *header, const struct mlr_frame_template *template,
								 const struct mlr_flow *flow, uint16_t trial,
								 uint32_t sequence, uint64_t intended_ns, uint64_t actual_ns)
{
	mlr_frame_fill_late(header, template, flow, trial, sequence, intended_ns,
			    mlr_lateness_encode(actual_ns - intended_ns));
}

/* --- templates ------------------------------------------------------------------------------------------------------ */

/* A VLAN tag in host order. */
struct mlr_vlan {
	uint16_t type;    /* 0x8100 (802.1Q) or 0x88a8 (802.1ad) */
	uint16_t control; /* priority, 3 bits; drop eligible, 1 bit; VID, 12 bits */
};

/* A number in a tunnel's headers that depends on what follows it. */
enum mlr_outer_kind {
	MLR_OUTER_LENGTH, /* the length of everything from `from` on */
	MLR_OUTER_HEADER, /* the checksum of an IPv4 header, which begins at `from` */
	MLR_OUTER_ALL,    /* the checksum of GRE, over everything from `from` on */
	MLR_OUTER_TRANSPORT, /* the checksum of UDP, over the same and the addresses of the IP header that begins at `network` */
	MLR_OUTER_ADDRESSES, /* two IP addresses, which begin at `at` and at `from`: they are exchanged on the way back */
};
struct mlr_outer_field {
	uint8_t kind, at, from, network; /* offsets into `outer`, in octets */
};

/* What the frames of a template have in common. */
struct mlr_frame_spec {
	uint8_t source_mac[MLR_MAC_OCTETS];
	uint8_t destination_mac[MLR_MAC_OCTETS];
	unsigned int vlan_count;
	struct mlr_vlan vlans[MLR_VLANS_MAX]; /* the outer one first */
	unsigned int outer_octets;            /* an even number; 0: only the EtherType of the IP header */
	uint8_t outer[MLR_OUTER_MAX_OCTETS];  /* EtherType and tunnels, up to the IP header that is described below */
	unsigned int outer_field_count;
	struct mlr_outer_field
		outer_fields[MLR_OUTER_FIELDS_MAX]; /* ordered by dependency, the most dependent field first */
	bool way_back;
	unsigned int ip_version; /* 4 or 6 */
	uint8_t source_address6
		[MLR_ADDRESS6_OCTETS]; /* IPv6: only the first twelve octets count, because a flow has the last four */
	uint8_t destination_address6[MLR_ADDRESS6_OCTETS];
	uint8_t traffic_class;             /* TOS, or the IPv6 traffic class */
	uint8_t hop_limit;                 /* TTL, or the IPv6 hop limit */
	uint32_t flow_label;               /* IPv6, 20 bits */
	uint16_t identification, fragment; /* IPv4; of `fragment` only "don't fragment" (0x4000) may be set */
	unsigned int ip_options_octets;    /* IPv4; a multiple of four */
	uint8_t ip_options[MLR_IP_OPTIONS_MAX_OCTETS];
	const uint8_t
		*payload; /* what follows the tag; zeros behind its end, or where it is NULL. A signature takes the place of
				 * its beginning */
	unsigned int payload_octets;
	/* Key of the signature, where there is room for one; NULL: there is no signature. */
	const struct mlr_signature_key *key;
	unsigned int size_octets; /* FCS included; mlr_frame_least_octets() to MLR_FRAME_MAX_OCTETS */
};

/* Return the size of the smallest frame of this kind that holds the tag, FCS included. */
unsigned int mlr_frame_least_octets(const struct mlr_frame_spec *spec);

/* Return the size of the smallest frame of this kind that has room for a signature, FCS included. No frame of headers that
 * fill MLR_HEADER_MAX_OCTETS has: then it is 0. */
unsigned int mlr_frame_signed_octets(const struct mlr_frame_spec *spec);

/* Make a template. Returns 0, or -EINVAL if the size, IP version, number of VLAN tags, or length of options or tunnels is
 * out of range. */
int mlr_frame_template_init(const struct mlr_frame_spec *spec, struct mlr_frame_template *ret);

/* Write a whole frame of memory_octets: the header filled in, and the payload. `frame` starts at an even address. This is
 * for tests and for showing frames. Transmitters write the payload only once. */
void mlr_frame_write(const struct mlr_frame_spec *spec, const struct mlr_frame_template *template,
		     const struct mlr_flow *flow, uint16_t trial, uint32_t sequence, uint64_t intended_ns,
		     uint64_t actual_ns, uint8_t *frame);

/* Return the line rate in frames/s of a link of this speed. Where frames differ in size, `size_octets` is their mean. */
double mlr_line_rate_fps(double link_bps, double size_octets);

#endif
