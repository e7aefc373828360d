/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "campaign/campaign.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/standing.h"
#include "base/text_stream.h"
#include "campaign/point_result.h"
#include "campaign/store.h"
#include "mlr/evidence.h"
#include "result/compare.h"
#include "result/report.h"

/* The campaign's results while they are read. A cell is a combination of labels. It has a point for each run. */
struct merge {
	const struct config *config;
	const struct campaign *campaign;
	size_t cell_count;
	json_t **cells; /* for each cell an array: the "results" of its points that are done, with their trials */
	json_t *points, *goals, *environments;
	json_t *requirements; /* those that points miss, with the name of the point */
	json_t *conditions; /* the options that all results have in common; NULL: there is no result yet */
	size_t done, irregular, limited, running, failed, missing;
	enum exit_code code; /* EXIT_USAGE_ERROR once a result contradicts itself, which was said */
};

/* --- points --------------------------------------------------------------------------------------------------------- */

/* Count how many points have which value. */
static void count_value(json_t *environments, const char *name, const char *value)
{
	json_t *counts = json_object_get(environments, name);

	if (!*value)
		return;
	if (!counts) {
		counts = json_object();
		json_put(environments, name, counts);
	}
	json_put(counts, value, read_integer(counts, value) + 1);
}

/* Goals in the order in which they are met first. */
static void note_goals(json_t *goals, const json_t *results)
{
	json_each (result, results) {
		bool there = false;

		json_each (name, goals)
			there |= json_equal(name, json_object_get(result, "goal"));
		if (!there)
			json_array_append(goals, json_object_get(result, "goal"));
	}
}

/* What is the same in this result as in all others. */
static void note_conditions(struct merge *merge, const json_t *configuration)
{
	const char *name;
	json_t *value;
	void *next;

	if (!merge->conditions)
		merge->conditions = json_deep_copy(configuration);
	json_object_foreach_safe(merge->conditions, next, name,
				 value) if (!json_equal(value, json_object_get(configuration, name)))
		json_object_del(merge->conditions, name);
}

/* Take the trials of results out of them. A new array of the results as they were. */
static json_t *add_trials(json_t *results)
{
	json_t *with_trials = json_array();

	json_each (result, results) {
		json_array_append_new(with_trials, json_copy(result));
		json_object_del(result, "near");
	}
	return with_trials;
}

static void add_result(struct merge *merge, size_t point, json_t *json)
{
	static const char *const told[] = { "version", "kernel", "hostname", "tx_backend" };
	json_t *results = json_object_get(json, "results");

	merge->done++;
	merge->irregular += standing_of(json) == STANDING_IRREGULAR;
	merge->limited += standing_of(json) == STANDING_LIMITED;
	for (size_t i = 0; i < COUNT(told); i++)
		count_value(merge->environments, told[i], read_text(json, told[i]));
	note_goals(merge->goals, results);
	json_array_append_new(merge->cells[point % merge->cell_count], add_trials(results));
}

/* What the journal knows of a point without a result. */
static void add_missing(struct merge *merge, const struct point_status *status, json_t *json)
{
	merge->running += status->state == POINT_RUNNING;
	merge->failed += status->state == POINT_FAILED;
	merge->missing += status->state == POINT_WAITING || status->state == POINT_INTERRUPTED;
	if (status->last && read_string(status->last, "reason"))
		json_object_set(json, "reason", json_object_get(status->last, "reason"));
}

/* A point that missed a requirement ended with EXIT_UNMET. */
static void note_missed(struct merge *merge, size_t point, json_t *result)
{
	const char *name = merge->campaign->names[point];

	json_each (requirement, json_object_get(result, "missed")) {
		const char *text = read_text(requirement, "requirement");
		json_t *missed = json_copy(requirement);

		warn("%s: the requirement '%s' is not met", name, QUOTED(text));
		json_put(missed, "requirement", json_sprintf("%s: %s", name, text));
		json_array_append_new(merge->requirements, missed);
	}
	json_object_del(result, "missed");
}

