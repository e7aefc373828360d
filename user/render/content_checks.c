/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of results that are no benchmark of a SUT: compare, probe and selftest. */
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/text_stream.h"
#include "render/kinds.h"

/* --- compare -------------------------------------------------------------------------------------------------------- */

#define SIDE(side)                                                                                                          \
	"{" side "/file}, measured {" side "/start_time} on {" side "/hostname} by xdp-mlr {" side "/version}"              \
	"[" side "/irregular_reason? , IRREGULAR: {" side "/irregular_reason}]"                                             \
	"[!" side "/irregular_reason? [" side "/tester_limited? , " LIMITED_WORD "]]"
static const struct fact sides[] = { { "A", SIDE("a") }, { "B", SIDE("b") } };

static const struct outcome {
	const char *verdict, *text;
	enum tone tone;
} outcomes[] = {
	{ "regression", "Regression: B is slower than A.", TONE_BAD },
	{ "no regression", "No regression: B is not shown to be slower than A.", TONE_GOOD },
	{ "", "It cannot be told whether B is slower than A.", TONE_WARN },
};

static const struct outcome *outcome_of(const json_t *document)
{
	const struct outcome *outcome = outcomes;

	while (*outcome->verdict && strcmp(outcome->verdict, read_text(document, "verdict")) != 0)
		outcome++;
	return outcome;
}

static void put_compare_verdict(struct writer *writer, const json_t *document)
{
	const struct outcome *outcome = outcome_of(document);
	struct facts facts = { .count = 0 };

	facts_say(&facts, document, sides, COUNT(sides));
	facts_put(&facts, writer);
	banner_put(writer, outcome->tone, "%s A change up to %g %% is none.", outcome->text,
		   100 * read_number(document, "tolerance"));
}

#define GOAL_NAME "[goal? {goal}][!goal? critical load]"

static const char *text_remarks(const json_t *side, char[CELL_SIZE])
{
	bool is_known = json_object_get(side, "regular"); /* Soaks of earlier versions do not have it. */

	return is_known && standing_of(side) != STANDING_REGULAR ? result_word(side) : "";
}

/* What the searches of each goal, or the soaks, found on either side: a soak's by the names of a search's. A new reference. */
static json_t *findings_of(const json_t *goals)
{
	static const char *const names[][2] = { { "a", "A" }, { "b", "B" } };
	json_t *rows = json_array();

	json_each (goal, goals)
		for (size_t j = 0; j < COUNT(names); j++) {
			const json_t *side = json_object_get(goal, names[j][0]);
			json_t *row = json_pack("{s:O?, s:s, s:O?, s:O?}", "goal", json_object_get(goal, "goal"), "of",
						names[j][1], "conditional_throughput_mean", json_object_get(side, "mean"),
						"conditional_throughput_stdev", json_object_get(side, "stdev"));

			json_object_update(row, (json_t *)side);
			json_array_append_new(rows, row);
		}
	return rows;
}

static const struct field compare_columns[] = {
	{ "Goal", .phrase = GOAL_NAME },
	{ "Verdict", .write = text_comparison },
	{ "Change", .write = text_difference, .numeric = true },
	{ "Evidence", "/evidence" },
};

static void put_findings(struct writer *writer, const json_t *document)
{
	static const struct field findings[] = {
		{ "Goal", .phrase = GOAL_NAME },
		{ "of", "/of" },
		{ "Throughput (frames/s)", "/conditional_throughput_mean", text_rate },
		{ "Standard deviation", "/conditional_throughput_stdev", text_rate },
		{ "from", "/relevant_lower_bound_min", text_rate },
		{ "to", "/relevant_upper_bound_max", text_rate },
		{ "Searches", "/searches", text_count },
		{ "Remarks", .write = text_remarks },
	};
	json_auto_t *rows = findings_of(json_object_get(document, "goals"));

	table_put(writer, "findings-table", findings, COUNT(findings), rows, NULL);
	content_put_strings(writer, "differences", "What else is not the same", json_object_get(document, "differences"));
}

static const struct part compare_parts[] = {
	{ SECTION("goals", "Goal by goal") },
	{ TABLE("compare-table", "/goals", compare_columns), .tone = tone_of_comparison },
	{ .subsection = "What was found" },
	{ .put = put_findings },
};

