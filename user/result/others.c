/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/others.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/keeper.h"
#include "base/memory.h"
#include "mlr/welch.h"

#define COLUMNS_MAX 32

/* --- trials with goals ---------------------------------------------------------------------------------------------- */

static void set_missing(json_t *object, const char *name, double value)
{
	if (!json_object_get(object, name))
		json_put(object, name, value);
}

/* Make a goal with every attribute, by the defaults of --goal, and beside it what was stated of it. */
static json_t *result_of(const json_t *given, size_t index)
{
	static const char *const stated[] = { "relevant_lower_bound", "relevant_upper_bound", "conditional_throughput",
					      "regular" };
	json_t *goal = json_copy((json_t *)given), *result = json_object();

	if (!json_object_get(goal, "name"))
		json_put(goal, "name", json_sprintf("goal%zu", index + 1));
	set_missing(goal, "loss_ratio", 0);
	set_missing(goal, "exceed_ratio", 0.5);
	set_missing(goal, "final_trial_duration", 1);
	set_missing(goal, "initial_trial_duration", read_number(goal, "final_trial_duration"));
	set_missing(goal, "duration_sum", read_number(goal, "final_trial_duration"));
	set_missing(goal, "width", 0.005);
	for (size_t i = 0; i < COUNT(stated); i++)
		if (json_object_get(goal, stated[i])) {
			json_object_set(result, stated[i], json_object_get(goal, stated[i]));
			json_object_del(goal, stated[i]);
		}
	json_put(result, "goal", goal);
	return result;
}

static json_t *trial_of(const json_t *given)
{
	json_t *trial = json_copy((json_t *)given);

	set_missing(trial, "trial_effective_duration", read_number(trial, "trial_duration"));
	set_missing(trial, "trial_forwarding_rate",
		    read_number(trial, "trial_load") * (1 - read_number(trial, "trial_loss_ratio")));
	return trial;
}

json_t *others_search(const json_t *json)
{
	const json_t *goals = json_object_get(json, "goals"), *trials = json_object_get(json, "trials");
	json_t *results, *copies, *input;

	if (json_object_get(json, "schema") || !json_is_array(goals) || !json_is_array(trials))
		return NULL;
	results = json_list(i, json_array_size(goals), result_of(json_array_get(goals, i), i));
	copies = json_array();
	json_each (trial, trials)
		json_array_append_new(copies, trial_of(trial));
	input = json_with("min_load", read_number(json, "min_load"), "max_load", read_number(json, "max_load"));
	return json_with("schema", "xdp-mlr/search/1", "measurer", json_with("name", "exec"), "controller_input", input,
			 "search_result", results, "trials", copies);
}

/* --- CSV ------------------------------------------------------------------------------------------------------------ */

/* "# goal name=ndr,loss=0,sum=21,...": the keys of --goal, and what is stated of it. */
static bool read_goal(char *text, json_t *goals)
{
	static const struct {
		const char *key, *member;
	} keys[] = { { "loss", "loss_ratio" },
		     { "exceed", "exceed_ratio" },
		     { "initial", "initial_trial_duration" },
		     { "final", "final_trial_duration" },
		     { "sum", "duration_sum" },
		     { "width", "width" },
		     { "lower", "relevant_lower_bound" },
		     { "upper", "relevant_upper_bound" },
		     { "throughput", "conditional_throughput" } };
	json_t *goal = json_object();
	bool right = true;
	char *pair;

	json_array_append_new(goals, goal);
	while ((pair = strsep(&text, ",")) != NULL && right) {
		char *value = strchr(pair, '='), *end = NULL;
		size_t i = 0;

		if (!value)
			return false;
		*value++ = '\0';
		while (i < COUNT(keys) && strcmp(keys[i].key, pair) != 0)
			i++;
		if (strcmp(pair, "name") == 0)
			right = json_object_set_new(goal, "name", json_string(value)) == 0;
		else if (strcmp(pair, "regular") == 0)
			json_put(goal, "regular", json_boolean(strcmp(value, "true") == 0));
		else if (i < COUNT(keys)) {
			json_put(goal, keys[i].member, strtod(value, &end));
			right = end != value && !*end;
		} else
			right = false;
	}
	return right;
}

/* Read one row by the names of its columns. Texts are left out. */
static json_t *read_row(char *text, char *const *names, size_t count)
{
	json_t *row = json_object();
	char *cell, *end;

	for (size_t i = 0; i < count && (cell = strsep(&text, ",")) != NULL; i++) {
		double value = strtod(cell, &end);

		if (end != cell && !*end)
			json_put(row, names[i], value);
	}
	return row;
}

struct csv {
	char *heading, *names[COLUMNS_MAX];
	size_t count;
	json_t *goals, *trials;
};

static bool read_heading(struct csv *csv, const char *line)
{
	char *rest = csv->heading = strdup(line), *name;

	while (rest && csv->count < COLUMNS_MAX && (name = strsep(&rest, ",")) != NULL)
		csv->names[csv->count++] = name;
	return strstr(line, "trial_load") != NULL;
}

static bool read_line(struct csv *csv, char *line)
{
	static const char goal[] = "# goal ";

	line[strcspn(line, "\r\n")] = '\0';
	if (strncmp(line, goal, sizeof(goal) - 1) == 0)
		return read_goal(line + sizeof(goal) - 1, csv->goals);
	if (!*line || *line == '#')
		return true;
	if (!csv->count)
		return read_heading(csv, line);
	return json_array_append_new(csv->trials, read_row(line, csv->names, csv->count)) == 0;
}

