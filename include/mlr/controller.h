/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Controller (RFC 9971, section 4.9.2) decides which trial comes next, by one interface for every
 * search algorithm. The caller owns a controller; the controller owns copies of its goals and of all results. It lives from
 * one of the mlr_controller_new_ functions to mlr_controller_free(), and goes through this loop:
 *
 *	while (mlr_controller_next(controller, &decision) > 0) {
 *		measure(&decision.input, &result);
 *		mlr_controller_add(controller, &result);
 *	}
 *
 * A controller never calls a measurer. The Manager asks for the next Trial Input, has it measured, and hands the Trial
 * Result back. So a controller knows no clock, no thread and no device. The same results always lead to the same questions.
 *
 * A second question without a result in between has the same answer. The caller may also add a trial that the controller did
 * not ask for, such as a stored one at a load of its choice.
 */
#ifndef MLR_CONTROLLER_H
#define MLR_CONTROLLER_H

#include <stdbool.h>
#include <stddef.h>

#include "mlr/goal.h"
#include "mlr/results.h"
#include "mlr/trial.h"

struct mlr_controller;

/* Controller Input (4.6.8). */
struct mlr_controller_input {
	double min_load_fps; /* Min Load (4.6.8.2), > 0 */
	double max_load_fps; /* Max Load (4.6.8.1), above Min Load */
	const struct mlr_goal *goals;
	size_t goal_count; /* 1 to MLR_GOALS_MAX */
};

/* The next trial, and why the controller wants it. */
struct mlr_decision {
	struct mlr_trial_input input;
	bool warmup;      /* a warm-up: add its result as well; it is not classified */
	size_t goal;      /* the index of the goal in focus */
	const char *rule; /* the rule that chose the trial, as a short constant phrase */
	/* the opinion of the model if one was asked, else NAN: */
	/* Probability that a full-length trial at this load is a high-loss trial for the goal (6.3.2). */
	double exceed_probability;
	double trials_ahead; /* full-length trials until the goal is done, including this one */
};

/* Create the RFC 9971 controller. Its first decision is the warm-up. The next added result is the warm-up's if it has the
 * same input. The goals are copied. Returns 0 or -ENOMEM. Returns -EINVAL if a goal or load is out of range (see
 * mlr_goal_check()) or a Goal Width is below MLR_GRID_WIDTH_MIN. */
int mlr_controller_new_mlr(const struct mlr_controller_input *input, struct mlr_controller **ret);

/* Return how many trials the RFC 9971 controller asks for at most, whatever the results. NAN if mlr_grid_init() refuses the
 * loads or the narrowest width. */
double mlr_controller_mlr_trial_limit(const struct mlr_controller_input *input);

/* Parameters of the phased algorithm that are not part of a goal (draft-ietf-bmwg-mlrsearch-01, 4.1). */
struct mlr_phased_parameters {
	unsigned int intermediate_phases; /* number_of_intermediate_phases, at most MLR_PHASED_INTERMEDIATE_PHASES_MAX */
	double expansion_coefficient;     /* how widths grow in external search, 2 to MLR_PHASED_EXPANSION_COEFFICIENT_MAX */
};

#define MLR_PHASED_INTERMEDIATE_PHASES_MAX   16
#define MLR_PHASED_EXPANSION_COEFFICIENT_MAX 1e6
/* The defaults are those of FD.io CSIT (5.1.1). */
#define MLR_PHASED_DEFAULTS                                                                                                 \
	((struct mlr_phased_parameters){                                                                                    \
		.intermediate_phases = 2,                                                                                   \
		.expansion_coefficient = 4,                                                                                 \
	})

/* Get the two goals of 5.1.1: loss ratios 0 and 0.005, trials of 1 to 30 s, width 0.5 %. Returns their number, with
 * *ret_goals pointing to constants. */
size_t mlr_phased_goals(const struct mlr_goal **ret_goals);

/* Set Goal Exceed Ratio and Duration Sum to what the phased algorithm always uses: 0, and one trial of the final
 * duration. */
void mlr_phased_goal(struct mlr_goal *goal);

