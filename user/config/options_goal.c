/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Search Goals, presets and waits, as options. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "base/units.h"
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

/* What a key of "K=V,..." is. */
struct key {
	const char *name;
	size_t offset; /* of a double */
	enum { KEY_TEXT, KEY_RATIO, KEY_DURATION } kind;
	enum mlr_goal_fault fault; /* the fault that this key's value can be */
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

/* Keys of one kind of value, and where the values go. `given` has a bit for each key seen. */
struct pairs {
	const struct key *keys;
	size_t key_count;
	void *into;
	unsigned int seen;
};

static enum exit_code refuse_key(const struct given *given, const struct pairs *pairs, const char *key)
{
	const char *names[COUNT(goal_keys)];
	char hint[64], quoted[QUOTE_SIZE];

	for (size_t i = 0; i < pairs->key_count; i++)
		names[i] = pairs->keys[i].name;
	return refuse_given(given, "no key '%s'%s", quote(key, strlen(key), quoted, sizeof(quoted)),
			    nearest_hint(key, names, pairs->key_count, hint, sizeof(hint)));
}

static enum exit_code store_name(const struct given *given, const char *value, char name[MLR_GOAL_NAME_SIZE])
{
	if (strlen(value) >= MLR_GOAL_NAME_SIZE)
		return refuse_given(given, "a name has at most %d octets", MLR_GOAL_NAME_SIZE - 1);
	for (const char *c = value; *c; c++)
		if (plain_control(c) || *c == '\n' || *c == '\t')
			return refuse_given(given, "control characters in the name");
	strcpy(name, value);
	return EXIT_DONE;
}

static enum exit_code store_number(const struct given *given, const struct key *key, const char *value, double *field)
{
	char quoted[QUOTE_SIZE];
	double number;
	bool fine = key->kind == KEY_RATIO ? parse_ratio(value, &number) : parse_duration(value, &number);

	quote(value, strlen(value), quoted, sizeof(quoted));
	if (!fine && key->kind == KEY_RATIO)
		return refuse_given(given, "%s '%s' is not a ratio; write it as 0.005 or 0.5%%", key->name, quoted);
	if (!fine)
		return refuse_given(given, "%s '%s' is not a duration; write it as %s", key->name, quoted, DURATION_FORMS);
	if (key->kind == KEY_DURATION && number > DURATION_MOST_S)
		return refuse_given(given, "%s '%s' must be at most %.0f s", key->name, quoted, DURATION_MOST_S);
	*field = number;
	return EXIT_DONE;
}

/* Store the value of "K=V". */
static enum exit_code store_pair(const struct given *given, char *name, void *into)
{
	struct pairs *pairs = into;
	char *value = strchr(name, '=');

	if (!value)
		return refuse_given(given, "must be KEY=VALUE, with commas between");
	*value++ = '\0';
	for (size_t i = 0; i < pairs->key_count; i++) {
		const struct key *key = &pairs->keys[i];
		void *field = (char *)pairs->into + key->offset;

		if (strcmp(key->name, name) != 0)
			continue;
		if (pairs->seen & 1u << i)
			return refuse_given(given, "%s is given twice", name);
		pairs->seen |= 1u << i;
		return key->kind == KEY_TEXT ? store_name(given, value, field) : store_number(given, key, value, field);
	}
	return refuse_key(given, pairs, name);
}

static bool seen(const struct pairs *pairs, const char *name)
{
	for (size_t i = 0; i < pairs->key_count; i++)
		if (strcmp(pairs->keys[i].name, name) == 0)
			return pairs->seen >> i & 1;
	return false;
}

/* The key whose value is the fault. */
static const char *key_of_fault(enum mlr_goal_fault fault)
{
	for (size_t i = 0; i < COUNT(goal_keys); i++)
		if (goal_keys[i].fault == fault)
			return goal_keys[i].name;
	return "";
}

static bool name_taken(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->goal_count; i++)
		if (strcmp(config->goals[i].name, name) == 0)
			return true;
	return false;
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
	code = read_list(given, given->text, store_pair, &pairs);
	if (code != EXIT_DONE)
		return code;
	if (!seen(&pairs, "initial"))
		goal.initial_trial_duration_s = fmin(goal.final_trial_duration_s, phased ? 1 : INFINITY);
	if (!seen(&pairs, "sum"))
		goal.duration_sum_s = goal.final_trial_duration_s;
	if (phased && !seen(&pairs, "exceed"))
		goal.exceed_ratio = 0;
	fault = mlr_goal_check(&goal);
	if (fault != MLR_GOAL_OK)
		return refuse_given(given, "%s: %s", key_of_fault(fault), mlr_goal_rule(fault));
	if (name_taken(config, goal.name))
		return refuse_given(given, "another goal is called '%s' already; give each a name of its own", goal.name);
	config->goals[config->goal_count++] = goal;
	return EXIT_DONE;
}

enum exit_code read_waits(const struct given *given, struct config *config)
{
	struct waits waits = config->waits;
	struct pairs pairs = { .keys = wait_keys, .key_count = COUNT(wait_keys), .into = &waits };
	enum exit_code code = read_list(given, given->text, store_pair, &pairs);

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
	char hint[64];

	for (size_t i = 0; i < COUNT(presets); i++) {
		names[i] = presets[i].name;
		if (strcmp(given->text, presets[i].name) != 0)
			continue;
		config->preset = presets[i].name;
		config->waits = *presets[i].waits;
		return EXIT_DONE;
	}
	return refuse_given(given, "must be csit, rfc2544 or tst009%s",
			    nearest_hint(given->text, names, COUNT(names), hint, sizeof(hint)));
}

/* --- writing them again --------------------------------------------------------------------------------------------- */

static void format_pairs(const struct key *keys, size_t key_count, const void *from, char buffer[GOAL_TEXT_SIZE])
{
	size_t used = 0;

	for (size_t i = 0; i < key_count && used < GOAL_TEXT_SIZE; i++) {
		const void *field = (const char *)from + keys[i].offset;
		char number[UNIT_TEXT_SIZE];
		const char *value = keys[i].kind == KEY_TEXT ? field : format_number(*(const double *)field, number);

		used += (size_t)snprintf(buffer + used, GOAL_TEXT_SIZE - used, "%s%s=%s", i ? "," : "", keys[i].name, value);
	}
}

const char *format_goal(const struct mlr_goal *goal, char buffer[GOAL_TEXT_SIZE])
{
	format_pairs(goal_keys, COUNT(goal_keys), goal, buffer);
	return buffer;
}

const char *format_waits(const struct waits *waits, char buffer[GOAL_TEXT_SIZE])
{
	format_pairs(wait_keys, COUNT(wait_keys), waits, buffer);
	return buffer;
}
