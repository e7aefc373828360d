/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* What is left to a classification by full-length trials alone, each of this effective duration. */
static struct mlr_need need_of(const struct mlr_goal *goal, const struct mlr_duration_sums *sums, double trial_s)
{
	double balancing_s = sums->short_low_loss_s * goal->exceed_ratio / (1 - goal->exceed_ratio);
	double high_loss_s = sums->full_length_high_loss_s + fmax(0, sums->short_high_loss_s - balancing_s);
	double good_left_s = goal->duration_sum_s * (1 - goal->exceed_ratio) - sums->full_length_low_loss_s;
	double bad_left_s = goal->duration_sum_s * goal->exceed_ratio - high_loss_s;

	return (struct mlr_need){
		.good = fmax(1, ceil(good_left_s / trial_s * (1 - 1e-9))),
		.bad = fmax(1, floor(bad_left_s / trial_s * (1 + 1e-9)) + 1),
	};
}

static void count_trials(struct mlr_point *point, const struct mlr_goal *goal, const struct mlr_trial_result *trials, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double loss_ratio = trials[i].output.loss_ratio;

		if (loss_ratio > goal->loss_ratio)
			point->bad++;
		else
			point->good++;
		point->loss_ratio += loss_ratio / (double)count;
	}
	point->lost = point->loss_ratio * point->load_fps * goal->final_trial_duration_s;
}

static void set_point(struct mlr_view *view, const struct mlr_results *results, size_t load, size_t goal, double trial_s)
{
	struct mlr_point *point = &view->points[load];
	const struct mlr_trial_result *trials;
	size_t count;

	*point = (struct mlr_point){
		.load_fps = mlr_results_load_fps(results, load),
		.class = mlr_results_class(results, load, goal),
		.need = need_of(view->goal, mlr_results_sums(results, load, goal), trial_s),
	};
	point->position = mlr_grid_position(view->grid, point->load_fps);
	point->on_grid = mlr_grid_load_fps(view->grid, llround(point->position)) == point->load_fps;
	if (point->on_grid)
		point->position = round(point->position);
	trials = mlr_results_trials(results, load, &count);
	count_trials(point, view->goal, trials, count);
}

int mlr_view_new(const struct mlr_results *results, const struct mlr_grid *grid, size_t goal, double overhead_s,
		 struct mlr_view *ret_view)
{
	struct mlr_view view = {
		.goal = mlr_results_goal(results, goal),
		.grid = grid,
		.count = mlr_results_load_count(results),
		.lower = -1,
		.upper = grid->last + 1,
	};
	double trial_s = view.goal->final_trial_duration_s + overhead_s;
	struct mlr_bounds bounds = mlr_results_bounds(results, goal);

	view.points = calloc(view.count + 1, sizeof(*view.points));
	if (!view.points)
		return -ENOMEM;
	view.unit = (int64_t)fmax(1, floor(-log1p(-view.goal->width_ratio) / grid->log_step * (1 + 1e-9)));
	view.fresh = need_of(view.goal, &(struct mlr_duration_sums){0}, trial_s);
	for (size_t load = 0; load < view.count; load++)
		set_point(&view, results, load, goal, trial_s);
	if (bounds.lower != MLR_NO_LOAD)
		view.lower = mlr_grid_floor(grid, view.points[bounds.lower].load_fps);
	if (bounds.upper != MLR_NO_LOAD)
		view.upper = mlr_grid_ceil(grid, view.points[bounds.upper].load_fps);
	*ret_view = view;
	return 0;
}

void mlr_view_free(struct mlr_view *view)
{
	free(view->points);
}

const struct mlr_point *mlr_view_at(const struct mlr_view *view, int64_t index)
{
	double load_fps = mlr_grid_load_fps(view->grid, index);
	size_t low = 0, high = view->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (view->points[middle].load_fps < load_fps)
			low = middle + 1;
		else
			high = middle;
	}
	return low < view->count && view->points[low].load_fps == load_fps ? &view->points[low] : NULL;
}

int64_t mlr_view_clamp(const struct mlr_view *view, double position)
{
	return (int64_t)fmax((double)view->lower + 1, fmin((double)view->upper - 1, round(position)));
}
