/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlrsearch/mlr_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SHORT_GOOD_WEIGHT 0.3  /* the weight as evidence of a good trial that is only just too short */
#define REPEAT_LOST       30   /* frames; it is no chance if so many were lost twice */
#define REPEAT_DEVIATIONS 0.05 /* in standard deviations of a Poisson count */
#define REPEAT_WIDTH      0.02 /* in Goal Widths */

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

/* Set the loss of a load to the mean over its longest trials. */
static void take_loss(struct mlr_point *point, const struct mlr_trial_result *trials, size_t count)
{
	double longest = 0, loss_ratio = 0;

	for (size_t i = 0; i < count; i++) {
		if (trials[i].input.duration_s < point->longest_s)
			continue;
		longest++;
		loss_ratio += trials[i].output.loss_ratio;
	}
	point->loss_ratio = loss_ratio / longest;
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

/* Whether two trials of one load lost the same. A difference is ignored if it would not move the critical load, or if it is
 * smaller than among frames that are lost one by one. */
static bool is_repeat(const struct mlr_view *view, const struct mlr_trial_result *a, const struct mlr_trial_result *b)
{
	double frames = a->input.load_fps * a->input.duration_s, lost = a->output.loss_ratio * frames;
	double difference = fabs(a->output.loss_ratio - b->output.loss_ratio) * frames;

	return difference <= fmax(1.5, REPEAT_DEVIATIONS * sqrt(lost)) &&
	       difference <= REPEAT_WIDTH * (double)view->unit * view->grid->log_step * frames;
}

/* Count repeats: compare each trial of one load with the one before. Trials of another length may lose another share without
 * any noise, but not the same share by chance. If hardly a frame was lost, repeats tell nothing. */
static void count_repeats(struct mlr_view *view, const struct mlr_trial_result *trials, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		double lost = trials[i].output.loss_ratio * trials[i].input.load_fps * trials[i].input.duration_s;

		if (is_repeat(view, &trials[i - 1], &trials[i]))
			view->repeats += lost >= REPEAT_LOST;
		else if (trials[i].input.duration_s == trials[i - 1].input.duration_s)
			view->contradictions++;
	}
}

static void count_trials(struct mlr_point *point, const struct mlr_view *view, const struct mlr_trial_result *trials,
			 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool is_full_length = trials[i].input.duration_s >= view->duration_s;
		bool is_bad = trials[i].output.loss_ratio > view->goal->loss_ratio;

		point->bad += is_bad;
		point->good += is_full_length && !is_bad;
		point->full_length += is_full_length;
		point->longest_s = fmax(point->longest_s, trials[i].input.duration_s);
	}
	take_loss(point, trials, count);
	point->lost = point->loss_ratio * point->load_fps * view->duration_s;
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
	count_trials(point, view, trials, count);
	count_repeats(view, trials, count);
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

int mlr_view_new(const struct mlr_situation *now, size_t goal, double duration_s, struct mlr_view *ret_view)
{
	const struct mlr_goal *g = mlr_results_goal(now->results, goal);
	double trial_s = g->final_trial_duration_s + now->overhead_s;
	struct mlr_view view = {
		.results = now->results,
		.goal = g,
		.grid = &now->grid,
		.duration_s = duration_s,
		.whole_s = duration_s,
		.telling_s = sqrt(duration_s * g->initial_trial_duration_s),
		.count = mlr_results_load_count(now->results),
	};

	view.points = calloc(view.count + 1, sizeof(*view.points));
	if (!view.points)
		return -ENOMEM;
	view.unit = (int64_t)fmax(1, floor(-log1p(-g->width_ratio) / now->grid.log_step * (1 + 1e-9)));
	view.hint = hint_of(&view, now->warmup_rate_fps);
	view.fresh = need_of(g, &(struct mlr_duration_sums){ 0 }, trial_s);
	set_bounds(&view, now->results, goal);
	for (size_t load = 0; load < view.count; load++)
		set_point(&view, now->results, load, goal, trial_s);
	if (view.telling_s < view.duration_s)
		mlr_draws_look(&view);
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
