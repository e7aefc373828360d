/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checklist of a result: every clause is missing in some document, whatever the program writes today. */
#include "../test.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "config/config.h"
#include "config/traffic.h"
#include "result/report.h"

#define GOLDEN    "tests/golden/"
#define SEARCH    GOLDEN "search-1-xdp.json"
#define IRREGULAR GOLDEN "search-1-irregular.json"
#define SUITE     GOLDEN "rfc2544-1-xdp.json"
#define EXEC      GOLDEN "search-1-exec.json"

/* Set what a pointer leads to by JSON text; NULL takes it away. */
static void set(json_t *document, const char *pointer, const char *text)
{
	char parent[128];
	const char *last = strrchr(pointer, '/');
	json_t *holder = document, *value = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;

	snprintf(parent, sizeof(parent), "%.*s", (int)(last - pointer), pointer);
	if (*parent)
		holder = (json_t *)json_at(document, parent);
	assert_non_null(holder);
	assert_true(!text || value);
	if (json_is_array(holder))
		json_array_set_new(holder, (size_t)atoi(last + 1), value);
	else if (value)
		json_object_set_new(holder, last + 1, value);
	else
		json_object_del(holder, last + 1);
}

/* A golden document, with what its version did not have yet, and all that a report over real ports can have. */
static json_t *golden(const char *path)
{
	static const struct config config = { .measurer = MEASURER_XDP };
	json_t *document = json_load_file(path, 0, NULL), *ports, *port;
	size_t i;

	assert_non_null(document);
	json_object_set_new(document, "units", report_units());
	json_object_set_new(document, "definitions", report_definitions(&config));
	set(document, "/sut", "{\"configuration\": [{\"text\": \"x\", \"truncated\": false}], \"changes\": [\"y\"]}");
	set(document, "/line_rate", "1e6");
	set(document, "/traffic_profile/pattern", "\"pairs of ports\"");
	if (json_object_get(document, "max_load_source"))
		set(document, "/max_load_source", "\"self-test\"");
	ports = json_object_get(json_object_get(document, "measurer"), "ports");
	json_array_foreach (ports, i, port)
		json_object_set_new(port, "driver", json_string("ice"));
	ports = json_object_get(document, "frame_sizes");
	json_array_foreach (ports, i, port)
		json_object_set_new(port, "max_load_source", json_string("self-test"));
	return document;
}

static const json_t *entry_of(const json_t *document, const char *clause)
{
	const json_t *checklist = json_object_get(document, "checklist");

	for (size_t i = 0; i < json_array_size(checklist); i++)
		if (strcmp(read_text(json_array_get(checklist, i), "clause"), clause) == 0)
			return json_array_get(checklist, i);
	fail_msg("no clause %s", clause);
	return NULL;
}

static void assert_status(const json_t *document, const char *clause, const char *status)
{
	const json_t *entry = entry_of(document, clause);

	if (strcmp(read_text(entry, "status"), status) != 0)
		fail_msg("clause %s is %s, not %s: %s", clause, read_text(entry, "status"), status, read_text(entry, "why"));
}

/* What a test leaves behind that could not be made. */
#define UNKNOWN                                                                                                             \
	"{\"regular\": false, \"irregular_reason\": \"the throughput is not known\", \"tester_limited\": false, "           \
	"\"duration\": 0}"

