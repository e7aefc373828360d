/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report says of results that are no benchmark of a SUT: compare, probe and selftest. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "render/kinds.h"
#include "render/values.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- compare -------------------------------------------------------------------------------------------------------- */

static const char *const known_compare[] = {
	"verdict", "a", "b", "tolerance", "significance", "goals", "differences", NULL
};

static void add_side(struct facts *facts, const char *name, const json_t *side)
{
	const char *reason = read_text(side, "irregular_reason");

	facts_add(facts, name, "%s, measured %s on %s by xdp-mlr %s%s%s", read_text(side, "file"),
		  read_text(side, "start_time"), read_text(side, "hostname"), read_text(side, "version"),
		  *reason ? ", IRREGULAR: " : "", reason);
}

static void put_compare_verdict(struct writer *writer, const json_t *document)
{
	bool slower = strcmp(read_text(document, "verdict"), "regression") == 0;
	struct facts facts = { .count = 0 };
	char text[200];

	add_side(&facts, "A", json_object_get(document, "a"));
	add_side(&facts, "B", json_object_get(document, "b"));
	facts_put(&facts, writer);
	snprintf(text, sizeof(text), "%s A change up to %g %% is none.",
		 slower ? "Regression: B is slower than A." : "No regression: B is not shown to be slower than A.",
		 100 * read_number(document, "tolerance"));
	writer->ops->banner(writer, slower ? TONE_BAD : TONE_GOOD, text);
}

static const char *goal_name(const json_t *goal)
{
	return read_string(goal, "goal") ? read_string(goal, "goal") : "critical load";
}

/* What a goal's searches, or a soak, found on one side. */
static void put_findings(struct writer *writer, const json_t *goal, const char *name, const char *member)
{
	const json_t *side = json_object_get(goal, member);
	bool soak = !isnan(read_number(side, "mean"));
	struct cells cells = { .count = 0 };

	cells_add(&cells, "%s", goal_name(goal));
	cells_add(&cells, "%s", name);
	cells_add_number(&cells, read_number(side, soak ? "mean" : "conditional_throughput_mean"), 1);
	cells_add_number(&cells, read_number(side, soak ? "stdev" : "conditional_throughput_stdev"), 1);
	cells_add_number(&cells, read_number(side, "relevant_lower_bound_min"), 1);
	cells_add_number(&cells, read_number(side, "relevant_upper_bound_max"), 1);
	cells_add_number(&cells, read_number(side, "searches"), 0);
	cells_add(&cells, "%s%s", read_truth(side, "tester_limited") ? "tester-limited " : "",
		  json_is_false(json_object_get(side, "regular")) ? "IRREGULAR" : "");
	cells_put(&cells, writer, TONE_PLAIN);
}

static void put_goals(struct writer *writer, const json_t *goals)
{
	static const struct writer_column columns[] = {
		{ "Goal", false }, { "Verdict", false }, { "Change", true }, { "Evidence", false }
	};
	struct cells cells = { .count = 0 };

	writer->ops->table(writer, "compare-table", columns, COUNT(columns));
	for (size_t i = 0; i < json_array_size(goals); i++) {
		const json_t *goal = json_array_get(goals, i);
		const char *verdict = read_text(goal, "verdict");
		double change = read_number(goal, "change");

		cells_add(&cells, "%s", goal_name(goal));
		cells_add(&cells, "%s", text_comparison(verdict));
		cells_add(&cells, isnan(change) ? DASH : "%+.2f %%", 100 * change);
		cells_add(&cells, "%s", read_text(goal, "evidence"));
		cells_put(&cells, writer, tone_of_comparison(verdict));
	}
	writer->ops->table_end(writer);
}

