/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/standing.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "render/forms.h"
#include "render/markup.h"

#define NAME_SIZE       160
#define LIMITED_FAILURE LIMITED_WORD ": the SUT may do more"

/* The test cases while they are written. */
struct suite {
	FILE *stream;
	char kind[KIND_SIZE];
	size_t tests, failures;
};

static void put_attribute(FILE *stream, const char *name, const char *value)
{
	fprintf(stream, " %s=\"", name);
	markup_escape(stream, value);
	fputc('"', stream);
}

/* One test case; `failure` is why it failed, NULL: it did not. The time may be NAN. */
static void put_case(struct suite *suite, const char *group, const char *name, double duration_s, const char *failure)
{
	fputs("    <testcase", suite->stream);
	put_attribute(suite->stream, "classname", TEXT_OF(NAME_SIZE, "xdp-mlr.%s.%s", suite->kind, group));
	put_attribute(suite->stream, "name", name);
	if (!isnan(duration_s))
		fprintf(suite->stream, " time=\"%.3f\"", duration_s);
	suite->tests++;
	if (!failure) {
		fputs("/>\n", suite->stream);
		return;
	}
	suite->failures++;
	fputs("><failure", suite->stream);
	put_attribute(suite->stream, "message", failure);
	fputs("/></testcase>\n", suite->stream);
}

/* Why a result does not hold; NULL: it does. */
static const char *failure_of(const json_t *result)
{
	enum standing standing = standing_of(result);

	if (standing == STANDING_IRREGULAR)
		return read_string(result, "irregular_reason") ?: "irregular";
	return standing == STANDING_LIMITED ? LIMITED_FAILURE : NULL;
}

static void put_result(struct suite *suite, const char *group, const char *name, const json_t *result)
{
	if (json_is_object(result))
		put_case(suite, group, name, read_number(result, "duration"), failure_of(result));
}

static void put_requirement(struct suite *suite, const json_t *requirement)
{
	const char *name = read_text(requirement, "requirement"), *figure = read_text(requirement, "figure");
	const char *reason = read_string(requirement, "reason");
	char failure[NAME_SIZE];

	snprintf(failure, sizeof(failure), "%.100s: ", figure);
	if (reason)
		text_add(failure, sizeof(failure), "%s", reason);
	else
		text_add(failure, sizeof(failure), "measured %s %s",
			 format_number(read_number(requirement, "measured"), UNIT_ROOM), read_text(requirement, "unit"));
	put_case(suite, "require", name, NAN, read_truth(requirement, "met") ? NULL : failure);
}

/* Every test of a suite at one frame size. */
static void put_frame_size(struct suite *suite, const json_t *size)
{
	json_each_member (test, result, size) {
		const char *name = TEXT_OF(NAME_SIZE, "%.80s@%.60s", test, read_text(size, "frame_size"));

		if (json_object_get(result, "regular"))
			put_result(suite, "tests", name, result);
	}
}

/* "loss, delay"; where there are several directions, of each that has faults: "loss, delay (t-b to t-a)". */
static void join_faults(const json_t *result, char failure[NAME_SIZE])
{
	const json_t *directions = json_object_get(result, "directions");

	failure[0] = '\0';
	if (json_array_size(directions) < 2)
		directions = NULL;
	json_each (direction, directions) {
		char faults[NAME_SIZE];

		join_faults(direction, faults);
		if (*faults)
			text_join(failure, NAME_SIZE, "; ", "%.80s (%.40s to %.40s)", faults, read_text(direction, "from"),
				  read_text(direction, "to"));
	}
	json_each (fault, directions ? NULL : json_object_get(result, "faults"))
		text_join(failure, NAME_SIZE, ", ", "%s", json_string_value(fault) ?: "");
}

/* Why a step or a performance has no verdict. */
static const char *undecided(const json_t *result)
{
	const char *reason = read_string(result, "irregular_reason");

	if (reason)
		return reason;
	return read_truth(result, "tester_limited") ? "no verdict: the tester itself was the limit" : "it did not end";
}

/* A service's test: each step of a configuration test is a case. */
static void put_step(struct suite *suite, const char *service, const char *test, const json_t *result)
{
	char name[NAME_SIZE], failure[NAME_SIZE];

	join_faults(result, failure);
	snprintf(name, sizeof(name), "%.80s: %.60s", service, test);
	put_case(suite, "services", name, read_number(result, "duration"),
		 !json_is_boolean(json_object_get(result, "passed")) ? undecided(result)
		 : !read_truth(result, "passed")                     ? failure
		 : read_truth(result, "tester_limited")              ? LIMITED_WORD
								     : NULL);
}