/* What makes a clause missing that is met without it, or, where `usual` says so, not applicable. */
static const struct {
	const char *clause, *document, *pointer, *text, *usual;
} flaws[] = {
	{ "3", SEARCH, "/units", NULL },
	{ "4.1.1", SEARCH, "/deviations", "[]" },
	{ "4.1.1", SEARCH, "/deviations", NULL },
	{ "4.1.1", SEARCH, "/deviations/5", "\"What?\"" },
	{ "4.1.1", SEARCH, "/deviations/8", "\"What?\"" },
	{ "4.3", SEARCH, "/units", NULL },
	{ "4.3", SEARCH, "/units", "{}" },
	{ "4.4.3", SEARCH, "/deviations/0", "\"What?\"" },
	{ "4.4.3", SEARCH, "/deviations/3", "\"What?\"" },
	{ "4.5.2-shape", SEARCH, "/configuration/load", "\"max\"" },
	{ "4.5.2-different", SEARCH, "/trials/0/ports/0/counts/intended", "1", "not applicable" },
	{ "4.5.2-scope", SEARCH, "/load_scope", "\"\"" },
	{ "4.5.2-scope", SEARCH, "/load_scope", NULL },
	{ "4.5.2-factor", SEARCH, "/aggregate_factor", "null" },
	{ "4.5.4", SEARCH, "/configuration/direction", "\"mesh\"" },
	{ "4.5.4", SEARCH, "/traffic_profile/bidirectional", "false" },
	{ "4.5.4", SEARCH, "/traffic_profile/pattern", NULL },
	{ "4.5.4", SEARCH, "/configuration/ip", "\"mixed\"" },
	{ "4.5.4", SEARCH, "/configuration/modifier", "[\"broadcast=1%\"]" },
	{ "4.5.5", SEARCH, "/definitions/trial_loss_ratio", "\"\"" },
	{ "4.5.8", SEARCH, "/trials/0/trial_effective_duration", "9", "not applicable" },
	{ "4.5.8", SUITE, "/frame_sizes/1/throughput/trials/0/trial_effective_duration", "9", "not applicable" },
	{ "4.6.5", SEARCH, "/definitions/goal_width", "\"\"" },
	{ "4.8.3", SEARCH, "/search_result/1/conditional_throughput", "null" },
	{ "4.8.4.1-lower", SEARCH, "/search_result/0/relevant_lower_bound", "null" },
	{ "4.8.4.1-lower", SEARCH, "/search_result/1/relevant_lower_bound", "null" },
	{ "4.8.4.1-upper", SEARCH, "/search_result/1/relevant_upper_bound", "null" },
	{ "4.8.4.1-lower", SUITE, "/frame_sizes/1/throughput/goal_result/relevant_lower_bound", "null" },
	{ "4.8.4.1-upper", SUITE, "/frame_sizes/1/throughput/goal_result/relevant_upper_bound", "null" },
	{ "4.8.4.2-marked", SUITE, "/frame_sizes/1/throughput/goal_result/regular", "false", "not applicable" },
	{ "4.8.4.2-useful", EXEC, "/search_result/0/conditional_throughput", NULL },
	{ "4.8.4.2-bounds", EXEC, "/search_result/0/relevant_upper_bound", NULL },
	{ "4.8.4.2-marked", EXEC, "/search_result/0/irregular_reason", "null" },
	{ "4.8.4.2-marked", EXEC, "/search_result/0/regular", NULL },
	{ "4.8.5", SEARCH, "/search_result", "[]" },
	{ "4.8.5", SEARCH, "/search_result/1/goal/name", "\"another\"" },
	{ "4.9.1-freedoms", SEARCH, "/definitions/duplicates", NULL },
	{ "4.9.1-freedoms", SEARCH, "/definitions/reordering", "\"\"" },
	{ "4.9.1-benchmark", SEARCH, "/max_load_source", "\"option\"" },
	{ "4.9.1-offered", SEARCH, "/trials/0/counts/unsent", "1000" },
	{ "4.9.1-offered", SUITE, "/definitions/unsent", NULL },
	{ "4.9.3-sut", SEARCH, "/sut/configuration", "[]" },
	{ "4.9.3-sut", SEARCH, "/sut/configuration/0/truncated", "true" },
	{ "4.9.3-sut", SEARCH, "/sut/configuration/0/text", "\"\"" },
	{ "4.9.3-sut", SEARCH, "/sut/configuration/0/text", "\" \\n\\t\\n\"" },
	{ "4.9.3-attributes", SEARCH, "/controller_input/goals/1/exceed_ratio", "null" },
	{ "4.9.3-attributes", SUITE, "/frame_sizes/2/throughput/goal_result/goal/duration_sum", NULL },
	{ "26.1-size", SEARCH, "/traffic_profile/frame_size_octets", "null" },
	{ "26.1-limit", SEARCH, "/line_rate", "null" },
	{ "26.1-protocol", SEARCH, "/traffic_profile/protocol", NULL },
	{ "26.1-graph", SUITE, "/frame_sizes/2/throughput", "null" },
	{ "26.1-graph", SUITE, "/frame_sizes/1/throughput/throughput", "null" },
	{ "26.1-graph", SUITE, "/frame_sizes/1/throughput/regular", "false" },
	{ "26.1-graph", SUITE, "/frame_sizes/1/throughput/tester_limited", "true" },
	{ "26.1-graph", SUITE, "/configuration/frame-size", "\"64,128,512,1518\"" },
	{ "26.2-definition", SEARCH, "/trials/3/latency/definition", "\"\"" },
	{ "26.2-definition", SUITE, "/frame_sizes/2/latency/definition", NULL },
	{ "26.2-table", SUITE, "/frame_sizes/1/latency", "null" },
	{ "26.2-table", SUITE, "/frame_sizes/1/latency", UNKNOWN },
	{ "26.2-table", SUITE, "/frame_sizes/1/latency/regular", "false" },
	{ "26.2-table", SUITE, "/frame_sizes/1/latency/average_of_means_ns", "null" },
	{ "26.3-graph", SUITE, "/frame_sizes/1/frame_loss", "null" },
	{ "26.3-graph", SUITE, "/frame_sizes/1/frame_loss/points", "[]" },
	{ "6", SUITE, "/frame_sizes/1/back_to_back", NULL },
	{ "6", SUITE, "/frame_sizes/1/back_to_back", UNKNOWN },
	{ "6", SUITE, "/frame_sizes/1/back_to_back/corrected_buffer_time", "null" },
	{ "26.5-table", SUITE, "/frame_sizes", "[]" },
	{ "26.5-table", SUITE, "/frame_sizes/1/recovery", UNKNOWN },
	{ "26.5-table", SUITE, "/frame_sizes/1/recovery/average", "null" },
	{ "26.6-statement", SUITE, "/reset", "null" },
	{ "26.6-statement", SUITE, "/reset/reset_time", "null" },
	{ "26.6-statement", SUITE, "/reset/regular", "false" },
};

