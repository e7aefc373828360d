/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/soak_view.h"

#include "benchmark/search_view.h"
#include "progress/progress.h"

void soak_show(const struct soak *soak, const struct mlr_trial_input *input)
{
	struct view view = progress_view(soak->config);
	struct mlr_plr_estimate estimate;

	mlr_plr_estimate(soak->plr, &estimate);
	view.min_load_fps = soak->range.min_fps;
	view.max_load_fps = soak->range.max_fps;
	view.estimate_fps = estimate.together.mean_fps;
	view.estimate_stdev_fps = estimate.together.stdev_fps;
	view.trial_count = soak->trial_count;
	for (size_t i = 0; i < soak->trial_count; i++) {
		const struct measurement *trial = &soak->trials[i];

		view_take_measurement(&view, trial);
		if (i + VIEW_MARKS >= soak->trial_count)
			view_add_mark(&view, trial->tester_limited                 ? VIEW_LIMITED
					     : trial->result.output.loss_ratio > 0 ? VIEW_BAD
										   : VIEW_GOOD);
	}
	progress_take_trial(&view, input);
	view.elapsed_s = soak_elapsed_s(soak);
	view.limit_s = soak->config->max_time_s;
	progress_show(soak->config, &view, !soak->measurer->virtual_time);
}
