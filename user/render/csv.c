/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/plain.h"
#include "base/standing.h"
#include "base/units.h"
#include "render/forms.h"
#include "render/parts.h"

#define PATH_SIZE 512 /* The name of a counter has up to 255 octets. */
#define STANDING  "standing"

/* --- units ---------------------------------------------------------------------------------------------------------- */

/* The unit of a member whose name does not say it. A name that ends with a dot stands for all within, one that begins with
 * a dot for all that end so, and one that does both for all that have it. */
static const struct unit {
	const char *path, *unit;
} units[] = {
	{ "trial_load", "frames/s" },
	{ "trial_duration", "s" },
	{ "trial_effective_duration", "s" },
	{ "trial_forwarding_rate", "frames/s" },
	{ "wall_duration", "s" },
	{ "waits_duration", "s" },
	{ "residual_duration", "s" },
	{ "counts.", "frames" },
	{ "loss_attribution.", "frames" },
	{ ".counts.", "frames" },
	{ "latency.count", "frames" },
	{ ".latency.count", "frames" },
	{ "latency.ipdv_count", "pairs of frames" },
	{ "pacing.burst_max", "frames" },
	{ "pacing.burst_allowed", "frames" },
	{ "pacing.excess_frames_max", "frames" },
	{ "pacing.marked_frames", "frames" },
	{ "pacing.transmit_duration", "s" },
	{ "pacing.excess_at", "s" },
	{ "pacing.excess_duration", "s" },
	{ "pacing.stop_max_at", "s" },
	{ "decision.lower_bound", "frames/s" },
	{ "decision.upper_bound", "frames/s" },
	{ "decision.asked_load", "frames/s" },
	{ "decision.asked_duration", "s" },
	{ "duration", "s" },
	{ ".received_rate", "frames/s" },
	{ "back_to_back.average", "frames" },
	{ "back_to_back.min", "frames" },
	{ "back_to_back.max", "frames" },
	{ "back_to_back.stdev", "frames" },
	{ "back_to_back.burst_rate", "frames/s" },
	{ "back_to_back.measured_throughput", "frames/s" },
	{ "recovery.average", "s" },
	{ "recovery.min", "s" },
	{ "recovery.max", "s" },
	{ "recovery.stdev", "s" },
	{ "recovery.overload", "frames/s" },
	{ "recovery.reduced_load", "frames/s" },
	{ "recovery.overload_duration", "s" },
	{ "recovery.reduced_duration", "s" },
	{ "reset.load", "frames/s" },
	{ "reconf.load", "frames/s" },
	{ ".trial_duration", "s" },
	{ ".duration", "s" },
	{ ".frames_lost", "frames" },
	{ ".reset_time", "s" },
	{ ".reset_time_by_loss", "s" },
	{ ".blocked_time", "s" },
	{ ".corrected_buffer_time", "s" },
	{ ".implied_buffer_time", "s" },
	{ ".resolution", "s" },
	{ ".max_theoretical_frame_rate", "frames/s" },
	{ ".trial_length", "s" },
	{ ".pause_longest", "s" },
	{ ".outage_from", "s" },
	{ ".outage_to", "s" },
	{ ".unrelated_from", "s" },
	{ ".unrelated_to", "s" },
	{ ".blocked_from", "s" },
	{ ".blocked_to", "s" },
	{ ".command_at", "s" },
	{ ".command_until", "s" },
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

		if (units[i].path[0] == '.' && units[i].path[length - 1] == '.' && strstr(path, units[i].path))
			return units[i].unit;
		if (units[i].path[0] == '.' && strcmp(path + beyond, units[i].path) == 0)
			return units[i].unit;
		if (units[i].path[length - 1] == '.' ? strncmp(path, units[i].path, length) == 0
						     : strcmp(path, units[i].path) == 0)
			return units[i].unit;
	}
	return NULL;
}

/* --- a trial as a flat object --------------------------------------------------------------------------------------- */

static void flatten(json_t *flat, const char *prefix, const json_t *value);

/* A value that is missing (NULL) adds nothing. */
static void flatten_member(json_t *flat, const char *prefix, const char *name, json_t *value)
{
	const char *path = TEXT_OF(PATH_SIZE, "%s%s%s", prefix, *prefix ? "." : "", name);

	if (json_is_object(value) || json_is_array(value))
		flatten(flat, path, value);
	else
		json_object_set(flat, path, value);
}

/* What is limited is not called regular here either; a column "standing" has the word. */
static void flatten_standing(json_t *flat, const char *prefix, const json_t *result)
{
	const char *separator = *prefix ? "." : "";

	json_put(flat, TEXT_OF(PATH_SIZE, "%s%s" STANDING, prefix, separator), result_word(result));
	if (standing_of(result) == STANDING_LIMITED)
		json_put(flat, TEXT_OF(PATH_SIZE, "%s%sregular", prefix, separator), false);
}

