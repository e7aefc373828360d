/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This file estimates the time to go of a search from what the controller knows of each goal.
 *
 * A goal with a model costs what its plan promises. Any other goal still needs a Lower and an Upper Bound. For each of them,
 * the load that lacks least is counted; trials for another goal may do a part of that. A gap of more than the Goal Width
 * lies between a Lower Bound and the begin of the loss. Single trials halve it, and one more load is decided.
 *
 * A surprise is a load where short trials were good and a longer one was not. As many surprises are expected again as there
 * were. Each of them costs one load on the way down and one on the way up.
 */
#include "mlrsearch/mlr_private.h"

#include <math.h>

#define SURPRISES_UNSEEN 0.25 /* surprises that are expected before there was any, where short trials come first */

/* Seconds of trials until a load is a Lower Bound, or an Upper Bound. */
struct lack {
	double lower_s, upper_s;
};

static struct lack lack_of(const struct mlr_goal *goal, struct mlr_need need)
{
	return (struct lack){
		.lower_s = need.good * goal->final_trial_duration_s,
		.upper_s = fmin(need.bad * goal->final_trial_duration_s, need.short_bad_s + goal->initial_trial_duration_s),
	};
}

/* What is known from the loads above the Relevant Lower Bound. */
struct above {
	struct lack least; /* the least of any undecided load */
	double bad;        /* the position of the lowest bad load, or where the warm-up lets expect it */
	bool is_lossless;  /* no trial was bad, and the warm-up at Max Load was not either */
	double surprises;  /* surprises that are to be expected */
};

static struct above look_above(const struct mlr_view *view)
{
	const struct mlr_goal *goal = view->goal;
	struct above above = {
		.least = lack_of(goal, view->fresh),
		.bad = view->hint + (double)view->unit / 2,
		.is_lossless = view->hint >= (double)view->grid->last && !mlr_view_lowest_bad(view),
		.surprises = goal->initial_trial_duration_s < goal->final_trial_duration_s ? SURPRISES_UNSEEN : 0,
	};

	for (size_t i = view->count; i-- > 0 && view->points[i].position > (double)view->lower;) {
		const struct mlr_point *point = &view->points[i];
		struct lack lack = lack_of(goal, point->need);

		if (point->bad > 0) {
			above.bad = point->position;
			above.surprises += point->longest_s > goal->initial_trial_duration_s;
		}
		if (point->class != MLR_LOAD_UNDECIDED)
			continue;
		above.least.lower_s = fmin(above.least.lower_s, lack.lower_s);
		above.least.upper_s = fmin(above.least.upper_s, lack.upper_s);
	}
	return above;
}

/* Return the seconds that the plan promises. The plan counts full-length trials. A short trial before them spares the first
 * of them if it is bad. */
static double planned_s(const struct mlr_goal *goal, const struct mlr_decision *decision)
{
	double trials = decision->trials_ahead, short_s = 0;

	if (decision->input.duration_s < goal->final_trial_duration_s) {
		short_s = decision->input.duration_s;
		trials = fmax(0, trials - decision->exceed_probability);
	}
	return short_s + trials * goal->final_trial_duration_s;
}

/* Count the seconds of trials without a model. `made` is the position where trials for another goal may make a Lower Bound
 * of this goal, or NAN. */
static double counted_s(const struct mlr_view *view, const struct above *above, double made)
{
	struct lack fresh = lack_of(view->goal, view->fresh);
	bool has_upper = view->upper <= view->grid->last;
	double lower = view->lower < 0 && made < above->bad ? made : (double)view->lower;
	double gap = ((has_upper ? (double)view->upper : above->bad) - lower) / (double)view->unit, halvings = log2(gap);
	double load_s = (fresh.lower_s + fresh.upper_s) / 2, bound_s = has_upper ? 0 : above->least.upper_s;

	if (above->is_lossless)
		return made >= (double)view->grid->last ? 0 : above->least.lower_s;
	if (lower < 0)
		return above->least.lower_s + bound_s + 2 * above->surprises * load_s;
	if (has_upper) {
		bound_s = (above->least.lower_s + above->least.upper_s) / 2;
		halvings--;
	}
	return bound_s + fmin(fmax(halvings, 0), 1) * load_s + fmax(halvings - 1, 0) * view->goal->final_trial_duration_s;
}

/* Get the goal's view for trials of full length. Returns false if memory is short. */
static bool get_view(const struct mlr_situation *now, size_t goal, struct mlr_view *ret_view)
{
	return mlr_view_new(now, goal, mlr_results_goal(now->results, goal)->final_trial_duration_s, ret_view) == 0;
}

double mlr_ahead_s(const struct mlr_situation *now, size_t goal, const struct mlr_decision *decision)
{
	bool is_pursued = !decision || decision->goal == goal;
	double made = NAN, ahead_s;
	struct above above;
	struct mlr_view view;

	if (!is_pursued && get_view(now, decision->goal, &view)) {
		made = look_above(&view).bad;
		mlr_view_free(&view);
	}
	if (!get_view(now, goal, &view))
		return 0;
	above = look_above(&view);
	if (decision && decision->input.load_fps <= now->grid.min_fps)
		above.surprises = 0; /* the search goes down no further */
	if (is_pursued && decision && decision->trials_ahead > 0 && !above.is_lossless)
		ahead_s = planned_s(view.goal, decision);
	else
		ahead_s = counted_s(&view, &above, made);
	mlr_view_free(&view);
	return ahead_s;
}
