/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/plain.h"
#include "base/standing.h"
#include "base/units.h"
#include "render/forms.h"

#define PATH_SIZE 512 /* The name of a counter has up to 255 octets. */
#define STANDING  "standing"

/* --- units ---------------------------------------------------------------------------------------------------------- */

/* The unit of a member whose name does not say it. A name that ends with a dot stands for all within, one that begins with
 * a dot for all that end so. */
static const struct unit {
	const char *path, *unit;
} units[] = {
	{ "trial_load", "frames/s" },
	{ "trial_duration", "s" },
	{ "trial_effective_duration", "s" },
	{ "trial_forwarding_rate", "frames/s" },
	{ "wall_duration", "s" },
	{ "waits_duration", "s" },
	{ "counts.", "frames" },
	{ "loss_attribution.", "frames" },
	{ "latency.count", "frames" },
	{ "latency.ipdv_count", "pairs of frames" },
	{ "pacing.burst_max", "frames" },
	{ "pacing.burst_allowed", "frames" },
	{ "pacing.excess_frames_max", "frames" },
	{ "pacing.marked_frames", "frames" },
	{ "pacing.excess_at", "s" },
	{ "pacing.excess_duration", "s" },
	{ "pacing.stop_max_at", "s" },
	{ "decision.lower_bound", "frames/s" },
	{ "decision.upper_bound", "frames/s" },
	{ "decision.asked_load", "frames/s" },
	{ "decision.asked_duration", "s" },
	{ "duration", "s" },
	{ ".received_rate", "frames/s" },
	{ ".counts.sent", "frames" },
	{ ".counts.received", "frames" },
	{ ".counts.lost", "frames" },
	{ "verdict.received_rate_min", "frames/s" },
	{ "verdict.received_rate_max", "frames/s" },
	{ "result.value", "frames/s" },
	{ "result.lower_bound", "frames/s" },
	{ "result.upper_bound", "frames/s" },
	{ "result.stdev", "frames/s" },
	{ ".relevant_lower_bound", "frames/s" },
	{ ".relevant_upper_bound", "frames/s" },
	{ ".conditional_throughput", "frames/s" },
};

static const char *unit_of(const char *path)
{
	for (size_t i = 0; i < COUNT(units); i++) {
		size_t length = strlen(units[i].path), beyond = strlen(path) > length ? strlen(path) - length : 0;

		if (units[i].path[0] == '.' && strcmp(path + beyond, units[i].path) == 0)
			return units[i].unit;
		if (units[i].path[length - 1] == '.' ? strncmp(path, units[i].path, length) == 0
						     : strcmp(path, units[i].path) == 0)
			return units[i].unit;
	}
	return NULL;
}

/* --- a trial as a flat object --------------------------------------------------------------------------------------- */

static int flatten(json_t *flat, const char *prefix, const json_t *value);

static int flatten_member(json_t *flat, const char *prefix, const char *name, json_t *value)
{
	const char *path = TEXT_OF(PATH_SIZE, "%s%s%s", prefix, *prefix ? "." : "", name);

	if (json_is_object(value) || json_is_array(value))
		return flatten(flat, path, value);
	return json_object_set(flat, path, value);
}

/* What is limited is not called regular here either; a column "standing" has the word. */
static int flatten_standing(json_t *flat, const char *prefix, const json_t *result)
{
	const char *separator = *prefix ? "." : "";
	int error = json_object_set_new(flat, TEXT_OF(PATH_SIZE, "%s%s" STANDING, prefix, separator),
					json_string(result_word(result)));

	if (standing_of(result) == STANDING_LIMITED)
		error |= json_object_set_new(flat, TEXT_OF(PATH_SIZE, "%s%sregular", prefix, separator), json_false());
	return error;
}

/* What was observed, by the names of sources and counters: by how much a counter grew, and the mean of a gauge. */
static int flatten_observed(json_t *flat, const char *prefix, const json_t *observed)
{
	static const char *const lists[][2] = { { "counters", "change" }, { "gauges", "mean" } };
	int error = 0;

	json_each (source, observed)
		for (size_t i = 0; i < COUNT(lists); i++)
			json_each_member (name, value, json_object_get(source, lists[i][0]))
				if (json_object_get(value, lists[i][1]))
					error |= json_object_set(flat,
								 TEXT_OF(PATH_SIZE, "%s%sobserved.%s.%s", prefix,
									 *prefix ? "." : "", read_text(source, "source"),
									 name),
								 json_object_get(value, lists[i][1]));
	return error;
}

