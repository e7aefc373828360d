/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report says of a search: the goals and their results, the course, every trial. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/values.h"
#include "render/verdict.h"

#define NAME_SIZE 32

static const char *const known[] = {
	"algorithm",     "controller_input", "max_load_source",
	"search_result", "trials",           "search_duration",
	"repeats",       "line_rate",        NULL,
};

/* Of a Goal Result; anything else is shown by its name. */
static const char *const known_result[] = {
	"goal",
	"regular",
	"irregular_reason",
	"relevant_lower_bound",
	"relevant_upper_bound",
	"conditional_throughput",
	"tester_limited",
	"rfc2544_compliance",
	"relevant_lower_bound_l1_bps",
	"relevant_lower_bound_l2_bps",
	"relevant_upper_bound_l1_bps",
	"relevant_upper_bound_l2_bps",
	"conditional_throughput_l1_bps",
	"conditional_throughput_l2_bps",
	NULL,
};

static const json_t *results_of(const json_t *document)
{
	return json_object_get(document, "search_result");
}

static const char *goal_name(const json_t *result)
{
	const char *name = read_string(json_object_get(result, "goal"), "name");

	return name ? name : "goal";
}

/* --- the verdict on a goal ------------------------------------------------------------------------------------------ */

static double width_of(const json_t *result)
{
	double lower = read_number(result, "relevant_lower_bound"), upper = read_number(result, "relevant_upper_bound");

	return (upper - lower) / upper;
}

/* In every unit: on the link, too. */
static void add_bound(struct facts *facts, const char *label, const json_t *document, double fps, bool regular)
{
	char exact[VALUE_SIZE], rounded[VALUE_SIZE], unit[VALUE_SIZE], l2[VALUE_SIZE], l1[VALUE_SIZE],
		bits[3 * VALUE_SIZE] = "";
	const char *mark = regular ? "" : " (irregular)";
	double octets = frame_octets(document);

	if (isnan(fps)) {
		facts_add(facts, label, "none%s", mark);
		return;
	}
	if (!isnan(octets))
		snprintf(bits, sizeof(bits), "; L2 %s, L1 %s", text_bps(frame_l2_bps(fps, octets), l2),
			 text_bps(frame_l1_bps(fps, octets), l1));
	text_split(fps, "frames/s", rounded, unit);
	facts_add(facts, label, "%s %s, %s%s%s", rounded, unit, text_fps(fps, exact), bits, mark);
}

static void add_rates(struct facts *facts, const json_t *document, double fps)
{
	double octets = frame_octets(document), factor = read_number(document, "aggregate_factor");
	char text[VALUE_SIZE];

	if (!isnan(octets) && !isnan(fps)) {
		facts_add(facts, "Frames alone (L2)", "%s", text_bps(frame_l2_bps(fps, octets), text));
		facts_add(facts, "On the link (L1)", "%s", text_bps(frame_l1_bps(fps, octets), text));
	}
	if (factor > 1 && !isnan(fps)) {
		char label[VALUE_SIZE];

		snprintf(label, sizeof(label), "Total of %g interfaces", factor);
		facts_add(facts, label, "%s", text_fps(fps * factor, text));
	}
}

static void add_bounds(struct facts *facts, const json_t *document, const json_t *result)
{
	bool regular = read_truth(result, "regular");
	char text[VALUE_SIZE], goal_width[VALUE_SIZE];

	add_bound(facts, "Relevant Lower Bound", document, read_number(result, "relevant_lower_bound"), regular);
	add_bound(facts, "Relevant Upper Bound", document, read_number(result, "relevant_upper_bound"), regular);
	if (!isnan(width_of(result)))
		facts_add(facts, "Width between them", "%s (goal %s)", text_percent(width_of(result), text),
			  text_percent(read_number(json_object_get(result, "goal"), "width"), goal_width));
}

/* Section 4.10.2 of draft-15. */
static void add_compliance(struct facts *facts, const json_t *result)
{
	const char *compliance = read_string(result, "rfc2544_compliance");

	if (compliance)
		facts_add(facts, "RFC 2544, section 24", "%s",
			  strcmp(compliance, "unconditional") == 0 ? "unconditionally compliant: this is its throughput"
			  : strcmp(compliance, "conditional") == 0
				  ? "conditionally compliant: its throughput, but for the length of trials"
				  : "not compliant: this is not its throughput");
}

