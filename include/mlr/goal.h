/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Search Goals (draft-ietf-bmwg-mlrsearch-15, section 4.6), their validation, and the presets.
 */
#ifndef MLR_GOAL_H
#define MLR_GOAL_H

#include <stddef.h>

#define MLR_GOAL_NAME_SIZE 64 /* octets of a goal's name, with the closing NUL */
#define MLR_GOALS_MAX      16 /* goals in one search */

/* Search Goal (4.6.7). */
struct mlr_goal {
	char name[MLR_GOAL_NAME_SIZE];   /* what the report calls it; unique in a search */
	double loss_ratio;               /* Goal Loss Ratio (4.6.3), 0 <= x < 1 */
	double exceed_ratio;             /* Goal Exceed Ratio (4.6.4), 0 <= x < 1 */
	double initial_trial_duration_s; /* Goal Initial Trial Duration (4.6.6), > 0, at most the final one */
	double final_trial_duration_s;   /* Goal Final Trial Duration (4.6.1), > 0 */
	double duration_sum_s;           /* Goal Duration Sum (4.6.2), > 0 */
	double width_ratio;              /* Goal Width (4.6.5) as (upper - lower) / upper, 0 < x < 1 */
};

/* What is wrong with a goal. */
enum mlr_goal_fault {
	MLR_GOAL_OK,
	MLR_GOAL_BAD_NAME, /* empty */
	MLR_GOAL_BAD_LOSS_RATIO,
	MLR_GOAL_BAD_EXCEED_RATIO,
	MLR_GOAL_BAD_INITIAL_DURATION,
	MLR_GOAL_BAD_FINAL_DURATION,
	MLR_GOAL_BAD_DURATION_SUM,
	MLR_GOAL_BAD_WIDTH,
};

/* The first fault of a goal, or MLR_GOAL_OK. Not-a-number and infinities are faults. */
enum mlr_goal_fault mlr_goal_check(const struct mlr_goal *goal);

/* The rule that a fault breaks, in words: "the Goal Loss Ratio must be at least 0 and below 1". Never NULL. */
const char *mlr_goal_rule(enum mlr_goal_fault fault);

/* The goals of a preset ("csit": NDR and PDR as FD.io CSIT uses them; "rfc2544", "tst009": sections 4.10.2 and 4.10.3).
 * Returns how many there are, with *ret_goals pointing to constants; 0 for an unknown name. */
size_t mlr_goal_preset(const char *name, const struct mlr_goal **ret_goals);

#endif