/* What was observed, by the names of sources and counters: by how much a counter grew, and the mean of a gauge. */
static void flatten_observed(json_t *flat, const char *prefix, const json_t *observed)
{
	static const char *const lists[][2] = { { "counters", "change" }, { "gauges", "mean" } };

	json_each (source, observed)
		for (size_t i = 0; i < COUNT(lists); i++)
			json_each_member (name, value, json_object_get(source, lists[i][0]))
				flatten_member(flat, prefix,
					       TEXT_OF(PATH_SIZE, "observed.%s.%s", read_text(source, "source"), name),
					       json_object_get(value, lists[i][1]));
}

static void flatten(json_t *flat, const char *prefix, const json_t *value)
{
	if (json_is_array(json_object_get(value, "observed")))
		flatten_observed(flat, prefix, json_object_get(value, "observed"));
	json_each_member (key, member, value)
		/* These are neither rows nor columns of a row. */
		if (!is_one_of(key, "spoilt_performances counters_moved observed"))
			flatten_member(flat, prefix, key, member);
	if (json_is_boolean(json_object_get(value, "regular")))
		flatten_standing(flat, prefix, value);
	json_each (item, value)
		flatten_member(flat, prefix, TEXT_OF(24, "%zu", item_at + 1), item);
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
static void add_trials(json_t *rows, const json_t *trials, const json_t *size, const char *test)
{
	json_each (trial, trials) {
		json_t *row = json_object();

		if (test) {
			json_object_set(row, "frame_size", size ? (json_t *)size : json_null());
			json_put(row, "test", test);
		}
		json_put(row, "trial", trial_at + 1);
		flatten(row, "", trial);
		json_array_append_new(rows, row);
	}
}

/* A single trial has its latency, pacing and ports beside it. */
static void add_single(json_t *rows, const json_t *document)
{
	static const char *const beside[] = { "latency", "pacing", "ports" };
	json_auto_t *whole = json_copy(json_object_get(document, "trial_result")), *list = json_pack("[O]", whole);

	for (size_t i = 0; i < COUNT(beside); i++)
		json_object_set(whole, beside[i], json_object_get(document, beside[i]));
	add_trials(rows, list, NULL, NULL);
}

/* Every test of a suite that has trials, at every size. */
static void add_suite(json_t *rows, const json_t *document)
{
	const json_t *sizes = json_object_get(document, "frame_sizes"), *reset = json_object_get(document, "reset");
	const json_t *reconf = json_object_get(document, "reconf");

	json_each (size, sizes)
		json_each_member (name, test, size)
			add_trials(rows, json_object_get(test, "trials"), json_object_get(size, "frame_size"), name);
	add_trials(rows, json_object_get(reset, "trials"), json_object_get(reset, "frame_size"), "reset");
	add_trials(rows, json_object_get(reconf, "trials"), json_object_get(reconf, "frame_size"), "reconf");
}

/* Add what a test came to of which no trial is told, by the name of the test. Lists are left to other forms. */
static void add_untold(json_t *rows, const char *name, const json_t *test, const json_t *size)
{
	json_t *row;

	if (!json_object_get(test, "regular") || json_object_get(test, "trials"))
		return;
	row = json_with("frame_size", json_incref((json_t *)size) ?: json_null(), "test", name);
	json_each_member (member, value, test)
		if (!json_is_array(value) && strcmp(member, "frame_size") != 0)
			flatten_member(row, name, member, value);
	flatten_standing(row, name, test);
	json_array_append_new(rows, row);
}

/* The tests of a suite of which no trial is told. */
static void add_suite_untold(json_t *rows, const json_t *document)
{
	static const char *const once[] = { "reset", "reconf" };

	json_each (size, json_object_get(document, "frame_sizes"))
		json_each_member (name, test, size)
			add_untold(rows, name, test, json_object_get(size, "frame_size"));
	for (size_t i = 0; i < COUNT(once); i++)
		add_untold(rows, once[i], json_object_get(document, once[i]),
			   json_object_get(json_object_get(document, once[i]), "frame_size"));
}

/* Add the members of an object that are shown, behind the prefix. */
static void add_members(json_t *row, const char *prefix, const json_t *object)
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

	for (size_t i = 0; i < COUNT(members); i++)
		flatten_member(row, prefix, members[i], json_object_get(object, members[i]));
}

