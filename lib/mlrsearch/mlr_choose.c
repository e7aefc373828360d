/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This file chooses where the goal in focus wants its next trial, and how long that trial is.
 *
 * A goal whose trials all have one length locates its critical load by single trials, and then asks the model. A goal with
 * long final trials scouts with short ones first, and tests each load briefly before it spends a long trial there. A goal no
 * longer trusts its model when it has spent too much without an end, or when the model only steps in one direction. It then
 * continues without a model (mlr_free.c).
 */
#include "mlrsearch/mlr_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define BRACKET_UNITS  5   /* Goal Widths of a bracket that is left to the model */
#define BRACKET_LONG   8   /* the same, if the initial Trial Duration is shorter than the final one */
#define LADDER_RATIO   16  /* least ratio of final to initial duration for a trial of middle length */
#define LIKELY_BAD     0.5 /* probability of a bad trial from which a short trial is used to show it */
#define SCOUT_LOADS    24  /* After so many loads, short trials give no more information. */
#define GUIDED_SUMS    15  /* Goal Duration Sums that may be spent before the model is no longer asked */
#define STAGED_SUMS    20  /* Goal Duration Sums before the search without a model gives up its stages */
#define STEPS_MOST     4   /* After so many bounds in a row in one direction, the model is not asked again. */
#define STRIDE_STEPS   2   /* After so many bounds in a row in one direction, the steps grow. */
#define CHANGING       100 /* the last trials foretell so many times better than any curve: the SUT changes with time */
#define DEPENDENT      2   /* trials seem to depend on one another from this on */
#define STUNNED_S      10  /* After so long, a SUT is no longer taken for stunned. */
#define STUNNED_TRIALS 12  /* After so many trials, a SUT is no longer taken for stunned, either. */
#define LEARNED_LOADS  24  /* most loads that are given to a new model */
#define LEARNED_TRIALS 48  /* most trials that are given to a new model */

double mlr_trials_a_load(const struct mlr_goal *goal)
{
	return ceil(fmax(1, goal->duration_sum_s / goal->final_trial_duration_s));
}

/* --- the model-free way --- */

/* Return the lowest load that is bad above every good one, or NULL. */
static const struct mlr_point *overloaded(const struct mlr_view *view)
{
	const struct mlr_point *lowest = NULL;

	for (size_t i = view->count; i-- > 0 && !(view->points[i].good > 0);) {
		if (view->points[i].bad > 0)
			lowest = &view->points[i];
	}
	return lowest;
}

/* Choose by bounds alone for a SUT that remembers overload. It starts where the SUT is overloaded. At the Lower Bound the
 * SUT recovers, so the next load is just below the Upper Bound, as long as the SUT sustains that. */
