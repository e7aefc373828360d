/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of a Traffic Profile (4.5.4): Ethernet, IPv4, UDP, tag, padding, with lengths and checksums that are right.
 *
 * A frame is built once; before each departure only the tag is stamped, and the UDP checksum with it. Sizes are those of the
 * wire, FCS included, as RFC 2544 counts them; in memory a frame is MLR_FCS_OCTETS shorter.
 */
#ifndef MLR_FRAME_H
#define MLR_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlr/tag.h"

#define MLR_FCS_OCTETS               4
#define MLR_FRAME_MIN_OCTETS         64
#define MLR_FRAME_MAX_OCTETS         1518
#define MLR_FRAME_L1_OVERHEAD_OCTETS 20 /* preamble, start delimiter, inter-frame gap */
#define MLR_MAC_OCTETS               6

/* What the frames of one flow look like. Addresses in network byte order, all else in host order. */
struct mlr_frame_spec {
	uint8_t source_mac[MLR_MAC_OCTETS];
	uint8_t destination_mac[MLR_MAC_OCTETS];
	uint32_t source_address;
	uint32_t destination_address;
	uint16_t source_port;
	uint16_t destination_port;
	uint32_t flow;
	unsigned int size_octets; /* with FCS, MLR_FRAME_MIN_OCTETS to MLR_FRAME_MAX_OCTETS */
};

/* The ports of the UDP test frame of RFC 2544, C.2.6.4. */
#define MLR_UDP_SOURCE_PORT      0xc020
#define MLR_UDP_DESTINATION_PORT 7

/* Where the tag stands, and what is needed to stamp it. */
struct mlr_frame_layout {
	unsigned int memory_octets; /* length without FCS */
	unsigned int tag_offset;
	unsigned int udp_checksum_offset;
	uint32_t checksum_base; /* sum of all that the UDP checksum covers but the stamped fields */
};

/* Write the frame of a spec into `frame`, of at least size_octets - MLR_FCS_OCTETS octets. 0 or -EINVAL (size). */
int mlr_frame_build(const struct mlr_frame_spec *spec, uint8_t *frame, struct mlr_frame_layout *ret_layout);

/* Stamp the tag of a frame that mlr_frame_build() wrote. Times in ns of CLOCK_MONOTONIC, actual >= intended. */
void mlr_frame_stamp(uint8_t *frame, const struct mlr_frame_layout *layout, uint16_t trial, uint32_t sequence,
		     uint64_t intended_departure_ns, uint64_t actual_departure_ns);

/* Line rate in frames/s for a link of this speed. */
double mlr_line_rate_fps(double link_bps, unsigned int size_octets);

#endif