static void each_clause_can_be_missing(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(flaws); i++) {
		json_t *document = golden(flaws[i].document);
		const char *usual = flaws[i].usual ? flaws[i].usual : "met";

		report_add_checklist(document);
		assert_status(document, flaws[i].clause, usual);
		set(document, flaws[i].pointer, flaws[i].text);
		report_add_checklist(document);
		assert_status(document, flaws[i].clause, "missing");
		json_decref(document);
	}
}

static void no_clause_is_left_out(void **state)
{
	static const char *const paths[] = { SEARCH, SUITE, IRREGULAR };

	(void)state;
	for (size_t p = 0; p < COUNT(paths); p++) {
		json_t *document = golden(paths[p]), *entry;
		size_t i;

		report_add_checklist(document);
		json_array_foreach (json_object_get(document, "checklist"), i, entry) {
			size_t row = 0;

			while (row < COUNT(flaws) && strcmp(flaws[row].clause, read_text(entry, "clause")) != 0)
				row++;
			if (row == COUNT(flaws))
				fail_msg("no document in which clause %s is missing", read_text(entry, "clause"));
		}
		json_decref(document);
	}
}

static void of_an_external_measurer_little_is_known(void **state)
{
	static const char *const unknown[] = { "3",
					       "4.1.1",
					       "4.3",
					       "4.4.3",
					       "4.5.2-shape",
					       "4.5.4",
					       "4.5.2-different",
					       "4.5.5",
					       "26.1-size",
					       "26.1-limit",
					       "4.5.8",
					       "4.9.1-offered",
					       "4.9.1-freedoms",
					       "4.9.1-benchmark",
					       "26.1-protocol" };
	json_t *document = golden(EXEC), *replay, *measurer = json_object_get(document, "measurer");

	(void)state;
	report_add_checklist(document);
	assert_status(document, "4.5.8", "not applicable");
	set(document, "/trials/0/trial_effective_duration", "1.5");
	/* and so it is in its replay */
	replay = json_deep_copy(document);
	json_object_set_new(replay, "measurer", json_pack("{s:s, s:O}", "name", "replay", "replayed", measurer));
	report_add_checklist(document);
	report_add_checklist(replay);
	for (size_t i = 0; i < COUNT(unknown); i++) {
		assert_status(document, unknown[i], "missing");
		assert_status(replay, unknown[i], "missing");
	}
	json_decref(document);
	json_decref(replay);
}

