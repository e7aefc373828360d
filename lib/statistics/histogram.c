/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/histogram.h"

#include <math.h>
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

/* Return the bucket that holds the value of this rank. */
static uint32_t bucket_of_rank(const struct mlr_histogram *histogram, double rank)
{
	double below = 0.0;

	for (uint32_t i = 0; i < MLR_HISTOGRAM_BUCKETS; i++) {
		below += (double)histogram->buckets[i];
		if (below > 0.0 && below >= rank)
			return i;
	}
	return MLR_HISTOGRAM_BUCKETS - 1;
}

/* Get the range of a quantile. Minimum and maximum are known exactly. For other values the range is the part of the bucket
 * between them. The last bucket has no end. */
static void quantile_range_ns(const struct mlr_histogram *histogram, double quantile, double *ret_least, double *ret_most)
{
	double min_ns = (double)mlr_histogram_min_ns(histogram), max_ns = (double)histogram->max_ns;
	/* decimals such as 0.07 are not exact: the factor removes what rounding adds to an integer */
	double rank = ceil(clamp(quantile, 0.0, 1.0) * (double)histogram->count * (1.0 - 1e-12));
	uint32_t bucket = bucket_of_rank(histogram, rank);

	*ret_least = min_ns;
	*ret_most = max_ns;
	if (rank > 1.0)
		*ret_least = clamp((double)mlr_histogram_bucket_start_ns(bucket), min_ns, max_ns);
	if (rank >= (double)histogram->count)
		*ret_least = max_ns;
	else if (rank <= 1.0)
		*ret_most = min_ns;
	else if (bucket < MLR_HISTOGRAM_BUCKETS - 1)
		*ret_most = clamp((double)mlr_histogram_bucket_start_ns(bucket + 1) - 1.0, min_ns, max_ns);
}

double mlr_histogram_quantile_ns(const struct mlr_histogram *histogram, double quantile)
{
	double least_ns, most_ns;

	quantile_range_ns(histogram, quantile, &least_ns, &most_ns);
	return (least_ns + most_ns) / 2.0;
}

double mlr_histogram_quantile_error_ns(const struct mlr_histogram *histogram, double quantile)
{
	double least_ns, most_ns;

	quantile_range_ns(histogram, quantile, &least_ns, &most_ns);
	return (most_ns - least_ns) / 2.0;
}

uint64_t mlr_histogram_cut_ns(const struct mlr_histogram *histogram, double most_sum_ns)
{
	double longer = 0, beyond_ns = 0;

	for (uint32_t bucket = MLR_HISTOGRAM_BUCKETS; bucket-- > 0;) {
		uint64_t start_ns = mlr_histogram_bucket_start_ns(bucket),
			 end_ns = mlr_histogram_bucket_start_ns(bucket + 1);

		beyond_ns += (longer + (double)histogram->buckets[bucket]) * (double)(end_ns - start_ns);
		longer += (double)histogram->buckets[bucket];
		if (longer > 0 && beyond_ns > most_sum_ns)
			return end_ns < histogram->max_ns ? end_ns : histogram->max_ns;
	}
	return 0;
}
