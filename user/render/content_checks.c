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

static void put_compare_verdict(struct writer *writer, const json_t *document)
{
	bool slower = strcmp(read_text(document, "verdict"), "regression") == 0;

	writer->ops->banner(writer, slower ? TONE_BAD : TONE_GOOD,
			    slower ? "Regression: B is slower than A."
				   : "No regression: B is not shown to be slower than A.");
}

static void put_side(struct writer *writer, const char *name, const json_t *side)
{
	static const char *const nothing[] = { NULL };
	struct facts facts = { .count = 0 };

	facts_add_object(&facts, side, nothing);
	if (facts.count)
		writer->ops->subsection(writer, NULL, name);
	facts_put(&facts, writer);
}

static void add_findings(struct cells *cells, const json_t *side)
{
	cells_add_number(cells, read_number(side, "conditional_throughput_mean"), 1);
	cells_add_number(cells, read_number(side, "relevant_lower_bound_min"), 1);
	cells_add_number(cells, read_number(side, "relevant_upper_bound_max"), 1);
}

static void put_compare(struct writer *writer, const json_t *document)
{
	static const struct writer_column columns[] = {
		{ "Goal", false },
		{ "Verdict", false },
		{ "Change", true },
		{ "A: throughput (frames/s)", true },
		{ "from", true },
		{ "to", true },
		{ "B: throughput (frames/s)", true },
		{ "from", true },
		{ "to", true },
	};
	const json_t *goals = json_object_get(document, "goals");
	struct cells cells = { .count = 0 };
	struct facts facts = { .count = 0 };
	char text[VALUE_SIZE];

	writer->ops->section(writer, "goals", "Goal by goal");
	writer->ops->table(writer, "compare-table", columns, COUNT(columns));
	for (size_t i = 0; i < json_array_size(goals); i++) {
		const json_t *goal = json_array_get(goals, i);
		bool slower = strcmp(read_text(goal, "verdict"), "slower") == 0;

		cells_add(&cells, "%s", read_text(goal, "goal"));
		cells_add(&cells, "%s", read_text(goal, "verdict"));
		cells_add(&cells, "%s", text_percent(read_number(goal, "change"), text));
		add_findings(&cells, json_object_get(goal, "a"));
		add_findings(&cells, json_object_get(goal, "b"));
		cells_put(&cells, writer, slower ? TONE_BAD : TONE_PLAIN);
	}
	writer->ops->table_end(writer);
	for (size_t i = 0; i < json_array_size(goals); i++) {
		const json_t *goal = json_array_get(goals, i);

		facts_add(&facts, read_text(goal, "goal"), "%s", read_text(goal, "evidence"));
	}
	facts_put(&facts, writer);
	put_side(writer, "A", json_object_get(document, "a"));
	put_side(writer, "B", json_object_get(document, "b"));
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
		{ "Check", false }, { "State", false }, { "Found", false }, { "Fix", false }
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

	writer->ops->banner(writer, tone_of(state),
			    tone_of(state) == TONE_GOOD ? "Nothing stands in the way of a measurement."
			    : tone_of(state) == TONE_WARN
				    ? "Some things weaken a measurement; what mends them stands beside."
				    : "Something stands in the way of a measurement; what mends it stands beside.");
}

static void put_probe(struct writer *writer, const json_t *document)
{
	const json_t *ports = json_object_get(document, "ports");

	writer->ops->section(writer, "machine", "Machine");
	put_checks(writer, "machine-table", json_object_get(document, "machine"));
	for (size_t i = 0; i < json_array_size(ports); i++) {
		const json_t *port = json_array_get(ports, i);
		char id[32], heading[VALUE_SIZE];

		snprintf(id, sizeof(id), "port-%zu", i + 1);
		snprintf(heading, sizeof(heading), "Port %.60s", read_text(port, "name"));
		writer->ops->section(writer, id, heading);
		snprintf(id, sizeof(id), "port-%zu-table", i + 1);
		put_checks(writer, id, json_object_get(port, "checks"));
	}
}

const struct content content_probe = {
	.kind = "probe",
	.title = "What this tester can do",
	.known = known_probe,
	.put_verdicts = put_probe_state,
	.put_tables = put_probe,
};

/* --- selftest ------------------------------------------------------------------------------------------------------- */

static const char *const known_selftest[] = { "self_tests", NULL };

static void put_selftest(struct writer *writer, const json_t *document)
{
	static const struct writer_column columns[] = {
		{ "Frame size (octets)", true },  { "Clean load (frames/s)", true }, { "Fastest (frames/s)", true },
		{ "Line rate (frames/s)", true }, { "Limited by", false },           { "Latency floor, median", true },
		{ "Floor, p99", true },           { "Transmitter", false },          { "Result", false },
	};
	const json_t *tests = json_object_get(document, "self_tests");
	struct cells cells = { .count = 0 };
	char text[VALUE_SIZE];

	writer->ops->section(writer, "self-tests", "What the tester itself does without a SUT");
	writer->ops->table(writer, "selftest-table", columns, COUNT(columns));
	for (size_t i = 0; i < json_array_size(tests); i++) {
		const json_t *test = json_array_get(tests, i), *floor = json_object_get(test, "floor");
		bool regular = read_truth(test, "regular");

		cells_add(&cells, "%s", read_text(test, "frame_size"));
		cells_add_number(&cells, read_number(test, "clean_load"), 1);
		cells_add_number(&cells, read_number(test, "fastest_load"), 1);
		cells_add_number(&cells, read_number(test, "line_rate"), 1);
		cells_add(&cells, "%s", read_text(test, "limited_by"));
		cells_add(&cells, "%s", text_ns(read_number(floor, "p50_ns"), text));
		cells_add(&cells, "%s", text_ns(read_number(floor, "p99_ns"), text));
		cells_add(&cells, "%s %s", read_text(test, "tx_backend"), read_text(test, "transmit_mode"));
		cells_add(&cells, "%s%s",
			  regular ? "regular" : "IRREGULAR: ", regular ? "" : read_text(test, "irregular_reason"));
		cells_put(&cells, writer, regular ? TONE_GOOD : TONE_BAD);
	}
	writer->ops->table_end(writer);
}

const struct content content_selftest = {
	.kind = "selftest",
	.title = "Self-test of the tester",
	.known = known_selftest,
	.put_tables = put_selftest,
};
