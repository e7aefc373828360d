/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mlr controller is MLRsearch of RFC 9971.
 *
 * First comes the warm-up. Then the goals get the focus one after another: the longest Final Trial Duration first, then the
 * lowest Goal Loss Ratio. mlr_choose() says where the goal in focus wants a trial, and every result counts for every goal. A
 * goal is done when its Relevant Bounds are within its width, or touch Min or Max Load. A trial for one goal may undo the
 * bounds of another. So every goal is checked again each time, and the search is over when all goals are done at once.
 *
 * The search ends whatever the results: each trial is asked for with one goal in focus, and each goal has a limit of such
 * trials.
 */
#include "mlrsearch/mlr_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WARMUP_DURATION_S 1.0
#define SHORT_PARTS       4  /* a short trial takes at most the full length divided by this */
#define SCOUT_PARTS       16 /* the length of trials that look around for a goal, as a part of its full length */

struct mlr {
	struct mlr_controller base;
	struct mlr_situation now;
	size_t order[MLR_GOALS_MAX]; /* indices of goals, in the order in which they get the focus */
	struct mlr_focus focus[MLR_GOALS_MAX];
	struct mlr_digest digests[MLR_GOALS_MAX];
	bool is_warm; /* the warm-up is over */
};

static struct mlr *mlr_of(struct mlr_controller *controller)
{
	return (struct mlr *)controller;
}

static const struct mlr *mlr_of_const(const struct mlr_controller *controller)
{
	return (const struct mlr *)controller;
}

static void mlr_free(struct mlr_controller *controller)
{
	struct mlr *mlr = mlr_of(controller);

	for (size_t goal = 0; goal < MLR_GOALS_MAX; goal++) {
		mlr_model_free(mlr->focus[goal].model);
		mlr_race_free(mlr->focus[goal].race);
		mlr_digest_free(&mlr->digests[goal]);
	}
	free(mlr);
}

/* Return the limit of trials with this goal in focus, on a grid with this last index. Searches of real SUTs need a fraction
 * of it. */
static double focus_limit(const struct mlr_goal *goal, int64_t last)
{
	return (mlr_trials_a_load(goal) + 8) * (40 + 4 * ceil(log2((double)last + 1)));
}

/* Whether the Goal Result is regular, or irregular for a reason that lies in the SUT. */
static bool goal_finished(const struct mlr *mlr, size_t goal)
{
	const struct mlr_results *results = mlr->base.results;
	struct mlr_bounds bounds = mlr_results_bounds(results, goal);
	double lower_fps, upper_fps;

	if (bounds.upper == MLR_NO_LOAD)
		return bounds.lower != MLR_NO_LOAD && mlr_results_load_fps(results, bounds.lower) >= mlr->base.max_load_fps;
	upper_fps = mlr_results_load_fps(results, bounds.upper);
	if (bounds.lower == MLR_NO_LOAD)
		return upper_fps <= mlr->base.min_load_fps;
	lower_fps = mlr_results_load_fps(results, bounds.lower);
	return mlr_width_met(mlr_results_goal(results, goal), lower_fps, upper_fps);
}

static bool mlr_goal_done(const struct mlr_controller *controller, size_t goal)
{
	const struct mlr *mlr = mlr_of_const(controller);
	const struct mlr_focus *focus = &mlr->focus[goal];

	return mlr->is_warm && (goal_finished(mlr, goal) || focus->is_hopeless || focus->trials >= focus->limit);
}

/*
 * Return by what trials a goal looks around: its own, or those of another goal that is not done. These are shorter by far,
 * and as near as possible to a part of the goal's full length. A SUT that is stunned needs the time of the goal's own.
 */
static struct mlr_scout scout_for(const struct mlr *mlr, size_t goal)
{
	const struct mlr_goal *own = mlr_results_goal(mlr->base.results, goal);
	double wanted_s = own->final_trial_duration_s / SCOUT_PARTS, nearest = INFINITY;
	struct mlr_scout scout = { goal, own->initial_trial_duration_s };

	for (size_t i = 0; i < mlr_results_goal_count(mlr->base.results) && !(mlr->now.memory.stunned_trials > 0); i++) {
		const struct mlr_goal *other = mlr_results_goal(mlr->base.results, i);
		double short_s = fmin(fmax(wanted_s, other->initial_trial_duration_s), other->final_trial_duration_s);
		double distance = fabs(log(short_s / wanted_s));

		if (SHORT_PARTS * short_s > own->initial_trial_duration_s || distance >= nearest ||
		    mlr_goal_done(&mlr->base, i))
			continue;
		scout = (struct mlr_scout){ i, short_s };
		nearest = distance;
	}
	return scout;
}

