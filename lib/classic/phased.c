/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "classic/phased_private.h"
#include "controller/controller_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define TRIALS_AHEAD 2 /* trials of each goal in each phase that are assumed for the remaining time */

/* The three trials of the initial phase (4.2). Each of them depends on the one before. */
enum step {
	STEP_MAX_LOAD,
	STEP_MRR,
	STEP_MRR2,
	STEP_OVER,
};

struct phased {
	struct mlr_controller base;
	struct mlr_phased_parameters parameters;
	size_t order[MLR_GOALS_MAX]; /* indices of goals, the smallest target loss ratio first */
	enum step step;
	double step_fps; /* the load of this step */
	const char *step_rule;
	double forgotten_fps; /* Max Load once its first trial is forgotten, otherwise 0 */
	unsigned int phase;   /* the number of the non-initial phase; the last one is the final phase */
	bool is_over;
	double answered; /* measured trials that were asked for */
	double limit;    /* the limit of those trials */
};

static struct phased *phased_of(struct mlr_controller *controller)
{
	return (struct phased *)controller;
}

static void phased_free(struct mlr_controller *controller)
{
	free(phased_of(controller));
}

/* --- what the parameters mean in a phase ---------------------------------------------------------------------------- */

static const struct mlr_goal *first_goal(const struct phased *phased)
{
	return mlr_results_goal(phased->base.results, phased->order[0]);
}

static double duration_s(const struct phased *phased, unsigned int phase)
{
	return mlr_phased_duration_s(&phased->parameters, first_goal(phased), phase);
}

/* Return the duration of the trials before this phase. */
static double previous_duration_s(const struct phased *phased, unsigned int phase)
{
	return phase ? duration_s(phased, phase - 1) : first_goal(phased)->initial_trial_duration_s;
}

static struct mlr_phased_level level_of(const struct phased *phased, double level_s)
{
	return (struct mlr_phased_level){
		.results = phased->base.results,
		.duration_s = level_s,
		.forgotten_fps = level_s == first_goal(phased)->initial_trial_duration_s ? phased->forgotten_fps : 0,
	};
}

static struct mlr_phased_bounds bounds_of(const struct phased *phased, double level_s, const struct mlr_goal *goal)
{
	struct mlr_phased_level level = level_of(phased, level_s);

	return mlr_phased_bounds(&level, goal->loss_ratio);
}

/* --- the initial phase (4.2) ---------------------------------------------------------------------------------------- */

static double within(const struct phased *phased, double load_fps)
{
	return mlr_phased_within(load_fps, phased->base.min_load_fps, phased->base.max_load_fps,
				 mlr_phased_width(&phased->parameters, first_goal(phased), 0));
}

/* After Max Load measure MRR: the forwarding rate at Max Load, at least one width goal below it. */
static void after_max_load(struct phased *phased, double loss_ratio)
{
	double width = mlr_phased_width(&phased->parameters, first_goal(phased), 0);
	double max_fps = phased->base.max_load_fps;

	phased->step = STEP_MRR;
	phased->step_rule = "the receive rate at Max Load (MRR)";
	phased->step_fps = within(phased, fmin(max_fps * (1 - loss_ratio), max_fps * exp(-width)));
}

/* After MRR measure MRR2: the forwarding rate at MRR, at least one width goal below it. If MRR was good already, measure one
 * width goal above it. */
static void after_mrr(struct phased *phased, double loss_ratio)
{
	double width = mlr_phased_width(&phased->parameters, first_goal(phased), 0);
	double mrr_fps = phased->step_fps;
	bool is_good = loss_ratio <= first_goal(phased)->loss_ratio;

	phased->step = STEP_MRR2;
	if (is_good) {
		phased->step_rule = "one width above MRR (MRR2)";
		phased->step_fps = mrr_fps * exp(width);
	} else {
		phased->step_rule = "the receive rate at MRR (MRR2)";
		phased->step_fps = fmin(mrr_fps * (1 - loss_ratio), mrr_fps * exp(-width));
	}
	phased->step_fps = within(phased, phased->step_fps);
	if (phased->step_fps == mrr_fps || phased->step_fps == phased->base.max_load_fps)
		phased->step = STEP_OVER; /* The load is measured already. */
}

/* After MRR2 forget the trial at Max Load. */
static void after_mrr2(struct phased *phased)
{
	phased->step = STEP_OVER;
	phased->forgotten_fps = phased->base.max_load_fps;
}

static void advance(struct phased *phased, double loss_ratio)
{
	if (phased->step == STEP_MAX_LOAD)
		after_max_load(phased, loss_ratio);
	else if (phased->step == STEP_MRR)
		after_mrr(phased, loss_ratio);
	else
		after_mrr2(phased);
}

/* --- the non-initial phases (4.3) ----------------------------------------------------------------------------------- */

