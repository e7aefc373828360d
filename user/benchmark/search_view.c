/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/search_state.h"

#include <math.h>
#include <stdio.h>

#include "progress/progress.h"

void view_take_measurement(struct view *view, const struct measurement *measurement)
{
	view->last_loss_ratio = measurement->result.output.loss_ratio;
	if (measurement->has_counts)
		view_add_frames(view, (double)measurement->counts.sent, (double)measurement->verdict.lost);
}

static enum view_mark mark_of(const struct search *search, const struct search_trial *trial)
{
	double loss_ratio = trial->measurement.result.output.loss_ratio;

	if (trial->decision.warmup)
		return VIEW_WARMUP;
	if (trial->measurement.tester_limited)
		return VIEW_LIMITED;
	return loss_ratio <= search->config->goals[trial->decision.goal].loss_ratio ? VIEW_GOOD : VIEW_BAD;
}

static void take_goal(struct view_goal *view, const struct search *search, size_t goal)
{
	snprintf(view->name, sizeof(view->name), "%s", search->config->goals[goal].name);
	search_bounds(search, goal, &view->lower_fps, &view->upper_fps);
	view->throughput_fps = view->limited = view->irregular = NAN;
	view->done = mlr_controller_goal_done(search->controller, goal);
}

/* The controller estimates the time of trials alone. Waits and the measurer's own work take more, as they did so far. */
static double remaining_s(const struct search *search, double elapsed_s)
{
	double measured_s = 0, wall_s = 0, left_s = mlr_controller_remaining_s(search->controller);

	for (size_t i = 1; i < search->trial_count; i++) { /* the first one warms up, and waits longer than any other */
		measured_s += search->trials[i].measurement.result.output.effective_duration_s;
		wall_s += search->trials[i].measurement.wall_s;
	}
	if (wall_s > measured_s && measured_s > 0)
		left_s *= wall_s / measured_s;
	if (search->config->max_time_s > 0)
		left_s = fmin(left_s, fmax(search->config->max_time_s - elapsed_s, 0));
	return left_s;
}

static struct view view_of(const struct search *search)
{
	struct view view = progress_view(search->config);

	view.min_load_fps = search->input.min_load_fps;
	view.max_load_fps = search->input.max_load_fps;
	view.goal_count = search->input.goal_count;
	for (size_t goal = 0; goal < view.goal_count; goal++)
		take_goal(&view.goals[goal], search, goal);
	view.trial_count = search->trial_count;
	for (size_t i = 0; i < search->trial_count; i++) {
		view_take_measurement(&view, &search->trials[i].measurement);
		if (i + VIEW_MARKS >= search->trial_count)
			view_add_mark(&view, mark_of(search, &search->trials[i]));
	}
	view.elapsed_s = search_elapsed_s(search);
	view.remaining_s = remaining_s(search, view.elapsed_s);
	return view;
}

void search_show(const struct search *search, const struct mlr_decision *decision)
{
	struct view view = view_of(search);

	progress_take_trial(&view, &decision->input);
	view.warmup = decision->warmup;
	snprintf(view.goal, sizeof(view.goal), "%s", search->config->goals[decision->goal].name);
	progress_show(search->config, &view, !search->measurer->virtual_time);
}

struct view search_end_view(const struct search *search)
{
	struct view view = view_of(search);

	for (size_t goal = 0; goal < view.goal_count; goal++) {
		view.goals[goal].throughput_fps = search->outcomes[goal].result.conditional_throughput_fps;
		view.goals[goal].limited = search->outcomes[goal].tester_limited;
		view.goals[goal].irregular = search->outcomes[goal].result.irregularity != MLR_REGULAR;
	}
	view.remaining_s = 0;
	return view;
}

void search_show_latency(const struct search *search, const struct mlr_trial_input *input, double remaining_s)
{
	struct view view = search_end_view(search);

	progress_take_trial(&view, input);
	view.remaining_s = fmax(input->duration_s + waits_always_s(&search->config->waits), remaining_s);
	progress_show(search->config, &view, !search->measurer->virtual_time);
}
