/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WARMUP_DURATION_S 1.0

#define GUIDED_SUMS 15 /* Goal Duration Sums that a goal may spend before the model is no longer asked */

/* What the controller knows of one goal beyond the results. */
struct focus {
	double trials;           /* asked for with this goal in focus */
	double spent_s;          /* their effective durations */
	struct mlr_model *model; /* once the critical load is located */
	struct mlr_race *race;
};

struct mlr {
	struct mlr_controller base;
	struct mlr_grid grid;
	size_t order[MLR_GOALS_MAX]; /* goals, in the order they get the focus */
	struct focus focus[MLR_GOALS_MAX];
	bool is_warm;      /* the warm-up is over */
	double hint_fps;   /* its forwarding rate */
	double overhead_s; /* what the last trial took beyond its Trial Duration */
	bool has_decision; /* since the last result */
	struct mlr_decision decision;
};

static struct mlr *mlr_of(struct mlr_controller *controller)
{
	return (struct mlr *)controller;
}

static void mlr_free(struct mlr_controller *controller)
{
	struct mlr *mlr = mlr_of(controller);

	for (size_t goal = 0; goal < MLR_GOALS_MAX; goal++) {
		mlr_model_free(mlr->focus[goal].model);
		mlr_race_free(mlr->focus[goal].race);
	}
	free(mlr);
}

static double trials_a_load(const struct mlr_goal *goal)
{
	return ceil(fmax(1, goal->duration_sum_s / goal->final_trial_duration_s));
}

static double focus_limit(const struct mlr *mlr, const struct mlr_goal *goal)
{
	return (trials_a_load(goal) + 8) * (40 + 4 * ceil(log2((double)mlr->grid.last + 1)));
}

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
	const struct mlr *mlr = (const struct mlr *)controller;

	return mlr->is_warm && (goal_finished(mlr, goal) || mlr->focus[goal].trials >=
		focus_limit(mlr, mlr_results_goal(mlr->base.results, goal)));
}

static int64_t count_class(const struct mlr *mlr, size_t goal, enum mlr_load_class class)
{
	int64_t count = 0;

	for (size_t i = 0; i < mlr_results_load_count(mlr->base.results); i++)
		count += mlr_results_class(mlr->base.results, i, goal) == class;
	return count;
}

static int64_t doubled(int64_t count)
{
	return (int64_t)1 << (count > 30 ? 30 : count - 1);
}

static int64_t clamp_index(const struct mlr *mlr, int64_t index)
{
	if (index < 0)
		return 0;
	return index > mlr->grid.last ? mlr->grid.last : index;
}

static int64_t safe(const struct mlr *mlr, size_t goal)
{
	const struct mlr_results *results = mlr->base.results;
	struct mlr_bounds bounds = mlr_results_bounds(results, goal);
	int64_t lower = 0, upper = 0;

	if (bounds.lower != MLR_NO_LOAD)
		lower = mlr_grid_floor(&mlr->grid, mlr_results_load_fps(results, bounds.lower));
	if (bounds.upper != MLR_NO_LOAD)
		upper = mlr_grid_ceil(&mlr->grid, mlr_results_load_fps(results, bounds.upper));
	if (bounds.lower == MLR_NO_LOAD && bounds.upper == MLR_NO_LOAD)
		return mlr_grid_floor(&mlr->grid, mlr->hint_fps);
	if (bounds.upper == MLR_NO_LOAD)
		return clamp_index(mlr, lower + doubled(count_class(mlr, goal, MLR_LOAD_LOWER_BOUND)));
	if (bounds.lower == MLR_NO_LOAD)
		return clamp_index(mlr, upper - doubled(count_class(mlr, goal, MLR_LOAD_UPPER_BOUND)));
	return lower + (upper - lower) / 2;
}

/* Where the warm-up puts a goal's critical load. A SUT that kept up with Max Load is expected to do so again. */
static double hint_position(const struct mlr *mlr, const struct mlr_view *view)
{
	double rate_fps = mlr->hint_fps / (1 - view->goal->loss_ratio);
	double position;

	if (rate_fps >= mlr->base.max_load_fps)
		return (double)mlr->grid.last;
	if (!(rate_fps > mlr->base.min_load_fps))
		return 0;
	position = mlr_grid_position(&mlr->grid, rate_fps) - (double)view->unit / 2;
	return fmax(0, round(position));
}

/* A model of the goal around a root, that knows all trials so far. */
static int new_model(const struct mlr_view *view, const struct mlr_root *root, struct mlr_model **ret)
{
	struct mlr_model *model;
	int err;

	err = mlr_model_new(root, (double)view->unit, &model);
	if (err)
		return err;
	for (size_t i = 0; i < view->count; i++)
		mlr_model_learn(model, view->points[i].position, view->points[i].good, view->points[i].bad);
	*ret = model;
	return 0;
}

/* Ask the model; it is kept if its root is final. 1 and an index, 0 if it has no answer, -ENOMEM. */
static int ask_model(struct focus *focus, const struct mlr_view *view, const struct mlr_root *root, int64_t *ret_index)
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
	has_index = mlr_plan(view, model, focus->race, ret_index);
	if (root->is_final || focus->model)
		focus->model = model;
	else
		mlr_model_free(model);
	return has_index;
}

