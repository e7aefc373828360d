/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/threshold.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WIDTHS       13   /* widths that are tried, each twice the one before */
#define WIDTH_LEAST  2e-4 /* least width, as a logarithm of a load: far below any Goal Width */
#define PLACES       64   /* thresholds that are tried for each width */
#define REACH        5.0  /* widths beyond the trials in which a threshold is looked for */
#define TAIL         6.0  /* Beyond so many standard deviations, the normal distribution is asymptotic. */
#define HALF_LOG_2PI 0.91893853320467274

/* What one search says if the width is known: how likely it is with the best threshold, and the first two moments of its
 * threshold. All are logarithms. */
struct moments {
	double log_likelihood, mean, variance;
};

/* The highest good load and the lowest failed one, as logarithms; infinite without such a trial. */
struct ends {
	double good, failed;
};

static struct ends ends_of(const struct mlr_outcomes *search)
{
	struct ends ends = { -INFINITY, INFINITY };

	for (size_t i = 0; i < search->count; i++) {
		double load = log(search->trials[i].load_fps);

		if (search->trials[i].failed)
			ends.failed = fmin(ends.failed, load);
		else
			ends.good = fmax(ends.good, load);
	}
	return ends;
}

/* The logarithm of the probability that a normal value is below z. */
static double log_normal_below(double z)
{
	if (z < -TAIL)
		return -z * z / 2 - log(-z) - HALF_LOG_2PI;
	return z > TAIL ? 0 : log(erfc(-z / M_SQRT2) / 2);
}

static double log_likelihood(const struct mlr_outcomes *search, double threshold, double width)
{
	double sum = 0;

	for (size_t i = 0; i < search->count; i++) {
		double z = (log(search->trials[i].load_fps) - threshold) / width;

		sum += log_normal_below(search->trials[i].failed ? z : -z);
	}
	return sum;
}

/* Integrate over the thresholds, of which none is more likely before the search. */
static struct moments moments_of(const struct mlr_outcomes *search, const struct ends *ends, double width)
{
	double least = fmin(ends->good, ends->failed) - REACH * width;
	double step = (fmax(ends->good, ends->failed) + REACH * width - least) / PLACES;
	double logs[PLACES], most = -INFINITY, sum = 0, first = 0, second = 0;

	for (size_t i = 0; i < PLACES; i++) {
		logs[i] = log_likelihood(search, least + ((double)i + 0.5) * step, width);
		most = fmax(most, logs[i]);
	}
	for (size_t i = 0; i < PLACES; i++) {
		double weight = exp(logs[i] - most), place = ((double)i + 0.5) * step;

		sum += weight;
		first += weight * place;
		second += weight * place * place;
	}
	first /= sum;
	return (struct moments){ most, least + first, fmax(0, second / sum - first * first) };
}

/* Add up what a search says at each width, by how likely all searches make the widths. */
static struct mlr_threshold found(const struct moments of_widths[WIDTHS], const double weights[WIDTHS])
{
	double mean = 0, variance = 0;

	for (size_t i = 0; i < WIDTHS; i++)
		mean += weights[i] * of_widths[i].mean;
	for (size_t i = 0; i < WIDTHS; i++)
		variance += weights[i] * (of_widths[i].variance + pow(of_widths[i].mean - mean, 2));
	return (struct mlr_threshold){ MLR_THRESHOLD_FOUND, exp(mean), sqrt(variance) };
}

static struct mlr_threshold one_sided(const struct ends *ends)
{
	if (isfinite(ends->good))
		return (struct mlr_threshold){ MLR_THRESHOLD_LEAST, exp(ends->good), 0 };
	if (isfinite(ends->failed))
		return (struct mlr_threshold){ MLR_THRESHOLD_MOST, exp(ends->failed), 0 };
	return (struct mlr_threshold){ MLR_THRESHOLD_NONE, NAN, 0 };
}

/* Logarithms to parts of 1. */
static void normalise(double weights[WIDTHS])
{
	double most = -INFINITY, sum = 0;

	for (size_t i = 0; i < WIDTHS; i++)
		most = fmax(most, weights[i]);
	for (size_t i = 0; i < WIDTHS; i++)
		sum += weights[i] = exp(weights[i] - most);
	for (size_t i = 0; i < WIDTHS; i++)
		weights[i] /= sum;
}

int mlr_thresholds_find(const struct mlr_outcomes *searches, size_t count, struct mlr_threshold *ret)
{
	struct moments(*moments)[WIDTHS] = calloc(count + 1, sizeof(*moments));
	double weights[WIDTHS];

	if (!moments)
		return -ENOMEM;
	for (size_t i = 0; i < WIDTHS; i++)
		weights[i] = -log(ldexp(1, (int)i)); /* most SUTs begin to fail suddenly */
	for (size_t i = 0; i < count; i++) {
		struct ends ends = ends_of(&searches[i]);

		ret[i] = one_sided(&ends);
		if (!isfinite(ends.good) || !isfinite(ends.failed))
			continue;
		ret[i].kind = MLR_THRESHOLD_FOUND;
		for (size_t j = 0; j < WIDTHS; j++) {
			moments[i][j] = moments_of(&searches[i], &ends, ldexp(WIDTH_LEAST, (int)j));
			weights[j] += moments[i][j].log_likelihood;
		}
	}
	normalise(weights);
	for (size_t i = 0; i < count; i++)
		if (ret[i].kind == MLR_THRESHOLD_FOUND)
			ret[i] = found(moments[i], weights);
	free(moments);
	return 0;
}
