/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/payload.h"

#include <string.h>

#define PRBS_BITS 23
#define PRBS_TAP  18
#define PRBS_ONES ((1u << PRBS_BITS) - 1)

/* Write the sequence, the first bit of an octet first. */
static void write_prbs(uint8_t *to, size_t octets)
{
	uint32_t shift = PRBS_ONES;

	for (size_t bit = 0; bit < 8 * octets; bit++) {
		uint32_t next = (shift >> (PRBS_BITS - 1) ^ shift >> (PRBS_TAP - 1)) & 1;

		if (bit % 8 == 0)
			to[bit / 8] = 0;
		to[bit / 8] |= (uint8_t)(!(shift >> (PRBS_BITS - 1) & 1) << (7 - bit % 8));
		shift = (shift << 1 | next) & PRBS_ONES;
	}
}

/* Write the generator splitmix64, octet by octet, which no compression makes shorter. */
static void write_random(uint64_t seed, uint8_t *to, size_t octets)
{
	uint64_t word = 0;

	for (size_t i = 0; i < octets; i++, word >>= 8) {
		if (i % 8 == 0) {
			seed += 0x9e3779b97f4a7c15ull;
			word = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9ull;
			word = (word ^ word >> 27) * 0x94d049bb133111ebull;
			word ^= word >> 31;
		}
		to[i] = (uint8_t)word;
	}
}

void mlr_payload_write(enum mlr_payload pattern, uint64_t seed, uint8_t *ret, size_t octets)
{
	switch (pattern) {
	case MLR_PAYLOAD_ONES:
		memset(ret, 0xff, octets);
		return;
	case MLR_PAYLOAD_ALTERNATING:
		memset(ret, 0xaa, octets);
		return;
	case MLR_PAYLOAD_PRBS:
		write_prbs(ret, octets);
		return;
	case MLR_PAYLOAD_RANDOM:
		write_random(seed, ret, octets);
		return;
	default:
		memset(ret, 0, octets);
	}
}