/* Return the load that a goal wants measured in the current phase, or NAN. */
static double select_load_fps(const struct phased *phased, size_t goal, const char **ret_rule)
{
	const struct mlr_goal *g = mlr_results_goal(phased->base.results, goal);
	const struct mlr_phased_question question = {
		.min_load_fps = phased->base.min_load_fps,
		.max_load_fps = phased->base.max_load_fps,
		.width = mlr_phased_width(&phased->parameters, g, phased->phase),
		.expansion = phased->parameters.expansion_coefficient,
		.current = bounds_of(phased, duration_s(phased, phased->phase), g),
		.previous = bounds_of(phased, previous_duration_s(phased, phased->phase), g),
	};

	return mlr_phased_select(&question, ret_rule);
}

/* Whether a goal ends the phase. It wants nothing although it has no lower bound, so it has failed at Min Load (2.3.2). */
static bool ends_phase(const struct phased *phased, size_t goal)
{
	const struct mlr_goal *g = mlr_results_goal(phased->base.results, goal);

	return isnan(bounds_of(phased, duration_s(phased, phased->phase), g).lower_fps);
}

static struct mlr_decision make_decision(size_t goal, double trial_s, double load_fps, const char *rule)
{
	return (struct mlr_decision){
		.input = { .duration_s = trial_s, .load_fps = load_fps },
		.goal = goal,
		.rule = rule,
		.exceed_probability = NAN,
		.trials_ahead = NAN,
	};
}

/* Go through the ratios (4.3, 1.4). Returns false if the phase is over. */
static bool decide_in_phase(const struct phased *phased, struct mlr_decision *ret_decision)
{
	for (size_t i = 0; i < mlr_results_goal_count(phased->base.results); i++) {
		const char *rule = NULL;
		double load_fps = select_load_fps(phased, phased->order[i], &rule);

		if (!isnan(load_fps)) {
			*ret_decision = make_decision(phased->order[i], duration_s(phased, phased->phase), load_fps, rule);
			return true;
		}
		if (ends_phase(phased, phased->order[i]))
			return false;
	}
	return false;
}

static int phased_next(struct mlr_controller *controller, struct mlr_decision *ret_decision)
{
	struct phased *phased = phased_of(controller);

	phased->is_over = phased->is_over || phased->answered >= phased->limit;
	if (!phased->is_over && phased->step != STEP_OVER) {
		*ret_decision = make_decision(phased->order[0], first_goal(phased)->initial_trial_duration_s,
					      phased->step_fps, phased->step_rule);
		return 1;
	}
	while (!phased->is_over && !decide_in_phase(phased, ret_decision)) {
		phased->is_over = phased->phase == phased->parameters.intermediate_phases;
		phased->phase += !phased->is_over;
	}
	return !phased->is_over;
}

static bool answers_step(const struct phased *phased, const struct mlr_trial_input *input)
{
	return phased->step != STEP_OVER && input->load_fps == phased->step_fps &&
	       input->duration_s == first_goal(phased)->initial_trial_duration_s;
}

static int phased_add(struct mlr_controller *controller, const struct mlr_trial_result *result)
{
	struct phased *phased = phased_of(controller);
	int err = mlr_results_add(controller->results, result);

	if (err)
		return err;
	if (answers_step(phased, &result->input))
		advance(phased, result->output.loss_ratio);
	phased->answered += controller->has_decision;
	return 0;
}

/* --- progress and results ------------------------------------------------------------------------------------------- */

static bool in_final_phase(const struct phased *phased)
{
	return phased->step == STEP_OVER && phased->phase == phased->parameters.intermediate_phases;
}

static bool phased_goal_done(const struct mlr_controller *controller, size_t goal)
{
	const struct phased *phased = (const struct phased *)controller;
	const char *rule;

	return phased->is_over || (in_final_phase(phased) && isnan(select_load_fps(phased, goal, &rule)));
}

static double phased_remaining_s(const struct mlr_controller *controller)
{
	const struct phased *phased = (const struct phased *)controller;
	double trials = (double)mlr_results_goal_count(controller->results) * TRIALS_AHEAD;
	double remaining_s = (STEP_OVER - phased->step) * first_goal(phased)->initial_trial_duration_s;

	if (phased->is_over)
		return 0;
	for (unsigned int phase = phased->phase; phase <= phased->parameters.intermediate_phases; phase++)
		remaining_s += trials * duration_s(phased, phase);
	return remaining_s;
}

/* Return the duration of the trials that give the result. It is the one of the phase, unless the phase has no trials yet. */
static double result_duration_s(const struct phased *phased, const struct mlr_goal *goal)
{
	double current_s = duration_s(phased, phased->phase);
	struct mlr_phased_bounds bounds = bounds_of(phased, current_s, goal);

	if (isnan(bounds.lower_fps) && isnan(bounds.upper_fps))
		return previous_duration_s(phased, phased->phase);
	return current_s;
}

