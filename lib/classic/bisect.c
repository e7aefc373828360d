/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Binary search as section 2.1 of the draft describes it, and binary search with loss verification (4.10.3). One rule looks
 * at the results, and keeps no state of its own. A load has passed or failed by Load Classification, so trials at a load
 * continue until it is classified. Verification adds a promise that the goals must allow: no load fails before it had its
 * number of high-loss trials.
 */
#include "controller/controller_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "mlr/grid.h"

struct bisect {
	struct mlr_controller base;
	bool verifies_loss;
	double answered[MLR_GOALS_MAX]; /* measured trials that were asked for with this goal in focus */
	double limit[MLR_GOALS_MAX];    /* the limit of those trials */
};

static struct bisect *bisect_of(struct mlr_controller *controller)
{
	return (struct bisect *)controller;
}

static void bisect_free(struct mlr_controller *controller)
{
	free(bisect_of(controller));
}

/* --- the choice of a load ------------------------------------------------------------------------------------------- */

/* Return how many full-length trials classify a load, if each takes its Trial Duration. */
static double trials_a_load(const struct mlr_goal *goal)
{
	return ceil(fmax(1, goal->duration_sum_s / goal->final_trial_duration_s));
}

/* Return after how many trials an undecided load stays undecided. This happens if the effective durations do not add up. */
static double load_limit(const struct mlr_goal *goal)
{
	return 4 * trials_a_load(goal) + 16;
}

/* Return the limit of loads for a goal: Max Load, Min Load, and halvings of the rest until it is as narrow as the width at
 * Min Load. One more is for rounding. */
static double goal_limit(const struct mlr_goal *goal, double min_load_fps, double max_load_fps)
{
	double halvings = ceil(log2((max_load_fps - min_load_fps) / min_load_fps / goal->width_ratio));

	return (3 + fmax(0, halvings)) * load_limit(goal);
}

/* Return the load that bisection wants for a goal with these bounds, or NAN if the search is over. */
static double choose_load_fps(const struct bisect *bisect, size_t goal, const char **ret_rule)
{
	const struct mlr_results *results = bisect->base.results;
	double min_fps = bisect->base.min_load_fps, max_fps = bisect->base.max_load_fps;
	struct mlr_bounds bounds = mlr_results_bounds(results, goal);
	double lower_fps = bounds.lower == MLR_NO_LOAD ? min_fps : mlr_results_load_fps(results, bounds.lower);
	double upper_fps = bounds.upper == MLR_NO_LOAD ? max_fps : mlr_results_load_fps(results, bounds.upper);

	if (bounds.upper == MLR_NO_LOAD) {
		*ret_rule = "Max Load first";
		return lower_fps < max_fps ? max_fps : NAN;
	}
	if (!mlr_width_met(mlr_results_goal(results, goal), lower_fps, upper_fps)) {
		*ret_rule = "middle of the bounds";
		return lower_fps + (upper_fps - lower_fps) / 2;
	}
	*ret_rule = "Min Load, not measured yet";
	return bounds.lower == MLR_NO_LOAD && min_fps < upper_fps ? min_fps : NAN;
}

/* Count the full-length trials of a goal at a load, and those among them with high loss. */
static size_t count_trials(const struct mlr_results *results, const struct mlr_goal *goal, double load_fps,
			   size_t *ret_high_loss)
{
	size_t load = mlr_results_find(results, load_fps), count = 0, full_length = 0;
	const struct mlr_trial_result *trials = load == MLR_NO_LOAD ? NULL : mlr_results_trials(results, load, &count);

	*ret_high_loss = 0;
	for (size_t i = 0; i < count; i++) {
		if (trials[i].input.duration_s < goal->final_trial_duration_s)
			continue;
		full_length++;
		*ret_high_loss += trials[i].output.loss_ratio > goal->loss_ratio;
	}
	return full_length;
}

/* Return the load to measure for a goal. NAN means that the search is over or can get no further. */
static double wanted_load_fps(const struct bisect *bisect, size_t goal, const char **ret_rule)
{
	const struct mlr_goal *g = mlr_results_goal(bisect->base.results, goal);
	double load_fps = choose_load_fps(bisect, goal, ret_rule);
	size_t measured, high_loss;

	if (isnan(load_fps) || bisect->answered[goal] >= bisect->limit[goal])
		return NAN;
	measured = count_trials(bisect->base.results, g, load_fps, &high_loss);
	if (bisect->verifies_loss && high_loss && high_loss == measured)
		*ret_rule = "again, to verify the loss";
	else if (measured)
		*ret_rule = "again, until the load is classified";
	return (double)measured < load_limit(g) ? load_fps : NAN;
}

/* --- the controller ------------------------------------------------------------------------------------------------- */

static int bisect_next(struct mlr_controller *controller, struct mlr_decision *ret_decision)
{
	const struct bisect *bisect = bisect_of(controller);

	for (size_t goal = 0; goal < mlr_results_goal_count(bisect->base.results); goal++) {
		const char *rule = NULL;
		double load_fps = wanted_load_fps(bisect, goal, &rule);

		if (isnan(load_fps))
			continue;
		*ret_decision = (struct mlr_decision){
			.input.duration_s = mlr_results_goal(bisect->base.results, goal)->final_trial_duration_s,
			.input.load_fps = load_fps,
			.goal = goal,
			.rule = rule,
			.exceed_probability = NAN,
			.trials_ahead = NAN,
		};
		return 1;
	}
	return 0;
}

