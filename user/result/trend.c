/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/trend.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/json_read.h"
#include "base/json_text.h"
#include "base/plain.h"
#include "base/standing.h"
#include "result/compare.h"
#include "result/report.h"

#define RESULTS_MOST 10000

struct dated {
	const char *file, *date;
	json_t *document; /* owned */
};

struct trend {
	const struct config *config;
	struct dated *results;
	size_t count;
	json_t *skipped;
};

/* --- the folder ------------------------------------------------------------------------------------------------------------- */

bool trend_is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A text from others in one line, as JSON and a terminal can hold it. */
static json_t *line_json(const char *text)
{
	char buffer[4 * NAME_MAX + 4], *plain = plain_text(quote(text, strlen(text), buffer, sizeof(buffer)));
	json_t *json = plain ? json_string(plain) : NULL;

	free(plain);
	return json;
}

static void skip(struct trend *trend, const char *file, const char *why)
{
	json_array_append_new(trend->skipped, json_pack("{s:o, s:o}", "file", line_json(file), "why", line_json(why)));
}

static json_t *number_of(const json_t *findings, const char *name, const char *of_soak)
{
	const json_t *value = json_object_get(findings, name) ?: json_object_get(findings, of_soak);

	return json_is_number(value) ? json_copy((json_t *)value) : json_null();
}

static bool is_date(const char *text)
{
	struct tm parts = { .tm_year = 0 }, same;
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &parts);

	if (!end || *end || strlen(text) != strlen("2026-11-21T12:59:00Z"))
		return false;
	same = parts; /* 30 February is 2 March */
	timegm(&same);
	return same.tm_mday == parts.tm_mday && same.tm_mon == parts.tm_mon;
}

/* Why it has no place among dated results; NULL: it has one. */
static const char *unfit(const struct config *config, const json_t *document)
{
	const char *date = read_string(json_object_get(document, "environment"), "start_time"), *reason = "it has no figure";
	json_auto_t *goals = NULL;

	if (!date)
		return "it has no date";
	if (!is_date(date))
		return "its start_time is no date";
	goals = compare_results(config, document, document);
	json_each (goal, goals) {
		json_auto_t *value = number_of(json_object_get(goal, "b"), "conditional_throughput_mean", "mean");
		bool negative = json_number_value(value) < 0;

		if (json_is_number(value))
			reason = negative ? "a throughput is below 0" : NULL;
		if (negative)
			break;
	}
	return reason;
}

static void take_file(struct trend *trend, const char *file)
{
	char path[PATH_MAX], problem[LOAD_PROBLEM_SIZE];
	json_t *document = NULL;
	struct stat status;
	const char *reason;

	if (snprintf(path, sizeof(path), "%s/%s", trend->config->files[0], file) >= (int)sizeof(path))
		return skip(trend, file, "its path is too long");
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) /* a FIFO would be waited for */
		return skip(trend, file, "it is no regular file");
	if (result_load(path, problem, &document) != EXIT_DONE)
		snprintf(problem, sizeof(problem), "%s", message_refused());
	reason = document ? unfit(trend->config, document) : problem;
	if (reason || json_object_set_new(document, "file", line_json(file))) {
		skip(trend, file, reason ? reason : "out of memory");
		json_decref(document);
		return;
	}
	trend->results[trend->count++] =
		(struct dated){ read_string(document, "file"),
				read_string(json_object_get(document, "environment"), "start_time"), document };
}

static int is_json(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return (length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0) ||
	       (length > 6 && strcmp(entry->d_name + length - 6, ".jsonl") == 0);
}

/* By date, as it is written: from the year on. */
static int by_date(const void *a, const void *b)
{
	const struct dated *x = a, *y = b;
	int order = strcmp(x->date, y->date);

	return order ? order : strcmp(x->file, y->file);
}