static const char *warning_of(const json_t *result, struct verdict_card *card)
{
	const char *reason = read_string(result, "irregular_reason");
	bool limited = read_truth(result, "tester_limited");

	snprintf(card->warning, sizeof(card->warning), "%s%s%s", reason && !read_truth(result, "regular") ? reason : "",
		 reason && limited ? ". " : "",
		 limited ? "Tester-limited: the tester met its own limit at this bound; the SUT may do more." : "");
	return *card->warning ? card->warning : NULL;
}

static void fill_card(struct verdict_card *card, const json_t *document, const json_t *result, size_t index)
{
	double fps = read_number(result, "conditional_throughput");

	snprintf(card->id, sizeof(card->id), "goal-%zu", index + 1);
	card->verdict.id = card->id;
	card->verdict.name = goal_name(result);
	card->verdict.quantity = "Conditional Throughput";
	card->verdict.warning = warning_of(result, card);
	verdict_card_set(card, fps, read_truth(result, "regular"), read_truth(result, "tester_limited"));
	add_rates(&card->facts, document, fps);
	add_bounds(&card->facts, document, result);
	add_compliance(&card->facts, result);
}

/* One sentence over all goals. */
static void put_summary(struct writer *writer, const json_t *document)
{
	const json_t *results = results_of(document);
	size_t count = json_array_size(results), regular = 0, limited = 0;
	char text[256];

	for (size_t i = 0; i < count; i++) {
		regular += read_truth(json_array_get(results, i), "regular");
		limited += read_truth(json_array_get(results, i), "tester_limited");
	}
	if (regular < count)
		return; /* the reason of the irregular result stands there */
	if (limited) {
		snprintf(text, sizeof(text), "%zu of %zu results met the tester's own limit.", limited, count);
		writer->ops->banner(writer, TONE_WARN, text);
		return;
	}
	if (count == 1)
		snprintf(text, sizeof(text), "The goal was reached: its result is regular.");
	else
		snprintf(text, sizeof(text),
			 count == 2 ? "Both goals were reached: every result is regular."
				    : "All %zu goals were reached: every result is regular.",
			 count);
	if (count)
		writer->ops->banner(writer, TONE_GOOD, text);
}

static void put_verdicts(struct writer *writer, const json_t *document)
{
	if (!json_array_size(results_of(document)))
		writer->ops->banner(writer, TONE_BAD,
				    "IRREGULAR: the search ended before it had a result; its trials stand below.");
	else
		put_summary(writer, document);
	verdict_cards_put(writer, RANK_MAIN, document, results_of(document), fill_card);
}

/* --- figures -------------------------------------------------------------------------------------------------------- */

static void put_figures(struct writer *writer, const json_t *document)
{
	const json_t *goals = json_object_get(json_object_get(document, "controller_input"), "goals");

	writer->ops->section(writer, RANK_MAIN, "course", "The course of the search");
	for (size_t goal = 0; goal < json_array_size(goals); goal++) {
		const char *name = read_string(json_array_get(goals, goal), "name");
		char of[VALUE_SIZE];

		snprintf(of, sizeof(of), "goal %.70s", name ? name : "");
		figure_course(writer, document, goal, (unsigned int)goal + 1, of);
	}
	figure_loss(writer, json_object_get(document, "trials"), results_of(document));
	figure_latency(writer, json_object_get(document, "trials"));
}

/* --- tables --------------------------------------------------------------------------------------------------------- */

