/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header writes payload patterns, the octets behind the tag of a frame. An octet depends only on its place in the
 * frame, so frames of all sizes and headers share a pattern. The caller owns the memory. A pattern is written once for a
 * profile, and only read after that.
 */
#ifndef MLR_PAYLOAD_H
#define MLR_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

enum mlr_payload {
	MLR_PAYLOAD_ZEROS,
	MLR_PAYLOAD_ONES,
	MLR_PAYLOAD_ALTERNATING, /* bits 1 and 0 in turn */
	MLR_PAYLOAD_PRBS,        /* 2^23 - 1 bits: x^23 + x^18 + 1 (ITU-T O.150, 5.6), inverted, from a register of ones */
	MLR_PAYLOAD_RANDOM,      /* any octets, which a seed chooses */
	MLR_PAYLOAD_COUNT,
};

/* Write the first octets of a pattern. The seed matters for MLR_PAYLOAD_RANDOM only. */
void mlr_payload_write(enum mlr_payload pattern, uint64_t seed, uint8_t *ret, size_t octets);

#endif