/* What a step, or a performance test, came to, onto the row of its trial; and in each direction, where there are several. */
static void add_service_verdict(json_t *row, const json_t *service, const json_t *result)
{
	json_object_set(row, "service", json_object_get(service, "name"));
	add_members(row, "verdict", result);
	json_each (direction, several_directions(result))
		add_members(row, TEXT_OF(48, "verdict.directions.%zu", direction_at + 1), direction);
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
static void add_service_test(json_t *rows, const json_t *service, const char *test)
{
	const json_t *result = json_object_get(service, test), *steps = json_object_get(result, "steps");
	json_auto_t *trials = json_incref(json_object_get(result, "trials"));
	size_t first = json_array_size(rows);

	if (!trials && json_object_get(result, "counts"))
		trials = trial_among(result);
	add_trials(rows, trials, json_object_get(service, "frame_size"), test);
	for (size_t i = first; i < json_array_size(rows); i++)
		add_service_verdict(json_array_get(rows, i), service, steps ? json_array_get(steps, i - first) : result);
}

static void add_services(json_t *rows, const json_t *document)
{
	json_each (service, json_object_get(document, "services")) {
		add_service_test(rows, service, "configuration");
		add_service_test(rows, service, "performance");
	}
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

static void add_list(json_t *rows, const json_t *outer, const struct list *list)
{
	json_t *within = list->inner ? json_object_get(outer, list->inner) : NULL;
	json_auto_t *beside = json_object();
	size_t count = json_array_size(within) || list->within ? json_array_size(within) : 1;

	json_each_member (name, value, outer)
		if (value != within && !(within && is_one_of(name, "regular tester_limited")) &&
		    (!within || !list->beside || strcmp(list->beside, name) == 0))
			flatten_member(beside, "", list->within ? "port" : name, value);
	if (json_object_get(outer, "regular") && within) /* The standing of a whole point is beside its results. */
		json_put(beside, STANDING, standing_word(standing_of_point(outer)));
	for (size_t i = 0; i < count; i++) {
		json_t *row = json_copy(beside);

		flatten(row, list->prefix, json_array_get(within, i));
		json_array_append_new(rows, row);
	}
}

static void add_lists(json_t *rows, const json_t *document)
{
	for (size_t i = 0; i < COUNT(lists); i++)
		json_each (outer, json_object_get(document, lists[i].outer))
			if (json_is_object(outer))
				add_list(rows, outer, &lists[i]);
}

/* What a search found, a goal's name before it, onto each of its trials. */
static void add_goals(json_t *rows, const json_t *document)
{
	static const char *const members[] = { "regular", "tester_limited", "relevant_lower_bound", "relevant_upper_bound",
					       "conditional_throughput" };
	const json_t *results = json_object_get(document, "search_result");
	json_auto_t *found = json_object();

	json_each (result, results) {
		const char *goal = read_string(json_object_get(result, "goal"), "name");

		if (!goal)
			continue;
		for (size_t i = 0; i < COUNT(members); i++)
			flatten_member(found, goal, members[i], json_object_get(result, members[i]));
		flatten_standing(found, goal, result);
		flatten_member(found, goal, "cause", (json_t *)json_at(result, "/cause/rows/0/counter"));
	}
	json_each (row, rows)
		json_object_update(row, found);
}

/* Power and energy, onto the rows of the trials. */
static void add_power(json_t *rows, const json_t *document)
{
	json_each (meter, json_object_get(json_object_get(document, "power"), "meters"))
		json_each (of_trial, json_object_get(meter, "trials")) {
			json_t *row = json_array_get(rows, (size_t)read_integer(of_trial, "trial") - 1);

			json_each_member (name, value, of_trial)
				if (row && !is_one_of(name, "trial load"))
					json_object_set(row,
							TEXT_OF(PATH_SIZE, "power.%s.%s.%s", read_text(meter, "source"),
								read_text(meter, "meter"), name),
							value);
		}
}

/* Say of every row what its loads are of (RFC 9971, 4.5.2). */
static void add_scope(json_t *rows, const json_t *document)
{
	static const char *const members[] = { "load_scope", "aggregate_factor" };

	json_each (row, rows)
		for (size_t i = 0; i < COUNT(members); i++)
			if (json_object_get(document, members[i]))
				json_object_set(row, members[i], json_object_get(document, members[i]));
}

/* The last columns of all. */
static bool is_scope(const char *name)
{
	return is_one_of(name, "load_scope aggregate_factor");
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
		"offered_less",
	};
	const char *last = strrchr(name, '.');

	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return strncmp(name, "observed.", 9) == 0 || strncmp(name, "power.", 6) == 0 ||
	       is_one_of(last ? last + 1 : name, STANDING " nic_rx_damaged cause") || is_scope(name);
}

/* The columns of all rows, each once. */
static void add_columns(json_t *columns, const json_t *rows)
{
	json_auto_t *late = json_object(), *scope = json_object();

	json_each (row, rows)
		json_each_member (name, value, row)
			if (is_late(name))
				json_object_set(is_scope(name) ? scope : late, name, value);
			else if (!json_object_get(columns, name))
				json_object_set(columns, name, value);
	json_object_update(columns, late);
	json_object_update(columns, scope);
}

/* All trials, or points, each flat. A new reference. */
static json_t *flat_trials(const json_t *document)
{
	json_t *rows = json_array();

	add_trials(rows, json_object_get(document, "trials"), NULL, NULL);
	add_goals(rows, document);
	if (json_is_object(json_object_get(document, "trial_result")))
		add_single(rows, document);
	add_power(rows, document);
	add_suite(rows, document);
	add_services(rows, document);
	add_suite_untold(rows, document);
	add_scope(rows, document);
	add_lists(rows, document);
	return rows;
}

bool render_csv(FILE *stream, const json_t *document, struct render_style)
{
	json_auto_t *rows = flat_trials(document), *columns = json_object();

	add_columns(columns, rows);
	put_heading(stream, columns);
	json_each (row, rows)
		put_row(stream, columns, row);
	return true;
}
