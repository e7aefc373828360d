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

#include <float.h>
#include <math.h>

#define SURPASSED 0.5 /* Goal Widths; single lost frames and short interference stay below it */

static enum mlr_length length_of(const struct mlr_goal *goal, const struct mlr_trial_result *trial)
{
	if (trial->input.duration_s >= goal->final_trial_duration_s)
		return MLR_FULL;
	return trial->input.duration_s >= sqrt(goal->final_trial_duration_s * goal->initial_trial_duration_s) ? MLR_TELLING
													      : MLR_SHORT;
}

void mlr_draws_note(struct mlr_draws *draws, const struct mlr_goal *goal, double width_log,
		    const struct mlr_trial_result *trial)
{
	double kept = (1 - trial->output.loss_ratio) / (1 - goal->loss_ratio) * exp(SURPASSED * width_log);
	double surpassed_fps = fmax(kept * trial->input.load_fps, DBL_MIN); /* 0 stands for nothing */
	enum mlr_length length = length_of(goal, trial);

	if (trial->output.loss_ratio <= goal->loss_ratio)
		draws->highest_fps[length] = fmax(draws->highest_fps[length], trial->input.load_fps);
	if (kept < 1 && (!(draws->surpassed_fps[length] > 0) || surpassed_fps < draws->surpassed_fps[length]))
		draws->surpassed_fps[length] = surpassed_fps;
}

void mlr_draws_look(const struct mlr_draws *draws, struct mlr_view *view)
{
	bool are_draws = false;

	for (int bad = MLR_SHORT; bad < MLR_LENGTHS; bad++) {
		for (int good = MLR_SHORT; good < MLR_LENGTHS && draws->surpassed_fps[bad] > 0; good++) {
			if (!(draws->highest_fps[good] > draws->surpassed_fps[bad]))
				continue;
			if (good < bad)
				view->is_buffered = true;
			else
				view->whole_s = view->goal->initial_trial_duration_s;
			are_draws |= good == MLR_FULL || good > bad;
		}
	}
	view->is_buffered &= !are_draws;
	if (view->is_buffered)
		view->whole_s = view->duration_s;
}
