/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/report.h"

#include <math.h>

#include "base/json_text.h"
#include "base/units.h"

#define RECOMMENDED_EXCEED_RATIO 0.5

/* 4.6.1: one sentence, however many differ. */
static void warn_of_final_durations(json_t *sentences, const struct config *config)
{
	const struct mlr_goal *first = &config->goals[0];

	for (size_t i = 1; i < config->goal_count; i++) {
		const struct mlr_goal *goal = &config->goals[i];

		if (goal->final_trial_duration_s == first->final_trial_duration_s)
			continue;
		append_sentence(sentences,
				"Goals have different Goal Final Trial Durations (%s %g s, %s %g s): trials longer than a "
				"goal's own may occur, which weakens Load Classification; RFC 9971 section 4.6.1 recommends "
				"one value for all.",
				first->name, first->final_trial_duration_s, goal->name, goal->final_trial_duration_s);
		return;
	}
}

static void warn_of_goal(json_t *sentences, const struct mlr_goal *goal)
{
	if (goal->duration_sum_s < goal->final_trial_duration_s)
		append_sentence(sentences,
				"Goal %s: the Goal Duration Sum (%g s) is below the Goal Final Trial Duration (%g s): "
				"results repeat less well; RFC 9971 section 4.6.2 does not recommend it.",
				goal->name, goal->duration_sum_s, goal->final_trial_duration_s);
	if (goal->exceed_ratio != RECOMMENDED_EXCEED_RATIO)
		append_sentence(sentences,
				"Goal %s: the Goal Exceed Ratio is %s; RFC 9971 section 4.6.4 recommends 50 %%, which makes "
				"Search Durations vary least.",
				goal->name, format_percent(goal->exceed_ratio, UNIT_ROOM));
	if (goal->width_ratio < goal->loss_ratio)
		append_sentence(
			sentences,
			"Goal %s: the Goal Width (%s) is below the Goal Loss Ratio (%s): the Conditional Throughput does "
			"not get more precise by that; RFC 9971 section 4.6.5 recommends a width not below the loss ratio.",
			goal->name, format_percent(goal->width_ratio, UNIT_ROOM),
			format_percent(goal->loss_ratio, UNIT_ROOM));
}

/* Return the narrowest goal of less loss than this one whose width is below this one's loss ratio, or NULL; *ret_count: how
 * many there are. */
static const struct mlr_goal *narrowest_below(const struct config *config, const struct mlr_goal *lossier, size_t *ret_count)
{
	const struct mlr_goal *narrowest = NULL;

	*ret_count = 0;
	for (size_t i = 0; i < config->goal_count; i++) {
		const struct mlr_goal *goal = &config->goals[i];

		if (goal->loss_ratio >= lossier->loss_ratio || goal->width_ratio >= lossier->loss_ratio)
			continue;
		++*ret_count;
		if (!narrowest || goal->width_ratio < narrowest->width_ratio)
			narrowest = goal;
	}
	return narrowest;
}

/* 5.6.2: a goal of more loss may come to a smaller Conditional Throughput where any goal of less loss is narrower than that
 * loss. It is one sentence for each goal of more loss. */
static void warn_across_goals(json_t *sentences, const struct config *config)
{
	for (size_t i = 0; i < config->goal_count; i++) {
		const struct mlr_goal *lossier = &config->goals[i];
		size_t count;
		const struct mlr_goal *goal = narrowest_below(config, lossier, &count);

		if (goal)
			append_sentence(
				sentences,
				"Goals %s and %s: the Goal Width of %s (%s)%s is below the Goal Loss Ratio of %s (%s), "
				"so the Conditional Throughput of %s may come out the larger one; RFC 9971 section "
				"5.6.2 recommends a width not below the loss ratio of the goal that allows more.",
				goal->name, lossier->name, goal->name, format_percent(goal->width_ratio, UNIT_ROOM),
				count > 1 ? TEXT_OF(64, ", as of %zu more of less loss,", count - 1) : "", lossier->name,
				format_percent(lossier->loss_ratio, UNIT_ROOM), goal->name);
	}
}

/* 4.6.8.2 */
static void warn_of_min_load(json_t *sentences, const struct config *config, double min_load_fps)
{
	double shortest_s = INFINITY;

	for (size_t i = 0; i < config->goal_count; i++)
		shortest_s = fmin(shortest_s, config->goals[i].initial_trial_duration_s);
	if (min_load_fps * shortest_s < 1)
		append_sentence(sentences,
				"Min Load (%g fps) is less than one frame in the shortest trial (%g s): the loss ratio of "
				"such a trial says nothing; RFC 9971 section 4.6.8.2 recommends at least one.",
				min_load_fps, shortest_s);
}

json_t *warnings_describe(const struct config *config, double min_load_fps)
{
	json_t *sentences = json_array();

	if (!config->goal_count)
		return sentences;
	warn_of_final_durations(sentences, config);
	for (size_t i = 0; i < config->goal_count; i++)
		warn_of_goal(sentences, &config->goals[i]);
	warn_across_goals(sentences, config);
	warn_of_min_load(sentences, config, min_load_fps);
	return sentences;
}

const char *rfc2544_compliance(const struct mlr_goal *goal, const struct mlr_goal_result *result, bool tester_limited)
{
	if (result->irregularity != MLR_REGULAR || tester_limited || goal->loss_ratio > 0 || goal->exceed_ratio > 0)
		return "none";
	return goal->final_trial_duration_s >= RFC2544_TRIAL_S ? "unconditional" : "conditional";
}
