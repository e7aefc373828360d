/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the goal in focus wants its next trial, and how long that should be.
 *
 * A goal whose trials are all of one length locates its critical load and then asks the model. A goal with long final trials
 * scouts with short ones first, and probes each load briefly before it spends a long trial on it. A goal that has spent too
 * much without an end, or whose model only walks on, no longer trusts it: it doubles and halves, by classified bounds alone.
 */
#include "mlr_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define BRACKET_UNITS  8   /* a bracket this narrow, in widths, is left to the model */
#define LADDER_RATIO   16  /* of final to initial duration, from which on there is a step between */
#define LIKELY_BAD     0.5 /* probability from which on a short trial shall show it */
#define SCOUT_LOADS    24  /* after so many loads, short trials have told what they can */
#define GUIDED_SUMS    15  /* Goal Duration Sums that a goal may spend before the model is no longer asked */
#define STEPS_MOST     5   /* bounds one after another in one direction: the model walks, */
#define STEPS_AGAIN    2   /* and so it does with fewer, once it has walked */
#define CHANGING       100 /* times better than any curve the last trials foretell: the SUT changes with time, */
#define DEPENDENT      2   /* or its trials seem to depend on one another */
#define LEARNED_LOADS  24  /* that a new model looks back at, */
#define LEARNED_TRIALS 48  /* and trials at them */

double mlr_trials_a_load(const struct mlr_goal *goal)
{
	return ceil(fmax(1, goal->duration_sum_s / goal->final_trial_duration_s));
}

/* --- the model-free way --- */

/* As far again as loads of this class reach already, and one step: 1, 2, 4, ... steps after 1, 2, 3, ... loads, and after a model's
 * walk of one step a time the length of it. */
static int64_t doubled_step(const struct mlr_view *view, enum mlr_load_class class)
{
	double first = NAN, last = NAN;

	for (size_t i = 0; i < view->count; i++) {
		if (view->points[i].class != class)
			continue;
		if (isnan(first))
			first = view->points[i].position;
		last = view->points[i].position;
	}
	return (int64_t)ceil(last - first) + 1;
}

/* Doubling away from the only bound, then halving between two. A load is stayed at until it is classified. */
static int64_t safe_index(const struct mlr_view *view)
{
	bool has_lower = view->lower >= 0, has_upper = view->upper <= view->grid->last;

	if (has_lower && has_upper)
		return view->lower + (view->upper - view->lower) / 2;
	if (has_lower)
		return mlr_view_clamp(view, (double)(view->lower + doubled_step(view, MLR_LOAD_LOWER_BOUND)));
	if (has_upper)
		return mlr_view_clamp(view, (double)(view->upper - doubled_step(view, MLR_LOAD_UPPER_BOUND)));
	return mlr_view_clamp(view, view->hint);
}

/* The lowest load that is bad above every good one, or NULL. */
static const struct mlr_point *overloaded(const struct mlr_view *view)
{
	const struct mlr_point *lowest = NULL;

	for (size_t i = view->count; i-- > 0 && !(view->points[i].good > 0);) {
		if (view->points[i].bad > 0)
			lowest = &view->points[i];
	}
	return lowest;
}

/* The same for a SUT that remembers, from where it is overloaded. At the Lower Bound it rested: from there straight to just below the
 * Upper Bound, for as long as it bears that. */
static int64_t remembering_index(const struct mlr_view *view, const struct mlr_memory *memory)
{
	struct mlr_observation last = mlr_observe(view->grid, view->goal, view->duration_s, &memory->last);
	const struct mlr_point *first = overloaded(view);
	int64_t highest = view->upper - view->unit, at = llround(last.position);
	bool has_lower = view->lower >= 0, has_upper = view->upper <= view->grid->last;

	if (has_lower && has_upper && !last.is_bad && (at == view->lower || at == highest))
		return mlr_view_clamp(view, (double)highest);
	if (first && !has_upper && (!has_lower || first->position < (double)safe_index(view)))
		return mlr_view_clamp(view, first->position);
	return safe_index(view);
}