static void add_point(struct merge *merge, size_t point, struct point_status *status)
{
	const struct campaign *campaign = merge->campaign;
	json_t *json = json_with("point", campaign->names[point], "values",
				 campaign_values(campaign, &campaign->points[point].combination), "run",
				 campaign->points[point].run);
	struct point_problem problem;
	json_t *result = NULL;

	if (status->state == POINT_DONE) {
		result = point_result(campaign, point, &problem);
		if (!result) {
			status->state = POINT_FAILED;
			json_put(json, "reason", problem.text);
		}
		if (!result && problem.fault == POINT_CONTRADICTS && merge->code == EXIT_DONE)
			merge->code = refuse(EXIT_USAGE_ERROR, "%s: %s", campaign->names[point], problem.text);
	}
	json_put(json, "state", point_state_name(status->state));
	if (result) {
		add_result(merge, point, result);
		note_conditions(merge, json_object_get(result, "configuration"));
		json_object_del(result, "configuration");
		note_missed(merge, point, result);
		json_object_update(json, result);
		json_decref(result);
	} else {
		add_missing(merge, status, json);
	}
	json_array_append_new(merge->points, json);
}

/* --- cells ---------------------------------------------------------------------------------------------------------- */

static json_t *find_result(const json_t *results, const char *goal)
{
	json_each (result, results)
		if (strcmp(read_text(result, "goal"), goal) == 0)
			return result;
	return NULL;
}

/* The results of one goal in a cell. A new reference. */
static json_t *results_of(const json_t *cell, const char *goal)
{
	return json_list(i, json_array_size(cell), json_incref(find_result(json_array_get(cell, i), goal)));
}

static json_t *spread_json(const json_t *cell, const char *goal)
{
	json_auto_t *results = results_of(cell, goal);
	json_t *json = json_with("goal", goal);

	json_object_update_new(json, report_spread(results));
	return json;
}

static json_t *cell_json(const struct merge *merge, size_t index)
{
	const struct campaign *campaign = merge->campaign;
	json_t *goals = json_array();

	json_each (goal, merge->goals)
		json_array_append_new(goals, spread_json(merge->cells[index], json_string_value(goal)));
	return json_with("values", campaign_values(campaign, &campaign->points[index].combination), "asked",
			 campaign->matrix.repeats, "done", json_array_size(merge->cells[index]), "goals", goals);
}

/* --- comparisons ---------------------------------------------------------------------------------------------------- */

/* A result as a search has it, which result/compare.c reads. */
static json_t *goal_result(const json_t *result)
{
	return json_pack("{s:{s:O}, s:O?, s:O, s:O, s:O, s:O, s:O}", "goal", "name", json_object_get(result, "goal"), "near",
			 json_object_get(result, "near"), "conditional_throughput", json_object_get(result, "value"),
			 "relevant_lower_bound", json_object_get(result, "lower_bound"), "relevant_upper_bound",
			 json_object_get(result, "upper_bound"), "regular", json_object_get(result, "regular"),
			 "tester_limited", json_object_get(result, "tester_limited"));
}

/* A cell as a document of repeated searches; of a single soak, as the document of a soak. A new reference. */
static json_t *cell_document(const json_t *cell, bool as_soak)
{
	const json_t *first = json_array_get(json_array_get(cell, 0), 0);
	json_t *runs;

	if (as_soak)
		return json_pack("{s:{s:O, s:O, s:O, s:O}, s:O}", "critical_load", "mean", json_object_get(first, "value"),
				 "stdev", json_object_get(first, "stdev"), "lower_bound",
				 json_object_get(first, "lower_bound"), "upper_bound",
				 json_object_get(first, "upper_bound"), "tester_limited",
				 json_object_get(first, "tester_limited"));
	runs = json_array();
	json_each (results, cell) {
		json_t *list = json_array();

		json_each (result, results)
			json_array_append_new(list, goal_result(result));
		json_array_append_new(runs, json_pack("{s:o}", "search_result", list));
	}
	return json_pack("{s:O, s:{s:o}}", "search_result", json_object_get(json_array_get(runs, 0), "search_result"),
			 "repeats", "runs", runs);
}

/* Whether anything can be shown: bounds, or repeats on both sides, or the standard deviations of two soaks. */
static bool can_tell(const struct merge *merge, const json_t *a, const json_t *b, bool as_soak)
{
	enum verb verb = merge->campaign->verb;

	return verb == VERB_SEARCH || verb == VERB_RFC2544 || as_soak || (json_array_size(a) > 1 && json_array_size(b) > 1);
}

/* What all cells together show of the spread between searches of one build; what the user knows of it goes first. */
static struct mlr_spread spread_of_all(const struct merge *merge)
{
	size_t goal_count = json_array_size(merge->goals), count = 0;
	owned struct mlr_sample *samples = calloc(merge->cell_count * goal_count + 1, sizeof(*samples));

