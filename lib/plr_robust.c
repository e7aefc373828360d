/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether losses are what the fitting functions foresee, and how sure the estimate is where they are not.
 *
 * PLRsearch takes losses for Poisson about a smooth curve. The check replays what was measured: how far the counts of all
 * trials are from those that a fitting function foresees at the densest point of its posterior (their deviance), against how
 * far Poisson counts with those means would be. Where neither function foresees what was seen, a frame lost tells less than
 * the likelihood takes it for: all counts are divided by the dispersion, the deviance seen over that foreseen, or chi-square
 * a trial where that is more (rare large losses), times more where trials in a row are off to the same side, and the
 * posterior is taken anew.
 */
#include <math.h>

#include "plr_private.h"

#define MEAN_MIN       1e-300 /* frames lost: so that it has a logarithm */
#define LARGE_MEAN     20.0   /* from here on a deviance is distributed as for Gaussian counts */
#define COUNTS         80     /* of frames lost that a smaller mean can come to */
#define MOST_REPEATING 0.9    /* of the correlation of trials in a row */

/* Mean and variance of the deviance of Poisson counts with this mean. */
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