/* --- the model --- */

static void learn_load(const struct mlr_view *view, size_t load, size_t most, struct mlr_model *model)
{
	struct mlr_observation seen[LEARNED_TRIALS];
	size_t count;
	const struct mlr_trial_result *trials = mlr_results_trials(view->results, load, &count);

	if (count > most)
		count = most;
	for (size_t i = 0; i < count; i++)
		seen[i] = mlr_observe(view->grid, view->goal, view->whole_s, &trials[i]);
	mlr_model_learn(model, seen, count);
}

/* The first of the loads next to a root, so many on either side as there are. */
static size_t first_near(const struct mlr_view *view, const struct mlr_root *root)
{
	size_t above = 0, first;

	while (above < view->count && view->points[above].position < root->position)
		above++;
	first = above > LEARNED_LOADS / 2 ? above - LEARNED_LOADS / 2 : 0;
	if (first + LEARNED_LOADS > view->count)
		first = view->count > LEARNED_LOADS ? view->count - LEARNED_LOADS : 0;
	return first;
}

/* Teach a new model what was measured. Where that is much, a sample of what is near the root: it is there for a hint, and
 * has to give it soon. */
static void learn_all(const struct mlr_view *view, const struct mlr_root *root, struct mlr_model *model)
{
	size_t first = first_near(view, root), loads = view->count < LEARNED_LOADS ? view->count : LEARNED_LOADS, total = 0;

	for (size_t load = first; load < first + loads; load++) {
		size_t count;

		mlr_results_trials(view->results, load, &count);
		total += count;
	}
	for (size_t load = first; load < first + loads; load++)
		learn_load(view, load, total > LEARNED_TRIALS ? LEARNED_TRIALS / loads : LEARNED_TRIALS, model);
}

/* A model of the goal around a root, that knows the trials so far. */
static int new_model(const struct mlr_view *view, const struct mlr_root *root, struct mlr_model **ret)
{
	struct mlr_model *model;
	int err;

	err = mlr_model_new(root, (double)view->unit, view->goal, &model);
	if (err)
		return err;
	learn_all(view, root, model);
	*ret = model;
	return 0;
}

/* What was chosen, and why. */
struct choice {
	int64_t index;
	const char *rule;
	struct mlr_opinion opinion;
};

/* Ask the model; it is kept if its root is final. 1 and a choice, 0 if it has no answer, -ENOMEM. */
static int ask_model(struct mlr_focus *focus, const struct mlr_view *view, const struct mlr_root *root,
		     struct choice *ret_choice)
{
	struct mlr_model *model = focus->model;
	bool has_index;
	int err;

	if (!focus->race) {
		err = mlr_race_new(view->fresh, &focus->race);
		if (err)
			return err;
	}
	if (!model) {
		err = new_model(view, root, &model);
		if (err)
			return err;
	}
	mlr_model_use_sample(model, mlr_watch_change(&focus->watch) < DEPENDENT);
	has_index = mlr_plan(view, model, focus->race, &ret_choice->index, &ret_choice->opinion);
	if (root->is_final || focus->model)
		focus->model = model;
	else
		mlr_model_free(model);
	return has_index;
}

/* Whether the SUT shows no noise: what is repeated is repeated exactly. */
static bool is_exact(const struct mlr_view *view)
{
	const struct mlr_point *bad = overloaded(view);

	return bad && bad == mlr_view_lowest_bad(view) && view->repeats > 0 && view->contradictions == 0;
}

/* The undecided end of a bracket that locating has made narrow, the bad one first. False where there is none. */
static bool settle_bracket(const struct mlr_view *view, int64_t *ret_index)
{
	const struct mlr_point *bad = mlr_view_lowest_bad(view), *point = bad;

	if (!bad || bad == view->points)
		return false;
	if (bad->class != MLR_LOAD_UNDECIDED)
		point--;
	*ret_index = llround(point->position);
	return point->on_grid && point->class == MLR_LOAD_UNDECIDED;
}

