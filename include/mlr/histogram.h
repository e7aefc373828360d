/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * This histogram counts durations in ns, in log-linear buckets. Whoever allocates it owns it; the XDP programs fill one for
 * each CPU in the same layout, and user space merges them. Memory full of zeros is an empty histogram: values are added,
 * histograms merged, and results read at any time.
 *
 * Values below 256 are exact. Above that an octave has 256 buckets, so a value is known to 1/512 of itself (0.2 %). Count,
 * sum, minimum and maximum are exact.
 */
#ifndef MLR_HISTOGRAM_H
#define MLR_HISTOGRAM_H

#include <stdint.h>

#define MLR_HISTOGRAM_OCTAVE_BITS 8 /* 2^8 buckets for each octave */
#define MLR_HISTOGRAM_OCTAVE      (1u << MLR_HISTOGRAM_OCTAVE_BITS)
#define MLR_HISTOGRAM_TOP_BIT     39 /* values of 2^40 and more (18 minutes) go into the last bucket */
#define MLR_HISTOGRAM_BUCKETS     ((MLR_HISTOGRAM_TOP_BIT - MLR_HISTOGRAM_OCTAVE_BITS + 2) * MLR_HISTOGRAM_OCTAVE)

/* For functions that the XDP programs call for each frame. */
#define MLR_ALWAYS_INLINE static inline __attribute__((always_inline))

struct mlr_histogram {
	uint64_t count;
	uint64_t sum_ns;
	uint64_t max_ns;
	uint64_t inverted_min_ns; /* ~min, so that zero means "no value yet" */
	uint64_t buckets[MLR_HISTOGRAM_BUCKETS];
};

/* Return the number of the highest bit that is set in a value below 2^40; 0 for 0. It uses a table, because BPF has no
 * instruction that counts leading zeros. */
MLR_ALWAYS_INLINE uint32_t mlr_log2(uint64_t value)
{
	static const uint8_t of_octet[256] = {
		[2 ... 3] = 1,   [4 ... 7] = 2,    [8 ... 15] = 3,    [16 ... 31] = 4,
		[32 ... 63] = 5, [64 ... 127] = 6, [128 ... 255] = 7,
	};
	uint32_t octet;

	if (value >> 16)
		octet = value >> 24 ? value >> 32 ? 32 : 24 : 16;
	else
		octet = value >> 8 ? 8 : 0;
	return octet + of_octet[value >> octet & 0xff];
}

/* Return the bucket of a value. */
MLR_ALWAYS_INLINE uint32_t mlr_histogram_bucket(uint64_t value_ns)
{
	uint32_t below; /* low bits that the bucket does not distinguish */

	if (value_ns < MLR_HISTOGRAM_OCTAVE)
		return (uint32_t)value_ns;
	if (value_ns >> (MLR_HISTOGRAM_TOP_BIT + 1))
		return MLR_HISTOGRAM_BUCKETS - 1;
	below = mlr_log2(value_ns) - MLR_HISTOGRAM_OCTAVE_BITS;
	return below * MLR_HISTOGRAM_OCTAVE +
	       (uint32_t)(value_ns >> below); /* the highest bit of the value counts as one more octave */
}

/* Add a value `times` times. The value must be neither a new minimum nor a new maximum. */
MLR_ALWAYS_INLINE void mlr_histogram_count(struct mlr_histogram *histogram, uint64_t value_ns, uint64_t times)
{
	uint32_t bucket = mlr_histogram_bucket(value_ns);

	histogram->count += times;
	histogram->sum_ns += value_ns * times;
#ifdef __bpf__
	/* The verifier of Linux 6.1 cannot derive this bound from the steps above. Without the asm statement the compiler
	 * would remove the check, because it can derive the bound. */
	__asm__ volatile("" : "+r"(bucket));
	if (bucket >= MLR_HISTOGRAM_BUCKETS)
		return;
#endif
	histogram->buckets[bucket] += times;
}

/* Add a value `times` times. */
static inline void mlr_histogram_add_many(struct mlr_histogram *histogram, uint64_t value_ns, uint64_t times)
{
	if (!times)
		return;
	if (value_ns > histogram->max_ns)
		histogram->max_ns = value_ns;
	if (~value_ns > histogram->inverted_min_ns)
		histogram->inverted_min_ns = ~value_ns;
	mlr_histogram_count(histogram, value_ns, times);
}

static inline void mlr_histogram_add(struct mlr_histogram *histogram, uint64_t value_ns)
{
	mlr_histogram_add_many(histogram, value_ns, 1);
}

/* Return the smallest value of a bucket. For MLR_HISTOGRAM_BUCKETS return the end of the last bucket. */
uint64_t mlr_histogram_bucket_start_ns(uint32_t bucket);

/* Add all values of `other` to `histogram`. */
void mlr_histogram_merge(struct mlr_histogram *histogram, const struct mlr_histogram *other);

/* Minimum, mean and quantile; all are 0 for an empty histogram. A quantile (0 to 1) of n values is the ceil(quantile * n)-th
 * smallest of them, or the first for 0. It is exact if that is the smallest or the largest value. Otherwise it is the middle
 * of what its bucket can hold between those two. */
uint64_t mlr_histogram_min_ns(const struct mlr_histogram *histogram);
double mlr_histogram_mean_ns(const struct mlr_histogram *histogram);
double mlr_histogram_quantile_ns(const struct mlr_histogram *histogram, double quantile);

/* Return the smallest length for which the parts of all values above it add up to at most `most_sum_ns`. It is the start of
 * a bucket. */
uint64_t mlr_histogram_cut_ns(const struct mlr_histogram *histogram, double most_sum_ns);

/* Return by how much that quantile may be off, which is half of what its bucket can hold. */
double mlr_histogram_quantile_error_ns(const struct mlr_histogram *histogram, double quantile);

#endif
