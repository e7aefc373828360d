/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/sweep.h"

#include <math.h>

#define ROUNDING 1e-9 /* relative rounding of a rate, which is a load times a ratio */

double mlr_sweep_load(double from_fps, double to_fps, size_t count, size_t index)
{
	if (index == 0)
		return from_fps;
	if (index + 1 >= count)
		return to_fps;
	return (from_fps * (double)(count - 1 - index) + to_fps * (double)index) / (double)(count - 1);
}

/* The smallest load with loss; INFINITY without any. */
static double first_loss_fps(const struct mlr_trial_result *trials, size_t count)
{
	double first_fps = INFINITY;

	for (size_t i = 0; i < count; i++)
		if (trials[i].output.loss_ratio > 0)
			first_fps = fmin(first_fps, trials[i].input.load_fps);
	return first_fps;
}

static void add_rates(struct mlr_sweep_figures *figures, const struct mlr_trial_result *trials, size_t count)
{
	double most_load_fps = -INFINITY;

	for (size_t i = 0; i < count; i++) {
		double load_fps = trials[i].input.load_fps, rate_fps = trials[i].output.forwarding_rate_fps;

		if (!(rate_fps <= figures->most_rate_fps * (1 + ROUNDING)) ||
		    (rate_fps >= figures->most_rate_fps * (1 - ROUNDING) && load_fps < figures->most_rate_load_fps)) {
			figures->most_rate_fps = rate_fps;
			figures->most_rate_load_fps = load_fps;
		}
		if (load_fps > most_load_fps)
			figures->last_rate_fps = rate_fps;
		else if (load_fps == most_load_fps)
			figures->last_rate_fps = fmin(figures->last_rate_fps, rate_fps);
		most_load_fps = fmax(most_load_fps, load_fps);
	}
}

struct mlr_sweep_figures mlr_sweep_figures(const struct mlr_trial_result *trials, size_t count)
{
	struct mlr_sweep_figures figures = { NAN, NAN, NAN, NAN, NAN };
	double first_fps = first_loss_fps(trials, count);

	for (size_t i = 0; i < count; i++)
		if (trials[i].input.load_fps < first_fps)
			figures.lossless_load_fps = fmax(figures.lossless_load_fps, trials[i].input.load_fps);
	if (isfinite(first_fps))
		figures.first_loss_load_fps = first_fps;
	add_rates(&figures, trials, count);
	return figures;
}
