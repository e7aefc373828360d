/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "campaign/point_result.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/files.h"
#include "base/json_file.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/plain.h"
#include "base/reader.h"
#include "base/schema.h"
#include "base/signing.h"
#include "base/standing.h"
#include "base/text_stream.h"
#include "campaign/store.h"
#include "config/configure.h"
#include "config/echo.h"
#include "config/verb.h"
#include "mlr/plr.h"
#include "result/compare.h"
#include "result/verify.h"

#define CUT_LEAST        4 /* octets of "null" */
#define OPTION_NAME_SIZE 64

/* --- cutting -------------------------------------------------------------------------------------------------------- */

/* Return what follows a string whose opening quote is at `from`. */
static const char *after_string(const char *from, const char *end)
{
	for (from++; from < end && *from != '"'; from++)
		from += *from == '\\';
	return from < end ? from + 1 : end;
}

/* Return what follows an object or array that begins at `from`. */
static const char *after_value(const char *from, const char *end)
{
	size_t depth = 0;

	while (from < end) {
		if (*from == '"') {
			from = after_string(from, end);
			continue;
		}
		depth += *from == '{' || *from == '[';
		depth -= *from == '}' || *from == ']';
		from++;
		if (!depth)
			break;
	}
	return from;
}

static const char *after_blanks(const char *from, const char *end)
{
	while (from < end && (*from == ' ' || *from == '\n' || *from == '\t' || *from == '\r'))
		from++;
	return from;
}

/* Whether a string, with its quotes, is one of the names. */
static bool is_named(const char *string, size_t length, const char *const *names)
{
	for (; *names; names++)
		if (strlen(*names) + 2 == length && strncmp(*names, string + 1, length - 2) == 0)
			return true;
	return false;
}

/* Move text towards the beginning. */
static char *put(char *to, const char *from, const char *end)
{
	memmove(to, from, (size_t)(end - from));
	return to + (end - from);
}

/* Take over a string; if it names a member to be cut, its value is gone. */
static const char *take_string(const char *from, const char *end, char **to, const char *const *names)
{
	static const char null[] = ":null";
	const char *after = after_string(from, end), *value = after_blanks(after, end), *rest;
	bool named = value < end && *value == ':' && is_named(from, (size_t)(after - from), names);

	*to = put(*to, from, after);
	if (!named)
		return after;
	value = after_blanks(value + 1, end);
	if (value == end || (*value != '{' && *value != '['))
		return after;
	rest = after_value(value, end);
	if (rest - value < CUT_LEAST)
		return after;
	*to = put(*to, null, null + strlen(null));
	return rest;
}

size_t json_cut(char *text, size_t length, const char *const *names)
{
	const char *from = text, *end = text + length;
	char *to = text;

	while (from < end) {
		if (*from == '"')
			from = take_string(from, end, &to, names);
		else
			*to++ = *from++;
	}
	return (size_t)(to - text);
}

/* --- results -------------------------------------------------------------------------------------------------------- */

static const struct quantity {
	enum verb verb;
	const char *name;
} quantities[] = {
	{ VERB_SEARCH, "conditional_throughput" },
	{ VERB_RFC2544, "throughput" },
	{ VERB_SOAK, "critical_load" },
	{ VERB_TRIAL, "trial_forwarding_rate" },
};

const char *result_quantity(enum verb verb)
{
	for (size_t i = 0; i < COUNT(quantities); i++)
		if (quantities[i].verb == verb)
			return quantities[i].name;
	return "";
}

/* A Goal Result under another name, with the trials near its bounds. They are in `document`. */
static json_t *goal_digest(const json_t *document, const json_t *result, const char *name, bool tester_limited)
{
	return json_with("goal", name, "near", compare_near_trials(document, result), "value",
			 read_number(result, "conditional_throughput"), "lower_bound",
			 read_number(result, "relevant_lower_bound"), "upper_bound",
			 read_number(result, "relevant_upper_bound"), "regular", read_truth(result, "regular"),
			 "tester_limited", tester_limited);
}

