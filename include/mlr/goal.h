/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Search Goals (RFC 9971, section 4.6) say what a search looks for; this header checks them and has the
 * presets. The caller owns its goals, and the presets are constants. A goal is filled in, checked by mlr_goal_check(), and
 * not changed after that.
 */
#ifndef MLR_GOAL_H
#define MLR_GOAL_H

#include <stddef.h>

#define MLR_GOAL_NAME_SIZE 64 /* octets of a goal's name, with the closing NUL */
#define MLR_GOALS_MAX      16 /* goals in one search, at most */

/* Search Goal (4.6.7). */
struct mlr_goal {
	char name[MLR_GOAL_NAME_SIZE];   /* the name in the report; unique in a search */
	double loss_ratio;               /* Goal Loss Ratio (4.6.3), 0 <= x < 1 */
	double exceed_ratio;             /* Goal Exceed Ratio (4.6.4), 0 <= x < 1 */
	double initial_trial_duration_s; /* Goal Initial Trial Duration (4.6.6), > 0, at most the final one */
	double final_trial_duration_s;   /* Goal Final Trial Duration (4.6.1), > 0 */
	double duration_sum_s;           /* Goal Duration Sum (4.6.2), > 0 */
	double width_ratio;              /* Goal Width (4.6.5) as (upper - lower) / upper, 0 < x < 1 */
};

/* The fault of a goal. */
enum mlr_goal_fault {
	MLR_GOAL_OK,
	MLR_GOAL_BAD_NAME, /* the name is empty */
	MLR_GOAL_BAD_LOSS_RATIO,
	MLR_GOAL_BAD_EXCEED_RATIO,
	MLR_GOAL_BAD_INITIAL_DURATION,
	MLR_GOAL_BAD_FINAL_DURATION,
	MLR_GOAL_BAD_DURATION_SUM,
	MLR_GOAL_BAD_WIDTH,
};

/* Return the first fault of a goal, or MLR_GOAL_OK. Not-a-number and infinities are faults. */
enum mlr_goal_fault mlr_goal_check(const struct mlr_goal *goal);

/* Return the rule that a fault breaks, such as "the Goal Loss Ratio must be at least 0 and below 1". It is never NULL. */
const char *mlr_goal_rule(enum mlr_goal_fault fault);

/* Get the goals of a preset. "csit" is NDR and PDR as FD.io CSIT uses them; "rfc2544" and "tst009" are sections 4.10.2 and
 * 4.10.3. Returns their number, with *ret_goals pointing to constants, or 0 for an unknown name. */
size_t mlr_goal_preset(const char *name, const struct mlr_goal **ret_goals);

#endif