static enum mlr_irregularity irregularity(const struct phased *phased, const struct mlr_goal *goal, double level_s,
					  const struct mlr_phased_bounds *bounds)
{
	if (level_s != goal->final_trial_duration_s)
		return MLR_UNFINISHED;
	if (bounds->upper_fps <= phased->base.min_load_fps)
		return MLR_MIN_LOAD_IS_UPPER_BOUND;
	if (isnan(bounds->upper_fps) && bounds->lower_fps >= phased->base.max_load_fps)
		return MLR_MAX_LOAD_IS_LOWER_BOUND;
	if (isnan(bounds->lower_fps) || isnan(bounds->upper_fps))
		return MLR_UNFINISHED;
	return mlr_width_met(goal, bounds->lower_fps, bounds->upper_fps) ? MLR_REGULAR : MLR_UNFINISHED;
}

/* Compare a regular result with Load Classification, which uses trials of every duration. */
static void confirm(const struct phased *phased, size_t goal, struct mlr_goal_result *result)
{
	const struct mlr_results *results = phased->base.results;
	struct mlr_bounds bounds = mlr_results_bounds(results, goal);

	if (bounds.lower == MLR_NO_LOAD || bounds.upper == MLR_NO_LOAD ||
	    mlr_results_load_fps(results, bounds.lower) != result->relevant_lower_bound_fps)
		result->irregularity = MLR_CONTRADICTED;
	else
		result->relevant_upper_bound_fps = mlr_results_load_fps(results, bounds.upper);
}

static int phased_goal_result(const struct mlr_controller *controller, size_t goal, struct mlr_goal_result *ret)
{
	const struct phased *phased = (const struct phased *)controller;
	const struct mlr_goal *g = mlr_results_goal(controller->results, goal);
	double level_s = result_duration_s(phased, g);
	struct mlr_phased_level level = level_of(phased, level_s);
	struct mlr_phased_bounds bounds = mlr_phased_bounds(&level, g->loss_ratio);
	struct mlr_goal_result result = {
		.irregularity = irregularity(phased, g, level_s, &bounds),
		.relevant_lower_bound_fps = bounds.lower_fps,
		.relevant_upper_bound_fps = bounds.upper_fps,
		.conditional_throughput_fps = NAN,
	};

	if (!isnan(bounds.lower_fps))
		result.conditional_throughput_fps = bounds.lower_fps * (1 - mlr_phased_loss_ratio(&level, bounds.lower_fps));
	if (result.irregularity == MLR_REGULAR)
		confirm(phased, goal, &result);
	*ret = result;
	return 0;
}

static const struct mlr_controller_ops phased_ops = {
	.free = phased_free,
	.next = phased_next,
	.add = phased_add,
	.goal_done = phased_goal_done,
	.remaining_s = phased_remaining_s,
	.goal_result = phased_goal_result,
};

/* --- setting up ----------------------------------------------------------------------------------------------------- */

/* Order the goals by target loss ratio, the smallest first. Among equals the first given goal comes first. */
static void set_order(struct phased *phased, const struct mlr_controller_input *input)
{
	for (size_t goal = 0; goal < input->goal_count; goal++) {
		size_t i = goal;

		for (; i > 0 && input->goals[phased->order[i - 1]].loss_ratio > input->goals[goal].loss_ratio; i--)
			phased->order[i] = phased->order[i - 1];
		phased->order[i] = goal;
	}
}

int mlr_controller_new_phased(const struct mlr_controller_input *input, const struct mlr_phased_parameters *parameters,
			      struct mlr_controller **ret)
{
	struct phased *phased = calloc(1, sizeof(*phased));
	struct mlr_controller_input applied = *input;
	struct mlr_goal goals[MLR_GOALS_MAX];
	int err;

	if (!phased)
		return -ENOMEM;
	phased->parameters = parameters ? *parameters : MLR_PHASED_DEFAULTS;
	for (size_t goal = 0; goal < input->goal_count && goal < MLR_GOALS_MAX; goal++) {
		goals[goal] = input->goals[goal];
		mlr_phased_goal(&goals[goal]);
	}
	applied.goals = goals;
	err = mlr_controller_init(&phased->base, &phased_ops, &applied);
	if (!err && !mlr_phased_accepts(&phased->parameters, input)) {
		mlr_results_free(phased->base.results);
		err = -EINVAL;
	}
	if (err) {
		free(phased);
		return err;
	}
	set_order(phased, input);
	phased->step_fps = input->max_load_fps;
	phased->step_rule = "Max Load, for its receive rate";
	phased->limit = mlr_controller_phased_trial_limit(input, parameters);
	*ret = &phased->base;
	return 0;
}