const struct content content_compare = {
	.kind = "compare",
	.title = "Two results compared",
	.known = "verdict a b tolerance significance goals differences",
	.put_verdicts = put_compare_verdict,
	.parts = compare_parts,
	.part_count = COUNT(compare_parts),
};

/* --- probe ---------------------------------------------------------------------------------------------------------- */

static enum tone tone_of(const char *state)
{
	return strcmp(state, "OK") == 0 ? TONE_GOOD : strcmp(state, "WARN") == 0 ? TONE_WARN : TONE_BAD;
}

static enum tone tone_of_check(const json_t *check)
{
	return tone_of(read_text(check, "state"));
}

static void put_checks(struct writer *writer, const char *id, const json_t *checks)
{
	static const struct field fields[] = {
		{ "Check", "/name" },
		{ "State", "/state" },
		{ "Found", "/value" },
		{ "Fix", "/fix", .command = true },
	};

	table_put(writer, id, fields, COUNT(fields), checks, tone_of_check);
}

static void put_probe_state(struct writer *writer, const json_t *document)
{
	const char *state = read_text(document, "state");

	writer->ops->banner(
		writer, tone_of(state),
		tone_of(state) == TONE_GOOD ? "Nothing stands in the way of a measurement."
		: tone_of(state) == TONE_WARN
			? "Some things weaken a measurement; each command, run as root, mends the line above it."
			: "Something stands in the way of a measurement; each command, run as root, mends the "
			  "line above it.");
}

/* Adds to the counts of checks that are OK, WARN and FAIL. */
static void count_checks(const json_t *checks, size_t counts[3])
{
	json_each (check, checks) {
		enum tone tone = tone_of_check(check);

		counts[tone == TONE_GOOD ? 0 : tone == TONE_WARN ? 1 : 2]++;
	}
}

static void put_counts(struct writer *writer, const json_t *document)
{
	size_t counts[3] = { 0 };

	count_checks(json_object_get(document, "machine"), counts);
	json_each (port, json_object_get(document, "ports"))
		count_checks(json_object_get(port, "checks"), counts);
	writer->ops->section(writer, LEVEL_MAIN, "sum", "Sum");
	paragraph_put(writer, "%zu OK, %zu WARN, %zu FAIL", counts[0], counts[1], counts[2]);
}

static void put_probe(struct writer *writer, const json_t *document)
{
	const json_t *ports = json_object_get(document, "ports");
	char heading[VALUE_SIZE];

	snprintf(heading, sizeof(heading), "Machine %.60s", read_text(document, "hostname"));
	writer->ops->section(writer, LEVEL_MAIN, "machine", heading);
	put_checks(writer, "machine-table", json_object_get(document, "machine"));
	json_each (port, ports) {
		snprintf(heading, sizeof(heading), "Port %.60s", read_text(port, "name"));
		writer->ops->section(writer, LEVEL_MAIN, TEXT_OF(32, "port-%zu", port_at + 1), heading);
		put_checks(writer, TEXT_OF(32, "port-%zu-table", port_at + 1), json_object_get(port, "checks"));
	}
	if (!json_array_size(ports))
		writer->ops->paragraph(writer,
				       "No port here: 'xdp-mlr lab up' makes two, with a system under test between them.");
	put_counts(writer, document);
}

static const struct part probe_parts[] = { { .put = put_probe } };

const struct content content_probe = {
	.kind = "probe",
	.title = "What this tester can do",
	.known = "state machine ports",
	.put_verdicts = put_probe_state,
	.parts = probe_parts,
	.part_count = COUNT(probe_parts),
};

/* --- selftest ------------------------------------------------------------------------------------------------------- */

static const struct field selftest_columns[] = {
	{ "Frame size (octets)", "/frame_size", .numeric = true },
	{ "Transmitter", .phrase = "{tx_backend} {transmit_mode}" },
	{ "Clean load (frames/s)", "/clean_load", text_rate },
	{ "Fastest (frames/s)", "/fastest_load", text_rate },
	{ "Line rate (frames/s)", "/line_rate", text_rate },
	{ "Confirmed",
	  .phrase = "[confirmation? {confirmation/clean:whole} of {confirmation/trials:whole}][!confirmation? " DASH "]",
	  .numeric = true },
	{ "Latency floor, median", "/floor/p50_ns", text_ns },
	{ "Floor, p99", "/floor/p99_ns", text_ns },
	{ "Gap, p99", "/pacing/gap_p99_ns", text_ns },
	{ "Limited by", .phrase = "{limited_by}[limit? : {limit}]" },
	{ "Result", .write = text_result },
};

