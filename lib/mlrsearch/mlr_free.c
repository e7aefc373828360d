/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This is the search without a model: bounds alone decide, in stages.
 *
 * Each stage is a goal of its own that is easier than the next one. Its trials are shorter, their sum is less, and its width
 * is twice as wide. The next stage begins at its bounds. The last stage is the goal itself. Within a stage, the search
 * doubles its distance from the only bound, and then splits the gap between two bounds. It splits in the middle if both
 * bounds cost the same, else nearer to the end that is cheap to move.
 */
#include "mlrsearch/mlr_private.h"

#include <math.h>

/* The loads as one stage classifies them. */
struct stage {
	struct mlr_goal goal;
	int64_t unit;           /* steps of the grid within the width of the stage */
	int64_t lower, upper;   /* indices of its Relevant Bounds; beyond the grid if there is none */
	int64_t lowers, uppers; /* steps from its lowest Lower Bound to its highest one; the same for Upper Bounds */
};

/* Durations and sums grow in proportion, from one short trial to the goal's own. */
struct mlr_goal mlr_free_stage_goal(const struct mlr_goal *goal, int number)
{
	double part = (double)number / (MLR_STAGES - 1), initial_s = goal->initial_trial_duration_s;
	struct mlr_goal stage = *goal;

	if (number == MLR_STAGES - 1)
		return stage;
	stage.final_trial_duration_s =
		fmin(goal->final_trial_duration_s, initial_s * pow(goal->final_trial_duration_s / initial_s, part));
	stage.duration_sum_s = initial_s * pow(fmax(1, goal->duration_sum_s / initial_s), part);
	return stage;
}

/* Return the class of a load in a stage. What the goal itself has decided holds in every stage. */
static enum mlr_load_class class_at(const struct mlr_view *view, const struct mlr_goal *goal, int number,
				    const struct mlr_point *point)
{
	if (number == MLR_STAGES - 1)
		return point->class;
	if (point->position <= (double)view->lower)
		return MLR_LOAD_LOWER_BOUND;
	if (point->position >= (double)view->upper)
		return MLR_LOAD_UPPER_BOUND;
	return mlr_classify(goal, &point->stages[number]);
}

static void look(const struct mlr_view *view, int number, struct stage *ret_stage)
{
	double first_lower = NAN, last_lower = NAN, first_upper = NAN, last_upper = NAN;

	*ret_stage = (struct stage){
		.goal = mlr_free_stage_goal(view->goal, number),
		.unit = view->unit << (MLR_STAGES - 1 - number),
		.lower = -1,
		.upper = view->grid->last + 1,
	};
	for (size_t load = 0; load < view->count; load++) {
		const struct mlr_point *point = &view->points[load];
		enum mlr_load_class class = class_at(view, &ret_stage->goal, number, point);

		if (class == MLR_LOAD_LOWER_BOUND) {
			first_lower = fmin(first_lower, point->position);
			last_lower = point->position;
			if (ret_stage->upper > view->grid->last)
				ret_stage->lower = mlr_grid_floor(view->grid, point->load_fps);
		} else if (class == MLR_LOAD_UPPER_BOUND) {
			first_upper = fmin(first_upper, point->position);
			last_upper = point->position;
			if (ret_stage->upper > view->grid->last)
				ret_stage->upper = mlr_grid_ceil(view->grid, point->load_fps);
		}
	}
	ret_stage->lowers = last_lower > first_lower ? (int64_t)ceil(last_lower - first_lower) : 0;
	ret_stage->uppers = last_upper > first_upper ? (int64_t)ceil(last_upper - first_upper) : 0;
}

static bool is_done(const struct mlr_view *view, const struct stage *stage)
{
	if (stage->upper > view->grid->last)
		return stage->lower == view->grid->last;
	return stage->lower < 0 ? stage->upper <= 0 : stage->upper - stage->lower <= stage->unit;
}

/*
 * Return the part of a gap at which to split it, from below. Let r be the number for which r to the power of either cost
 * adds up to 1. Then the answer that costs more is less likely in the same measure.
 */
static double split_part(const struct mlr_view *view)
{
	double low = 0, high = 1;

	for (int round = 0; round < 30; round++) {
		double middle = (low + high) / 2;

		if (pow(middle, view->fresh.good) + pow(middle, view->fresh.bad) > 1)
			high = middle;
		else
			low = middle;
	}
	return pow(low, view->fresh.bad);
}

/* Return where a stage wants its next trial, if the stage before ended with these bounds. */
static int64_t stage_index(const struct mlr_view *view, const struct stage *stage, const struct stage *before)
{
	bool has_lower = stage->lower >= 0, has_upper = stage->upper <= view->grid->last;
	double gap = (double)(stage->upper - stage->lower);

	if (before && before->lower > stage->lower && before->lower < stage->upper)
		return before->lower;
	if (before && before->upper > stage->lower && before->upper < stage->upper)
		return before->upper;
	if (has_lower && has_upper)
		return stage->lower + (int64_t)fmin(fmax(1, round(gap * split_part(view))), gap - 1);
	if (has_lower)
		return stage->lower + stage->lowers + stage->unit;
	return has_upper ? stage->upper - stage->uppers - stage->unit : (int64_t)view->hint;
}

struct mlr_trial_place mlr_free_place(const struct mlr_view *view, bool in_stages)
{
	struct stage stages[MLR_STAGES];
	int first = in_stages ? 0 : MLR_STAGES - 1, number = first;

	look(view, number, &stages[number]);
	while (number < MLR_STAGES - 1 && is_done(view, &stages[number])) {
		number++;
		look(view, number, &stages[number]);
	}
	return (struct mlr_trial_place){
		.index = mlr_view_clamp(
			view, (double)stage_index(view, &stages[number], number > first ? &stages[number - 1] : NULL)),
		.duration_s = stages[number].goal.final_trial_duration_s,
	};
}
