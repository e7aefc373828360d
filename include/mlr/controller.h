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
};

/* The draft-15 controller. 0, -ENOMEM, or -EINVAL where a goal or load is out of range (see mlr_goal_check).
 * The goals are copied. The caller frees it. */
int mlr_controller_new_mlr(const struct mlr_controller_input *input, struct mlr_controller **ret);
void mlr_controller_free(struct mlr_controller *controller);

/* 1 and *ret_decision if a trial is wanted, 0 if the search is over, -ENOMEM. */
int mlr_controller_next(struct mlr_controller *controller, struct mlr_decision *ret_decision);

/* Take the result of a trial. 0, -ENOMEM, or -EINVAL if it breaks the ranges of section 4.5. */
int mlr_controller_add(struct mlr_controller *controller, const struct mlr_trial_result *result);

/* All that was measured so far, warm-up excluded. Owned by the controller. */
const struct mlr_results *mlr_controller_results(const struct mlr_controller *controller);

/* Whether the controller wants nothing more for this goal. */
bool mlr_controller_goal_done(const struct mlr_controller *controller, size_t goal);

/* A rough estimate of the seconds of trials still ahead, for a progress display; never negative. */
double mlr_controller_remaining_s(const struct mlr_controller *controller);

/* The Goal Result of one goal as it stands now (4.8.4). 0 or -ENOMEM. */
int mlr_controller_goal_result(const struct mlr_controller *controller, size_t goal, struct mlr_goal_result *ret);

#endif
