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
	switch (fault) {
	case MLR_GOAL_OK:
		return "the goal is right";
	case MLR_GOAL_BAD_NAME:
		return "a goal must have a name, of at most 63 octets";
	case MLR_GOAL_BAD_LOSS_RATIO:
		return "the Goal Loss Ratio must be at least 0 and below 1";
	case MLR_GOAL_BAD_EXCEED_RATIO:
		return "the Goal Exceed Ratio must be at least 0 and below 1";
	case MLR_GOAL_BAD_INITIAL_DURATION:
		return "the Goal Initial Trial Duration must be above 0 and at most the Goal Final Trial Duration";
	case MLR_GOAL_BAD_FINAL_DURATION:
		return "the Goal Final Trial Duration must be above 0";
	case MLR_GOAL_BAD_DURATION_SUM:
		return "the Goal Duration Sum must be above 0";
	case MLR_GOAL_BAD_WIDTH:
		return "the Goal Width must be above 0 and below 1";
	}
	return "unknown fault";
}

/* Name, Goal Loss Ratio and Goal Exceed Ratio; Initial and Final Trial Duration and Goal Duration Sum (s); Goal Width. */
static const struct mlr_goal csit_goals[] = {
	{ "ndr", 0, 0.5, 1, 1, 21, 0.005 },
	{ "pdr", 0.005, 0.5, 1, 1, 21, 0.005 },
};
static const struct mlr_goal rfc2544_goal = { "rfc2544", 0, 0, 1, 60, 60, 0.005 };
static const struct mlr_goal tst009_goal = { "tst009", 0, 0.5, 1, 60, 120, 0.005 };

static const struct {
	const char *name;
	const struct mlr_goal *goals;
	size_t count;
} presets[] = {
	{ "csit", csit_goals, sizeof(csit_goals) / sizeof(csit_goals[0]) },
	{ "rfc2544", &rfc2544_goal, 1 },
	{ "tst009", &tst009_goal, 1 },
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