static int flatten(json_t *flat, const char *prefix, const json_t *value)
{
	int error = 0;

	if (json_is_array(json_object_get(value, "observed")))
		error |= flatten_observed(flat, prefix, json_object_get(value, "observed"));
	json_each_member (key, member, value)
		/* These are neither rows nor columns of a row. */
		if (!is_one_of(key, "spoilt_performances counters_moved observed"))
			error |= flatten_member(flat, prefix, key, member);
	if (json_is_boolean(json_object_get(value, "regular")))
		error |= flatten_standing(flat, prefix, value);
	json_each (item, value)
		error |= flatten_member(flat, prefix, TEXT_OF(24, "%zu", item_at + 1), item);
	return error;
}

/* --- rows ----------------------------------------------------------------------------------------------------------- */

static void put_cell(FILE *stream, const json_t *value)
{
	if (json_is_string(value))
		plain_put_cell(stream, json_string_value(value));
	else if (json_is_number(value))
		json_put_number(stream, value);
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "true" : "false", stream);
}

static void put_heading(FILE *stream, const json_t *columns)
{
	const char *separator = "";

	json_each_member (name, value, columns) {
		const char *unit = unit_of(name);
		const char *heading =
			TEXT_OF(PATH_SIZE + 16, "%s%s%s%s", name, unit ? " [" : "", unit ? unit : "", unit ? "]" : "");

		fputs(separator, stream);
		plain_put_cell(stream, heading);
		separator = ",";
	}
	fputc('\n', stream);
}

static void put_row(FILE *stream, const json_t *columns, const json_t *row)
{
	const char *separator = "";

	json_each_member (name, value, columns) {
		fputs(separator, stream);
		put_cell(stream, json_object_get(row, name));
		separator = ",";
	}
	fputc('\n', stream);
}

/* --- the trials of a document --------------------------------------------------------------------------------------- */

/* The trials of one list, onto the rows; `size` and `test` (may be NULL) say where in a suite they belong. */
static int add_trials(json_t *rows, const json_t *trials, const json_t *size, const char *test)
{
	int error = 0;

	for (size_t i = 0; i < json_array_size(trials); i++) {
		json_t *row = json_object();

		if (test) {
			error |= json_object_set(row, "frame_size", size ? (json_t *)size : json_null());
			error |= json_object_set_new(row, "test", json_string(test));
		}
		error |= json_put(row, "trial", i + 1);
		error |= flatten(row, "", json_array_get(trials, i));
		error |= json_array_append_new(rows, row);
	}
	return error;
}

/* A single trial has its latency, pacing and ports beside it. */
static int add_single(json_t *rows, const json_t *document)
{
	static const char *const beside[] = { "latency", "pacing", "ports" };
	json_auto_t *whole = json_copy(json_object_get(document, "trial_result")), *list = json_pack("[O]", whole);
	int error = 0;

	for (size_t i = 0; i < COUNT(beside); i++)
		if (json_object_get(document, beside[i]))
			error |= json_object_set(whole, beside[i], json_object_get(document, beside[i]));
	error |= add_trials(rows, list, NULL, NULL);
	return error;
}

/* Every test of a suite that has trials, at every size. */
static int add_suite(json_t *rows, const json_t *document)
{
	const json_t *sizes = json_object_get(document, "frame_sizes"), *reset = json_object_get(document, "reset");
	const json_t *reconf = json_object_get(document, "reconf");
	int error = 0;

	json_each (size, sizes)
		json_each_member (name, test, size)
			error |=
				add_trials(rows, json_object_get(test, "trials"), json_object_get(size, "frame_size"), name);
	error |= add_trials(rows, json_object_get(reset, "trials"), json_object_get(reset, "frame_size"), "reset");
	return error | add_trials(rows, json_object_get(reconf, "trials"), json_object_get(reconf, "frame_size"), "reconf");
}

/* Add the members of an object that are shown, behind the prefix. */
static int add_members(json_t *row, const char *prefix, const json_t *object)
{
	static const char *const members[] = { "step",
					       "from",
					       "to",
					       "counts",
					       "load_l1_bps",
					       "load_l2_bps",
					       "received_rate",
					       "received_rate_l1_bps",
					       "received_rate_l2_bps",
					       "received_rate_min",
					       "received_rate_max",
					       "loss_ratio",
					       "delay_mean_ns",
					       "delay_max_ns",
					       "delay_variation_ns",
					       "severely_errored_seconds",
					       "unavailable_seconds",
					       "availability_ratio",
					       "passed",
					       "faults",
					       "worst_direction" };
	int error = 0;

	for (size_t i = 0; i < COUNT(members); i++)
		if (json_object_get(object, members[i]))
			error |= flatten_member(row, prefix, members[i], json_object_get(object, members[i]));
	return error;
}

