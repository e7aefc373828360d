/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/hdr.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#define ROUNDING 1e-12       /* relative rounding of a rank */
#define COOKIE   0x1c849313u /* V2, with counts in ZigZag LEB128 */
#define HEADER   40
#define HIGHEST  ((1ull << (MLR_HDR_TOP_BIT + 1)) - 1)
#define HALF     (1ull << MLR_HDR_HALF_BITS)
#define ONE      0x3ff0000000000000ull /* 1.0: integers are values */

/* --- values --------------------------------------------------------------------------------------------------------- */

/* Return by how many bits values are shifted where this one is counted. */
static unsigned int shift_of(uint64_t value)
{
	unsigned int top = value ? 63 - (unsigned int)__builtin_clzll(value) : 0;

	return top > MLR_HDR_HALF_BITS ? top - MLR_HDR_HALF_BITS : 0;
}

static size_t index_of(uint64_t value)
{
	uint64_t counted = value < HIGHEST ? value : HIGHEST;
	unsigned int shift = shift_of(counted);

	return (size_t)shift * HALF + (counted >> shift);
}

/* Return the smallest value of a count, and by how many bits its values differ. */
static uint64_t value_of(size_t index, unsigned int *ret_shift)
{
	unsigned int shift = index < 2 * HALF ? 0 : (unsigned int)(index / HALF) - 1;

	*ret_shift = shift;
	return (uint64_t)(index - shift * HALF) << shift;
}

static void count_value(struct mlr_hdr *hdr, uint64_t value, uint64_t times)
{
	hdr->counts[index_of(value)] += times;
	hdr->count += times;
}

/* Count the latencies of a bucket: at its middle, but for those that are known exactly. */
static void count_bucket(struct mlr_hdr *hdr, const struct mlr_delays *delays, uint32_t bucket, uint64_t times)
{
	uint64_t start_ns = mlr_delays_bucket_start_ns(bucket), end_ns = mlr_delays_bucket_start_ns(bucket + 1);
	uint64_t middle_ns = delays->min_ns + start_ns + (end_ns - start_ns) / 2;

	count_value(hdr, middle_ns < delays->max_ns ? middle_ns : delays->max_ns, times);
}

void mlr_hdr_add(struct mlr_hdr *hdr, const struct mlr_delays *delays)
{
	uint32_t first = MLR_DELAYS_BUCKETS, last = 0;

	for (uint32_t i = 0; i < MLR_DELAYS_BUCKETS; i++) {
		if (!delays->buckets[i])
			continue;
		first = first < i ? first : i;
		last = i;
	}
	if (!delays->count)
		return;
	count_value(hdr, delays->min_ns, 1);
	if (delays->count > 1)
		count_value(hdr, delays->max_ns, 1);
	for (uint32_t i = first; i <= last; i++) {
		uint64_t exact = (i == first) + (i == last), times = delays->buckets[i];

		if (times > exact)
			count_bucket(hdr, delays, i, times - exact);
	}
}

double mlr_hdr_quantile_ns(const struct mlr_hdr *hdr, double quantile)
{
	double rank = fmax(ceil(quantile * (double)hdr->count * (1 - ROUNDING)), 1), below = 0;

	for (size_t i = 0; i < MLR_HDR_COUNTS; i++) {
		unsigned int shift;
		uint64_t value;

		below += (double)hdr->counts[i];
		if (below < rank)
			continue;
		value = value_of(i, &shift);
		return (double)value + (double)((1ull << shift) / 2);
	}
	return NAN;
}

/* --- writing -------------------------------------------------------------------------------------------------------- */

static void put_number(uint8_t *to, uint64_t number, unsigned int octets)
{
	for (unsigned int i = 0; i < octets; i++)
		to[i] = (uint8_t)(number >> 8 * (octets - 1 - i));
}

/* ZigZag LEB128 of at most 9 octets: the ninth has eight bits. */
static size_t put_zigzag(uint8_t *to, int64_t number)
{
	uint64_t rest = ((uint64_t)number << 1) ^ (uint64_t)(number >> 63);
	size_t length = 0;

	while (rest >> 7 && length < 8) {
		to[length++] = (uint8_t)(rest | 0x80);
		rest >>= 7;
	}
	to[length++] = (uint8_t)rest;
	return length;
}

/* Return how many counts there are up to the last that is not 0. */
static size_t used_counts(const struct mlr_hdr *hdr)
{
	size_t used = MLR_HDR_COUNTS;

	while (used > 0 && !hdr->counts[used - 1])
		used--;
	return used;
}

size_t mlr_hdr_encode(const struct mlr_hdr *hdr, uint8_t buffer[MLR_HDR_OCTETS_MAX])
{
	size_t used = used_counts(hdr), length = HEADER;

	for (size_t i = 0, run; i < used; i += run) {
		for (run = 0; !hdr->counts[i + run]; run++)
			;
		length += put_zigzag(buffer + length, run ? -(int64_t)run : (int64_t)hdr->counts[i]);
		run += !run;
	}
	put_number(buffer, COOKIE, 4);
	put_number(buffer + 4, length - HEADER, 4);
	put_number(buffer + 8, 0, 4); /* the counts begin at the first */
	put_number(buffer + 12, MLR_HDR_DIGITS, 4);
	put_number(buffer + 16, 1, 8); /* the smallest value that is told from 0 */
	put_number(buffer + 24, HIGHEST, 8);
	put_number(buffer + 32, ONE, 8);
	return length;
}

/* --- reading -------------------------------------------------------------------------------------------------------- */

static uint64_t get_number(const uint8_t *from, unsigned int octets)
{
	uint64_t number = 0;

	for (unsigned int i = 0; i < octets; i++)
		number = number << 8 | from[i];
	return number;
}

/* Return how many octets the number takes; 0: it does not end. */
static size_t get_zigzag(const uint8_t *from, size_t length, int64_t *ret)
{
	uint64_t number = 0;

	for (size_t i = 0; i < length && i < 9; i++) {
		number |= (uint64_t)(i < 8 ? from[i] & 0x7f : from[i]) << 7 * i;
		if (i < 8 && from[i] & 0x80)
			continue;
		*ret = (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
		return i + 1;
	}
	return 0;
}

static bool header_fits(const uint8_t *octets, size_t length)
{
	return length >= HEADER && get_number(octets, 4) == COOKIE && get_number(octets + 4, 4) == length - HEADER &&
	       get_number(octets + 8, 4) == 0 && get_number(octets + 12, 4) == MLR_HDR_DIGITS &&
	       get_number(octets + 16, 8) == 1 && get_number(octets + 24, 8) == HIGHEST && get_number(octets + 32, 8) == ONE;
}

int mlr_hdr_decode(struct mlr_hdr *hdr, const uint8_t *octets, size_t length)
{
	size_t index = 0, taken;
	int64_t number;

	if (!header_fits(octets, length))
		return -EINVAL;
	for (size_t at = HEADER; at < length; at += taken) {
		taken = get_zigzag(octets + at, length - at, &number);
		if (!taken || index >= MLR_HDR_COUNTS || number <= -(int64_t)MLR_HDR_COUNTS ||
		    (number < 0 && index + (size_t)-number > MLR_HDR_COUNTS))
			return -EINVAL;
		if (number < 0) {
			index += (size_t)-number;
			continue;
		}
		hdr->counts[index++] += (uint64_t)number;
		hdr->count += (uint64_t)number;
	}
	return 0;
}