	if (merge->config->spread_ratio > 0)
		return (struct mlr_spread){ merge->config->spread_ratio, INFINITY };
	for (size_t cell = 0; samples && cell < merge->cell_count; cell++)
		json_each (goal, merge->goals) {
			json_auto_t *results = results_of(merge->cells[cell], json_string_value(goal));

			samples[count++] = report_values(results);
		}
	return mlr_spread_of(samples, count);
}

/* Put the comparisons of two cells, goal by goal, onto the list. */
static void compare_cells(const struct merge *merge, const struct mlr_spread *spread, size_t from, size_t to, json_t *list)
{
	static const char *const told[] = { "goal", "verdict", "method", "change", "evidence", "test" };
	const struct campaign *campaign = merge->campaign;
	const struct campaign_axis *axis = &campaign->axes[campaign->compared];
	const json_t *a = merge->cells[from], *b = merge->cells[to];
	bool as_soak = campaign->verb == VERB_SOAK && json_array_size(a) == 1 && json_array_size(b) == 1;
	json_auto_t *document_a = NULL, *document_b = NULL, *goals = NULL;

	if (!can_tell(merge, a, b, as_soak))
		return;
	document_a = cell_document(a, as_soak);
	document_b = cell_document(b, as_soak);
	goals = compare_results(merge->config, spread, document_a, document_b);
	json_each (goal, goals) {
		json_t *values = campaign_values(campaign, &campaign->points[to].combination), *json;

		json_object_del(values, axis->name);
		json = json_with("values", values, "a",
				 axis->labels[campaign->points[from].combination.labels[campaign->compared]], "b",
				 axis->labels[campaign->points[to].combination.labels[campaign->compared]]);
		for (size_t j = 0; j < COUNT(told); j++)
			json_object_set(json, told[j], json_object_get(goal, told[j]));
		json_array_append_new(list, json);
	}
}

/* Where a cell stands on all axes but the compared one, as a text. */
static void other_labels(const struct campaign *campaign, size_t cell, char *buffer, size_t size)
{
	buffer[0] = '\0';
	for (size_t i = 0; i < campaign->matrix.axis_count; i++)
		if (i != campaign->compared)
			text_add(buffer, size, "%zu ", campaign->points[cell].combination.labels[i]);
}

/* Cells with results that differ on the compared axis only, by where they stand on the others. A new reference. */
static json_t *group_cells(const struct merge *merge)
{
	json_t *groups = json_object();
	char key[MLR_AXES_MAX * 24];

	for (size_t i = 0; i < merge->cell_count; i++) {
		if (!json_array_size(merge->cells[i]))
			continue;
		other_labels(merge->campaign, i, key, sizeof(key));
		json_array_append_new(json_list_at(groups, key), json_integer((json_int_t)i));
	}
	return groups;
}

static size_t compared_label(const struct campaign *campaign, size_t cell)
{
	return campaign->points[cell].combination.labels[campaign->compared];
}

/* Compare a cell with the one of its group that comes before it on the compared axis. */
static void compare_with_last(const struct merge *merge, const struct mlr_spread *spread, const json_t *group, size_t cell,
			      json_t *list)
{
	const struct campaign *campaign = merge->campaign;
	size_t label = compared_label(campaign, cell), best = merge->cell_count;

	json_each (other, group) {
		size_t index = (size_t)json_integer_value(other);

		if (compared_label(campaign, index) < label &&
		    (best == merge->cell_count || compared_label(campaign, index) > compared_label(campaign, best)))
			best = index;
	}
	if (best < merge->cell_count)
		compare_cells(merge, spread, best, cell, list);
}

static json_t *comparisons_json(const struct merge *merge)
{
	struct mlr_spread spread = spread_of_all(merge);
	json_t *list = json_array();
	json_auto_t *groups = NULL;

	if (merge->campaign->compared == MLR_CAMPAIGN_ANY)
		return list;
	groups = group_cells(merge);
	json_each_member (key, group, groups)
		json_each (cell, group)
			compare_with_last(merge, &spread, group, (size_t)json_integer_value(cell), list);
	compare_limit_discoveries(merge->config, list);
	return list;
}

/* --- the document --------------------------------------------------------------------------------------------------- */

static json_t *axes_json(const struct campaign *campaign)
{
	const struct campaign_axis *axes = campaign->axes;

	return json_list(
		i, campaign->matrix.axis_count,
		json_with("name", axes[i].name, "labels", json_list(j, axes[i].count, json_string(axes[i].labels[j]))));
}

