/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * A log-linear histogram of durations in ns: values below 256 exactly, above that 256 buckets an octave, so a value is known
 * to 1/512 of itself (0.2 %). Count, sum, minimum and maximum are exact. Memory full of zeros is an empty histogram. The XDP
 * programs fill the same layout, a histogram a CPU, which user space merges.
 */
#ifndef MLR_HISTOGRAM_H
#define MLR_HISTOGRAM_H

#include <stdint.h>

#define MLR_HISTOGRAM_OCTAVE_BITS 8 /* 2^8 buckets an octave */
#define MLR_HISTOGRAM_OCTAVE      (1u << MLR_HISTOGRAM_OCTAVE_BITS)
#define MLR_HISTOGRAM_TOP_BIT     39 /* values from 2^40 on (18 minutes) go into the last bucket */
#define MLR_HISTOGRAM_BUCKETS     ((MLR_HISTOGRAM_TOP_BIT - MLR_HISTOGRAM_OCTAVE_BITS + 2) * MLR_HISTOGRAM_OCTAVE)

/* The XDP programs do it for each frame. */
#define MLR_ALWAYS_INLINE static inline __attribute__((always_inline))

struct mlr_histogram {
	uint64_t count;
	uint64_t sum_ns;
	uint64_t max_ns;
	uint64_t inverted_min_ns; /* ~min, so that zero is "no value yet" */
	uint64_t buckets[MLR_HISTOGRAM_BUCKETS];
};

/* The number of the highest bit set of a value below 2^40; 0 for 0. A table instead of a count-leading-zeros instruction: BPF
 * has none. */
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

/* The bucket of a value. */
MLR_ALWAYS_INLINE uint32_t mlr_histogram_bucket(uint64_t value_ns)
{
	uint32_t below; /* bits that do not matter */

	if (value_ns < MLR_HISTOGRAM_OCTAVE)
		return (uint32_t)value_ns;
	if (value_ns >> (MLR_HISTOGRAM_TOP_BIT + 1))
		return MLR_HISTOGRAM_BUCKETS - 1;
	below = mlr_log2(value_ns) - MLR_HISTOGRAM_OCTAVE_BITS;
	return below * MLR_HISTOGRAM_OCTAVE + (uint32_t)(value_ns >> below); /* with the highest bit, one octave more */
}

/* The same value, so many times, that is neither a new minimum nor a new maximum. */
MLR_ALWAYS_INLINE void mlr_histogram_count(struct mlr_histogram *histogram, uint64_t value_ns, uint64_t times)
{
	uint32_t bucket = mlr_histogram_bucket(value_ns);

	histogram->count += times;
	histogram->sum_ns += value_ns * times;
#ifdef __bpf__
	/* Linux 6.1 cannot follow the bits above to their bound, and the compiler leaves out a check that it knows the end
	 * of */
	__asm__ volatile("" : "+r"(bucket));
	if (bucket >= MLR_HISTOGRAM_BUCKETS)
		return;
#endif
	histogram->buckets[bucket] += times;
}

/* The same value, so many times. */
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

/* The smallest value of a bucket; of MLR_HISTOGRAM_BUCKETS, the end of the last. */
uint64_t mlr_histogram_bucket_start_ns(uint32_t bucket);

/* Add all of `other`. */
void mlr_histogram_merge(struct mlr_histogram *histogram, const struct mlr_histogram *other);

/* 0 for an empty histogram, all of them. A quantile (0 to 1) of n values is the ceil(quantile * n)-th smallest of them (the
 * first for 0): exact if that is the smallest or the largest, else the middle of what its bucket can hold between those. */
uint64_t mlr_histogram_min_ns(const struct mlr_histogram *histogram);
double mlr_histogram_mean_ns(const struct mlr_histogram *histogram);
double mlr_histogram_quantile_ns(const struct mlr_histogram *histogram, double quantile);

/* By how much that quantile may be off: half of what its bucket can hold. */
double mlr_histogram_quantile_error_ns(const struct mlr_histogram *histogram, double quantile);

#endif