static json_t *search_digest(const json_t *document)
{
	json_t *list = json_array();

	json_each (result, json_object_get(document, "search_result"))
		json_array_append_new(list, goal_digest(document, result, read_text(json_object_get(result, "goal"), "name"),
							read_truth(result, "tester_limited")));
	return list;
}

static json_t *suite_digest(const json_t *document)
{
	json_t *list = json_array();

	json_each (size, json_object_get(document, "frame_sizes")) {
		const json_t *throughput = json_object_get(size, "throughput"),
			     *result = json_object_get(throughput, "goal_result");
		bool limited = read_truth(throughput, "tester_limited") || read_truth(result, "tester_limited");

		if (json_is_object(result))
			json_array_append_new(list, goal_digest(throughput, result,
								TEXT_OF(128, "throughput@%s", read_text(size, "frame_size")),
								limited));
	}
	return list;
}

/* A result without bounds. */
static json_t *single_digest(const json_t *document, const char *name, double value, const char *further,
			     double further_value)
{
	return json_pack("[{s:s, s:o, s:n, s:n, s:b, s:b, s:o}]", "goal", name, "value", json_number_or_null(value),
			 "lower_bound", "upper_bound", "regular", standing_of(document) != STANDING_IRREGULAR,
			 "tester_limited", (int)read_truth(document, "tester_limited"), further,
			 json_number_or_null(further_value));
}

/* An estimate at Max Load, or at Min Load, is a bound, and so is one of a SUT that meets the target at no load. */
static json_t *soak_digest(const json_t *document)
{
	const json_t *load = json_object_get(document, "critical_load");
	json_t *list = single_digest(document, "critical load", read_number(load, "mean"), "stdev",
				     read_either(load, "robust_stdev", "stdev"));
	json_t *digest = json_array_get(list, 0);
	bool never = strcmp(read_text(json_object_get(document, "crossings"), "kind"), "never") == 0;

	if (read_number(document, "max_load_probability") > MLR_PLR_LIKELY)
		json_object_set(digest, "lower_bound", json_object_get(digest, "value"));
	if (never || read_number(document, "min_load_probability") > MLR_PLR_LIKELY)
		json_object_set(digest, "upper_bound", json_object_get(digest, "value"));
	return list;
}

static json_t *results_digest(const json_t *document, enum verb verb)
{
	const json_t *trial = json_object_get(document, "trial_result");

	if (verb == VERB_SEARCH)
		return search_digest(document);
	if (verb == VERB_RFC2544)
		return suite_digest(document);
	if (verb == VERB_SOAK)
		return soak_digest(document);
	return single_digest(document, "trial", read_number(trial, "trial_forwarding_rate"), "loss_ratio",
			     read_number(trial, "trial_loss_ratio"));
}