static void put_results(struct writer *writer, const json_t *document)
{
	static const struct writer_column columns[] = {
		{ "Goal", false },
		{ "Result", false },
		{ "Relevant Lower Bound (frames/s)", true },
		{ "Relevant Upper Bound (frames/s)", true },
		{ "Conditional Throughput (frames/s)", true },
		{ "L2 (bit/s)", true },
		{ "L1 (bit/s)", true },
		{ "Width (upper \xe2\x88\x92 lower) / upper", true },
		{ "Tester-limited", false },
	};
	double octets = frame_octets(document);
	const json_t *results = results_of(document);
	struct cells cells = { .count = 0 };

	writer->ops->section(writer, RANK_PAGE, "results", "Results");
	writer->ops->table(writer, "result-table", columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < json_array_size(results); i++) {
		const json_t *result = json_array_get(results, i);
		bool regular = read_truth(result, "regular");
		double fps = read_number(result, "conditional_throughput");
		char text[VALUE_SIZE];

		cells_add(&cells, "%s", goal_name(result));
		cells_add(&cells, "%s", regular ? "regular" : "IRREGULAR");
		cells_add_number(&cells, read_number(result, "relevant_lower_bound"), 1);
		cells_add_number(&cells, read_number(result, "relevant_upper_bound"), 1);
		cells_add_number(&cells, fps, 1);
		cells_add(&cells, "%s", text_bps(frame_l2_bps(fps, octets), text));
		cells_add(&cells, "%s", text_bps(frame_l1_bps(fps, octets), text));
		cells_add(&cells, "%s", text_percent(width_of(result), text));
		cells_add(&cells, "%s", read_truth(result, "tester_limited") ? "yes" : "no");
		cells_put(&cells, writer, regular ? TONE_GOOD : TONE_BAD);
	}
	writer->ops->table_end(writer);
	for (size_t i = 0; i < json_array_size(results); i++) {
		struct facts facts = { .count = 0 };

		facts_add_object(&facts, json_array_get(results, i), known_result);
		if (facts.count)
			writer->ops->subsection(writer, NULL, goal_name(json_array_get(results, i)));
		facts_put(&facts, writer);
	}
}

static void put_goals(struct writer *writer, const json_t *document)
{
	static const struct writer_column columns[] = {
		{ "Search Goal", false },
		{ "Loss Ratio", true },
		{ "Exceed Ratio", true },
		{ "Width (relative)", true },
		{ "Initial Trial Duration (s)", true },
		{ "Final Trial Duration (s)", true },
		{ "Duration Sum (s)", true },
	};
	const json_t *input = json_object_get(document, "controller_input"), *goals = json_object_get(input, "goals");
	struct cells cells = { .count = 0 };
	struct facts facts = { .count = 0 };
	char text[VALUE_SIZE];

	writer->ops->section(writer, RANK_MAIN, "controller-input", "Search Goals");
	writer->ops->table(writer, "goal-table", columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < json_array_size(goals); i++) {
		const json_t *goal = json_array_get(goals, i);

		cells_add(&cells, "%s", read_string(goal, "name") ? read_string(goal, "name") : "");
		cells_add(&cells, "%s", text_percent(read_number(goal, "loss_ratio"), text));
		cells_add(&cells, "%s", text_percent(read_number(goal, "exceed_ratio"), text));
		cells_add(&cells, "%s", text_percent(read_number(goal, "width"), text));
		cells_add(&cells, "%g", read_number(goal, "initial_trial_duration"));
		cells_add(&cells, "%g", read_number(goal, "final_trial_duration"));
		cells_add(&cells, "%g", read_number(goal, "duration_sum"));
		cells_put(&cells, writer, TONE_PLAIN);
	}
	writer->ops->table_end(writer);
	facts_add(&facts, "Min Load", "%s per interface", text_fps(read_number(input, "min_load"), text));
	facts_add(&facts, "Max Load", "%s per interface%s%s", text_fps(read_number(input, "max_load"), text),
		  read_string(document, "max_load_source") ? ", from the " : "",
		  read_string(document, "max_load_source") ? read_string(document, "max_load_source") : "");
	if (!isnan(read_number(document, "line_rate")))
		facts_add(&facts, "Line rate at this frame size", "%s", text_fps(read_number(document, "line_rate"), text));
	if (read_string(document, "algorithm"))
		facts_add(&facts, "Algorithm", "%s", read_string(document, "algorithm"));
	facts_add(&facts, "Trials", "%zu", json_array_size(json_object_get(document, "trials")));
	if (!isnan(read_number(document, "search_duration")))
		facts_add(&facts, "Search duration", "%s s", text_number(read_number(document, "search_duration"), 1, text));
	facts_put(&facts, writer);
}

