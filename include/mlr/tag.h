/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The tag is the part of a frame by which the tester recognises, counts, orders and times it. The transmitter writes it into
 * the frame, and everybody else only reads it. A tag is written when its frame departs and is read once, when the frame
 * arrives.
 *
 * It fills the 18 octets of UDP payload that an IPv4 frame of 64 octets has. On the wire every field is big-endian. The
 * transmitter, the XDP programs and the lab's policer share this header, so it includes nothing but fixed-size integers.
 */
#ifndef MLR_TAG_H
#define MLR_TAG_H

#include <stdint.h>

#define MLR_TAG_MAGIC 0x584d /* "XM" */

struct mlr_tag {
	uint16_t magic;
	uint16_t trial;         /* the number of the trial; a frame with another number is late */
	uint8_t departure_high; /* bits 32 to 39 of the departure */
	uint8_t flow[3];        /* the index of the flow in the run */
	uint32_t sequence;      /* the number in the flow; it continues from trial to trial, and wraps */
	uint32_t departure_ns;  /* the intended departure by CLOCK_MONOTONIC; with departure_high modulo 2^40 (18 minutes) */
	uint16_t lateness;      /* actual minus intended departure, encoded by mlr_lateness_encode() */
} __attribute__((packed, aligned(2)));

_Static_assert(sizeof(struct mlr_tag) == 18, "the tag fills the UDP payload of a 64-octet IPv4 frame");

#define MLR_TAG_FLOW_BITS      24
#define MLR_TAG_DEPARTURE_BITS 40
#define MLR_TAG_DEPARTURE_MASK ((1ull << MLR_TAG_DEPARTURE_BITS) - 1)

/* Return the latency from two times modulo 2^40, in ns. It is right up to 9 minutes, and negative if the clocks disagree. */
static inline int64_t mlr_tag_latency_ns(uint64_t arrival_ns, uint64_t departure_ns)
{
	return (int64_t)((arrival_ns - departure_ns) << (64 - MLR_TAG_DEPARTURE_BITS)) >> (64 - MLR_TAG_DEPARTURE_BITS);
}

/*
 * Lateness is a 16-bit floating-point number: 12 bits of mantissa m, 4 bits of exponent e, the value m * 2^e ns, rounded
 * down. It is exact below 4096 ns, and within 0.05 % up to 134 ms. The largest number, 0xffff, means "that much or more".
 */
#define MLR_LATENESS_SATURATED     0xffff
#define MLR_LATENESS_MANTISSA_BITS 12
#define MLR_LATENESS_MAX_NS        (0xfffull << 15)

static inline uint16_t mlr_lateness_encode(uint64_t lateness_ns)
{
	unsigned int exponent = 0;

	if (lateness_ns < 1 << MLR_LATENESS_MANTISSA_BITS)
		return (uint16_t)lateness_ns;
	if (lateness_ns >= MLR_LATENESS_MAX_NS)
		return MLR_LATENESS_SATURATED;
	/* Find the least exponent whose mantissa fits by bisection. It has no loop because BPF runs it. */
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

/*
 * A frame that departs in a burst which nobody asked for is marked (mlr/envelope.h). The mark is in the lateness: the
 * mantissa is halved, and the exponent is one larger. An encoder never makes such a number by itself. A marked number
 * decodes to the same value, apart from its lowest bit. A lateness of 67 ms or more cannot be marked.
 */
#define MLR_LATENESS_MARKABLE 0xf000

static inline uint16_t mlr_lateness_mark(uint16_t lateness)
{
	if (lateness >= MLR_LATENESS_MARKABLE)
		return lateness;
	return (uint16_t)((lateness & MLR_LATENESS_MARKABLE) + (1 << MLR_LATENESS_MANTISSA_BITS) + (lateness & 0xfff) / 2);
}

static inline int mlr_lateness_is_marked(uint16_t lateness)
{
	return lateness >> MLR_LATENESS_MANTISSA_BITS && !(lateness & 1 << (MLR_LATENESS_MANTISSA_BITS - 1));
}

static inline uint32_t mlr_lateness_decode_ns(uint16_t lateness)
{
	return (uint32_t)(lateness & 0xfff) << (lateness >> MLR_LATENESS_MANTISSA_BITS);
}

/* Return by how much the real lateness may exceed the decoded one, at most. Marks make no difference. */
static inline uint32_t mlr_lateness_error_ns(uint16_t lateness)
{
	return (1u << (lateness >> MLR_LATENESS_MANTISSA_BITS)) - 1;
}

#endif