static double duration_s(const json_t *document)
{
	static const char *const names[] = { "search_duration", "suite_duration", "soak_duration" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (!isnan(read_number(document, names[i])))
			return read_number(document, names[i]);
	return read_number(json_object_get(document, "trial_result"), "wall_duration");
}

static json_t *digest(const json_t *document, enum verb verb)
{
	static const char *const told[] = { "start_time", "hostname", "version", "kernel" };
	const json_t *environment = json_object_get(document, "environment");
	const char *backend = read_string(json_object_get(document, "measurer"), "tx_backend");
	json_t *missed = json_array();
	enum standing standing = standing_of_document(document);
	json_t *json = json_object();

	for (size_t i = 0; i < COUNT(told); i++)
		json_put(json, told[i], read_text(environment, told[i]));
	json_put(json, "tx_backend", backend);
	json_put(json, "duration", duration_s(document));
	if (json_object_set(json, "irregular_reason", json_object_get(document, "irregular_reason")))
		json_put(json, "irregular_reason", json_null());
	json_put(json, "regular", json_boolean(standing != STANDING_IRREGULAR), "tester_limited",
		 json_boolean(standing == STANDING_LIMITED));
	json_put(json, "results", results_digest(document, verb));
	json_each (requirement, json_object_get(document, "requirements"))
		if (!read_truth(requirement, "met"))
			json_array_append(missed, requirement);
	json_put(json, "missed", missed);
	json_object_set(json, "configuration", json_object_get(document, "configuration"));
	return json;
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void fault(struct point_problem *problem, enum point_fault fault,
							const char *format, ...)
{
	va_list arguments;

	problem->fault = fault;
	va_start(arguments, format);
	vsnprintf(problem->text, sizeof(problem->text), format, arguments);
	va_end(arguments);
}

/* Read a document without the members of these names. NULL: it is no JSON. */
static json_t *read_cut(int fd, const char *const *names, struct point_problem *problem)
{
	size_t length = 0;
	json_t *document;
	json_error_t error;
	owned char *text = NULL;
	int failed = file_read_open(fd, JSON_OCTETS_MOST, &text, &length);

	if (failed) {
		fault(problem, POINT_UNREADABLE, "the result cannot be read: %s", strerror(-failed));
		return NULL;
	}
	memory_bound(memory_used() + JSON_MEMORY_MOST);
	document = json_loadb(text, json_cut(text, length, names), 0, &error);
	memory_bound(0);
	if (!document)
		fault(problem, POINT_UNREADABLE, "the result is no JSON: %s", error.text);
	return document;
}

/* Read a document without what a campaign has no use for. A signature fits the whole document only. */
static json_t *read_document(int fd, struct point_problem *problem)
{
	static const char *const heavy[] = { "checklist", "units",           "definitions", "deviations", "warnings",
					     "sut",       "traffic_profile", "estimates",   "time_line",  "trend",
					     "anomalies", "latency",         "ports",       "pacing",     "order",
					     "intervals", "decision",        NULL };
	static const char *const none[] = { NULL };
	json_t *document = read_cut(fd, heavy, problem);

	if (!json_object_get(document, "signature"))
		return document;
	json_decref(document);
	return read_cut(fd, none, problem);
}

static json_t *read_result(int fd, enum verb verb, struct point_problem *problem)
{
	json_auto_t *document = read_document(fd, problem), *contradictions = NULL;
	char wrong[SCHEMA_PROBLEM_SIZE];

	if (!document)
		return NULL;
	if (strcmp(document_kind(document, ROOM(KIND_SIZE)), verb_name(verb)) != 0) {
		fault(problem, POINT_OTHER, "'%s' is no result of %s", read_text(document, "schema"), verb_name(verb));
		return NULL;
	}
	if (!schema_fits(document, wrong)) {
		fault(problem, POINT_OTHER, "the result is wrong: %s", wrong);
		return NULL;
	}
	contradictions = verify_document(document);
	if (json_array_size(contradictions)) {
		fault(problem, POINT_CONTRADICTS, "the result contradicts itself: %s",
		      QUOTED(json_string_value(json_array_get(contradictions, 0))));
		return NULL;
	}
	return digest(document, verb);
}

/* What the reader needs to know of a result. */
struct source {
	int fd;
	enum verb verb;
};

/* In the reader: write the result, or {"fault", "text"}. */
static enum exit_code write_result(void *context, FILE *flat)
{
	const struct source *source = context;
	struct point_problem problem = { .fault = POINT_SOUND };
	json_auto_t *result = read_result(source->fd, source->verb, &problem);
	owned char *text = result ? NULL : plain_text(problem.text); /* a digit of UTF-8 may have been cut off */

	if (!result)
		result = json_with("fault", problem.fault, "text", text ? text : "");
	if (result)
		flat_write(flat, result);
	return result ? EXIT_DONE : out_of_memory();
}

/* Take over what the reader says is wrong. */
static json_t *take_fault(const json_t *told, struct point_problem *problem)
{
	json_int_t kind = read_integer(told, "fault");

	fault(problem, kind > POINT_SOUND && kind <= POINT_OTHER ? (enum point_fault)kind : POINT_OTHER, "%s",
	      read_text(told, "text"));
	return NULL;
}

json_t *result_read(const char *path, enum verb verb, struct point_problem *problem)
{
	struct source source = { .fd = open(path, O_RDONLY | O_CLOEXEC), .verb = verb };
	char reason[sizeof(problem->text)];
	const struct reader_plan plan = { .parse = write_result,
					  .context = &source,
					  .fd = source.fd,
					  .name = path,
					  .error = reason,
					  .error_size = sizeof(reason) };
	json_auto_t *told = NULL;
	enum exit_code code;

	if (source.fd < 0) {
		fault(problem, POINT_UNREADABLE, "the result cannot be read: %s", strerror(errno));
		return NULL;
	}
	signing_prepare(NULL);
	code = reader_run_through(&plan, &told);
	close(source.fd);
	if (code != EXIT_DONE)
		fault(problem, POINT_OTHER, "the result cannot be read: %s", reason);
	if (code != EXIT_DONE)
		return NULL;
	return json_object_get(told, "fault") ? take_fault(told, problem) : json_incref(told);
}

/* --- a point of the matrix ------------------------------------------------------------------------------------------ */

/* Whether each option that the point's file names has the value now that the result echoes, also where it is given no more. An
 * option begins a line of the file. */
static bool is_of_file(const char *file, const json_t *expected, const json_t *echo, struct point_problem *problem)
{
	for (const char *line = file; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char name[OPTION_NAME_SIZE], colon = 0;
		const json_t *now, *then;

		if (sscanf(line, "%63[a-z0-9-]%c", name, &colon) != 2 || colon != ':')
			continue;
		now = json_object_get(expected, name);
		then = json_object_get(echo, name);
		if (now == then || json_equal(now, then))
			continue;
		fault(problem, POINT_OTHER, "its result was measured with another value of '%s'", name);
		return false;
	}
	return true;
}

/* Whether the result echoes what the point's options are now; the problem says which one differs. A result that was measured
 * with other options, before the campaign's file was changed, is not what its place in the matrix says. */
static bool is_of_point(const struct campaign *campaign, size_t point, const json_t *echo, struct point_problem *problem)
{
	const char *path = store_point_path(campaign, point, ".yaml", ROOM(PATH_MAX));
	struct config config;
	json_auto_t *expected = NULL;
	owned char *file = NULL;
	size_t length;
	bool same = true;

	if (campaign_configure(campaign, point, &config) != EXIT_DONE) {
		fault(problem, POINT_OTHER, "the point's options are no longer valid");
		return false;
	}
	expected = config_describe(&config);
	for (size_t i = 0; i < config.given->count && same; i++) {
		const struct given *given = &config.given->items[i];
		const json_t *value = json_object_get(expected, given->option->name);

		same = given->fallback || !value || json_equal(value, json_object_get(echo, given->option->name));
		if (!same)
			fault(problem, POINT_OTHER, "its result was measured with another value of '%s'",
			      given->option->name);
	}
	if (same && !file_read(path, POINT_FILE_MOST, &file, &length))
		same = is_of_file(file, expected, echo, problem);
	config_free(&config);
	return same;
}

json_t *point_result(const struct campaign *campaign, size_t point, struct point_problem *problem)
{
	json_t *result = result_read(store_point_path(campaign, point, ".json", ROOM(PATH_MAX)), campaign->verb, problem);

	if (result && !is_of_point(campaign, point, json_object_get(result, "configuration"), problem)) {
		json_decref(result);
		return NULL;
	}
	return result;
}

enum point_fault point_fault(const struct campaign *campaign, size_t point)
{
	struct point_problem problem = { .fault = POINT_SOUND };
	json_auto_t *result = point_result(campaign, point, &problem);

	return result ? POINT_SOUND : problem.fault;
}