enum exit_code others_csv(const char *path, json_t **ret)
{
	struct csv csv = { .goals = json_array(), .trials = json_array() };
	int fd = keeper_open(path, true);
	closing FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");
	enum exit_code code = EXIT_DONE;
	owned char *line = NULL;
	size_t size = 0, number = 0;
	json_auto_t *json = NULL;

	while (stream && code == EXIT_DONE && getline(&line, &size, stream) > 0 && ++number)
		if (!read_line(&csv, line))
			code = refuse(EXIT_USAGE_ERROR,
				      "%s:%zu: neither '# goal KEY=VALUE,...', a heading with trial_load, "
				      "nor a row of it",
				      path, number);
	free(csv.heading);
	json = json_with("goals", csv.goals, "trials", csv.trials);
	if (code == EXIT_DONE)
		*ret = json_array_size(csv.goals) && json_array_size(csv.trials) ? others_search(json) : NULL;
	return code;
}

/* --- CSIT ----------------------------------------------------------------------------------------------------------- */

bool others_is_csit(const json_t *json)
{
	return json_is_string(json_at(json, "/result/type")) && json_is_string(json_object_get(json, "test_id"));
}

static double value_of(const json_t *object, const char *pointer)
{
	const json_t *value = json_at(object, pointer);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Check average and standard deviation of a list. The latter is that of a population or of a sample. */
static void audit_list(struct audit *audit, const struct place *place, const json_t *list)
{
	const json_t *values = json_object_get(list, "values");
	size_t count = json_array_size(values);
	owned double *numbers = memory_noticed(calloc(count + 1, sizeof(*numbers)));
	double stdev = read_number(list, "stdev"), population;
	struct mlr_sample sample;

	if (!numbers || !count)
		return;
	for (size_t i = 0; i < count; i++)
		numbers[i] = json_number_value(json_array_get(values, i));
	sample = mlr_sample_of(numbers, count);
	population = count > 1 ? sample.stdev * sqrt((double)(count - 1) / (double)count) : 0;
	audit_number(audit, place, list, "avg", sample.mean);
	if (!isnan(stdev) && fabs(stdev - population) > 1e-6 * sample.mean &&
	    fabs(stdev - sample.stdev) > 1e-6 * sample.mean)
		contradict(audit, MEMBER(place, "stdev"), "%g is stated, %g follows", stdev, population);
}

/* The bounds of one rate, in order; of a pair of rates that share their traffic, the same octets a frame. */
static void audit_bounds(struct audit *audit, const struct place *place, const json_t *bounds)
{
	double lower = value_of(bounds, "/lower/rate/value"), upper = value_of(bounds, "/upper/rate/value");
	double lower_bps = value_of(bounds, "/lower/bandwidth/value"),
	       upper_bps = value_of(bounds, "/upper/bandwidth/value");

	if (upper < lower)
		contradict(audit, place, "the upper rate, %g, is below the lower one, %g", upper, lower);
	if (fabs(lower_bps / lower - upper_bps / upper) > 1e-3 * lower_bps / lower)
		contradict(audit, place, "rates and bandwidths of the two bounds are of frames of different sizes");
}

static void audit_latency(struct audit *audit, const struct place *place, const json_t *loads)
{
	json_each_member (load, numbers, loads)
		if (read_number(numbers, "min") > read_number(numbers, "avg") ||
		    read_number(numbers, "avg") > read_number(numbers, "max"))
			contradict(audit, MEMBER(place, load), "the average is not between the smallest and the largest");
}

void others_audit_csit(struct audit *audit, const json_t *json)
{
	static const char *const bounds[] = { "ndr", "pdr", "critical_rate" };
	const struct place *place = MEMBER(NULL, "result");
	const json_t *result = json_object_get(json, "result");
	double ndr = value_of(result, "/ndr/lower/rate/value"), pdr = value_of(result, "/pdr/lower/rate/value");
	double rate = value_of(result, "/aggregate_rate/rate/value"), lost = value_of(result, "/loss/packet/value"),
	       time_s = value_of(result, "/loss/time/value");

	for (size_t i = 0; i < COUNT(bounds); i++)
		audit_bounds(audit, MEMBER(place, bounds[i]), json_object_get(result, bounds[i]));
	if (json_at(json, "/result/ndr/upper") && json_at(json, "/result/pdr/upper") && pdr < ndr)
		contradict(audit, MEMBER(place, "pdr"), "its lower bound, %g, is below that of NDR, %g", pdr, ndr);
	audit_list(audit, MEMBER(MEMBER(place, "receive_rate"), "rate"), json_at(json, "/result/receive_rate/rate"));
	audit_list(audit, MEMBER(MEMBER(place, "receive_rate"), "bandwidth"),
		   json_at(json, "/result/receive_rate/bandwidth"));
	if (fabs(lost / rate - time_s) > 1e-6 * time_s)
		contradict(audit, MEMBER(place, "loss"), "%g s are stated, %g follow from packets and rate", time_s,
			   lost / rate);
	audit_latency(audit, MEMBER(place, "latency_forward"), json_object_get(result, "latency_forward"));
	audit_latency(audit, MEMBER(place, "latency_reverse"), json_object_get(result, "latency_reverse"));
	if (json_is_true(json_object_get(json, "passed")) && *read_text(json, "message"))
		contradict(audit, MEMBER(NULL, "passed"), "true is stated beside a message of failure");
}
