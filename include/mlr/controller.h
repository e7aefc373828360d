/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Controller (draft-ietf-bmwg-mlrsearch-15, section 4.9.2), behind one interface for every search algorithm.
 *
 * A controller never calls a measurer: the Manager asks for the next Trial Input, has it measured, and hands the Trial
 * Result back. So a controller knows no clock, no thread and no device, and the same results always lead to the same
 * questions.
 *
 *	while (mlr_controller_next(controller, &decision) > 0) {
 *		measure(&decision.input, &result);
 *		mlr_controller_add(controller, &result);
 *	}
 *
 * Asking twice without adding gives the same answer twice. A trial may be added that was not asked for (one stored
 * earlier, at a load of the controller's choosing).
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

/* The next trial, and why it is wanted. */
struct mlr_decision {
	struct mlr_trial_input input;
	bool warmup;      /* a warm-up: add its result all the same, it is kept out of classification */
	size_t goal;      /* the goal in focus (an index) */
	const char *rule; /* the rule that chose it, a short constant phrase */
	/* the opinion of the model, if one was asked, else NAN: */
	double exceed_probability; /* that a full-length trial at this load is a high-loss trial for the goal (6.3.2) */
	double trials_ahead;       /* full-length trials until the goal is done, this one included */
};

/* The draft-15 controller. 0, -ENOMEM, or -EINVAL where a goal or load is out of range (see mlr_goal_check) or a Goal Width
 * below MLR_GRID_WIDTH_MIN. The goals are copied. The caller frees it.
 *
 * Its first decision is the warm-up; the result added next is taken for it if it has the same input. */
int mlr_controller_new_mlr(const struct mlr_controller_input *input, struct mlr_controller **ret);

/* The draft-15 controller never asks for more trials than this, whatever the results. NAN where mlr_grid_init() would refuse
 * the loads or the narrowest width. */
double mlr_controller_mlr_trial_limit(const struct mlr_controller_input *input);

/* Parameters of the phased algorithm that are not part of a goal (draft-ietf-bmwg-mlrsearch-01, 4.1). */
struct mlr_phased_parameters {
	unsigned int intermediate_phases; /* number_of_intermediate_phases, at most MLR_PHASED_INTERMEDIATE_PHASES_MAX */
	double expansion_coefficient;     /* of widths in external search, 2 to MLR_PHASED_EXPANSION_COEFFICIENT_MAX */
};

#define MLR_PHASED_INTERMEDIATE_PHASES_MAX   16
#define MLR_PHASED_EXPANSION_COEFFICIENT_MAX 1e6
/* Those of FD.io CSIT (5.1.1). */
#define MLR_PHASED_DEFAULTS                                                                                                 \
	((struct mlr_phased_parameters){                                                                                    \
		.intermediate_phases = 2,                                                                                   \
		.expansion_coefficient = 4,                                                                                 \
	})

/* The two goals of 5.1.1: loss ratios 0 and 0.005, trials from 1 to 30 s, width 0.5 %. Returns how many there are, with
 * *ret_goals pointing to constants. */
size_t mlr_phased_goals(const struct mlr_goal **ret_goals);

/* Set Goal Exceed Ratio and Duration Sum to what the phased algorithm applies, whatever they are: 0, and one trial of the
 * final duration. */
void mlr_phased_goal(struct mlr_goal *goal);

/* The phased algorithm of draft-ietf-bmwg-mlrsearch-01. Of the goals it takes loss ratios, Trial Durations (which all goals
 * must share) and widths; mlr_phased_goal() says what becomes of the rest. Its Goal Results are its own: the bounds by
 * effective loss ratio among the trials of the final duration, and the forwarding rate at the lower one as Conditional
 * Throughput. One is regular only if Load Classification (draft-15, Appendix A) of all trials agrees with the lower bound;
 * the upper one is then the Relevant Upper Bound. Parameters NULL: the defaults. 0, -ENOMEM, or -EINVAL where a goal, load or parameter is out of
 * range, a Goal Width below MLR_GRID_WIDTH_MIN, or the goals do not share their Trial Durations. The goals are copied. The
 * caller frees it. */
int mlr_controller_new_phased(const struct mlr_controller_input *input, const struct mlr_phased_parameters *parameters,
			      struct mlr_controller **ret);

/* Binary search (draft-15, 2.1): Max Load, then the arithmetic middle of the bounds, in trials of the Goal Final Trial
 * Duration, for one goal after another. A load has passed or failed once Load Classification says so: after a single trial
 * where the Goal Exceed Ratio is 0 and the Goal Duration Sum one trial long; else trials at that load go on until it is
 * classified. 0, -ENOMEM, or -EINVAL where a goal or load is out of range or a Goal Width below MLR_GRID_WIDTH_MIN. The
 * goals are copied. The caller frees it. */
int mlr_controller_new_binary(const struct mlr_controller_input *input, struct mlr_controller **ret);

#define MLR_TST009_MAX_R         100
#define MLR_TST009_MAX_R_DEFAULT 2

/* Binary search with loss verification (TST009 12.3.3; draft-15, 4.10.3), z being infinite: as binary search, but no load
 * fails before it had max(r) high-loss trials. It is the goals that must allow it, or Load Classification would contradict
 * it. As mlr_controller_new_binary(); -EINVAL also unless max_r is 1 to MLR_TST009_MAX_R and mlr_tst009_serves() every goal.
 */
int mlr_controller_new_tst009(const struct mlr_controller_input *input, unsigned int max_r, struct mlr_controller **ret);

/* Whether a load is never classified as an Upper Bound of this goal by fewer than max(r) high-loss trials of the goal's
 * final duration. A goal of Exceed Ratio 0 allows no verification at all. */
bool mlr_tst009_serves(const struct mlr_goal *goal, unsigned int max_r);

/* Set Goal Exceed Ratio and Duration Sum to the equivalent of max(r), 1 to MLR_TST009_MAX_R: one low-loss trial or max(r)
 * high-loss ones then classify a load. For 2, those of 4.10.3. */
void mlr_tst009_goal(struct mlr_goal *goal, unsigned int max_r);

/* These algorithms never ask for more trials than this, whatever the results. The input must be one that they accept. */
double mlr_controller_phased_trial_limit(const struct mlr_controller_input *input,
					 const struct mlr_phased_parameters *parameters);
double mlr_controller_binary_trial_limit(const struct mlr_controller_input *input); /* tst009 too */

void mlr_controller_free(struct mlr_controller *controller);

/* 1 and *ret_decision if a trial is wanted, 0 if the search is over, -ENOMEM. */
int mlr_controller_next(struct mlr_controller *controller, struct mlr_decision *ret_decision);

/* Take the result of a trial. 0, -ENOMEM, or -EINVAL if it breaks the ranges of section 4.5 or lies outside Min and Max
 * Load; then nothing has changed. */
int mlr_controller_add(struct mlr_controller *controller, const struct mlr_trial_result *result);

/* All that was measured so far, warm-up excluded. Owned by the controller. */
const struct mlr_results *mlr_controller_results(const struct mlr_controller *controller);

/* Whether the controller wants nothing more for this goal. */
bool mlr_controller_goal_done(const struct mlr_controller *controller, size_t goal);

/* Whether the trials so far say, beyond chance, that the SUT remembers: trials after an overloaded one do worse. False for
 * an algorithm that does not look for it. */
bool mlr_controller_sut_remembers(const struct mlr_controller *controller);

/* A rough estimate of the seconds of trials still ahead, for a progress display; never negative. */
double mlr_controller_remaining_s(const struct mlr_controller *controller);

/* The Goal Result of one goal as it stands now (4.8.4). 0 or -ENOMEM. */
int mlr_controller_goal_result(const struct mlr_controller *controller, size_t goal, struct mlr_goal_result *ret);

#endif