static enum exit_code read_folder(struct trend *trend)
{
	const char *folder = trend->config->files[0];
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_json, alphasort);

	if (count < 0)
		return refuse(EXIT_USAGE_ERROR, "cannot read %s: %s", folder, strerror(errno));
	trend->results = calloc((size_t)count + 1, sizeof(*trend->results));
	for (int i = 0; i < count; i++) {
		if (trend->results && i < RESULTS_MOST)
			take_file(trend, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (!trend->results)
		return refuse(EXIT_INCAPABLE, "out of memory");
	qsort(trend->results, trend->count, sizeof(*trend->results), by_date);
	return EXIT_DONE;
}

/* What cannot be compared with the first is of another kind. */
static void leave_out_others(struct trend *trend)
{
	size_t kept = 0;

	for (size_t i = 0; i < trend->count; i++) {
		struct dated *one = &trend->results[i];
		json_auto_t *sentences = compare_obstacles(trend->results[0].document, one->document);

		if (json_array_size(sentences)) {
			skip(trend, one->file, json_string_value(json_array_get(sentences, 0)));
			json_decref(one->document);
		} else {
			trend->results[kept++] = *one;
		}
	}
	trend->count = kept;
}

/* --- one goal -------------------------------------------------------------------------------------------------------------------- */

/* What comparing the two says of this goal; a new reference. */
static json_t *compare_goal(const struct trend *trend, size_t from, size_t to, size_t goal)
{
	json_auto_t *goals = compare_results(trend->config, trend->results[from].document, trend->results[to].document);
	json_t *one = json_incref(json_array_get(goals, goal));

	return one;
}

static json_t *point_json(const struct dated *dated, const json_t *comparison, bool first)
{
	const json_t *findings = json_object_get(comparison, "b"),
		     *environment = json_object_get(dated->document, "environment");
	const char *sut = read_string(json_object_get(dated->document, "sut"), "name");

	return json_pack("{s:s, s:s, s:O?, s:o?, s:o, s:o, s:o, s:o, s:b, s:b, s:s, s:o, s:o}", "file", dated->file,
			 "start_time", dated->date, "version", json_object_get(environment, "version"), "sut",
			 sut ? line_json(sut) : NULL, "value", number_of(findings, "conditional_throughput_mean", "mean"),
			 "stdev", number_of(findings, "conditional_throughput_stdev", "stdev"), "lower_bound",
			 number_of(findings, "relevant_lower_bound_min", ""), "upper_bound",
			 number_of(findings, "relevant_upper_bound_max", ""), "regular",
			 standing_of(dated->document) != STANDING_IRREGULAR, "tester_limited",
			 read_truth(findings, "tester_limited"), "verdict",
			 first ? "first" : read_text(comparison, "verdict"), "change",
			 first ? json_null() : number_of(comparison, "change", ""), "evidence",
			 first ? json_null() : json_string(read_text(comparison, "evidence")));
}

static bool is_change(const json_t *comparison)
{
	return is_one_of(read_text(comparison, "verdict"), "slower faster");
}

/* `name` is NULL for a soak, which has one quantity. */
static json_t *goal_json(const struct trend *trend, size_t goal, const char *name)
{
	json_t *points = json_array(), *last_change = json_null();
	size_t level = 0, slower = 0, faster = 0;

	for (size_t i = 0; i < trend->count; i++) {
		json_t *point;
		json_auto_t *comparison = compare_goal(trend, level, i, goal);

		point = point_json(&trend->results[i], comparison, i == 0);
		json_array_append_new(points, point);
		if (i && is_change(comparison)) {
			level = i;
			*(strcmp(read_text(comparison, "verdict"), "slower") ? &faster : &slower) += 1;
			json_decref(last_change);
			last_change = json_incref(point);
		}
	}
	return json_pack("{s:s, s:I, s:I, s:o, s:o}", "goal", name ? name : "critical load", "slower", (json_int_t)slower,
			 "faster", (json_int_t)faster, "last_change", last_change, "points", points);
}

/* --- the document -------------------------------------------------------------------------------------------------------------------- */

static json_t *goals_json(const struct trend *trend)
{
	json_auto_t *all = compare_results(trend->config, trend->results[0].document, trend->results[0].document);

	return json_list(i, json_array_size(all), goal_json(trend, i, read_string(json_array_get(all, i), "goal")));
}

static json_t *document_of(const struct trend *trend)
{
	const json_t *first = trend->results[0].document;
	char kind[KIND_SIZE];
	json_t *document =
		json_pack("{s:s, s:s, s:s?, s:s, s:f, s:f, s:I, s:o, s:O, s:o}", "schema", "xdp-mlr/trend/1", "folder",
			  trend->config->files[0], "verb", *document_kind(first, kind) ? kind : NULL, "quantity",
			  json_object_get(first, "critical_load") ? "critical load" : "Conditional Throughput", "tolerance",
			  trend->config->tolerance_ratio, "significance", trend->config->significance_ratio, "results",
			  (json_int_t)trend->count, "goals", goals_json(trend), "skipped", trend->skipped, "environment",
			  environment_describe(time(NULL)));

	if (document && json_object_get(first, "traffic_profile"))
		json_object_set(document, "traffic_profile", json_object_get(first, "traffic_profile"));
	return document;
}

enum exit_code trend_document(const struct config *config, json_t **ret)
{
	struct trend trend = { .config = config, .skipped = json_array() };
	enum exit_code code = read_folder(&trend);
	json_t *document = NULL;

	if (code == EXIT_DONE && !trend.count)
		code = refuse(EXIT_USAGE_ERROR,
			      "%s holds no result of search, soak or rfc2544 (%zu other files end in .json or .jsonl)",
			      config->files[0], json_array_size(trend.skipped));
	if (code == EXIT_DONE) {
		leave_out_others(&trend);
		document = document_of(&trend);
		if (!document)
			code = refuse(EXIT_INCAPABLE, "out of memory");
	}
	for (size_t i = 0; i < trend.count; i++)
		json_decref(trend.results[i].document);
	free(trend.results);
	json_decref(trend.skipped);
	if (code == EXIT_DONE)
		*ret = document;
	return code;
}