/* Get the decision for the first goal that wants one. Returns 1, 0 if no goal wants one, or -ENOMEM. */
static int decide_any(struct mlr *mlr, struct mlr_decision *ret_decision)
{
	size_t count = mlr_results_goal_count(mlr->base.results);

	for (size_t i = 0; i < count; i++) {
		size_t goal = mlr->order[i];
		int err;

		if (mlr_goal_done(&mlr->base, goal))
			continue;
		err = mlr_choose(&mlr->now, goal, scout_for(mlr, goal), &mlr->focus[goal], ret_decision);
		if (err)
			return err;
		if (!mlr->focus[goal].is_hopeless)
			return 1;
	}
	return 0;
}

static struct mlr_decision warmup_decision(const struct mlr *mlr)
{
	return (struct mlr_decision){
		.input = { .duration_s = WARMUP_DURATION_S, .load_fps = mlr->base.max_load_fps },
		.warmup = true,
		.goal = mlr->order[0],
		.rule = "warm-up at Max Load",
		.exceed_probability = NAN,
		.trials_ahead = NAN,
	};
}

static int mlr_next(struct mlr_controller *controller, struct mlr_decision *ret_decision)
{
	struct mlr *mlr = mlr_of(controller);

	if (mlr->is_warm)
		return decide_any(mlr, ret_decision);
	*ret_decision = warmup_decision(mlr);
	return 1;
}

static bool is_same_input(const struct mlr_trial_input *a, const struct mlr_trial_input *b)
{
	return a->duration_s == b->duration_s && a->load_fps == b->load_fps;
}

static void learn(struct mlr *mlr, const struct mlr_trial_result *result)
{
	for (size_t goal = 0; goal < mlr_results_goal_count(mlr->base.results); goal++) {
		const struct mlr_goal *g = mlr_results_goal(mlr->base.results, goal);
		const struct mlr_focus *focus = &mlr->focus[goal];
		struct mlr_observation seen;

		if (!focus->model)
			continue;
		seen = mlr_observe(&mlr->now.grid, g, focus->whole_s, result);
		mlr_model_learn(focus->model, &seen, 1);
	}
}

/* Count a trial for each goal. */
static int digest(struct mlr *mlr, const struct mlr_trial_result *result)
{
	int err = 0;

	for (size_t goal = 0; goal < mlr_results_goal_count(mlr->base.results) && !err; goal++)
		err = mlr_digest_note(&mlr->now, goal, result->input.load_fps);
	return err;
}

/* Compare the model's opinion with the result, if the opinion was about this trial. */
static void watch(struct mlr *mlr, const struct mlr_trial_result *result)
{
	const struct mlr_decision *decision = &mlr->base.decision;

	if (mlr->base.has_decision && is_same_input(&result->input, &decision->input))
		mlr_watch_note(&mlr->focus[decision->goal].watch, mlr->base.results, decision, result);
}

/* Charge the trial to the goal whose decision this result answers or follows. */
static void settle(struct mlr *mlr, const struct mlr_trial_result *result)
{
	const struct mlr_decision *decision = &mlr->base.decision;
	struct mlr_focus *focus = &mlr->focus[decision->goal];

	if (!mlr->base.has_decision)
		return;
	if (decision->warmup) {
		mlr->is_warm = true;
		return;
	}
	focus->trials++;
	focus->spent_s += result->output.effective_duration_s;
}

static int mlr_add(struct mlr_controller *controller, const struct mlr_trial_result *result)
{
	struct mlr *mlr = mlr_of(controller);
	int err;

	if (controller->has_decision && controller->decision.warmup &&
	    is_same_input(&result->input, &controller->decision.input)) {
		mlr->now.warmup_rate_fps = result->output.forwarding_rate_fps;
		mlr->now.memory.last = *result;
	} else {
		watch(mlr, result);
		err = mlr_results_add(controller->results, result);
		if (err)
			return err;
		err = digest(mlr, result);
		if (err)
			return err;
		learn(mlr, result);
		mlr_memory_note(&mlr->now.memory, &mlr->digests[mlr->order[0]], result);
		mlr->now.overhead_s = fmax(0, result->output.effective_duration_s - result->input.duration_s);
	}
	settle(mlr, result);
	return 0;
}