/* What --repeat found: mean and spread of each goal, and every search's own value. */
static void put_repeats(struct writer *writer, const json_t *repeats)
{
	static const struct writer_column columns[] = {
		{ "Goal", false },       { "Mean (frames/s)", true },     { "Standard deviation (frames/s)", true },
		{ "of the mean", true }, { "Smallest (frames/s)", true }, { "Largest (frames/s)", true },
		{ "Searches", true },
	};
	const json_t *statistics = json_object_get(repeats, "statistics");
	struct cells cells = { .count = 0 };
	char text[VALUE_SIZE];

	if (!json_array_size(statistics))
		return;
	writer->ops->section(writer, RANK_MAIN, "repeats", "Conditional Throughput over repeated searches");
	writer->ops->table(writer, "repeat-table", columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < json_array_size(statistics); i++) {
		const json_t *one = json_array_get(statistics, i);
		double mean = read_number(one, "mean"), stdev = read_number(one, "stdev");

		cells_add(&cells, "%s", read_string(one, "goal") ? read_string(one, "goal") : "");
		cells_add_number(&cells, mean, 1);
		cells_add_number(&cells, stdev, 1);
		cells_add(&cells, "%s", text_percent(stdev / mean, text));
		cells_add_number(&cells, read_number(one, "min"), 1);
		cells_add_number(&cells, read_number(one, "max"), 1);
		cells_add_number(&cells, read_number(one, "count"), 0);
		cells_put(&cells, writer, TONE_PLAIN);
	}
	writer->ops->table_end(writer);
}

/* Every search of a repetition: a row a goal of each. */
static void put_runs(struct writer *writer, const json_t *repeats)
{
	static const struct writer_column columns[] = {
		{ "Search", true },
		{ "Goal", false },
		{ "Result", false },
		{ "Relevant Lower Bound (frames/s)", true },
		{ "Relevant Upper Bound (frames/s)", true },
		{ "Conditional Throughput (frames/s)", true },
		{ "Trials", true },
	};
	const json_t *runs = json_object_get(repeats, "runs");
	struct cells cells = { .count = 0 };
	char text[160];

	if (!json_array_size(runs))
		return;
	writer->ops->table(writer, "run-table", columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < json_array_size(runs); i++) {
		const json_t *run = json_array_get(runs, i), *results = results_of(run);

		for (size_t goal = 0; goal < json_array_size(results); goal++) {
			const json_t *result = json_array_get(results, goal);

			cells_add_number(&cells, read_number(run, "run"), 0);
			cells_add(&cells, "%s", goal_name(result));
			cells_add(&cells, "%s", read_truth(result, "regular") ? "regular" : "IRREGULAR");
			cells_add_number(&cells, read_number(result, "relevant_lower_bound"), 1);
			cells_add_number(&cells, read_number(result, "relevant_upper_bound"), 1);
			cells_add_number(&cells, read_number(result, "conditional_throughput"), 1);
			cells_add(&cells, "%zu", json_array_size(json_object_get(run, "trials")));
			cells_put(&cells, writer, read_truth(result, "regular") ? TONE_PLAIN : TONE_BAD);
		}
	}
	writer->ops->table_end(writer);
	snprintf(text, sizeof(text),
		 "%.0f of %.0f searches. Everything else in this report is of number %.0f, which has the median result.",
		 read_number(repeats, "count"), read_number(repeats, "asked"), read_number(repeats, "median_run"));
	writer->ops->paragraph(writer, text);
}

static void put_tables(struct writer *writer, const json_t *document)
{
	put_repeats(writer, json_object_get(document, "repeats"));
	put_runs(writer, json_object_get(document, "repeats"));
	put_results(writer, document);
	put_goals(writer, document);
	content_put_trials(writer, json_object_get(document, "trials"));
}

const struct content content_search = {
	.kind = "search",
	.title = "Throughput by MLRsearch",
	.of_sut = true,
	.known = known,
	.put_verdicts = put_verdicts,
	.put_figures = put_figures,
	.put_tables = put_tables,
};