static int64_t remembering_index(const struct mlr_view *view, const struct mlr_memory *memory)
{
	struct mlr_observation last = mlr_observe(view->grid, view->goal, view->duration_s, &memory->last);
	const struct mlr_point *first = overloaded(view);
	int64_t highest = view->upper - view->unit, at = llround(last.position), next = mlr_free_place(view, false).index;
	bool has_lower = view->lower >= 0, has_upper = view->upper <= view->grid->last;

	if (has_lower && has_upper && !last.is_bad && (at == view->lower || at == highest))
		return mlr_view_clamp(view, (double)highest);
	if (first && !has_upper && (!has_lower || first->position < (double)next))
		return mlr_view_clamp(view, first->position);
	return next;
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

/* Return the first of the loads nearest to a root, with as many on either side as there are. */
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

/* Teach a new model what was measured. If that is much, teach a sample near the root: the model is built for one hint, and
 * must answer soon. */
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

/* Make a model of the goal around a root, from the trials so far. */
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

/* The chosen load, and the reason. */
struct choice {
	int64_t index;
	double duration_s; /* 0 if it is not chosen yet */
	const char *rule;
	struct mlr_opinion opinion;
};

/* Ask the model. It is kept if its root is final. Returns 1 and a choice, 0 if it has no answer, or -ENOMEM. */
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

/* Whether the SUT shows no noise: repeated trials have exactly repeated results. */
static bool is_exact(const struct mlr_view *view)
{
	const struct mlr_point *bad = overloaded(view);

	return bad && bad == mlr_view_lowest_bad(view) && view->repeats > 0 && view->contradictions == 0;
}

/* Get the undecided end of a bracket that locating has made narrow. Each end is confirmed by a second trial; then the bad
 * end comes first. Returns false if there is none. */
static bool settle_bracket(const struct mlr_view *view, int64_t *ret_index)
{
	const struct mlr_point *bad = mlr_view_lowest_bad(view), *point = bad;

	if (!bad || bad == view->points)
		return false;
	if (bad->class != MLR_LOAD_UNDECIDED || (bad[-1].class == MLR_LOAD_UNDECIDED && bad->bad > 1 && bad[-1].good < 2))
		point--;
	*ret_index = llround(point->position);
	return point->on_grid && point->class == MLR_LOAD_UNDECIDED;
}

/* Whether the load of the last trial is still undecided, and its class may matter. */
static bool stay(const struct mlr_view *view, double load_fps, int64_t *ret_index)
{
	int64_t index = llround(mlr_grid_position(view->grid, load_fps));
	const struct mlr_point *point = mlr_view_at(view, index);

	*ret_index = index;
	return point && point->class == MLR_LOAD_UNDECIDED && index > view->lower && index < view->upper;
}

/* Free a model that gave short trials less weight than they deserve. */
static void forget_outdated(struct mlr_focus *focus, const struct mlr_view *view)
{
	if (focus->whole_s == view->whole_s)
		return;
	mlr_model_free(focus->model);
	focus->model = NULL;
	focus->whole_s = view->whole_s;
}

/* Count the bounds that were found in a row in the same direction. A model that knows where the critical load is finds
 * bounds on both sides of it. */
static void count_steps(struct mlr_focus *focus, const struct mlr_view *view)
{
	if (view->lower > focus->lower && focus->model)
		focus->steps = fmax(focus->steps, 0) + 1;
	if (view->upper < focus->upper && focus->model)
		focus->steps = fmin(focus->steps, 0) - 1;
	focus->lower = view->lower;
	focus->upper = view->upper;
	focus->has_walked |= fabs(focus->steps) >= STEPS_MOST;
}

/* Whether the goal has trials of one length, and both bounds cost the same. */
static bool is_even(const struct mlr_view *view)
{
	return view->fresh.good == view->fresh.bad &&
	       view->goal->initial_trial_duration_s >= view->goal->final_trial_duration_s;
}

/* Return the index, or one farther from a bound that moved several times in a row in one direction: each further step is
 * twice as long. A load with trials stays. Where a step in vain costs no more than another, the plan needs no such help. */
static int64_t stride(const struct mlr_focus *focus, const struct mlr_view *view, int64_t index)
{
	double steps = fabs(focus->steps), least = (double)view->unit * exp2(fmin(steps, 30) - 1);
	double middle = ((double)view->lower + (double)view->upper) / 2;

	if (steps < STRIDE_STEPS || is_even(view) || mlr_view_at(view, index))
		return index;
	if (focus->steps > 0)
		return mlr_view_clamp(view, fmax((double)index, fmin((double)view->lower + least, middle)));
	return mlr_view_clamp(view, fmin((double)index, fmax((double)view->upper - least, middle)));
}

/* Choose without a model. */
static int choose_freely(const struct mlr_view *view, bool in_stages, struct choice *ret_choice, const char *rule)
{
	struct mlr_trial_place place = mlr_free_place(view, in_stages);

	*ret_choice = (struct choice){
		.index = place.index,
		.duration_s = place.duration_s,
		.rule = rule,
		.opinion = { NAN, NAN },
	};
	return 0;
}

/* Choose the load for a full-length trial. Returns 0 or -ENOMEM. */
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
		if (focus->has_walked)
			return choose_freely(view, true, ret_choice, "doubling and halving, as the model walks");
		if ((!focus->model || is_exact(view)) && mlr_locate(view, &ret_choice->index, &ret_choice->rule, &root))
			return 0;
		if ((is_exact(view) || view->is_buffered) && settle_bracket(view, &ret_choice->index)) {
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
		if (found > 0)
			ret_choice->index = stride(focus, view, ret_choice->index);
	}
	if (!found)
		return choose_freely(view, focus->spent_s <= STAGED_SUMS * view->goal->duration_sum_s, ret_choice,
				     "doubling and halving");
	return found < 0 ? found : 0;
}

/* --- short trials of a goal with long ones --- */

/*
 * Look around with short trials first, until a bad load stands next to a good one. Then the view of the long trials gets a
 * better hint. Returns 1 and an index, 0 if there is nothing to scout, or -ENOMEM.
 */
static int scout(const struct mlr_situation *now, size_t goal, double short_s, struct mlr_view *view, int64_t *ret_index,
		 const char **ret_rule)
{
	const struct mlr_point *bad;
	struct mlr_view near;
	struct mlr_root root;
	bool is_wanted;
	int err;

	if (short_s >= view->duration_s)
		return 0;
	err = mlr_view_new(now, goal, short_s, &near);
	if (err)
		return err;
	near.bracket = (double)view->unit;
	near.telling_s = short_s;
	is_wanted = near.hint < (double)near.grid->last && near.count < SCOUT_LOADS &&
		    mlr_locate(&near, ret_index, ret_rule, &root) && !mlr_view_at(&near, *ret_index);
	bad = mlr_view_lowest_bad(&near);
	if (bad)
		view->hint = fmax(0, ceil(bad->position) - (double)view->unit);
	mlr_view_free(&near);
	return is_wanted;
}