static void put_compare(struct writer *writer, const json_t *document)
{
	static const struct writer_column columns[] = {
		{ "Goal", false },
		{ "of", false },
		{ "Throughput (frames/s)", true },
		{ "Standard deviation", true },
		{ "from", true },
		{ "to", true },
		{ "Searches", true },
		{ "Remarks", false },
	};
	const json_t *goals = json_object_get(document, "goals");

	writer->ops->section(writer, RANK_MAIN, "goals", "Goal by goal");
	put_goals(writer, goals);
	writer->ops->subsection(writer, NULL, "What was found");
	writer->ops->table(writer, "findings-table", columns, COUNT(columns));
	for (size_t i = 0; i < json_array_size(goals); i++) {
		put_findings(writer, json_array_get(goals, i), "A", "a");
		put_findings(writer, json_array_get(goals, i), "B", "b");
	}
	writer->ops->table_end(writer);
	content_put_strings(writer, "differences", "What else is not the same", json_object_get(document, "differences"));
}

const struct content content_compare = {
	.kind = "compare",
	.title = "Two results compared",
	.known = known_compare,
	.put_verdicts = put_compare_verdict,
	.put_tables = put_compare,
};

/* --- probe ---------------------------------------------------------------------------------------------------------- */

static const char *const known_probe[] = { "state", "machine", "ports", NULL };

static enum tone tone_of(const char *state)
{
	return strcmp(state, "OK") == 0 ? TONE_GOOD : strcmp(state, "WARN") == 0 ? TONE_WARN : TONE_BAD;
}

static void put_checks(struct writer *writer, const char *id, const json_t *checks)
{
	static const struct writer_column columns[] = {
		{ "Check", false }, { "State", false }, { "Found", false }, { "Fix", false, .command = true }
	};
	struct cells cells = { .count = 0 };

	writer->ops->table(writer, id, columns, COUNT(columns));
	for (size_t i = 0; i < json_array_size(checks); i++) {
		const json_t *check = json_array_get(checks, i);

		cells_add(&cells, "%s", read_text(check, "name"));
		cells_add(&cells, "%s", read_text(check, "state"));
		cells_add(&cells, "%s", read_text(check, "value"));
		cells_add(&cells, "%s", read_text(check, "fix"));
		cells_put(&cells, writer, tone_of(read_text(check, "state")));
	}
	writer->ops->table_end(writer);
}

static void put_probe_state(struct writer *writer, const json_t *document)
{
	const char *state = read_text(document, "state");

	writer->ops->banner(
		writer, tone_of(state),
		tone_of(state) == TONE_GOOD ? "Nothing stands in the way of a measurement."
		: tone_of(state) == TONE_WARN
			? "Some things weaken a measurement; the commands, run as root, mend what they stand by."
			: "Something stands in the way of a measurement; the commands, run as root, mend what they "
			  "stand by.");
}

/* Adds to the counts of checks that are OK, WARN and FAIL. */
static void count_checks(const json_t *checks, size_t counts[3])
{
	for (size_t i = 0; i < json_array_size(checks); i++) {
		enum tone tone = tone_of(read_text(json_array_get(checks, i), "state"));

		counts[tone == TONE_GOOD ? 0 : tone == TONE_WARN ? 1 : 2]++;
	}
}

static void put_counts(struct writer *writer, const json_t *document)
{
	const json_t *ports = json_object_get(document, "ports");
	size_t counts[3] = { 0 };
	char text[100];

	count_checks(json_object_get(document, "machine"), counts);
	for (size_t i = 0; i < json_array_size(ports); i++)
		count_checks(json_object_get(json_array_get(ports, i), "checks"), counts);
	snprintf(text, sizeof(text), "%zu OK, %zu WARN, %zu FAIL", counts[0], counts[1], counts[2]);
	writer->ops->section(writer, RANK_MAIN, "sum", "Sum");
	writer->ops->paragraph(writer, text);
}