/* "of 12 points: 2 irregular, 1 failed"; null where all are done and none is irregular: those that are limited have a count. */
static json_t *irregular_reason(const struct merge *merge)
{
	const struct {
		size_t count;
		const char *what;
	} parts[] = {
		{ merge->irregular, "irregular" },
		{ merge->failed, "failed" },
		{ merge->running, "still running" },
		{ merge->missing, "missing" },
	};
	char text[256] = "";

	for (size_t i = 0; i < COUNT(parts); i++)
		if (parts[i].count)
			text_join(text, sizeof(text), ", ", "%zu %s", parts[i].count, parts[i].what);
	if (!*text)
		return json_null();
	return json_sprintf("of %zu points: %s", merge->campaign->point_count, text);
}

static json_t *document_of(const struct merge *merge, time_t start_time, enum exit_code *ret_outcome)
{
	const struct campaign *campaign = merge->campaign;
	const char *compared = campaign->compared == MLR_CAMPAIGN_ANY ? NULL : campaign->axes[campaign->compared].name;
	json_t *comparisons = comparisons_json(merge), *json = json_object(), *counts = json_object();

	*ret_outcome = compare_outcome(comparisons);
	json_put(json, "schema", "xdp-mlr/campaign/1");
	json_put(json, "campaign", campaign->name);
	json_put(json, "file", campaign->path);
	json_put(json, "verb", verb_name(campaign->verb));
	json_put(json, "quantity", result_quantity(campaign->verb));
	json_put(json, "axes", axes_json(campaign));
	json_put(json, "repeat", campaign->matrix.repeats);
	json_put(json, "compared", compared);
	json_put(json, "tolerance", merge->config->tolerance_ratio);
	json_put(json, "significance", merge->config->significance_ratio);
	json_put(counts, "total", campaign->point_count);
	json_put_members(counts, merge, done, irregular, limited, failed, running, missing);
	json_put(json, "point_counts", counts);
	json_put(json, "regressions", json_count(comparisons, "verdict", "slower"));
	json_put(json, "undecided", json_count(comparisons, "verdict", "unknown"));
	json_object_set(json, "goals", merge->goals);
	json_put(json, "cells", json_list(i, merge->cell_count, cell_json(merge, i)));
	json_put(json, "comparisons", comparisons);
	json_object_set(json, "environments", merge->environments);
	json_object_set(json, "conditions", merge->conditions ?: json_null());
	json_object_set(json, "points", merge->points);
	if (json_array_size(merge->requirements))
		json_object_set(json, "requirements", merge->requirements);
	json_put(json, "irregular_reason", irregular_reason(merge));
	json_put(json, "tester_limited", (bool)merge->limited);
	json_put(json, "environment", environment_describe(start_time));
	return json;
}

enum exit_code campaign_merge(const struct config *config, const struct campaign *campaign,
			      const struct point_status *states, json_t **ret_document)
{
	struct merge merge = { .config = config,
			       .campaign = campaign,
			       .cell_count = campaign->point_count / campaign->matrix.repeats,
			       .points = json_array(),
			       .goals = json_array(),
			       .requirements = json_array(),
			       .environments = json_object() };
	time_t start_time = time(NULL);
	enum exit_code outcome = EXIT_DONE;

	merge.cells = calloc(merge.cell_count + 1, sizeof(json_t *));
	for (size_t i = 0; merge.cells && i < merge.cell_count; i++)
		merge.cells[i] = json_array();
	for (size_t i = 0; merge.cells && i < campaign->point_count; i++) {
		struct point_status status = states[i];

		add_point(&merge, i, &status);
	}
	*ret_document = merge.cells && merge.code == EXIT_DONE ? document_of(&merge, start_time, &outcome) : NULL;
	if (merge.irregular || merge.limited || json_array_size(merge.requirements) || merge.done < campaign->point_count)
		outcome = EXIT_UNMET;
	for (size_t i = 0; merge.cells && i < merge.cell_count; i++)
		json_decref(merge.cells[i]);
	free(merge.cells);
	json_decref(merge.points);
	json_decref(merge.requirements);
	json_decref(merge.goals);
	json_decref(merge.environments);
	json_decref(merge.conditions);
	if (!*ret_document)
		return merge.code != EXIT_DONE ? merge.code : out_of_memory();
	return outcome;
}
