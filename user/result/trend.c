/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/trend.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/keeper.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/standing.h"
#include "mlr/segments.h"
#include "result/compare.h"
#include "result/report.h"
#include "result/verify.h"

#define RESULTS_MOST     5000
#define RESOLUTION_LEAST 1e-4 /* least resolution, as a part of the value */

struct dated {
	const char *file, *date;
	json_t *document; /* owned */
};

struct trend {
	const struct config *config;
	struct dated *results;
	size_t count;
	json_t *skipped;
	enum exit_code code; /* EXIT_USAGE_ERROR once a result contradicts itself */
};

/* --- the folder ------------------------------------------------------------------------------------------------------------- */

bool trend_is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Copy a text from others in one line, as JSON and a terminal can hold it. */
static json_t *line_json(const char *text)
{
	char buffer[4 * NAME_MAX + 4], *plain = plain_text(quote(text, strlen(text), buffer, sizeof(buffer)));
	json_t *json = plain ? json_string(plain) : NULL;

	free(plain);
	return json;
}

static void skip(struct trend *trend, const char *file, const char *why)
{
	json_array_append_new(trend->skipped, json_with("file", line_json(file), "why", line_json(why)));
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

/* Return what is found of each goal of a result; a new reference. */
static json_t *describe(const struct config *config, const json_t *document)
{
	return compare_results(config, &(struct mlr_spread){ NAN, 1 }, document, document);
}

/* Return why it has no place among dated results; NULL: it has one. */
static const char *unfit(const struct config *config, const json_t *document)
{
	const char *date = read_string(json_object_get(document, "environment"), "start_time"), *reason = "it has no figure";
	json_auto_t *goals = NULL;

	if (!date)
		return "it has no date";
	if (!is_date(date))
		return "its start_time is no date";
	goals = describe(config, document);
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

/* Anything else would be waited for. A file that cannot be looked at is one that cannot be read, either. */
static bool is_other_kind(const char *path)
{
	struct stat status;
	int fd;

	if (!stat(path, &status))
		return !S_ISREG(status.st_mode);
	fd = keeper_is_there() ? keeper_open(path, false) : -1;
	if (fd < 0)
		return false;
	if (fstat(fd, &status))
		status.st_mode = 0;
	close(fd);
	return !S_ISREG(status.st_mode);
}

static void add_file(struct trend *trend, const char *file)
{
	char path[PATH_MAX], problem[LOAD_PROBLEM_SIZE];
	json_t *document = NULL;
	const char *reason;

	if (snprintf(path, sizeof(path), "%s/%s", trend->config->files[0], file) >= (int)sizeof(path))
		return skip(trend, file, "its path is too long");
	if (trend->count == RESULTS_MOST)
		return skip(trend, file, TEXT_OF(48, "%d results stand before it", RESULTS_MOST));
	if (is_other_kind(path))
		return skip(trend, file, "it is no regular file");
	if (result_load(path, problem, &document) != EXIT_DONE)
		snprintf(problem, sizeof(problem), "%s", message_refused());
	if (document && trend->code == EXIT_DONE)
		trend->code = verify_refuse(path, document);
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

/* Order by date, as it is written: from the year on. */
static int by_date(const void *a, const void *b)
{
	const struct dated *x = a, *y = b;
	int order = strcmp(x->date, y->date);

	return order ? order : strcmp(x->file, y->file);
}

/* Get the names of results in an open folder, for the caller to free; -1: no memory. */
static int list_names(DIR *folder, char ***ret_names)
{
	struct dirent *entry;
	int count = 0;

	*ret_names = NULL;
	while ((entry = readdir(folder))) {
		char **names, *name;

		if (!is_json(entry))
			continue;
		names = reallocarray(*ret_names, (size_t)count + 1, sizeof(*names));
		*ret_names = names ? names : *ret_names;
		name = names ? strdup(entry->d_name) : NULL;
		if (!name)
			return -1;
		names[count++] = name;
	}
	return count;
}

static int by_name(const void *a, const void *b)
{
	return strcoll(*(char *const *)a, *(char *const *)b);
}

static enum exit_code read_folder(struct trend *trend)
{
	const char *folder = trend->config->files[0];
	int fd = keeper_open(folder, false), count;
	DIR *opened = fd < 0 ? NULL : fdopendir(fd);
	char **names;

	if (!opened)
		return refuse(EXIT_USAGE_ERROR, "cannot read %s: %s", folder, strerror(fd < 0 ? -fd : errno));
	count = list_names(opened, &names);
	closedir(opened);
	if (count > 0)
		qsort(names, (size_t)count, sizeof(*names), by_name);
	trend->results = count < 0 ? NULL : calloc((size_t)count + 1, sizeof(*trend->results));
	for (int i = 0; i < count; i++) {
		if (trend->results && trend->code == EXIT_DONE)
			add_file(trend, names[i]);
		free(names[i]);
	}
	free(names);
	if (!trend->results)
		return out_of_memory();
	qsort(trend->results, trend->count, sizeof(*trend->results), by_date);
	return trend->code;
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

/* The values of one goal, in the order of their dates. Values that the tester limited are no part of any level, nor
 * are those of searches that are not settled, and those that are only "at least" and below others, or "at most" and above
 * them. */
struct series {
	size_t count;
	size_t *result;    /* index of the result that a value comes from */
	double *logs;      /* logarithms of the values */
	double *places;    /* values whose levels are looked for: logarithms of the thresholds, or `logs` */
	size_t *firsts;    /* first index of the level of each value (mlr/segments.h) */
	double resolution; /* the standard deviation that the bounds leave open, as a part of the value */
};

/* Points of a goal: what is found in each result. */
static json_t *point_json(const struct dated *dated, const json_t *findings)
{
	const json_t *environment = json_object_get(dated->document, "environment");
	const char *sut = read_string(json_object_get(dated->document, "sut"), "name");

	return json_pack("{s:s, s:s, s:O?, s:o?, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:s, s:n, s:n}", "file", dated->file,
			 "start_time", dated->date, "version", json_object_get(environment, "version"), "sut",
			 sut ? line_json(sut) : NULL, "value", number_of(findings, "conditional_throughput_mean", "mean"),
			 "stdev", number_of(findings, "conditional_throughput_stdev", "stdev"), "lower_bound",
			 number_of(findings, "relevant_lower_bound_min", ""), "upper_bound",
			 number_of(findings, "relevant_upper_bound_max", ""), "threshold",
			 number_of(json_object_get(findings, "threshold"), "mean", ""), "regular",
			 read_truth(findings, "regular"), "tester_limited", read_truth(findings, "tester_limited"), "verdict",
			 "unknown", "change", "evidence");
}

/* Whether its search is irregular, though it has both bounds: it did not end, and they are apart by any distance, or its trials
 * contradict each other. */
static bool is_unsettled(const json_t *findings)
{
	return json_is_false(json_object_get(findings, "regular")) &&
	       read_number(findings, "relevant_lower_bound_min") > 0 &&
	       read_number(findings, "relevant_upper_bound_max") > 0;
}

static json_t *points_json(const struct trend *trend, size_t goal)
{
	json_t *points = json_array();

	for (size_t i = 0; i < trend->count; i++) {
		json_auto_t *goals = describe(trend->config, trend->results[i].document);
		const json_t *findings = json_object_get(json_array_get(goals, goal), "b");
		json_t *point = point_json(&trend->results[i], findings);

		if (is_unsettled(findings))
			json_put(point, "evidence", "the search did not settle its bounds: it is no part of any level");
		json_array_append_new(points, point);
	}
	return points;
}

static double resolution_of(const json_t *point)
{
	double lower = read_number(point, "lower_bound"), upper = read_number(point, "upper_bound");

	return lower > 0 && upper > lower ? log(upper / lower) / sqrt(12) : 0;
}

/* Where no Upper Bound was found, the value is "at least" so much. */
static bool is_at_least(const json_t *point)
{
	return read_number(point, "lower_bound") > 0 && !(read_number(point, "upper_bound") > 0);
}

/* A soak that meets the target at no load, or hardly at Min Load, is "at most" so much. */
static bool is_at_most(const json_t *point)
{
	return read_number(point, "upper_bound") > 0 && !(read_number(point, "lower_bound") > 0);
}

/* Whether a point is no part of any level, whatever the others are. */
static bool has_no_place(const json_t *point)
{
	return read_truth(point, "tester_limited") || read_string(point, "evidence");
}

/* The values that have a place lie between these; NAN: there is none. */
struct range {
	double lowest_fps, highest_fps;
};

static struct range range_of(const json_t *points)
{
	struct range range = { NAN, NAN };

	json_each (point, points) {
		double value = read_number(point, "value");

		if (has_no_place(point))
			continue;
		range.lowest_fps = fmin(range.lowest_fps, value);
		range.highest_fps = fmax(range.highest_fps, fmax(value, read_number(point, "lower_bound")));
	}
	return range;
}

/* A value that is only "at least" shows falls below it, but it is no fall itself. Below the highest it says nothing. One that is
 * only "at most" is a fall below the lowest; above it says nothing. */
static bool says_nothing(json_t *point, const struct range *range)
{
	const char *evidence = NULL;

	if (is_at_least(point) && !(read_number(point, "lower_bound") >= range->highest_fps * (1 - RESOLUTION_LEAST)))
		evidence = "the SUT does so much at least, as Max Load was no Upper Bound: it is no part of any level";
	else if (is_at_most(point) && !(read_number(point, "value") <= range->lowest_fps * (1 + RESOLUTION_LEAST)))
		evidence = "the SUT does so much at most, and less is not known: it is no part of any level";
	if (evidence)
		json_put(point, "evidence", evidence);
	return evidence;
}

static void add_value(struct series *series, size_t index, json_t *point, const struct range *range)
{
	double value = read_number(point, "value");

	if (!(value > 0) || has_no_place(point) || says_nothing(point, range))
		return;
	series->result[series->count] = index;
	series->places[series->count] = log(read_number(point, "threshold"));
	series->logs[series->count++] = log(value);
	series->resolution = fmax(series->resolution, resolution_of(point));
}

/* Thresholds are for series in which every result has one. */
static void find_places(struct series *series)
{
	for (size_t i = 0; i < series->count; i++)
		if (!isfinite(series->places[i])) {
			memcpy(series->places, series->logs, series->count * sizeof(*series->logs));
			return;
		}
}

static void series_free(struct series *series)
{
	free(series->result);
	free(series->logs);
	free(series->places);
	free(series->firsts);
}

/* Return the series; without memory it has no values. */
static struct series series_of(const struct config *config, const json_t *points)
{
	size_t count = json_array_size(points);
	struct series series = {
		.result = calloc(count + 1, sizeof(*series.result)),
		.logs = calloc(count + 1, sizeof(*series.logs)),
		.places = calloc(count + 1, sizeof(*series.places)),
		.firsts = calloc(count + 1, sizeof(*series.firsts)),
		.resolution = fmax(RESOLUTION_LEAST, config->spread_ratio),
	};
	struct range range = range_of(points);

	if (!series.result || !series.logs || !series.places || !series.firsts) {
		memory_noticed(NULL);
		return series;
	}
	json_each (point, points)
		add_value(&series, point_at, point, &range);
	find_places(&series);
	if (mlr_segments_find(series.places, series.count, series.resolution, config->significance_ratio, series.firsts)) {
		memory_noticed(NULL);
		series.count = 0;
	}
	return series;
}

/* Get the mean of the level that begins with value `first`, and how many values it has. */
static double level_of(const struct series *series, size_t first, size_t *ret_count)
{
	double sum = 0;
	size_t end = first;

	while (end < series->count && series->firsts[end] == first)
		sum += series->logs[end++];
	*ret_count = end - first;
	return sum / (double)(end - first);
}

static void say_change(json_t *point, double change, size_t count, double since_first)
{
	json_put(point, "verdict", change < 0 ? "slower" : "faster");
	json_put(point, "change", change);
	json_put(point, "evidence",
		 json_sprintf("a level of %zu %s begins here, %.2f %% %s the one before, and %+.2f %% from the first", count,
			      count == 1 ? "result" : "results", 100 * fabs(change), change < 0 ? "below" : "above",
			      100 * since_first));
}

/* Describe a level in the document. */
static json_t *level_json(const json_t *points, const struct series *series, size_t first, size_t count, double mean,
			  double change)
{
	const json_t *point = json_array_get(points, series->result[first]);

	return json_with("file", json_incref(json_object_get(point, "file")), "start_time",
			 json_incref(json_object_get(point, "start_time")), "results", count, "mean", exp(mean), "change",
			 change);
}

/* Say of each point of a level how it stands to that level. */
static void describe_level(json_t *points, const struct series *series, size_t first, size_t count, double mean)
{
	for (size_t i = first; i < first + count; i++) {
		json_t *point = json_array_get(points, series->result[i]);

		json_put(point, "verdict", i ? "same" : "first");
		if (i)
			json_put(point, "change", expm1(series->logs[i] - mean));
	}
}

/* Add the levels of a series. Each point gets its verdict. */
static json_t *levels_json(json_t *points, const struct series *series)
{
	json_t *levels = json_array();
	double first_mean = NAN, last_mean = NAN;

	for (size_t first = 0, count; first < series->count; first += count) {
		double mean = level_of(series, first, &count), change = expm1(mean - last_mean);

		json_array_append_new(levels, level_json(points, series, first, count, mean, change));
		describe_level(points, series, first, count, mean);
		if (first)
			say_change(json_array_get(points, series->result[first]), change, count, expm1(mean - first_mean));
		else
			first_mean = mean;
		last_mean = mean;
	}
	return levels;
}

/* The point from which the last level on began; null: there is one level. */
static json_t *last_change_json(const json_t *points)
{
	for (size_t i = json_array_size(points); i-- > 0;) {
		const json_t *point = json_array_get(points, i);

		if (is_one_of(read_text(point, "verdict"), "slower faster"))
			return json_copy((json_t *)point);
	}
	return json_null();
}

/* Return the change from the first level to the last one. */
static double whole_change(const json_t *levels)
{
	const json_t *first = json_array_get(levels, 0), *last = json_array_get(levels, json_array_size(levels) - 1);

	return read_number(last, "mean") / read_number(first, "mean") - 1;
}

/* `name` is NULL for a soak, which has one quantity. */
static json_t *goal_json(const struct trend *trend, size_t goal, const char *name)
{
	json_t *points = points_json(trend, goal);
	struct series series = series_of(trend->config, points);
	json_t *levels = levels_json(points, &series);
	double noise = mlr_series_noise(series.places, series.count, series.resolution);

	series_free(&series);
	return json_with("goal", name ? name : "critical load", "slower", json_count(points, "verdict", "slower"), "faster",
			 json_count(points, "verdict", "faster"), "change", whole_change(levels), "noise", noise,
			 "last_change", last_change_json(points), "levels", levels, "points", points);
}

/* --- the document -------------------------------------------------------------------------------------------------------------------- */

static json_t *goals_json(const struct trend *trend)
{
	json_auto_t *all = describe(trend->config, trend->results[0].document);

	return json_list(i, json_array_size(all), goal_json(trend, i, read_string(json_array_get(all, i), "goal")));
}

static json_t *document_of(const struct trend *trend)
{
	const json_t *first = trend->results[0].document;
	char kind[KIND_SIZE];
	json_t *document =
		json_with("schema", "xdp-mlr/trend/1", "folder", trend->config->files[0], "verb",
			  *document_kind(first, kind) ? kind : NULL, "quantity",
			  json_object_get(first, "critical_load") ? "critical load" : "Conditional Throughput", "tolerance",
			  trend->config->tolerance_ratio, "significance", trend->config->significance_ratio, "results",
			  trend->count, "goals", goals_json(trend), "skipped", json_incref(trend->skipped), "environment",
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
			code = out_of_memory();
	}
	for (size_t i = 0; i < trend.count; i++)
		json_decref(trend.results[i].document);
	free(trend.results);
	json_decref(trend.skipped);
	if (code == EXIT_DONE)
		*ret = document;
	return code;
}