static const struct fact no_sut[] = { { "No SUT", "{sut_check/evidence}" } };

/* What --prepare try found. */
static const struct field preparation_columns[] = {
	{ "Item", "/item" },
	{ "Received (frames/s), without", "/received_rate/without", text_rate },
	{ "with", "/received_rate/with", text_rate },
	{ "Latency p99, without", "/latency_p99_ns/without", text_ns },
	{ "with", "/latency_p99_ns/with", text_ns },
	{ "Verdict", .phrase = "[!had? it changes nothing here][had? [kept? helps][!kept? does not help]]" },
};

/* --hostile. */
static const struct field hostile_columns[] = {
	{ "Frame size (octets)", "/frame_size", .numeric = true },
	{ "Transmitter", .phrase = "{tx_backend} {transmit_mode}" },
	{ "Load (frames/s)", "/load", text_rate },
	{ "Counts exact beside (hostile frames/s)", "/certified_rate", text_rate },
	{ "Not exact beside", "/missed_rate", text_rate },
	{ "Limited by",
	  .phrase = "[limited_by=sender? what can be sent][limited_by=port? what the port sends][limited_by=receiver? the "
		    "receiver][limited_by=transmitter? what the trial can be sent beside][limited_by=option? "
		    "--hostile-load][limited_by=counts? what the counts contradict]" },
	{ "Result", .write = text_result },
};

static const struct field hostile_count_columns[] = {
	{ "Frame size (octets)", "/frame_size", .numeric = true },
	{ "Count", "/count" },
	{ "Hostile frames sent that end there", "/sent", text_count },
	{ "Counted", "/counted", text_count },
};

/* "malformed 58, foreign 3" */
static const char *text_ends(const json_t *kind, char text[CELL_SIZE])
{
	*text = '\0';
	json_each_member (name, frames, json_object_get(kind, "ends"))
		text_join(text, CELL_SIZE, ", ", "%s %.0f", name, json_number_value(frames));
	return text;
}

static const struct field hostile_kind_columns[] = {
	{ "Frame size (octets)", "/frame_size", .numeric = true },
	{ "Kind", "/kind" },
	{ "Sent", "/sent", text_count },
	{ "Counts in which they end", .write = text_ends },
};

/* clang-format off */
static const struct part selftest_parts[] = {
	{ SECTION("self-tests", "[!hostile_tests? What the tester itself does without a SUT][hostile_tests? What the tester counts "
				"beside frames of a hostile wire]") },
	{ TABLE("selftest-table", "/self_tests", selftest_columns), .tone = tone_of_result, .when = "!hostile_tests" },
	{ .say = "Loads are per interface. The floor is the latency of a lightly loaded tester; the gap is that between "
		 "departures at the clean load.", .when = "!hostile_tests" },
	{ TABLE("hostile-table", "/hostile_tests", hostile_columns), .tone = tone_of_result },
	{ .say = "Counts are exact where each frame of the trial was received once, in order and verified, no other frame as one of "
		 "them, and where each hostile frame stands in the count that is foreseen for its kind. Loads are per interface.",
	  .when = "hostile_tests" },
	{ TABLE("hostile-counts", "/hostile_tests[]/counted", hostile_count_columns) },
	{ .id = "hostile-kinds", .fold = "Kinds of hostile frames", .level = LEVEL_DETAIL, .when = "hostile_tests" },
	{ TABLE("hostile-kinds-table", "/hostile_tests[]/kinds", hostile_kind_columns), .level = LEVEL_DETAIL },
	{ .fold_end = true, .level = LEVEL_DETAIL, .when = "hostile_tests" },
	{ FACTS(no_sut) },
	{ .subsection = "What helps on these ports", .when = "preparation" },
	{ TABLE("preparation-table", "/preparation/items", preparation_columns) },
	{ .say = "Give later runs --prepare {preparation/prepare}." },
};
/* clang-format on */

const struct content content_selftest = {
	.kind = "selftest",
	.title = "Self-test of the tester",
	.known = "self_tests hostile_tests sut_check preparation",
	.parts = selftest_parts,
	.part_count = COUNT(selftest_parts),
};
