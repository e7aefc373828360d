/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What short trials tell of long ones.
 *
 * A bad trial shows the capacity that it met. A good one at a load well above that surpassed it. If it was no shorter, each
 * trial draws its own capacity, and a short one tells as much as a long one. If it was, a buffer may have hidden the overload
 * from it.
 */
#include "mlr_private.h"

#include <math.h>

#define SURPASSED 0.5 /* Goal Widths; what is lost one by one, or in a moment of interference, is less */

enum length { SHORT, TELLING, FULL, LENGTHS };

static enum length length_of(const struct mlr_view *view, const struct mlr_trial_result *trial)
{
	if (trial->input.duration_s >= view->duration_s)
		return FULL;
	return trial->input.duration_s >= view->telling_s ? TELLING : SHORT;
}

/* The highest good load, by the length of the trial. */
static void find_highest(const struct mlr_view *view, double ret_fps[LENGTHS])
{
	for (size_t load = 0; load < view->count; load++) {
		size_t count;
		const struct mlr_trial_result *trials = mlr_results_trials(view->results, load, &count);

		for (size_t i = 0; i < count; i++) {
			if (trials[i].output.loss_ratio <= view->goal->loss_ratio)
				ret_fps[length_of(view, &trials[i])] = trials[i].input.load_fps;
		}
	}
}

void mlr_draws_look(struct mlr_view *view)
{
	double least = exp(SURPASSED * (double)view->unit * view->grid->log_step), highest_fps[LENGTHS] = { 0 };

	find_highest(view, highest_fps);
	for (size_t load = 0; load < view->count; load++) {
		size_t count;
		const struct mlr_trial_result *trials = mlr_results_trials(view->results, load, &count);

		for (size_t i = 0; i < count; i++) {
			double kept = (1 - trials[i].output.loss_ratio) / (1 - view->goal->loss_ratio) * least;
			double surpassed_fps = kept < 1 ? kept * trials[i].input.load_fps : INFINITY;

			for (enum length length = SHORT; length < LENGTHS; length++) {
				if (!(highest_fps[length] > surpassed_fps))
					continue;
				if (length < length_of(view, &trials[i]))
					view->is_buffered = true;
				else
					view->whole_s = view->goal->initial_trial_duration_s;
			}
		}
	}
	view->is_buffered &= view->whole_s >= view->duration_s;
}