static void a_verdict_has_its_reason(void **state)
{
	json_t *document = golden(SEARCH);

	(void)state;
	set(document, "/configuration/direction", "\"mesh\"");
	set(document, "/traffic_profile/pattern", "\"every port to all others (RFC 2285, fully meshed)\"");
	report_add_checklist(document);
	assert_status(document, "4.5.4", "met");
	assert_non_null(strstr(read_text(entry_of(document, "4.5.4"), "why"), "Fully meshed"));
	/* an irregular result need not have what the regular one beside it has */
	set(document, "/search_result/0/regular", "false");
	set(document, "/search_result/0/relevant_lower_bound", "null");
	report_add_checklist(document);
	assert_status(document, "4.8.4.1-lower", "met");
	/* as fast as possible is a shape, too, where it is said */
	set(document, "/configuration/load", "\"max\"");
	set(document, "/traffic_profile/load", "\"as fast as the transmitter can\"");
	report_add_checklist(document);
	assert_status(document, "4.5.2-shape", "met");
	/* a virtual port has no medium, and wall times are told */
	set(document, "/measurer/ports/0/driver", "\"veth\"");
	set(document, "/line_rate", "null");
	set(document, "/trials/0/trial_effective_duration", "9");
	set(document, "/configuration/effective-duration", "\"wall\"");
	report_add_checklist(document);
	assert_status(document, "26.1-limit", "not applicable");
	assert_status(document, "4.5.8", "met");
	set(document, "/definitions/trial_effective_duration", "\"\"");
	report_add_checklist(document);
	assert_status(document, "4.5.8", "missing");
	/* what is not told apart is told, too */
	set(document, "/definitions/duplicates", "\"Not told apart (--no-seq): a duplicate counts as received.\"");
	report_add_checklist(document);
	assert_non_null(strstr(read_text(entry_of(document, "4.9.1-freedoms"), "why"), "Neither"));
	json_decref(document);
}

static void what_the_first_frame_size_lacks_another_may_say(void **state)
{
	json_t *document = golden(SUITE);

	(void)state;
	set(document, "/frame_sizes/0/latency", "null");
	report_add_checklist(document);
	assert_status(document, "26.2-definition", "met");
	assert_string_equal(json_string_value(json_at(entry_of(document, "26.2-definition"), "/where/0")),
			    "/frame_sizes/1/latency/definition");
	json_decref(document);
}

/* What is irregular may be there, and what is not there need not be irregular. */
static void a_suite_shows_what_it_measured(void **state)
{
	json_t *document = golden(SUITE);

	(void)state;
	/* a size without a latency says nothing of how latency is defined; without any there is none to define */
	set(document, "/frame_sizes/1/latency", UNKNOWN);
	report_add_checklist(document);
	assert_status(document, "26.2-definition", "met");
	set(document, "/frame_sizes/0/latency", UNKNOWN);
	set(document, "/frame_sizes/2/latency", UNKNOWN);
	report_add_checklist(document);
	assert_status(document, "26.2-definition", "not applicable");
	assert_status(document, "26.2-table", "missing");
	assert_non_null(strstr(read_text(entry_of(document, "26.2-table"), "why"), "no result to show"));
	/* no loss at the maximum rate of the medium: no upper bound, but the throughput; a lower Max Load is none */
	set(document, "/frame_sizes/1/throughput/regular", "false");
	set(document, "/frame_sizes/1/throughput/throughput", "150000");
	set(document, "/frame_sizes/1/max_rate", "150000");
	set(document, "/frame_sizes/1/line_rate", "150000.00001");
	report_add_checklist(document);
	assert_status(document, "26.1-graph", "met");
	set(document, "/frame_sizes/1/line_rate", "160000");
	report_add_checklist(document);
	assert_status(document, "26.1-graph", "missing");
	set(document, "/frame_sizes/1/line_rate", "150000");
	/* loss at every load is a curve */
	set(document, "/frame_sizes/1/frame_loss/regular", "false");
	report_add_checklist(document);
	assert_status(document, "26.3-graph", "met");
	/* changes that say nothing are none */
	set(document, "/sut/changes", "[\" \"]");
	report_add_checklist(document);
	assert_non_null(strstr(read_text(entry_of(document, "4.9.3-sut"), "why"), "no change"));
	json_decref(document);
}

static void a_load_without_schedule_is_not_constant(void **state)
{
	static const struct mlr_profile profile = { .sizes = { .size_count = 1, .sizes_octets = { 64 } } };
	struct config config = { .measurer = MEASURER_XDP, .load = { .unit = LOAD_MAX } };
	json_t *traffic = traffic_describe(&config, &profile, NULL), *definitions = report_definitions(&config);

	(void)state;
	assert_ptr_equal(strstr(read_text(traffic, "load"), "as fast as"), read_text(traffic, "load"));
	assert_non_null(strstr(read_text(definitions, "load_shape"), "As fast as"));
	json_decref(traffic);
	json_decref(definitions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_clause_can_be_missing),
		cmocka_unit_test(no_clause_is_left_out),
		cmocka_unit_test(of_an_external_measurer_little_is_known),
		cmocka_unit_test(a_verdict_has_its_reason),
		cmocka_unit_test(what_the_first_frame_size_lacks_another_may_say),
		cmocka_unit_test(a_suite_shows_what_it_measured),
		cmocka_unit_test(a_load_without_schedule_is_not_constant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