/*
 * Create the phased algorithm of draft-ietf-bmwg-mlrsearch-01. It uses the loss ratios, Trial Durations and widths of the
 * goals, and all goals must have the same Trial Durations. mlr_phased_goal() sets the rest.
 *
 * Its Goal Results are its own: the bounds by effective loss ratio among the trials of the final duration. The forwarding
 * rate at the lower bound is the Conditional Throughput. A result is regular only if Load Classification (RFC 9971, Appendix
 * A) of all trials agrees with the lower bound. The upper bound is then the Relevant Upper Bound.
 *
 * Parameters of NULL stand for the defaults. The goals are copied. Returns 0 or -ENOMEM. Returns -EINVAL if a goal, load or
 * parameter is out of range, a Goal Width is below MLR_GRID_WIDTH_MIN, or the Trial Durations differ.
 */
int mlr_controller_new_phased(const struct mlr_controller_input *input, const struct mlr_phased_parameters *parameters,
			      struct mlr_controller **ret);

/* Create a binary search (RFC 9971, 2.1) for one goal after another. It measures Max Load, then the arithmetic middle of the
 * bounds, in trials of the Goal Final Trial Duration. A load passes or fails by Load Classification. One trial decides where
 * the Goal Exceed Ratio is 0 and the Goal Duration Sum is one trial long. Otherwise trials at that load continue until it is
 * classified. The goals are copied. Returns 0 or -ENOMEM. Returns -EINVAL if a goal or load is out of range or a Goal Width
 * is below MLR_GRID_WIDTH_MIN. */
int mlr_controller_new_binary(const struct mlr_controller_input *input, struct mlr_controller **ret);

#define MLR_TST009_MAX_R         100
#define MLR_TST009_MAX_R_DEFAULT 2

/* Create a binary search with loss verification (TST009 12.3.3; RFC 9971, 4.10.3), with an infinite z. It is a binary search
 * in which no load fails before it had max(r) high-loss trials. The goals must allow that, or Load Classification would
 * contradict it. Returns what mlr_controller_new_binary() returns. Returns -EINVAL also unless max_r is 1 to
 * MLR_TST009_MAX_R and mlr_tst009_serves() every goal. */
int mlr_controller_new_tst009(const struct mlr_controller_input *input, unsigned int max_r, struct mlr_controller **ret);

/* Whether fewer than max(r) high-loss trials of the goal's final duration never classify a load as an Upper Bound of this
 * goal. A goal with the Exceed Ratio 0 allows no verification at all. */
bool mlr_tst009_serves(const struct mlr_goal *goal, unsigned int max_r);

/* Set Goal Exceed Ratio and Duration Sum to the equivalent of max(r), which is 1 to MLR_TST009_MAX_R. Then one low-loss
 * trial or max(r) high-loss trials classify a load. For 2 these are the values of 4.10.3. */
void mlr_tst009_goal(struct mlr_goal *goal, unsigned int max_r);

/* Return how many trials these algorithms ask for at most, whatever the results. The input must be one that they accept. */
double mlr_controller_phased_trial_limit(const struct mlr_controller_input *input,
					 const struct mlr_phased_parameters *parameters);
double mlr_controller_binary_trial_limit(const struct mlr_controller_input *input); /* also for TST009 */

void mlr_controller_free(struct mlr_controller *controller);

/* Get the next decision. Returns 1 and sets *ret_decision if a trial is wanted, 0 if the search is over, or -ENOMEM. */
int mlr_controller_next(struct mlr_controller *controller, struct mlr_decision *ret_decision);

/* Add the result of a trial. Returns 0 or -ENOMEM. Returns -EINVAL and changes nothing if it breaks the ranges of section
 * 4.5 or lies outside Min and Max Load. */
int mlr_controller_add(struct mlr_controller *controller, const struct mlr_trial_result *result);

/* Return all results so far, without the warm-up. The controller owns them. */
const struct mlr_results *mlr_controller_results(const struct mlr_controller *controller);

/* Whether the controller wants nothing more for this goal. */
bool mlr_controller_goal_done(const struct mlr_controller *controller, size_t goal);

/* Whether the trials so far show, beyond chance, that the SUT remembers: trials after an overloaded one do worse. It is
 * false for an algorithm that does not test for it. */
bool mlr_controller_sut_remembers(const struct mlr_controller *controller);

/* Return a rough estimate of the seconds of trials still ahead, for a progress display. It is never negative. */
double mlr_controller_remaining_s(const struct mlr_controller *controller);

/* Get the Goal Result of one goal from the trials so far (4.8.4). Returns 0 or -ENOMEM. */
int mlr_controller_goal_result(const struct mlr_controller *controller, size_t goal, struct mlr_goal_result *ret);

#endif
