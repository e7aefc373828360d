/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This file checks whether losses are what the fitting functions foresee, and computes the error of the estimate where they
 * are not.
 *
 * PLRsearch takes losses for Poisson counts about a smooth curve. The check compares two deviances. One is that of the
 * counts of all trials from what a fitting function foresees at the densest point of its posterior. The other is the
 * deviance that Poisson counts with these means would have.
 *
 * If neither function foresees the losses, a lost frame tells less than the likelihood assumes. Then all counts are divided
 * by the dispersion, and the posterior is computed again. The dispersion is the observed deviance over the foreseen one, or
 * chi-square for each trial if that is more (rare large losses). It is larger if successive trials differ in the same
 * direction.
 */
#include <math.h>

#include "plrsearch/plr_private.h"

#define MEAN_MIN       1e-300 /* frames lost: the least mean, so that it has a logarithm */
#define LARGE_MEAN     20.0   /* From this mean on, a deviance is distributed as for Gaussian counts. */
#define COUNTS         80     /* number of counts of lost frames that smaller means are computed for */
#define MOST_REPEATING 0.9    /* upper limit of the correlation of successive trials */

/* Get mean and variance of the deviance of Poisson counts with this mean. */
static void foresee(double mean, double *ret_mean, double *ret_variance)
{
	double probability = exp(-mean), sum = 0, square = 0;

	*ret_mean = 1 + 1 / (6 * mean);
	*ret_variance = 2;
	if (mean >= LARGE_MEAN)
		return;
	for (int lost = 0; lost < COUNTS; lost++) {
		double deviance = 2 * plr_half_deviance(lost, mean);

		sum += probability * deviance;
		square += probability * deviance * deviance;
		probability *= mean / (lost + 1);
	}
	*ret_mean = sum;
	*ret_variance = square - sum * sum;
}

struct plr_misfit plr_misfit(enum mlr_plr_fitting fitting, const struct plr_summary *summary, const struct plr_data *data)
{
	struct plr_shape shape = plr_shape_make(fitting, summary->log_mrr, summary->log_spread);
	double seen = 0, foreseen = 0, variance = 0, last = 0, squares = 0, products = 0, chi_square = 0;

	for (size_t i = 0; i < data->count; i++) {
		double mean = fmax(exp(plr_log_mean_lost(&shape, &data->trials[i])), MEAN_MIN), one, one_variance;
		double deviance = 2 * plr_half_deviance(data->trials[i].lost_frames, mean);
		double residual = copysign(sqrt(fmax(deviance, 0)), data->trials[i].lost_frames - mean);

		foresee(mean, &one, &one_variance);
		seen += deviance;
		chi_square += pow(data->trials[i].lost_frames - mean, 2) / fmax(mean, 1);
		foreseen += one;
		variance += one_variance;
		squares += residual * residual;
		products += residual * last;
		last = residual;
	}
	return (struct plr_misfit){
		.score = variance > 0 ? (seen - foreseen) / sqrt(variance) : 0,
		.dispersion = foreseen > 0 ? fmax(seen / foreseen, chi_square / (double)data->count) : 1,
		.repeating = squares > 0 ? fmin(fmax(products / squares, 0), MOST_REPEATING) : 0,
	};
}

struct plr_datum plr_datum_dispersed(const struct plr_datum *trial, double dispersion)
{
	struct plr_datum less = *trial;

	less.lost_frames /= dispersion;
	less.log_lost -= trial->lost_frames > 0 ? log(dispersion) : 0;
	less.log_frames_per_fps -= log(dispersion);
	return less;
}
