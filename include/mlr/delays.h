/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This histogram holds latencies by how far each is above the smallest one (PDV, RFC 5481, 4.2). The caller owns it. It
 * starts as zeros, gets its minimum and maximum, takes all latencies, is asked for quantiles, and is cleared for the next
 * trial.
 *
 * The histogram is log-linear and finer than mlr/histogram.h. So counts that come from several of those lose next to no
 * precision again. Each bucket knows by how much its latencies may have been off when they were added.
 */
#ifndef MLR_DELAYS_H
#define MLR_DELAYS_H

#include <stddef.h>
#include <stdint.h>

#define MLR_DELAYS_OCTAVE_BITS 11
#define MLR_DELAYS_TOP_BIT     39 /* distances of 2^40 and more go into the last bucket */
#define MLR_DELAYS_BUCKETS     ((MLR_DELAYS_TOP_BIT - MLR_DELAYS_OCTAVE_BITS + 2) << MLR_DELAYS_OCTAVE_BITS)

/* Set min_ns and max_ns, the smallest and the largest latency of all, before you add latencies. */
struct mlr_delays {
	uint64_t count, min_ns, max_ns;
	uint64_t used[MLR_DELAYS_BUCKETS / 64]; /* one bit for each bucket: it is not empty */
	uint64_t buckets[MLR_DELAYS_BUCKETS];
	float error_ns[MLR_DELAYS_BUCKETS];
};

/* Clear a histogram, which must be empty or in use. Memory full of zeros is empty. The cost depends on the buckets in use,
 * not on the size. */
void mlr_delays_clear(struct mlr_delays *delays);

/* Add `times` latencies that are known to be from least_ns to most_ns. Both are between minimum and maximum. */
void mlr_delays_add(struct mlr_delays *delays, uint64_t least_ns, uint64_t most_ns, uint64_t times);

/* Return how far the smallest latency of a bucket is above the minimum. For MLR_DELAYS_BUCKETS return the end of the last
 * one. */
uint64_t mlr_delays_bucket_start_ns(uint32_t bucket);

/* Return a quantile of the PDV over several histograms, one for each port (at most MLR_PORTS_MAX). Each latency counts by
 * its distance from the minimum of its own histogram. Returns NAN if there are none. Quantiles are defined as in
 * mlr/histogram.h. *ret_error_ns says by how much the result may be off; ret_error_ns may be NULL. */
double mlr_delays_quantile_ns(const struct mlr_delays *const *delays, size_t count, double quantile, double *ret_error_ns);

#endif
