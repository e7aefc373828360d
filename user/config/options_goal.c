/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file reads Search Goals, presets and waits, as options. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/options_read.h"

static const struct waits rfc2544_waits = RFC2544_WAITS;
static const struct waits short_waits = { .residual_s = 2 };

static const struct preset {
	const char *name;
	const struct waits *waits;
} presets[] = {
	{ "csit", &short_waits },
	{ "rfc2544", &rfc2544_waits },
	{ "tst009", &rfc2544_waits },
};

static const struct key goal_keys[] = {
	{ "name", offsetof(struct mlr_goal, name), KEY_TEXT, MLR_GOAL_BAD_NAME },
	{ "loss", offsetof(struct mlr_goal, loss_ratio), KEY_RATIO, MLR_GOAL_BAD_LOSS_RATIO },
	{ "exceed", offsetof(struct mlr_goal, exceed_ratio), KEY_RATIO, MLR_GOAL_BAD_EXCEED_RATIO },
	{ "initial", offsetof(struct mlr_goal, initial_trial_duration_s), KEY_DURATION, MLR_GOAL_BAD_INITIAL_DURATION },
	{ "final", offsetof(struct mlr_goal, final_trial_duration_s), KEY_DURATION, MLR_GOAL_BAD_FINAL_DURATION },
	{ "sum", offsetof(struct mlr_goal, duration_sum_s), KEY_DURATION, MLR_GOAL_BAD_DURATION_SUM },
	{ "width", offsetof(struct mlr_goal, width_ratio), KEY_RATIO, MLR_GOAL_BAD_WIDTH },
};

static const struct key wait_keys[] = {
	{ "a", offsetof(struct waits, routing_s), KEY_DURATION, MLR_GOAL_OK },
	{ "b", offsetof(struct waits, learning_s), KEY_DURATION, MLR_GOAL_OK },
	{ "d", offsetof(struct waits, residual_s), KEY_DURATION, MLR_GOAL_OK },
	{ "e", offsetof(struct waits, stabilize_s), KEY_DURATION, MLR_GOAL_OK },
};

/* Return the key whose value is the fault. */
static const char *key_of_fault(enum mlr_goal_fault fault)
{
	for (size_t i = 0; i < COUNT(goal_keys); i++)
		if (goal_keys[i].tag == (int)fault)
			return goal_keys[i].name;
	return "";
}

enum exit_code read_goal(const struct given *given, struct config *config)
{
	bool phased = given_says(config->given, "algorithm", "phased");
	struct mlr_goal goal = { .exceed_ratio = 0.5, .final_trial_duration_s = phased ? 30 : 1, .width_ratio = 0.005 };
	struct pairs pairs = { .keys = goal_keys, .key_count = COUNT(goal_keys), .into = &goal };
	enum mlr_goal_fault fault;
	enum exit_code code;

	if (config->goal_count == MLR_GOALS_MAX)
		return refuse_given(given, "a search has at most %d goals", MLR_GOALS_MAX);
	snprintf(goal.name, sizeof(goal.name), "goal%zu", config->goal_count + 1);
	code = pairs_read(given, &pairs);
	if (code != EXIT_DONE)
		return code;
	if (!pairs_seen(&pairs, "initial"))
		goal.initial_trial_duration_s = fmin(goal.final_trial_duration_s, phased ? 1 : INFINITY);
	if (!pairs_seen(&pairs, "sum"))
		goal.duration_sum_s = goal.final_trial_duration_s;
	if (phased && !pairs_seen(&pairs, "exceed"))
		goal.exceed_ratio = 0;
	fault = mlr_goal_check(&goal);
	if (fault != MLR_GOAL_OK)
		return refuse_given(given, "%s: %s", key_of_fault(fault), mlr_goal_rule(fault));
	if (row_with(config->goals, config->goal_count, name, goal.name))
		return refuse_given(given, "another goal is called '%s' already; give each a name of its own", goal.name);
	config->goals[config->goal_count++] = goal;
	return EXIT_DONE;
}

enum exit_code read_waits(const struct given *given, struct config *config)
{
	struct waits waits = config->waits;
	struct pairs pairs = { .keys = wait_keys, .key_count = COUNT(wait_keys), .into = &waits };
	enum exit_code code = pairs_read(given, &pairs);

	if (code != EXIT_DONE)
		return code;
	if (waits.routing_s < 0 || waits.learning_s < 0 || waits.residual_s < 0 || waits.stabilize_s < 0)
		return refuse_given(given, "a wait must be at least 0 s");
	config->waits = waits;
	return EXIT_DONE;
}

enum exit_code read_preset(const struct given *given, struct config *config)
{
	const char *names[COUNT(presets)];

	for (size_t i = 0; i < COUNT(presets); i++) {
		names[i] = presets[i].name;
		if (strcmp(given->text, presets[i].name) != 0)
			continue;
		config->preset = presets[i].name;
		config->waits = *presets[i].waits;
		return EXIT_DONE;
	}
	return refuse_given(given, "must be csit, rfc2544 or tst009%s",
			    nearest_hint(given->text, names, COUNT(names), HINT_ROOM));
}

/* --- writing them again --------------------------------------------------------------------------------------------- */

const char *format_goal(const struct mlr_goal *goal, char buffer[GOAL_TEXT_SIZE])
{
	pairs_format(goal_keys, COUNT(goal_keys), goal, buffer, GOAL_TEXT_SIZE);
	return buffer;
}

const char *format_waits(const struct waits *waits, char buffer[GOAL_TEXT_SIZE])
{
	pairs_format(wait_keys, COUNT(wait_keys), waits, buffer, GOAL_TEXT_SIZE);
	return buffer;
}