/* What a step, or a performance test, came to, onto the row of its trial; and in each direction, where there are several. */
static int add_service_verdict(json_t *row, const json_t *service, const json_t *result)
{
	const json_t *directions = json_object_get(result, "directions");
	json_t *name = json_object_get(service, "name");
	int error = name ? json_object_set(row, "service", name) : 0;

	error |= add_members(row, "verdict", result);
	for (size_t i = 0; i < json_array_size(directions) && json_array_size(directions) > 1; i++)
		error |= add_members(row, TEXT_OF(48, "verdict.directions.%zu", i + 1), json_array_get(directions, i));
	return error;
}

/* What came of a service among others, as a trial of its own. A new reference. */
static json_t *trial_among(const json_t *result)
{
	return json_pack("[{s:O?, s:O?, s:O?, s:O?, s:O?}]", "trial_load", json_object_get(result, "load"), "trial_duration",
			 json_object_get(result, "trial_duration"), "trial_loss_ratio",
			 json_object_get(result, "loss_ratio"), "tester_limited", json_object_get(result, "tester_limited"),
			 "counts", json_object_get(result, "counts"));
}

/* A test of a service: a trial for each step, or one. */
static int add_service_test(json_t *rows, const json_t *service, const char *test)
{
	const json_t *result = json_object_get(service, test), *steps = json_object_get(result, "steps");
	json_auto_t *trials = json_incref(json_object_get(result, "trials"));
	size_t first = json_array_size(rows);
	int error;

	if (!trials && json_object_get(result, "counts"))
		trials = trial_among(result);
	error = add_trials(rows, trials, json_object_get(service, "frame_size"), test);
	for (size_t i = first; i < json_array_size(rows); i++)
		error |= add_service_verdict(json_array_get(rows, i), service,
					     steps ? json_array_get(steps, i - first) : result);
	return error;
}

static int add_services(json_t *rows, const json_t *document)
{
	int error = 0;

	json_each (service, json_object_get(document, "services")) {
		error |= add_service_test(rows, service, "configuration");
		error |= add_service_test(rows, service, "performance");
	}
	return error;
}

/* What else is a row: each object of a list within those of another, which stands beside it. */
static const struct list {
	const char *outer, *inner; /* NULL: no list within; where it is missing, one row has the outer object */
	const char *prefix;        /* prefix of the columns of the inner objects */
	const char *beside;        /* the outer object's members that are shown; NULL: all */
	bool within;               /* nothing where there is no such list */
} lists[] = {
	{ "points", "results", "result", NULL, false }, /* a campaign, once a goal */
	{ "goals", "points", "", "goal", false },       /* a trend; and a comparison */
	{ "self_tests", NULL, "", NULL, false },        { "hostile_tests", "trials", "", "frame_size", false },
	{ "machine", NULL, "", NULL, false }, /* abilities of a machine and its ports */
	{ "ports", "checks", "", "name", true },
};

static int add_list(json_t *rows, const json_t *outer, const struct list *list)
{
	json_t *within = list->inner ? json_object_get(outer, list->inner) : NULL;
	json_auto_t *beside = json_object();
	size_t count = json_array_size(within) || list->within ? json_array_size(within) : 1;
	int error = 0;

	json_each_member (name, value, outer)
		if (value != within && !(within && is_one_of(name, "regular tester_limited")) &&
		    (!within || !list->beside || strcmp(list->beside, name) == 0))
			error |= flatten_member(beside, "", list->within ? "port" : name, value);
	if (json_object_get(outer, "regular") && within) /* The standing of a whole point is beside its results. */
		error |= json_object_set_new(beside, STANDING, json_string(standing_word(standing_of_point(outer))));
	for (size_t i = 0; i < count; i++) {
		json_t *row = json_copy(beside);

		error |= flatten(row, list->prefix, json_array_get(within, i));
		error |= json_array_append_new(rows, row);
	}
	return error;
}