static void put_probe(struct writer *writer, const json_t *document)
{
	const json_t *ports = json_object_get(document, "ports");
	char heading[VALUE_SIZE];

	snprintf(heading, sizeof(heading), "Machine %.60s", read_text(document, "hostname"));
	writer->ops->section(writer, RANK_MAIN, "machine", heading);
	put_checks(writer, "machine-table", json_object_get(document, "machine"));
	for (size_t i = 0; i < json_array_size(ports); i++) {
		const json_t *port = json_array_get(ports, i);
		char id[32];

		snprintf(id, sizeof(id), "port-%zu", i + 1);
		snprintf(heading, sizeof(heading), "Port %.60s", read_text(port, "name"));
		writer->ops->section(writer, RANK_MAIN, id, heading);
		snprintf(id, sizeof(id), "port-%zu-table", i + 1);
		put_checks(writer, id, json_object_get(port, "checks"));
	}
	if (!json_array_size(ports))
		writer->ops->paragraph(writer,
				       "No port here: 'xdp-mlr lab up' makes two, with a system under test between them.");
	put_counts(writer, document);
}

const struct content content_probe = {
	.kind = "probe",
	.title = "What this tester can do",
	.known = known_probe,
	.put_verdicts = put_probe_state,
	.put_tables = put_probe,
};

/* --- selftest ------------------------------------------------------------------------------------------------------- */

static const char *const known_selftest[] = { "self_tests", "sut_check", NULL };

static void put_selftest(struct writer *writer, const json_t *document)
{
	static const struct writer_column columns[] = {
		{ "Frame size (octets)", true },
		{ "Transmitter", false },
		{ "Clean load (frames/s)", true },
		{ "Fastest (frames/s)", true },
		{ "Line rate (frames/s)", true },
		{ "Confirmed", true },
		{ "Latency floor, median", true },
		{ "Floor, p99", true },
		{ "Gap, p99", true },
		{ "Limited by", false },
		{ "Result", false },
	};
	const json_t *tests = json_object_get(document, "self_tests");
	struct cells cells = { .count = 0 };
	struct facts facts = { .count = 0 };
	char text[VALUE_SIZE];

	writer->ops->section(writer, RANK_MAIN, "self-tests", "What the tester itself does without a SUT");
	writer->ops->table(writer, "selftest-table", columns, COUNT(columns));
	for (size_t i = 0; i < json_array_size(tests); i++) {
		const json_t *test = json_array_get(tests, i), *floor = json_object_get(test, "floor");
		const json_t *confirmation = json_object_get(test, "confirmation");
		const char *limit = read_text(test, "limit");
		bool regular = read_truth(test, "regular");

		cells_add(&cells, "%s", read_text(test, "frame_size"));
		cells_add(&cells, "%s %s", read_text(test, "tx_backend"), read_text(test, "transmit_mode"));
		cells_add_number(&cells, read_number(test, "clean_load"), 1);
		cells_add_number(&cells, read_number(test, "fastest_load"), 1);
		cells_add_number(&cells, read_number(test, "line_rate"), 1);
		cells_add(&cells, json_is_object(confirmation) ? "%.0f of %.0f" : DASH, read_number(confirmation, "clean"),
			  read_number(confirmation, "trials"));
		cells_add(&cells, "%s", text_ns(read_number(floor, "p50_ns"), text));
		cells_add(&cells, "%s", text_ns(read_number(floor, "p99_ns"), text));
		cells_add(&cells, "%s", text_ns(read_number(json_object_get(test, "pacing"), "gap_p99_ns"), text));
		cells_add(&cells, "%s%s%s", read_text(test, "limited_by"), *limit ? ": " : "", limit);
		cells_add(&cells, "%s%s",
			  regular ? "regular" : "IRREGULAR: ", regular ? "" : read_text(test, "irregular_reason"));
		cells_put(&cells, writer, regular ? TONE_GOOD : TONE_BAD);
	}
	writer->ops->table_end(writer);
	writer->ops->paragraph(
		writer, "Loads are per interface. The floor is the latency of a lightly loaded tester; the gap is that "
			"between departures at the clean load.");
	facts_add(&facts, "No SUT", "%s", read_text(json_object_get(document, "sut_check"), "evidence"));
	facts_put(&facts, writer);
}

const struct content content_selftest = {
	.kind = "selftest",
	.title = "Self-test of the tester",
	.known = known_selftest,
	.put_tables = put_selftest,
};
