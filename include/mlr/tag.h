/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The tag: how a frame of the tester is recognised, counted, ordered and timed, in the 18 octets of UDP payload that an
 * IPv4 frame of 64 octets has. Shared by the transmitter, the XDP programs and the lab's policer, so it includes nothing
 * but fixed-size integers. On the wire every field is big-endian.
 */
#ifndef MLR_TAG_H
#define MLR_TAG_H

#include <stdint.h>

#define MLR_TAG_MAGIC 0x584d /* "XM" */

struct mlr_tag {
	uint16_t magic;
	uint16_t trial;         /* trials are numbered; what carries another number is late */
	uint8_t departure_high; /* bits 32 to 39 of the departure */
	uint8_t flow[3];        /* index of the flow in the run */
	uint32_t sequence;      /* in the flow; goes on from trial to trial, wraps */
	uint32_t departure_ns;  /* CLOCK_MONOTONIC, intended; with departure_high modulo 2^40 (18 minutes) */
	uint16_t lateness;      /* actual minus intended departure, see mlr_lateness_encode() */
} __attribute__((packed, aligned(2)));

_Static_assert(sizeof(struct mlr_tag) == 18, "the tag fills the UDP payload of a 64-octet IPv4 frame");

#define MLR_TAG_FLOW_BITS      24
#define MLR_TAG_DEPARTURE_BITS 40
#define MLR_TAG_DEPARTURE_MASK ((1ull << MLR_TAG_DEPARTURE_BITS) - 1)

/* Latency (ns, negative where the clocks disagree) from two times modulo 2^40: right for 9 minutes either way. */
static inline int64_t mlr_tag_latency_ns(uint64_t arrival_ns, uint64_t departure_ns)
{
	return (int64_t)((arrival_ns - departure_ns) << (64 - MLR_TAG_DEPARTURE_BITS)) >> (64 - MLR_TAG_DEPARTURE_BITS);
}

/*
 * Lateness as a 16-bit floating-point number: 12 bits of mantissa m, 4 bits of exponent e, the value m * 2^e ns, rounded
 * down. Exact below 4096 ns, within 0.05 % up to 134 ms; 0xffff, the largest, means "that much or more".
 */
#define MLR_LATENESS_SATURATED     0xffff
#define MLR_LATENESS_MANTISSA_BITS 12
#define MLR_LATENESS_MAX_NS        (0xfffull << 15)

static inline uint16_t mlr_lateness_encode(uint64_t lateness_ns)
{
	unsigned int exponent = 0;

	if (lateness_ns >= MLR_LATENESS_MAX_NS)
		return MLR_LATENESS_SATURATED;
	/* the least exponent whose mantissa fits, by bisection: no loop, for the sake of BPF */
	if (lateness_ns >> (MLR_LATENESS_MANTISSA_BITS + 7))
		exponent = 8;
	if (lateness_ns >> (exponent + MLR_LATENESS_MANTISSA_BITS + 3))
		exponent += 4;
	if (lateness_ns >> (exponent + MLR_LATENESS_MANTISSA_BITS + 1))
		exponent += 2;
	if (lateness_ns >> (exponent + MLR_LATENESS_MANTISSA_BITS))
		exponent += 1;
	return (uint16_t)(exponent << MLR_LATENESS_MANTISSA_BITS | lateness_ns >> exponent);
}

static inline uint32_t mlr_lateness_decode_ns(uint16_t lateness)
{
	return (uint32_t)(lateness & 0xfff) << (lateness >> MLR_LATENESS_MANTISSA_BITS);
}

/* By how much it may have been more than it decodes to, at most. Larger ones are no finer. */
static inline uint32_t mlr_lateness_error_ns(uint16_t lateness)
{
	return (1u << (lateness >> MLR_LATENESS_MANTISSA_BITS)) - 1;
}

#endif