static int add_lists(json_t *rows, const json_t *document)
{
	int error = 0;

	for (size_t i = 0; i < COUNT(lists); i++)
		json_each (outer, json_object_get(document, lists[i].outer))
			if (json_is_object(outer))
				error |= add_list(rows, outer, &lists[i]);
	return error;
}

/* What a search found, a goal's name before it, onto each of its trials. */
static int add_goals(json_t *rows, const json_t *document)
{
	static const char *const members[] = { "regular", "tester_limited", "relevant_lower_bound", "relevant_upper_bound",
					       "conditional_throughput" };
	const json_t *results = json_object_get(document, "search_result");
	json_auto_t *found = json_object();
	int error = 0;
	size_t i, j;

	for (i = 0; i < json_array_size(results); i++) {
		const json_t *result = json_array_get(results, i);
		const char *goal = json_string_value(json_object_get(json_object_get(result, "goal"), "name"));

		for (j = 0; goal && j < COUNT(members); j++)
			if (json_object_get(result, members[j]))
				error |= flatten_member(found, goal, members[j], json_object_get(result, members[j]));
		if (goal)
			error |= flatten_standing(found, goal, result);
		if (goal && json_at(result, "/cause/rows/0/counter"))
			error |= flatten_member(found, goal, "cause", (json_t *)json_at(result, "/cause/rows/0/counter"));
	}
	json_each (row, rows)
		error |= json_object_update(row, found);
	return error;
}

/* Power and energy, onto the rows of the trials. */
static int add_power(json_t *rows, const json_t *document)
{
	int error = 0;

	json_each (meter, json_object_get(json_object_get(document, "power"), "meters"))
		json_each (of_trial, json_object_get(meter, "trials")) {
			json_t *row = json_array_get(rows, (size_t)read_integer(of_trial, "trial") - 1);

			json_each_member (name, value, of_trial)
				if (row && !is_one_of(name, "trial load"))
					error |= json_object_set(row,
								 TEXT_OF(PATH_SIZE, "power.%s.%s.%s",
									 read_text(meter, "source"),
									 read_text(meter, "meter"), name),
								 value);
		}
	return error;
}

/* Columns that earlier versions did not have stand behind all others. */
static bool is_late(const char *name)
{
	static const char *const names[] = {
		"loss_attribution.tester_burst",
		"loss_attribution.receiver_damaged",
		"pacing.burst_allowed",
		"pacing.excess_frames_max",
		"pacing.marked_frames",
		"pacing.excess_at",
		"pacing.excess_duration",
		"pacing.stop_count",
		"pacing.stop_total_ns",
		"pacing.stop_max_ns",
		"pacing.stop_max_at",
		"pacing.moves",
		"pacing.moved_ns",
		"tester_repeats",
		"loss_counter.port",
		"loss_counter.counter",
		"loss_counter.moved",
	};
	const char *last = strrchr(name, '.');

	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return strncmp(name, "observed.", 9) == 0 || strncmp(name, "power.", 6) == 0 ||
	       is_one_of(last ? last + 1 : name, STANDING " nic_rx_damaged cause");
}

/* The columns of all rows, each once. */
static int add_columns(json_t *columns, const json_t *rows)
{
	json_auto_t *late = json_object();
	int error = late ? 0 : -1;

	json_each (row, rows)
		json_each_member (name, value, row)
			if (is_late(name))
				error |= json_object_set(late, name, value);
			else if (!json_object_get(columns, name))
				error |= json_object_set(columns, name, value);
	return error | json_object_update(columns, late);
}

/* All trials, or points, each flat; a new reference, or NULL without memory. */
static json_t *flat_trials(const json_t *document)
{
	json_t *rows = json_array();
	int error = add_trials(rows, json_object_get(document, "trials"), NULL, NULL);

	error |= add_goals(rows, document);
	if (json_is_object(json_object_get(document, "trial_result")))
		error |= add_single(rows, document);
	error |= add_power(rows, document);
	error |= add_suite(rows, document);
	error |= add_services(rows, document);
	error |= add_lists(rows, document);
	if (error) {
		json_decref(rows);
		return NULL;
	}
	return rows;
}

bool render_csv(FILE *stream, const json_t *document, struct render_style)
{
	json_auto_t *rows = flat_trials(document), *columns = json_object();

	if (!rows || !columns || add_columns(columns, rows))
		return false;
	put_heading(stream, columns);
	json_each (row, rows)
		put_row(stream, columns, row);
	return true;
}
