/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/goal.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static bool is_positive(double value)
{
	return isfinite(value) && value > 0;
}

static bool is_ratio(double value)
{
	return value >= 0 && value < 1;
}

enum mlr_goal_fault mlr_goal_check(const struct mlr_goal *goal)
{
	if (!goal->name[0] || !memchr(goal->name, '\0', sizeof(goal->name)))
		return MLR_GOAL_BAD_NAME;
	if (!is_ratio(goal->loss_ratio))
		return MLR_GOAL_BAD_LOSS_RATIO;
	if (!is_ratio(goal->exceed_ratio))
		return MLR_GOAL_BAD_EXCEED_RATIO;
	if (!is_positive(goal->final_trial_duration_s))
		return MLR_GOAL_BAD_FINAL_DURATION;
	if (!is_positive(goal->initial_trial_duration_s) || goal->initial_trial_duration_s > goal->final_trial_duration_s)
		return MLR_GOAL_BAD_INITIAL_DURATION;
	if (!is_positive(goal->duration_sum_s))
		return MLR_GOAL_BAD_DURATION_SUM;
	if (!is_ratio(goal->width_ratio) || goal->width_ratio <= 0)
		return MLR_GOAL_BAD_WIDTH;
	return MLR_GOAL_OK;
}

const char *mlr_goal_rule(enum mlr_goal_fault fault)
{
	static const char *const rules[] = {
		[MLR_GOAL_OK] = "the goal is right",
		[MLR_GOAL_BAD_NAME] = "a goal must have a name, of at most 63 octets",
		[MLR_GOAL_BAD_LOSS_RATIO] = "the Goal Loss Ratio must be at least 0 and below 1",
		[MLR_GOAL_BAD_EXCEED_RATIO] = "the Goal Exceed Ratio must be at least 0 and below 1",
		[MLR_GOAL_BAD_INITIAL_DURATION] =
			"the Goal Initial Trial Duration must be above 0 and at most the Goal Final Trial Duration",
		[MLR_GOAL_BAD_FINAL_DURATION] = "the Goal Final Trial Duration must be above 0",
		[MLR_GOAL_BAD_DURATION_SUM] = "the Goal Duration Sum must be above 0",
		[MLR_GOAL_BAD_WIDTH] = "the Goal Width must be above 0 and below 1",
	};

	return (size_t)fault < sizeof(rules) / sizeof(rules[0]) ? rules[fault] : "unknown fault";
}

#define DURATIONS(initial_s, final_s, sum_s)                                                                                \
	.initial_trial_duration_s = initial_s, .final_trial_duration_s = final_s, .duration_sum_s = sum_s

static const struct {
	const char *name;
	size_t count;
	struct mlr_goal goals[2];
} presets[] = {
	{ "csit",
	  2,
	  { { .name = "ndr", .loss_ratio = 0, .exceed_ratio = 0.5, .width_ratio = 0.005, DURATIONS(1, 1, 21) },
	    { .name = "pdr", .loss_ratio = 0.005, .exceed_ratio = 0.5, .width_ratio = 0.005, DURATIONS(1, 1, 21) } } },
	{ "rfc2544",
	  1,
	  { { .name = "rfc2544", .loss_ratio = 0, .exceed_ratio = 0, .width_ratio = 0.005, DURATIONS(1, 60, 60) } } },
	{ "tst009",
	  1,
	  { { .name = "tst009", .loss_ratio = 0, .exceed_ratio = 0.5, .width_ratio = 0.005, DURATIONS(1, 60, 120) } } },
};

size_t mlr_goal_preset(const char *name, const struct mlr_goal **ret_goals)
{
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		if (strcmp(name, presets[i].name))
			continue;
		*ret_goals = presets[i].goals;
		return presets[i].count;
	}
	return 0;
}