static double mlr_remaining_s(const struct mlr_controller *controller)
{
	const struct mlr *mlr = mlr_of_const(controller);
	double remaining_s = mlr->is_warm ? 0 : WARMUP_DURATION_S;

	for (size_t goal = 0; goal < mlr_results_goal_count(controller->results); goal++) {
		if (!mlr_goal_done(controller, goal))
			remaining_s += mlr_ahead_s(&mlr->now, goal, controller->has_decision ? &controller->decision : NULL);
	}
	return remaining_s;
}

static bool mlr_sut_remembers(const struct mlr_controller *controller)
{
	return mlr_of_const(controller)->now.memory.is_noticed;
}

static const struct mlr_controller_ops mlr_ops = {
	.free = mlr_free,
	.next = mlr_next,
	.add = mlr_add,
	.goal_done = mlr_goal_done,
	.remaining_s = mlr_remaining_s,
	.sut_remembers = mlr_sut_remembers,
};

/* Initialise the grid for the narrowest goal. */
static int init_grid(struct mlr_grid *ret_grid, const struct mlr_controller_input *input)
{
	double width_ratio = 1;

	for (size_t goal = 0; goal < input->goal_count; goal++)
		width_ratio = fmin(width_ratio, input->goals[goal].width_ratio);
	return mlr_grid_init(ret_grid, input->min_load_fps, input->max_load_fps, width_ratio);
}

/* Whether a goal gets the focus before another. A long trial counts in full for goals with shorter ones, too, and not the
 * other way round. Among trials of one length, the lowest Goal Loss Ratio comes first. */
static bool is_before(const struct mlr_goal *goal, const struct mlr_goal *other)
{
	if (goal->final_trial_duration_s != other->final_trial_duration_s)
		return goal->final_trial_duration_s > other->final_trial_duration_s;
	return goal->loss_ratio < other->loss_ratio;
}

/* Order the goals. Among equals the first given goal comes first. */
static void set_order(struct mlr *mlr, const struct mlr_controller_input *input)
{
	for (size_t goal = 0; goal < input->goal_count; goal++) {
		size_t i = goal;

		for (; i > 0 && is_before(&input->goals[goal], &input->goals[mlr->order[i - 1]]); i--)
			mlr->order[i] = mlr->order[i - 1];
		mlr->order[i] = goal;
	}
}

/* Copy the goals as they are searched. A trial that is not much shorter than a full-length one saves too little for what it
 * leaves open, so such a goal has no short ones. What is no goal stays as it is, and is refused. */
static void copy_goals(const struct mlr_controller_input *input, struct mlr_goal goals[MLR_GOALS_MAX])
{
	for (size_t i = 0; i < input->goal_count && i < MLR_GOALS_MAX; i++) {
		double initial_s = input->goals[i].initial_trial_duration_s,
		       final_s = input->goals[i].final_trial_duration_s;

		goals[i] = input->goals[i];
		if (initial_s <= final_s && final_s < SHORT_PARTS * initial_s)
			goals[i].initial_trial_duration_s = final_s;
	}
}

int mlr_controller_new_mlr(const struct mlr_controller_input *input, struct mlr_controller **ret)
{
	struct mlr_goal goals[MLR_GOALS_MAX];
	struct mlr_controller_input searched = *input;
	struct mlr *mlr = calloc(1, sizeof(*mlr));
	int err;

	if (!mlr)
		return -ENOMEM;
	copy_goals(input, goals);
	searched.goals = goals;
	err = mlr_controller_init(&mlr->base, &mlr_ops, &searched);
	if (err) {
		free(mlr);
		return err;
	}
	err = init_grid(&mlr->now.grid, input);
	if (err) {
		mlr_controller_free(&mlr->base);
		return err;
	}
	mlr->now.results = mlr->base.results;
	mlr->now.digests = mlr->digests;
	set_order(mlr, input);
	for (size_t goal = 0; goal < input->goal_count; goal++)
		mlr->focus[goal].limit = focus_limit(&input->goals[goal], mlr->now.grid.last);
	*ret = &mlr->base;
	return 0;
}

double mlr_controller_mlr_trial_limit(const struct mlr_controller_input *input)
{
	struct mlr_grid grid;
	double limit = 1;

	if (init_grid(&grid, input))
		return NAN;
	for (size_t goal = 0; goal < input->goal_count; goal++)
		limit += focus_limit(&input->goals[goal], grid.last);
	return limit;
}
