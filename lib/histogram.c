/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/histogram.h"

#include <stddef.h>

uint64_t mlr_histogram_bucket_start_ns(uint32_t bucket)
{
	uint32_t octave = bucket / MLR_HISTOGRAM_OCTAVE;
	uint64_t step = bucket % MLR_HISTOGRAM_OCTAVE;

	if (octave == 0)
		return step;
	return (MLR_HISTOGRAM_OCTAVE + step) << (octave - 1);
}

void mlr_histogram_merge(struct mlr_histogram *histogram, const struct mlr_histogram *other)
{
	histogram->count += other->count;
	histogram->sum_ns += other->sum_ns;
	if (other->max_ns > histogram->max_ns)
		histogram->max_ns = other->max_ns;
	if (other->inverted_min_ns > histogram->inverted_min_ns)
		histogram->inverted_min_ns = other->inverted_min_ns;
	for (size_t i = 0; i < MLR_HISTOGRAM_BUCKETS; i++)
		histogram->buckets[i] += other->buckets[i];
}

uint64_t mlr_histogram_min_ns(const struct mlr_histogram *histogram)
{
	return histogram->count ? ~histogram->inverted_min_ns : 0;
}

double mlr_histogram_mean_ns(const struct mlr_histogram *histogram)
{
	return histogram->count ? (double)histogram->sum_ns / (double)histogram->count : 0.0;
}

static double clamp(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

double mlr_histogram_quantile_ns(const struct mlr_histogram *histogram, double quantile)
{
	double min_ns = (double)mlr_histogram_min_ns(histogram), max_ns = (double)histogram->max_ns;
	double rank = clamp(quantile, 0.0, 1.0) * (double)histogram->count, below = 0.0;

	for (uint32_t i = 0; i < MLR_HISTOGRAM_BUCKETS; i++) {
		double here = (double)histogram->buckets[i];

		if (here > 0.0 && below + here >= rank) {
			double start_ns = (double)mlr_histogram_bucket_start_ns(i);
			double width_ns = (double)mlr_histogram_bucket_start_ns(i + 1) - start_ns;

			return clamp(start_ns + width_ns * (rank - below) / here, min_ns, max_ns);
		}
		below += here;
	}
	return max_ns;
}