/* Where to measure for a goal. 0 or -ENOMEM. */
static int choose(struct mlr *mlr, size_t goal, const struct mlr_view *view, int64_t *ret_index, const char **ret_rule)
{
	struct focus *focus = &mlr->focus[goal];
	struct mlr_root root = {0};
	int found;

	if (focus->spent_s > GUIDED_SUMS * view->goal->duration_sum_s) {
		*ret_rule = "halving";
		*ret_index = safe(mlr, goal);
		return 0;
	}
	if (!focus->model && mlr_locate(view, ret_index, ret_rule, &root))
		return 0;
	*ret_rule = "cheapest by the model";
	found = ask_model(focus, view, &root, ret_index);
	if (found < 0)
		return found;
	if (!found) {
		*ret_rule = "halving";
		*ret_index = safe(mlr, goal);
	}
	return 0;
}

static int decide(struct mlr *mlr, size_t goal)
{
	struct mlr_view view;
	const char *rule = NULL;
	int64_t index = 0;
	int err;

	err = mlr_view_new(mlr->base.results, &mlr->grid, goal, mlr->overhead_s, &view);
	if (err)
		return err;
	view.hint = hint_position(mlr, &view);
	err = choose(mlr, goal, &view, &index, &rule);
	if (!err)
		mlr->decision = (struct mlr_decision){
			.input = {.duration_s = view.goal->final_trial_duration_s,
				  .load_fps = mlr_grid_load_fps(&mlr->grid, index)},
			.goal = goal,
			.rule = rule,
		};
	mlr_view_free(&view);
	return err;
}

static int mlr_next(struct mlr_controller *controller, struct mlr_decision *ret_decision)
{
	struct mlr *mlr = mlr_of(controller);
	size_t goal_count = mlr_results_goal_count(controller->results), i = 0;
	int err;

	if (!mlr->has_decision && !mlr->is_warm) {
		mlr->decision = (struct mlr_decision){
			.input = {.duration_s = WARMUP_DURATION_S, .load_fps = controller->max_load_fps},
			.warmup = true,
			.goal = mlr->order[0],
			.rule = "warm-up at Max Load",
		};
	} else if (!mlr->has_decision) {
		while (i < goal_count && mlr_goal_done(controller, mlr->order[i]))
			i++;
		if (i == goal_count)
			return 0;
		err = decide(mlr, mlr->order[i]);
		if (err)
			return err;
	}
	mlr->has_decision = true;
	*ret_decision = mlr->decision;
	return 1;
}

static bool is_same_input(const struct mlr_trial_input *a, const struct mlr_trial_input *b)
{
	return a->duration_s == b->duration_s && a->load_fps == b->load_fps;
}

static void learn(struct mlr *mlr, const struct mlr_trial_result *result)
{
	double position = mlr_grid_position(&mlr->grid, result->input.load_fps);

	for (size_t goal = 0; goal < mlr_results_goal_count(mlr->base.results); goal++) {
		bool is_bad = result->output.loss_ratio > mlr_results_goal(mlr->base.results, goal)->loss_ratio;

		if (mlr->focus[goal].model)
			mlr_model_learn(mlr->focus[goal].model, position, !is_bad, is_bad);
	}
}

/* Close the account of the decision that this result answers, or at least follows. */
static void settle(struct mlr *mlr, const struct mlr_trial_result *result)
{
	struct focus *focus = &mlr->focus[mlr->decision.goal];

	if (!mlr->has_decision)
		return;
	mlr->has_decision = false;
	if (mlr->decision.warmup) {
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

	if (!mlr_trial_result_valid(result) || result->input.load_fps < controller->min_load_fps ||
	    result->input.load_fps > controller->max_load_fps)
		return -EINVAL;
	if (mlr->has_decision && mlr->decision.warmup && is_same_input(&result->input, &mlr->decision.input)) {
		mlr->hint_fps = result->output.forwarding_rate_fps;
	} else {
		err = mlr_results_add(controller->results, result);
		if (err)
			return err;
		learn(mlr, result);
		mlr->overhead_s = fmax(0, result->output.effective_duration_s - result->input.duration_s);
	}
	settle(mlr, result);
	return 0;
}

static double mlr_remaining_s(const struct mlr_controller *controller)
{
	double remaining_s = 0;

	for (size_t goal = 0; goal < mlr_results_goal_count(controller->results); goal++) {
		if (!mlr_goal_done(controller, goal))
			remaining_s += mlr_results_goal(controller->results, goal)->duration_sum_s;
	}
	return remaining_s;
}

static const struct mlr_controller_ops mlr_ops = {
	.free = mlr_free,
	.next = mlr_next,
	.add = mlr_add,
	.goal_done = mlr_goal_done,
	.remaining_s = mlr_remaining_s,
};

int mlr_controller_new_mlr(const struct mlr_controller_input *input, struct mlr_controller **ret)
{
	struct mlr *mlr = calloc(1, sizeof(*mlr));
	double width_ratio = 1;
	int err;

	if (!mlr)
		return -ENOMEM;
	err = mlr_controller_init(&mlr->base, &mlr_ops, input);
	if (err) {
		free(mlr);
		return err;
	}
	for (size_t goal = 0; goal < input->goal_count; goal++) {
		size_t i = goal;

		width_ratio = fmin(width_ratio, input->goals[goal].width_ratio);
		for (; i > 0 && input->goals[mlr->order[i - 1]].loss_ratio > input->goals[goal].loss_ratio; i--)
			mlr->order[i] = mlr->order[i - 1];
		mlr->order[i] = goal;
	}
	err = mlr_grid_init(&mlr->grid, input->min_load_fps, input->max_load_fps, width_ratio);
	if (err) {
		mlr_controller_free(&mlr->base);
		return err;
	}
	*ret = &mlr->base;
	return 0;
}