static void put_service(struct suite *suite, const json_t *service)
{
	const json_t *steps = json_object_get(json_object_get(service, "configuration"), "steps");
	const json_t *performance = json_object_get(service, "performance");

	json_each (step, steps) {
		const char *test =
			TEXT_OF(NAME_SIZE, "%.60s %.0f %%", read_text(step, "step"), 100 * read_number(step, "load_ratio"));

		put_step(suite, read_text(service, "name"), test, step);
	}
	if (json_is_object(performance))
		put_step(suite, read_text(service, "name"), "performance", performance);
}

/* A goal of two documents, or of two cells of a campaign: only a slower B, or what cannot be told, fails. */
static void put_comparison(struct suite *suite, const char *name, const json_t *comparison)
{
	const char *verdict = read_text(comparison, "verdict");

	put_case(suite, "goals", name, NAN,
		 strcmp(verdict, "same") && strcmp(verdict, "faster") ? read_text(comparison, "evidence") : NULL);
}

/* "ndr, v1 to v2, 64": the goal, what is compared, and where both cells stand on the other axes. */
static void put_cells(struct suite *suite, const json_t *comparison)
{
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "%.40s, %.30s to %.30s", read_text(comparison, "goal"), read_text(comparison, "a"),
		 read_text(comparison, "b"));
	json_each_member (axis, value, json_object_get(comparison, "values"))
		text_add(name, sizeof(name), ", %.30s", json_string_value(value) ?: "");
	put_comparison(suite, name, comparison);
}

/* Why a run does not hold; where it has results that are no cases of their own, one of those. */
static const char *failure_of_run(const json_t *document)
{
	bool has_others = json_object_get(document, "points") || json_object_get(document, "repeats");
	bool limited = has_others && standing_of_document(document) == STANDING_LIMITED;

	return failure_of(document) ?: limited ? LIMITED_FAILURE : NULL;
}

/* By frame size and backend. */
static void put_self_tests(struct suite *suite, const char *of, const json_t *tests)
{
	json_each (item, tests) {
		const char *name =
			TEXT_OF(NAME_SIZE, "%.60s %.60s", read_text(item, "frame_size"), read_text(item, "tx_backend"));

		put_result(suite, of, name, item);
	}
}

static void put_cases(struct suite *suite, const json_t *document)
{
	put_case(suite, "run", suite->kind, NAN, failure_of_run(document));
	json_each (item, json_object_get(document, "search_result"))
		put_result(suite, "goals", read_text(json_object_get(item, "goal"), "name"), item);
	json_each (item, json_object_get(document, "frame_sizes"))
		put_frame_size(suite, item);
	put_result(suite, "tests", "reset", json_object_get(document, "reset"));
	put_result(suite, "tests", "reconf", json_object_get(document, "reconf"));
	json_each (item, json_object_get(document, "services"))
		put_service(suite, item);
	put_self_tests(suite, "self-tests", json_object_get(document, "self_tests"));
	put_self_tests(suite, "hostile-tests", json_object_get(document, "hostile_tests"));
	json_each (item, json_object_get(document, "goals"))
		if (json_object_get(item, "evidence"))
			put_comparison(suite, read_text(item, "goal"), item);
	json_each (item, json_object_get(document, "comparisons"))
		put_cells(suite, item);
	json_each (item, json_object_get(document, "requirements"))
		put_requirement(suite, item);
}

bool render_junit(FILE *stream, const json_t *document, struct render_style)
{
	const char *start = content_start(document);
	struct suite suite = { .stream = NULL };
	owned char *cases = NULL;
	char name[NAME_SIZE];
	size_t length;

	suite.stream = text_stream_open(&cases, &length);
	if (!suite.stream)
		return false;
	if (!*document_kind(document, suite.kind))
		strcpy(suite.kind, "result");
	put_cases(&suite, document);
	if (!text_stream_end(suite.stream, &cases))
		return false;
	snprintf(name, sizeof(name), "xdp-mlr %s", suite.kind);
	fprintf(stream,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%zu\" failures=\"%zu\">\n  <testsuite",
		suite.tests, suite.failures);
	put_attribute(stream, "name", name);
	fprintf(stream, " tests=\"%zu\" failures=\"%zu\" errors=\"0\"", suite.tests, suite.failures);
	if (start)
		put_attribute(stream, "timestamp", start);
	fprintf(stream, ">\n%s  </testsuite>\n</testsuites>\n", cases);
	return true;
}
