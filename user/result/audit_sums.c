/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This audit is of documents that are made of other results: campaigns, comparisons, trends. */
#include "result/audit.h"

#include <math.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json_read.h"
#include "base/standing.h"
#include "result/report.h"

/* --- campaign ------------------------------------------------------------------------------------------------------- */

static json_t *result_of(const json_t *point, const json_t *goal)
{
	json_each (result, json_object_get(point, "results"))
		if (json_equal(json_object_get(result, "goal"), goal))
			return result;
	return NULL;
}

static void audit_spread(struct audit *audit, const struct place *place, const json_t *spread, const json_t *points,
			 const json_t *values)
{
	json_auto_t *results = json_array();

	json_each (point, points)
		if (json_equal(json_object_get(point, "values"), values))
			json_array_append(results, result_of(point, json_object_get(spread, "goal")));
	audit_numbers(audit, place, spread, report_spread(results));
}

static void audit_point_counts(struct audit *audit, const json_t *document)
{
	static const char *const states[] = { "done", "failed", "running" };
	const json_t *counts = json_object_get(document, "point_counts"), *points = json_object_get(document, "points");
	const struct place *place = MEMBER(NULL, "point_counts");

	if (!json_is_array(points))
		return;
	audit_number(audit, place, counts, "total", (double)json_array_size(points));
	for (size_t i = 0; i < COUNT(states); i++)
		audit_number(audit, place, counts, states[i], (double)json_count(points, "state", states[i]));
}

/* The counts of standings are those of the points, which documents of earlier versions told otherwise. */
static void audit_standings(struct audit *audit, const json_t *document)
{
	const json_t *counts = json_object_get(document, "point_counts");
	size_t irregular = 0, limited = 0;

	json_each (point, json_object_get(document, "points")) {
		if (!json_object_get(point, "regular") && json_object_get(point, "results"))
			return;
		if (!json_object_get(point, "results"))
			continue;
		irregular += standing_of_point(point) == STANDING_IRREGULAR;
		limited += standing_of_point(point) == STANDING_LIMITED;
	}
	audit_number(audit, MEMBER(NULL, "point_counts"), counts, "irregular", (double)irregular);
	audit_number(audit, MEMBER(NULL, "point_counts"), counts, "limited", (double)limited);
}

void audit_campaign(struct audit *audit, const json_t *document)
{
	const json_t *points = json_object_get(document, "points"), *comparisons = json_object_get(document, "comparisons");

	audit_point_counts(audit, document);
	audit_standings(audit, document);
	json_each (cell, json_object_get(document, "cells")) {
		const struct place *place = ITEM(MEMBER(NULL, "cells"), cell_at);

		json_each (spread, json_object_get(cell, "goals"))
			audit_spread(audit, ITEM(MEMBER(place, "goals"), spread_at), spread, points,
				     json_object_get(cell, "values"));
	}
	if (json_is_array(comparisons))
		audit_number(audit, NULL, document, "regressions", (double)json_count(comparisons, "verdict", "slower"));
}

/* --- comparison ----------------------------------------------------------------------------------------------------- */

static void audit_side(struct audit *audit, const struct place *place, const json_t *side)
{
	const json_t *list = json_object_get(side, "conditional_throughputs");
	struct mlr_sample sample = report_sample_of(list, NULL);

	if (!json_is_array(list))
		return;
	audit_number(audit, place, side, "conditional_throughput_mean", sample.mean);
	audit_number(audit, place, side, "conditional_throughput_stdev", sample.stdev);
	if (read_number(side, "relevant_lower_bound_min") > read_number(side, "relevant_lower_bound_max") ||
	    read_number(side, "relevant_upper_bound_min") > read_number(side, "relevant_upper_bound_max"))
		contradict(audit, place, "the smallest bound is above the largest one");
}

/* What is compared: the threshold, where there is one. */
static double mean_of(const json_t *side)
{
	const json_t *threshold = json_object_get(side, "threshold");

	return threshold ? read_number(threshold, "mean") : read_either(side, "conditional_throughput_mean", "mean");
}

/* Return the largest difference between the change and that of the means. Where Conditional Throughputs are compared,
 * limited results count as the least that the SUT does. Earlier versions had the change of logarithms, or of the means. */
static double change_error(const json_t *goal)
{
	const json_t *a = json_object_get(goal, "a"), *b = json_object_get(goal, "b");

	if ((json_object_get(a, "threshold") && json_object_get(b, "threshold")) ||
	    !json_object_get(json_object_get(goal, "test"), "detectable_fall"))
		return 1e-9;
	return read_truth(a, "tester_limited") || read_truth(b, "tester_limited") ? INFINITY : 0.02;
}

static void audit_comparison(struct audit *audit, const struct place *place, const json_t *goal)
{
	const json_t *a = json_object_get(goal, "a"), *b = json_object_get(goal, "b");
	const char *verdict = read_text(goal, "verdict");
	double change = (mean_of(b) - mean_of(a)) / mean_of(a);

	audit_side(audit, MEMBER(place, "a"), a);
	audit_side(audit, MEMBER(place, "b"), b);
	if (fabs(read_number(goal, "change") - change) > change_error(goal))
		contradict(audit, MEMBER(place, "change"), "%g is stated, %g follows", read_number(goal, "change"), change);
	if ((strcmp(verdict, "slower") == 0 && change > 0) || (strcmp(verdict, "faster") == 0 && change < 0))
		contradict(audit, MEMBER(place, "verdict"), "'%.16s' is stated, but the throughput changed by %g %%",
			   verdict, 100 * change);
	if (strcmp(verdict, "slower") == 0 && strcmp(read_text(goal, "method"), "bounds") == 0 &&
	    read_number(b, "relevant_upper_bound_max") > read_number(a, "relevant_lower_bound_min"))
		contradict(audit, MEMBER(place, "verdict"), "'slower' is stated by bounds which overlap");
}

void audit_compare(struct audit *audit, const json_t *document)
{
	const json_t *goals = json_object_get(document, "goals");
	bool slower = json_count(goals, "verdict", "slower") > 0;

	json_each (goal, goals)
		audit_comparison(audit, ITEM(MEMBER(NULL, "goals"), goal_at), goal);
	if (json_object_get(document, "verdict") && slower != (strcmp(read_text(document, "verdict"), "regression") == 0))
		contradict(audit, MEMBER(NULL, "verdict"), "'%.32s' is stated, but %s goal is slower",
			   read_text(document, "verdict"), slower ? "a" : "no");
}

/* --- trend ---------------------------------------------------------------------------------------------------------- */

void audit_trend(struct audit *audit, const json_t *document)
{
	json_each (goal, json_object_get(document, "goals")) {
		const struct place *place = ITEM(MEMBER(NULL, "goals"), goal_at);
		const json_t *points = json_object_get(goal, "points");

		audit_number(audit, place, goal, "slower", (double)json_count(points, "verdict", "slower"));
		audit_number(audit, place, goal, "faster", (double)json_count(points, "verdict", "faster"));
		if (json_is_number(json_object_get(document, "results")))
			audit_number(audit, NULL, document, "results", (double)json_array_size(points));
	}
}
