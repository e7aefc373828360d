/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This file finds out how much short trials tell about long ones.
 *
 * A bad trial shows the capacity that it met. A good trial at a much higher load surpassed that capacity. If the good trial
 * was not shorter, each trial draws its own capacity, and a short trial tells as much as a long one. If it was shorter, a
 * buffer may have hidden the overload from it.
 *
 * Both may be seen, although no trial surpassed a shorter one and no long trial surpassed another long one. Then short
 * trials are noisy, but long ones agree, so it is a buffer.
 */
#include "mlrsearch/mlr_private.h"

#include <math.h>

#define SURPASSED 0.5 /* Goal Widths; single lost frames and short interference stay below it */

enum length { SHORT, TELLING, FULL, LENGTHS };

static enum length length_of(const struct mlr_view *view, const struct mlr_trial_result *trial)
{
	if (trial->input.duration_s >= view->duration_s)
		return FULL;
	return trial->input.duration_s >= view->telling_s ? TELLING : SHORT;
}

/* Find the highest good load for each length of trial. */
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
	bool are_draws = false;

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
				are_draws |= length == FULL || length > length_of(view, &trials[i]);
			}
		}
	}
	view->is_buffered &= !are_draws;
	if (view->is_buffered)
		view->whole_s = view->duration_s;
}