/* Whether the load of the last trial is still undecided, and what it becomes may matter. */
static bool stay(const struct mlr_view *view, double load_fps, int64_t *ret_index)
{
	int64_t index = llround(mlr_grid_position(view->grid, load_fps));
	const struct mlr_point *point = mlr_view_at(view, index);

	*ret_index = index;
	return point && point->class == MLR_LOAD_UNDECIDED && index > view->lower && index < view->upper;
}

/* Forget a model that took short trials for less than they tell. */
static void forget_outdated(struct mlr_focus *focus, const struct mlr_view *view)
{
	if (focus->whole_s == view->whole_s)
		return;
	mlr_model_free(focus->model);
	focus->model = NULL;
	focus->whole_s = view->whole_s;
}

/* Count the bounds that were found one after another in the same direction. A model that is right about where the critical load is finds
 * one on either side of it. */
static void count_steps(struct mlr_focus *focus, const struct mlr_view *view)
{
	if (view->lower > focus->lower && focus->trials > 0)
		focus->steps = fmax(focus->steps, 0) + 1;
	if (view->upper < focus->upper && focus->trials > 0)
		focus->steps = fmin(focus->steps, 0) - 1;
	focus->lower = view->lower;
	focus->upper = view->upper;
	focus->has_walked |= fabs(focus->steps) >= STEPS_MOST;
}

/* Where to measure in full length. 0 or -ENOMEM. */
static int choose_index(struct mlr_focus *focus, const struct mlr_memory *memory, const struct mlr_view *view,
			struct choice *ret_choice)
{
	struct mlr_root root = { 0 };
	int found = 0;

	forget_outdated(focus, view);
	count_steps(focus, view);
	if (focus->spent_s <= GUIDED_SUMS * view->goal->duration_sum_s) {
		if (memory->is_noticed) {
			ret_choice->index = remembering_index(view, memory);
			ret_choice->rule = "doubling and halving, as the SUT remembers";
			return 0;
		}
		if (fabs(focus->steps) >= (focus->has_walked ? STEPS_AGAIN : STEPS_MOST) &&
		    view->telling_s >= view->duration_s) {
			ret_choice->index = safe_index(view);
			ret_choice->rule = "doubling and halving, as the model walks";
			return 0;
		}
		if ((!focus->model || is_exact(view)) && mlr_locate(view, &ret_choice->index, &ret_choice->rule, &root))
			return 0;
		if (is_exact(view) && settle_bracket(view, &ret_choice->index)) {
			ret_choice->rule = "trials repeat exactly";
			return 0;
		}
		if (mlr_watch_change(&focus->watch) > CHANGING &&
		    stay(view, memory->last.input.load_fps, &ret_choice->index)) {
			ret_choice->rule = "staying, as the SUT changes with time";
			return 0;
		}
		ret_choice->rule = "cheapest by the model";
		found = ask_model(focus, view, &root, ret_choice);
	}
	if (!found) {
		ret_choice->rule = "doubling and halving";
		ret_choice->index = safe_index(view);
	}
	return found < 0 ? found : 0;
}

/* --- short trials of a goal with long ones --- */

/*
 * Look around with short trials first: until one bad load stands next to a good one. Then the view of the long trials gets a
 * better hint. 1 and an index, 0 if there is nothing to scout, -ENOMEM.
 */
static int scout(const struct mlr_situation *now, size_t goal, struct mlr_view *view, int64_t *ret_index,
		 const char **ret_rule)
{
	const struct mlr_point *bad;
	struct mlr_view near;
	struct mlr_root root;
	bool is_wanted;
	int err;

	if (view->goal->initial_trial_duration_s >= view->duration_s)
		return 0;
	err = mlr_view_new(now, goal, view->goal->initial_trial_duration_s, &near);
	if (err)
		return err;
	near.bracket = (double)view->unit;
	is_wanted = near.hint < (double)near.grid->last && near.count < SCOUT_LOADS &&
		    mlr_locate(&near, ret_index, ret_rule, &root) && !mlr_view_at(&near, *ret_index);
	bad = mlr_view_lowest_bad(&near);
	if (bad)
		view->hint = fmax(0, ceil(bad->position) - (double)view->unit);
	mlr_view_free(&near);
	return is_wanted;
}