static int bisect_add(struct mlr_controller *controller, const struct mlr_trial_result *result)
{
	int err = mlr_results_add(controller->results, result);

	if (err)
		return err;
	bisect_of(controller)->answered[controller->decision.goal] += controller->has_decision;
	return 0;
}

static bool bisect_goal_done(const struct mlr_controller *controller, size_t goal)
{
	const char *rule;

	return isnan(wanted_load_fps((const struct bisect *)controller, goal, &rule));
}

/* Count the halvings ahead; each is as long as the shorter way to classify a load. */
static double goal_remaining_s(const struct mlr_controller *controller, size_t goal)
{
	const struct mlr_goal *g = mlr_results_goal(controller->results, goal);
	struct mlr_bounds bounds = mlr_results_bounds(controller->results, goal);
	double lower_fps = controller->min_load_fps, upper_fps = controller->max_load_fps;
	double load_s = fmax(g->final_trial_duration_s, g->duration_sum_s / 2);

	if (bounds.lower != MLR_NO_LOAD)
		lower_fps = mlr_results_load_fps(controller->results, bounds.lower);
	if (bounds.upper != MLR_NO_LOAD)
		upper_fps = mlr_results_load_fps(controller->results, bounds.upper);
	return load_s * (1 + fmax(0, log2(mlr_width_ratio(lower_fps, upper_fps) / g->width_ratio)));
}

static double bisect_remaining_s(const struct mlr_controller *controller)
{
	double remaining_s = 0;

	for (size_t goal = 0; goal < mlr_results_goal_count(controller->results); goal++) {
		if (!bisect_goal_done(controller, goal))
			remaining_s += goal_remaining_s(controller, goal);
	}
	return remaining_s;
}

static const struct mlr_controller_ops bisect_ops = {
	.free = bisect_free,
	.next = bisect_next,
	.add = bisect_add,
	.goal_done = bisect_goal_done,
	.remaining_s = bisect_remaining_s,
};

/* --- setting up ----------------------------------------------------------------------------------------------------- */

double mlr_controller_binary_trial_limit(const struct mlr_controller_input *input)
{
	double limit = 0;

	for (size_t goal = 0; goal < input->goal_count; goal++)
		limit += goal_limit(&input->goals[goal], input->min_load_fps, input->max_load_fps);
	return limit;
}

static bool widths_fit(const struct mlr_controller_input *input)
{
	for (size_t goal = 0; goal < input->goal_count; goal++) {
		if (input->goals[goal].width_ratio < MLR_GRID_WIDTH_MIN)
			return false;
	}
	return isfinite(input->max_load_fps / input->min_load_fps);
}

static int bisect_new(const struct mlr_controller_input *input, bool verifies_loss, struct mlr_controller **ret)
{
	struct bisect *bisect = calloc(1, sizeof(*bisect));
	int err;

	if (!bisect)
		return -ENOMEM;
	err = mlr_controller_init(&bisect->base, &bisect_ops, input);
	if (!err && !widths_fit(input)) {
		mlr_results_free(bisect->base.results);
		err = -EINVAL;
	}
	if (err) {
		free(bisect);
		return err;
	}
	bisect->verifies_loss = verifies_loss;
	for (size_t goal = 0; goal < input->goal_count; goal++)
		bisect->limit[goal] = goal_limit(&input->goals[goal], input->min_load_fps, input->max_load_fps);
	*ret = &bisect->base;
	return 0;
}

int mlr_controller_new_binary(const struct mlr_controller_input *input, struct mlr_controller **ret)
{
	return bisect_new(input, false, ret);
}

/* --- loss verification ---------------------------------------------------------------------------------------------- */

/* Return the class of a load after so many full-length trials. */
static enum mlr_load_class class_after(const struct mlr_goal *goal, unsigned int low_loss, unsigned int high_loss)
{
	int64_t trial_ns = mlr_duration_ns(goal->final_trial_duration_s);
	struct mlr_duration_sums sums = {
		.full_length_low_loss_ns = low_loss * trial_ns,
		.full_length_high_loss_ns = high_loss * trial_ns,
	};

	return mlr_classify(goal, &sums);
}

bool mlr_tst009_serves(const struct mlr_goal *goal, unsigned int max_r)
{
	return class_after(goal, 0, max_r - 1) != MLR_LOAD_UPPER_BOUND;
}

/* The ratio is the smallest, in units of Appendix A, that takes max(r) trials. The sum is the duration of so many trials. */
void mlr_tst009_goal(struct mlr_goal *goal, unsigned int max_r)
{
	goal->duration_sum_s = mlr_duration_s(max_r * mlr_duration_ns(goal->final_trial_duration_s));
	goal->exceed_ratio = ceil((max_r - 1.0) * MLR_EXCEED_UNITS / max_r) / MLR_EXCEED_UNITS;
}

int mlr_controller_new_tst009(const struct mlr_controller_input *input, unsigned int max_r, struct mlr_controller **ret)
{
	if (!max_r || max_r > MLR_TST009_MAX_R)
		return -EINVAL;
	for (size_t goal = 0; goal < input->goal_count; goal++) {
		if (!mlr_tst009_serves(&input->goals[goal], max_r))
			return -EINVAL;
	}
	return bisect_new(input, true, ret);
}
