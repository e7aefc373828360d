/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlrsearch/mlr_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SHORT_GOOD_WEIGHT 0.3 /* the weight as evidence of a good trial that is only just too short */

/* Return what a classification by full-length trials alone still needs, each of this effective duration. */
static struct mlr_need need_of(const struct mlr_goal *goal, const struct mlr_duration_sums *sums, double trial_s)
{
	double balancing_s = mlr_duration_s(sums->short_low_loss_ns) * goal->exceed_ratio / (1 - goal->exceed_ratio);
	double high_loss_s = mlr_duration_s(sums->full_length_high_loss_ns) +
			     fmax(0, mlr_duration_s(sums->short_high_loss_ns) - balancing_s);
	double good_left_s = goal->duration_sum_s * (1 - goal->exceed_ratio) - mlr_duration_s(sums->full_length_low_loss_ns);
	double bad_left_s = goal->duration_sum_s * goal->exceed_ratio - high_loss_s;

	return (struct mlr_need){
		.good = fmax(1, ceil(good_left_s / trial_s * (1 - 1e-9))),
		.bad = fmax(1, floor(bad_left_s / trial_s * (1 + 1e-9)) + 1),
		.short_bad_s = bad_left_s + fmax(0, balancing_s - mlr_duration_s(sums->short_high_loss_ns)),
	};
}

struct mlr_observation mlr_observe(const struct mlr_grid *grid, const struct mlr_goal *goal, double duration_s,
				   const struct mlr_trial_result *trial)
{
	double frames = trial->input.load_fps * trial->input.duration_s;
	double length = fmin(1, trial->input.duration_s / duration_s);
	double kept = fmax(1 - trial->output.loss_ratio, 1e-9) / (1 - goal->loss_ratio);

	return (struct mlr_observation){
		.position = mlr_grid_position(grid, trial->input.load_fps),
		.forwarded = mlr_grid_position(grid, trial->input.load_fps * kept),
		.lost = round(trial->output.loss_ratio * frames),
		.frame = 1 / (frames * kept * grid->log_step),
		.length = length,
		.good = length < 1 ? SHORT_GOOD_WEIGHT * sqrt(length) : 1,
		.is_bad = trial->output.loss_ratio > goal->loss_ratio,
	};
}

static void set_point(struct mlr_view *view, const struct mlr_load_digest *digest, size_t load, size_t goal, double trial_s)
{
	struct mlr_point *point = &view->points[load];
	struct mlr_full_length full = digest->final;

	if (view->duration_s < view->goal->final_trial_duration_s)
		full = (struct mlr_full_length){ digest->counted - digest->bad, digest->counted };
	*point = (struct mlr_point){
		.load_fps = digest->load_fps,
		.position = mlr_grid_position(view->grid, digest->load_fps),
		.good = full.good,
		.bad = digest->bad,
		.full_length = full.full_length,
		.longest_s = digest->longest_s,
		.loss_ratio = digest->loss_sum / digest->longest,
		.class = mlr_results_class(view->results, load, goal),
		.stages = digest->stages,
		.need = need_of(view->goal, mlr_results_sums(view->results, load, goal), trial_s),
	};
	point->lost = point->loss_ratio * point->load_fps * view->duration_s;
	point->on_grid = mlr_grid_load_fps(view->grid, llround(point->position)) == point->load_fps;
	if (point->on_grid)
		point->position = round(point->position);
}

/* Return where the warm-up puts a goal's critical load. A SUT that sustained Max Load is expected to sustain it again. */
static double hint_of(const struct mlr_view *view, double warmup_rate_fps)
{
	double rate_fps = warmup_rate_fps / (1 - view->goal->loss_ratio);

	if (rate_fps >= view->grid->max_fps)
		return (double)view->grid->last;
	if (!(rate_fps > view->grid->min_fps))
		return 0;
	return fmax(0, round(mlr_grid_position(view->grid, rate_fps) - (double)view->unit / 2));
}

static void set_bounds(struct mlr_view *view, const struct mlr_results *results, size_t goal)
{
	struct mlr_bounds bounds = mlr_results_bounds(results, goal);

	view->lower = -1;
	view->upper = view->grid->last + 1;
	if (bounds.lower != MLR_NO_LOAD)
		view->lower = mlr_grid_floor(view->grid, mlr_results_load_fps(results, bounds.lower));
	if (bounds.upper != MLR_NO_LOAD)
		view->upper = mlr_grid_ceil(view->grid, mlr_results_load_fps(results, bounds.upper));
}

int64_t mlr_unit(const struct mlr_grid *grid, const struct mlr_goal *goal)
{
	return (int64_t)fmax(1, floor(-log1p(-goal->width_ratio) / grid->log_step * (1 + 1e-9)));
}

int mlr_view_new(const struct mlr_situation *now, size_t goal, double duration_s, struct mlr_view *ret_view)
{
	const struct mlr_goal *g = mlr_results_goal(now->results, goal);
	double trial_s = g->final_trial_duration_s + now->overhead_s;
	const struct mlr_digest *digest = &now->digests[goal];
	struct mlr_view view = {
		.results = now->results,
		.goal = g,
		.grid = &now->grid,
		.duration_s = duration_s,
		.whole_s = duration_s,
		.telling_s = sqrt(duration_s * g->initial_trial_duration_s),
		.unit = mlr_unit(&now->grid, g),
		.count = digest->count,
	};

	view.points = calloc(view.count + 1, sizeof(*view.points));
	if (!view.points)
		return -ENOMEM;
	view.repeats = digest->repeats;
	view.contradictions = digest->contradictions;
	view.hint = hint_of(&view, now->warmup_rate_fps);
	view.fresh = need_of(g, &(struct mlr_duration_sums){ 0 }, trial_s);
	set_bounds(&view, now->results, goal);
	for (size_t load = 0; load < view.count; load++)
		set_point(&view, &digest->loads[load], load, goal, trial_s);
	if (view.telling_s < view.duration_s)
		mlr_draws_look(&digest->draws, &view);
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

const struct mlr_point *mlr_view_lowest_bad(const struct mlr_view *view)
{
	for (size_t i = 0; i < view->count; i++) {
		if (view->points[i].bad > 0)
			return &view->points[i];
	}
	return NULL;
}

int64_t mlr_view_clamp(const struct mlr_view *view, double position)
{
	return (int64_t)fmax((double)view->lower + 1, fmin((double)view->upper - 1, round(position)));
}