/*
 * Whether a probe of middling length is worth its time before a long trial. It finds what only longer trials find, as
 * buffers that fill up; and where no bad trial is tolerated, a bad one decides at once. Where each trial draws its capacity, it
 * is but one more draw.
 */
static bool wants_middle(const struct mlr_focus *focus, const struct mlr_view *view)
{
	if (view->goal->final_trial_duration_s < LADDER_RATIO * view->goal->initial_trial_duration_s ||
	    view->whole_s < view->duration_s)
		return false;
	return view->goal->exceed_ratio <= 0 || !focus->model || view->is_buffered;
}

/* How long the trial should be. A load that no trial has touched yet is probed with short ones first; and a short one may be all
 * that it lacks to become an Upper Bound. */
static double trial_duration_s(const struct mlr_focus *focus, const struct mlr_view *view, const struct choice *choice)
{
	const struct mlr_point *point = mlr_view_at(view, choice->index);

	if (choice->index == view->grid->last && view->hint >= (double)view->grid->last)
		return view->duration_s;
	if (!point)
		return view->goal->initial_trial_duration_s;
	if (point->longest_s < view->telling_s && wants_middle(focus, view))
		return view->telling_s;
	if (point->full_length > point->good && point->need.short_bad_s < view->telling_s &&
	    choice->opinion.exceed_probability >= LIKELY_BAD)
		return fmin(view->duration_s, fmax(view->goal->initial_trial_duration_s, 1.01 * point->need.short_bad_s));
	return view->duration_s;
}

/* --- all together --- */

/* Whether a load has had more full-length trials than should ever decide it: the effective durations do not add up. */
static bool is_exhausted(const struct mlr_view *view, int64_t index)
{
	const struct mlr_point *point = mlr_view_at(view, index);

	return point && point->full_length >= 4 * mlr_trials_a_load(view->goal) + 16;
}

static int choose(const struct mlr_situation *now, size_t goal, struct mlr_focus *focus, struct mlr_view *view,
		  struct mlr_decision *ret_decision)
{
	double duration_s = view->goal->initial_trial_duration_s;
	struct choice choice = { .opinion = { NAN, NAN } };
	int scouting, err;

	scouting = scout(now, goal, view, &choice.index, &choice.rule);
	if (scouting < 0)
		return scouting;
	if (!scouting) {
		err = choose_index(focus, &now->memory, view, &choice);
		if (err)
			return err;
		duration_s = trial_duration_s(focus, view, &choice);
		focus->is_hopeless = is_exhausted(view, choice.index);
	}
	*ret_decision = (struct mlr_decision){
		.input = { .duration_s = duration_s, .load_fps = mlr_grid_load_fps(view->grid, choice.index) },
		.goal = goal,
		.rule = choice.rule,
		.exceed_probability = choice.opinion.exceed_probability,
		.trials_ahead = choice.opinion.trials_ahead,
	};
	return 0;
}

int mlr_choose(const struct mlr_situation *now, size_t goal, struct mlr_focus *focus, struct mlr_decision *ret_decision)
{
	struct mlr_view view;
	int err;

	err = mlr_view_new(now, goal, mlr_results_goal(now->results, goal)->final_trial_duration_s, &view);
	if (err)
		return err;
	view.bracket = (is_exact(&view) || view.is_buffered ? 1 : BRACKET_UNITS) * (double)view.unit;
	err = choose(now, goal, focus, &view, ret_decision);
	mlr_view_free(&view);
	return err;
}
