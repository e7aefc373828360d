/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/frame.h"

#include <errno.h>
#include <string.h>

#define ETHERNET_OCTETS     14
#define IPV4_OCTETS         20
#define UDP_OCTETS          8
#define IPV4_OFFSET         ETHERNET_OCTETS
#define UDP_OFFSET          (IPV4_OFFSET + IPV4_OCTETS)
#define TAG_OFFSET          (UDP_OFFSET + UDP_OCTETS)
#define UDP_CHECKSUM_OFFSET (UDP_OFFSET + 6)
#define ETHERTYPE_IPV4      0x0800
#define PROTOCOL_UDP        17
#define TTL                 64

_Static_assert(TAG_OFFSET + sizeof(struct mlr_tag) + MLR_FCS_OCTETS == MLR_FRAME_MIN_OCTETS,
	       "the smallest frame holds the tag");

static void put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, (uint16_t)(value >> 16));
	put16(at + 2, (uint16_t)value);
}

/* The ones' complement sum of RFC 1071 over big-endian 16-bit words, not yet folded. */
static uint32_t checksum_add(uint32_t sum, const uint8_t *data, size_t octets)
{
	for (size_t i = 0; i + 1 < octets; i += 2)
		sum += (uint32_t)data[i] << 8 | data[i + 1];
	if (octets % 2)
		sum += (uint32_t)data[octets - 1] << 8;
	return sum;
}

static uint16_t checksum_fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void put_ethernet(uint8_t *at, const struct mlr_frame_spec *spec)
{
	memcpy(at, spec->destination_mac, MLR_MAC_OCTETS);
	memcpy(at + MLR_MAC_OCTETS, spec->source_mac, MLR_MAC_OCTETS);
	put16(at + 2 * MLR_MAC_OCTETS, ETHERTYPE_IPV4);
}

static void put_ipv4(uint8_t *at, const struct mlr_frame_spec *spec, uint16_t total_octets)
{
	at[0] = 0x45; /* version 4, header of 5 words */
	put16(at + 2, total_octets);
	at[8] = TTL;
	at[9] = PROTOCOL_UDP;
	memcpy(at + 12, &spec->source_address, 4);
	memcpy(at + 16, &spec->destination_address, 4);
	put16(at + 10, checksum_fold(checksum_add(0, at, IPV4_OCTETS)));
}

static void put_udp(uint8_t *at, const struct mlr_frame_spec *spec, uint16_t octets)
{
	put16(at, spec->source_port);
	put16(at + 2, spec->destination_port);
	put16(at + 4, octets);
}

int mlr_frame_build(const struct mlr_frame_spec *spec, uint8_t *frame, struct mlr_frame_layout *ret_layout)
{
	unsigned int memory_octets = spec->size_octets - MLR_FCS_OCTETS;
	uint16_t ip_octets = (uint16_t)(memory_octets - IPV4_OFFSET), udp_octets = (uint16_t)(memory_octets - UDP_OFFSET);
	uint32_t sum;

	if (spec->size_octets < MLR_FRAME_MIN_OCTETS || spec->size_octets > MLR_FRAME_MAX_OCTETS)
		return -EINVAL;
	memset(frame, 0, memory_octets);
	put_ethernet(frame, spec);
	put_ipv4(frame + IPV4_OFFSET, spec, ip_octets);
	put_udp(frame + UDP_OFFSET, spec, udp_octets);
	put16(frame + TAG_OFFSET, MLR_TAG_MAGIC);
	put32(frame + TAG_OFFSET + offsetof(struct mlr_tag, flow), spec->flow);

	/* the pseudo-header of RFC 768, then header and payload with the stamped fields still zero */
	sum = checksum_add(PROTOCOL_UDP + udp_octets, frame + IPV4_OFFSET + 12, 8);
	sum = checksum_add(sum, frame + UDP_OFFSET, udp_octets);
	*ret_layout = (struct mlr_frame_layout){
		.memory_octets = memory_octets,
		.tag_offset = TAG_OFFSET,
		.udp_checksum_offset = UDP_CHECKSUM_OFFSET,
		.checksum_base = sum,
	};
	return 0;
}

static uint32_t words(uint32_t value)
{
	return (value >> 16) + (value & 0xffff);
}

void mlr_frame_stamp(uint8_t *frame, const struct mlr_frame_layout *layout, uint16_t trial, uint32_t sequence,
		     uint64_t intended_departure_ns, uint64_t actual_departure_ns)
{
	uint8_t *tag = frame + layout->tag_offset;
	uint32_t departure_ns = (uint32_t)intended_departure_ns;
	uint16_t lateness = mlr_lateness_encode(actual_departure_ns - intended_departure_ns);
	uint16_t checksum = checksum_fold(layout->checksum_base + trial + words(sequence) + words(departure_ns) + lateness);

	put16(tag + offsetof(struct mlr_tag, trial), trial);
	put32(tag + offsetof(struct mlr_tag, sequence), sequence);
	put32(tag + offsetof(struct mlr_tag, departure_ns), departure_ns);
	put16(tag + offsetof(struct mlr_tag, lateness), lateness);
	put16(frame + layout->udp_checksum_offset, checksum ? checksum : 0xffff);
}

double mlr_line_rate_fps(double link_bps, unsigned int size_octets)
{
	return link_bps / (8.0 * (size_octets + MLR_FRAME_L1_OVERHEAD_OCTETS));
}