/*
 * Whether a trial of middle length is worth its time before a long one. It can find what only longer trials show, such as
 * buffers that fill up. Where no bad trial is tolerated, a bad one decides at once. If each trial draws its own capacity, it
 * is only one more draw.
 */
static bool wants_middle(const struct mlr_focus *focus, const struct mlr_view *view)
{
	if (view->goal->final_trial_duration_s < LADDER_RATIO * view->goal->initial_trial_duration_s ||
	    view->whole_s < view->duration_s)
		return false;
	return view->goal->exceed_ratio <= 0 || !focus->model || view->is_buffered;
}

/* Return how long the trial is to be. A load without trials is first tested by short ones. A short trial may also be all
 * that a load lacks to become an Upper Bound. */
static double trial_duration_s(const struct mlr_focus *focus, const struct mlr_view *view, const struct choice *choice)
{
	const struct mlr_point *point = mlr_view_at(view, choice->index);
	bool is_likely_bad;

	if (choice->index == view->grid->last && view->hint >= (double)view->grid->last)
		return view->duration_s;
	if (!point)
		return view->goal->initial_trial_duration_s;
	if (point->longest_s < view->telling_s && wants_middle(focus, view))
		return view->telling_s;
	is_likely_bad = !(point->good > 0) || choice->opinion.exceed_probability >= LIKELY_BAD;
	if (point->full_length > point->good && point->need.short_bad_s < view->telling_s && is_likely_bad)
		return fmin(view->duration_s, fmax(view->goal->initial_trial_duration_s, 1.01 * point->need.short_bad_s));
	return view->duration_s;
}

/* --- rest after an overload --- */

/* Whether to repeat the last trial, because the SUT was stunned in it. */
static bool wants_rest(const struct mlr_memory *memory, const struct mlr_view *view, int64_t *ret_index)
{
	return memory->stunned_trials > 0 && memory->stunned_trials < STUNNED_TRIALS && memory->stunned_s < STUNNED_S &&
	       stay(view, memory->last.input.load_fps, ret_index);
}

/* --- all together --- */

/* Whether a load has had more full-length trials than can be needed to decide it. This happens if the effective durations do
 * not add up. */
static bool is_exhausted(const struct mlr_view *view, int64_t index)
{
	const struct mlr_point *point = mlr_view_at(view, index);

	return point && point->full_length >= 4 * mlr_trials_a_load(view->goal) + 16;
}

static int choose(const struct mlr_situation *now, size_t goal, struct mlr_scout by, struct mlr_focus *focus,
		  struct mlr_view *view, struct mlr_decision *ret_decision)
{
	double duration_s = view->goal->initial_trial_duration_s;
	struct choice choice = { .opinion = { NAN, NAN } };
	int scouting, err;

	scouting = wants_rest(&now->memory, view, &choice.index);
	if (scouting) {
		choice.rule = "again, after a rest";
		by.goal = goal;
		duration_s = fmin(fmax(duration_s, now->memory.last.input.duration_s), view->duration_s);
	} else {
		duration_s = by.duration_s;
		scouting = scout(now, goal, duration_s, view, &choice.index, &choice.rule);
	}
	if (scouting < 0)
		return scouting;
	if (!scouting) {
		err = choose_index(focus, &now->memory, view, &choice);
		if (err)
			return err;
		duration_s = choice.duration_s > 0 ? choice.duration_s : trial_duration_s(focus, view, &choice);
		focus->is_hopeless = is_exhausted(view, choice.index);
	}
	*ret_decision = (struct mlr_decision){
		.input = { .duration_s = duration_s, .load_fps = mlr_grid_load_fps(view->grid, choice.index) },
		.goal = scouting ? by.goal : goal,
		.rule = choice.rule,
		.exceed_probability = choice.opinion.exceed_probability,
		.trials_ahead = choice.opinion.trials_ahead,
	};
	return 0;
}

/* Return the gap between a good and a bad load, in Goal Widths, down to which single trials halve it. */
static double bracket_units(const struct mlr_view *view)
{
	if (is_exact(view) || view->is_buffered)
		return 1;
	return view->goal->initial_trial_duration_s < view->goal->final_trial_duration_s ? BRACKET_LONG : BRACKET_UNITS;
}

int mlr_choose(const struct mlr_situation *now, size_t goal, struct mlr_scout by, struct mlr_focus *focus,
	       struct mlr_decision *ret_decision)
{
	struct mlr_view view;
	int err;

	err = mlr_view_new(now, goal, mlr_results_goal(now->results, goal)->final_trial_duration_s, &view);
	if (err)
		return err;
	view.bracket = bracket_units(&view) * (double)view.unit;
	err = choose(now, goal, by, focus, &view, ret_decision);
	mlr_view_free(&view);
	return err;
}
