/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/evidence.h"

#include <math.h>

/* The variance of one search of each side, and what the estimate is worth. */
struct scatter {
	enum mlr_spread_source source;
	double variance[2]; /* variances as squared ratios of the mean */
	double degrees_of_freedom;
};

struct mlr_spread mlr_spread_of(const struct mlr_sample *samples, size_t count)
{
	double squares = 0, freedom = 0;

	for (size_t i = 0; i < count; i++) {
		if (samples[i].count < 2 || !(samples[i].mean > 0))
			continue;
		squares += pow(samples[i].stdev / samples[i].mean, 2) * (double)(samples[i].count - 1);
		freedom += (double)(samples[i].count - 1);
	}
	return (struct mlr_spread){ freedom > 0 ? sqrt(squares / freedom) : NAN, freedom };
}

static double variance_ratio(const struct mlr_sample *sample)
{
	return pow(sample->stdev / sample->mean, 2);
}

/* Return Welch's degrees of freedom for two means. */
static double welch_freedom(const struct mlr_sample *a, const struct mlr_sample *b, double resolution)
{
	double of_a = variance_ratio(a) / (double)a->count, of_b = variance_ratio(b) / (double)b->count;
	double parts = of_a * of_a / (double)(a->count - 1) + of_b * of_b / (double)(b->count - 1);

	return parts > 0 ? pow(of_a + of_b + resolution, 2) / parts : INFINITY;
}

/* Return what the samples themselves show. A sample of one value is taken to scatter like the other. */
static struct scatter scatter_of_samples(const struct mlr_sample *a, const struct mlr_sample *b, double resolution)
{
	const struct mlr_sample *several = a->count > 1 ? a : b;

	if (a->count > 1 && b->count > 1)
		return (struct scatter){ MLR_SPREAD_MEASURED,
					 { variance_ratio(a), variance_ratio(b) },
					 welch_freedom(a, b, resolution) };
	return (struct scatter){ MLR_SPREAD_MEASURED,
				 { variance_ratio(several), variance_ratio(several) },
				 (double)several->count - 1 };
}

/* A spread that was not measured, of values that have errors of their own. */
static struct scatter scatter_with_errors(enum mlr_spread_source source, double variance,
					  const struct mlr_comparison *comparison, double degrees_of_freedom)
{
	double of_a = pow(comparison->error_ratio[0], 2), of_b = pow(comparison->error_ratio[1], 2);

	return (struct scatter){ source, { variance + of_a, variance + of_b }, degrees_of_freedom };
}

/* A spread from elsewhere counts if the samples do not scatter more than it says. */
static struct scatter scatter_of(const struct mlr_sample *a, const struct mlr_sample *b,
				 const struct mlr_comparison *comparison)
{
	double resolution = pow(comparison->resolution_ratio, 2), given = pow(comparison->spread.stdev_ratio, 2);
	struct mlr_spread own = mlr_spread_of((struct mlr_sample[]){ *a, *b }, 2);

	if (isnan(own.stdev_ratio) && isnan(given))
		return scatter_with_errors(MLR_SPREAD_ASSUMED, pow(MLR_SPREAD_ASSUMED_RATIO, 2), comparison,
					   MLR_SPREAD_ASSUMED_FREEDOM);
	if (isnan(own.stdev_ratio))
		return scatter_with_errors(MLR_SPREAD_GIVEN, given, comparison, comparison->spread.degrees_of_freedom);
	if (pow(own.stdev_ratio, 2) <= given && comparison->spread.degrees_of_freedom > own.degrees_of_freedom)
		return (struct scatter){ MLR_SPREAD_GIVEN, { given, given }, comparison->spread.degrees_of_freedom };
	return scatter_of_samples(a, b, resolution);
}

/* Whether so many searches a side show a fall of this size beyond the tolerance. */
static bool shows(size_t searches, double excess_ratio, double variance, double resolution, double significance)
{
	double deviation = sqrt(2 * variance / (double)searches + resolution);

	return excess_ratio >= mlr_student_quantile(significance, 2.0 * (double)searches - 2) * deviation;
}

/* Return the least number of searches a side that show it. 0: none, or too many. */
static size_t repeats_for(double excess_ratio, double variance, double resolution, double significance)
{
	size_t low = 1, high = MLR_REPEATS_MOST;

	if (!shows(high, excess_ratio, variance, resolution, significance))
		return 0;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (shows(middle, excess_ratio, variance, resolution, significance))
			high = middle;
		else
			low = middle;
	}
	return high;
}

static double t_of(double excess_ratio, double deviation)
{
	if (deviation > 0)
		return excess_ratio / deviation;
	return excess_ratio > 0 ? INFINITY : excess_ratio < 0 ? -INFINITY : 0;
}

struct mlr_evidence mlr_evidence_of(const struct mlr_sample *a, const struct mlr_sample *b,
				    const struct mlr_comparison *comparison)
{
	struct scatter scatter = scatter_of(a, b, comparison);
	double resolution = pow(comparison->resolution_ratio, 2), freedom = scatter.degrees_of_freedom;
	double deviation =
		sqrt(scatter.variance[0] / (double)a->count + scatter.variance[1] / (double)b->count + resolution);
	double change = b->mean / a->mean - 1, tolerance = comparison->tolerance_ratio;
	double variance = fmax(scatter.variance[0], scatter.variance[1]);
	struct mlr_evidence evidence = {
		.change_ratio = change,
		.source = scatter.source,
		.stdev_ratio = sqrt(variance),
		.degrees_of_freedom = freedom,
		.t_slower = t_of(-change - tolerance, deviation),
		.t_faster = t_of(change - tolerance, deviation),
	};

	evidence.p_slower = mlr_student_above(evidence.t_slower, freedom);
	evidence.p_faster = mlr_student_above(evidence.t_faster, freedom);
	evidence.within_ratio = mlr_student_quantile(comparison->significance, freedom) * deviation;
	evidence.detectable_ratio = tolerance + evidence.within_ratio;
	evidence.within_ratio += fabs(change);
	if (evidence.p_slower >= comparison->significance)
		evidence.repeats = repeats_for(-change - tolerance, variance, resolution, comparison->significance);
	return evidence;
}

void mlr_false_discovery(const double *p_values, size_t count, double significance, bool *ret_is_significant)
{
	double limit = -1;

	for (size_t i = 0; i < count; i++) {
		size_t rank = 0;

		for (size_t j = 0; j < count; j++)
			rank += p_values[j] <= p_values[i];
		if (p_values[i] < significance * (double)rank / (double)count && p_values[i] > limit)
			limit = p_values[i];
	}
	for (size_t i = 0; i < count; i++)
		ret_is_significant[i] = p_values[i] <= limit;
}
