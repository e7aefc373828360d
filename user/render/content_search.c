/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of a search: the goals and their results, the course, every trial. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/units.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/limits.h"

/* Known members of a Goal Result; any other member is shown by its name. */
static const char known_result[] =
	"goal regular irregular_reason relevant_lower_bound relevant_upper_bound conditional_throughput tester_limited "
	"rfc2544_compliance relevant_lower_bound_l1_bps relevant_lower_bound_l2_bps relevant_upper_bound_l1_bps "
	"relevant_upper_bound_l2_bps conditional_throughput_l1_bps conditional_throughput_l2_bps latency "
	"cause";

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

/* What the goal asks, in words. */
static const struct fact question_facts[] = {
	{ "Asked for", "[[loss_ratio? at most {loss_ratio:percent}][!loss_ratio? no frame] lost, in trials of "
		       "{final_trial_duration:plain} s; "
		       "[exceed_ratio? trials worth {exceed_ratio:percent}][!exceed_ratio? none] of {duration_sum:plain} s "
		       "may lose more]" },
};

/* The latency at the Relevant Lower Bound, of the worst of its trials. */
static const struct fact latency_facts[] = {
	{ "Latency at lower bound",
	  "[latency? p50 {latency/p50_ns:ns}, p99 {latency/p99_ns:ns}, max {latency/max_ns:ns}"
	  "[; delay variation (PDV) p99 {latency/pdv_p99_ns:ns}][; from frame to frame (IPDV) p99 {latency/ipdv_p99_ns:ns}]"
	  "; the worst of {latency/trials:plain} trial{latency/trials:s}]" },
};

/* Section 4.10.2 of RFC 9971. */
static const struct fact compliance_facts[] = {
	{ "RFC 2544, section 24",
	  "[rfc2544_compliance=unconditional? unconditionally compliant: this is its throughput]"
	  "[rfc2544_compliance=conditional? conditionally compliant: its throughput, but for the length of trials]"
	  "[rfc2544_compliance=none? not compliant: this is not its throughput]" },
};

/* Add the spread of the goal's Conditional Throughput, with --repeat. */
static void add_spread(struct facts *facts, const json_t *document, const char *goal)
{
	const json_t *statistics = json_at(document, "/repeats/statistics");

	json_each (one, statistics)
		if (strcmp(read_text(one, "goal"), goal) == 0 && read_number(one, "count") > 1)
			facts_add(facts, "Over the searches", "mean %s, standard deviation %s (%s), of %g",
				  text_fps(read_number(one, "mean"), VALUE_ROOM),
				  text_fps(read_number(one, "stdev"), VALUE_ROOM),
				  text_percent(read_number(one, "stdev") / read_number(one, "mean"), VALUE_ROOM),
				  read_number(one, "count"));
}

/* Add a bound in every unit, also on the link. */
static void add_bound(struct facts *facts, const char *label, double octets, double fps, enum standing standing)
{
	char rounded[VALUE_SIZE], unit[VALUE_SIZE], bits[3 * VALUE_SIZE] = "";
	const char *mark = standing == STANDING_REGULAR   ? ""
			   : standing == STANDING_LIMITED ? " (" LIMITED_WORD ")"
							  : " (irregular)";

	if (isnan(fps)) {
		facts_add(facts, label, "none%s", mark);
		return;
	}
	if (!isnan(octets))
		snprintf(bits, sizeof(bits), "; L2 %s, L1 %s", text_bps(l2_bps(fps, octets), VALUE_ROOM),
			 text_bps(l1_bps(fps, octets), VALUE_ROOM));
	text_split(fps, "frames/s", rounded, unit);
	facts_add(facts, label, "%s %s, %s%s%s", rounded, unit, text_fps(fps, VALUE_ROOM), bits, mark);
}

static void add_rates(struct facts *facts, const json_t *document, const json_t *result, double fps)
{
	double factor = read_number(document, "aggregate_factor"),
	       octets = rate_octets(result, "conditional_throughput", frame_octets(document));

	facts_add_rates(facts, fps, octets);
	if (factor > 1 && !isnan(fps))
		add_bound(facts, TEXT_OF(VALUE_SIZE, "Total of %g interfaces", factor), octets, fps * factor,
			  standing_of(result));
}

static void add_bounds(struct facts *facts, const json_t *document, const json_t *result)
{
	static const char *const bounds[][2] = { { "Relevant Lower Bound", "relevant_lower_bound" },
						 { "Relevant Upper Bound", "relevant_upper_bound" } };

	for (size_t i = 0; i < COUNT(bounds); i++)
		add_bound(facts, bounds[i][0], rate_octets(result, bounds[i][1], frame_octets(document)),
			  read_number(result, bounds[i][1]), standing_of(result));
	if (!isnan(width_of(result)))
		facts_add(facts, "Width between them", "%s (Goal Width %s)", text_percent(width_of(result), VALUE_ROOM),
			  text_percent(read_number(json_object_get(result, "goal"), "width"), VALUE_ROOM));
}

static void fill_verdict(struct writer_verdict *verdict, const json_t *document, const json_t *result, size_t index)
{
	enum standing standing = standing_of(result);
	const char *reason = standing == STANDING_IRREGULAR ? read_text(result, "irregular_reason") : "";
	double fps = read_number(result, "conditional_throughput");
	char limit[LIMIT_TEXT_SIZE] = "";

	snprintf(verdict->id, sizeof(verdict->id), "goal-%zu", index + 1);
	snprintf(verdict->name, sizeof(verdict->name), "%s", goal_name(result));
	verdict->quantity = "Conditional Throughput";
	if (read_truth(result, "tester_limited"))
		limit_text_of_goal(json_object_get(document, "trials"), result, limit);
	snprintf(verdict->warning, sizeof(verdict->warning), "%s%s%s", reason, *reason && *limit ? ". " : "", limit);
	verdict_set(verdict, fps, standing);
	facts_say(&verdict->facts, json_object_get(result, "goal"), question_facts, COUNT(question_facts));
	add_rates(&verdict->facts, document, result, fps);
	add_bounds(&verdict->facts, document, result);
	facts_say(&verdict->facts, result, latency_facts, COUNT(latency_facts));
	add_spread(&verdict->facts, document, goal_name(result));
	facts_say(&verdict->facts, result, compliance_facts, COUNT(compliance_facts));
}

/* One sentence over all goals. */
static void put_summary(struct writer *writer, const json_t *document)
{
	const json_t *results = results_of(document);
	size_t count = json_array_size(results), limited = standing_count(results, STANDING_LIMITED);
	enum standing whole = standing_of_document(document);
	char text[256];

	if (!limited && whole == STANDING_LIMITED)
		writer->ops->banner(writer, TONE_WARN,
				    "One of the repeated searches has a result that is " LIMITED_WORD
				    " by the tester: the SUT may do more.");
	if (limited) {
		snprintf(text, sizeof(text), "%zu of %zu results %s " LIMITED_WORD " by the tester: the SUT may do more.",
			 limited, count, limited == 1 ? "is" : "are");
		writer->ops->banner(writer, TONE_WARN, text);
	}
	if (whole != STANDING_REGULAR)
		return; /* the reason of an irregular result stands there */
	if (count == 1)
		snprintf(text, sizeof(text), "The goal was reached: its result is regular.");
	else
		snprintf(text, sizeof(text),
			 count == 2 ? "Both goals were reached: every result is regular."
				    : "All %zu goals were reached: every result is regular.",
			 count);
	if (count)
		writer->ops->banner(writer, tone_of_success(document), text);
}

static void put_verdicts(struct writer *writer, const json_t *document)
{
	if (!json_array_size(results_of(document)))
		writer->ops->banner(writer, TONE_BAD,
				    "IRREGULAR: the search ended before it had a result; its trials stand below.");
	else
		put_summary(writer, document);
	verdicts_put(writer, LEVEL_MAIN, document, results_of(document), fill_verdict);
}

/* --- figures -------------------------------------------------------------------------------------------------------- */

/* Add the loss ratio of a direction, or of a trial that has one alone. */
static const char *text_either_loss_ratio(const json_t *row, char text[CELL_SIZE])
{
	return text_percent(read_either(row, "loss_ratio", "trial_loss_ratio"), text);
}

/* The trials for latency alone, a row each and direction. */
static const struct field latency_at_columns[] = {
	{ "Load", .phrase = "[share? {share:percent} of {goal}][!share? next to none]" },
	{ "(frames/s)", "/trial_load", text_rate },
	{ "Direction", .phrase = DIRECTION },
	{ "Loss Ratio", .write = text_either_loss_ratio, .numeric = true },
	{ "Latency: minimum", "/latency/min_ns", text_ns },
	{ "p50", "/latency/p50_ns", text_ns },
	{ "p90", "/latency/p90_ns", text_ns },
	{ "p99", "/latency/p99_ns", text_ns },
	{ "p99.9", "/latency/p99_9_ns", text_ns },
	{ "maximum", "/latency/max_ns", text_ns },
	{ "Standing", .phrase = "[tester_limited? " LIMITED_WORD "]" },
};

static void put_latency_figures(struct writer *writer, const json_t *document)
{
	figures_latency_at(writer, json_object_get(document, "latency_at"), json_at(document, "/controller_input/goals"));
}

static void put_figures(struct writer *writer, const json_t *document)
{
	const json_t *goals = json_at(document, "/controller_input/goals");
	size_t all = json_array_size(goals), count;

	for (size_t goal = 0; goal < all; goal += count) {
		char of[VALUE_SIZE];

		count = all - goal < COURSE_GOALS ? all - goal : COURSE_GOALS;
		snprintf(of, sizeof(of), "goal%s %.36s%s%.36s", count > 1 ? "s" : "",
			 read_text(json_array_get(goals, goal), "name"), count > 1 ? " and " : "",
			 count > 1 ? read_text(json_array_get(goals, goal + 1), "name") : "");
		figure_course(writer, document, goal, count, (unsigned int)goal + 1, of);
	}
	figure_loss(writer, json_object_get(document, "trials"), results_of(document));
	figure_latency(writer, json_object_get(document, "trials"));
}

/* --- tables --------------------------------------------------------------------------------------------------------- */

static enum tone tone_of_run(const json_t *result)
{
	return standing_of(result) == STANDING_REGULAR ? TONE_PLAIN : tone_of_result(result);
}

static const char *text_width(const json_t *result, char text[CELL_SIZE])
{
	return text_percent(width_of(result), text);
}

static void put_results(struct writer *writer, const json_t *document)
{
	double octets = frame_octets(document);
	const struct field fields[] = {
		{ "Goal", "/goal/name" },
		{ "Result", .write = text_word },
		{ "Relevant Lower Bound (frames/s)", "/relevant_lower_bound", text_rate },
		{ "on the link (L1)", "/relevant_lower_bound", text_bps, .bps = l1_bps, .octets = octets },
		{ "Relevant Upper Bound (frames/s)", "/relevant_upper_bound", text_rate },
		{ "on the link (L1)", "/relevant_upper_bound", text_bps, .bps = l1_bps, .octets = octets },
		{ "Conditional Throughput (frames/s)", "/conditional_throughput", text_rate },
		{ "frames alone (L2)", "/conditional_throughput", text_bps, .bps = l2_bps, .octets = octets },
		{ "on the link (L1)", "/conditional_throughput", text_bps, .bps = l1_bps, .octets = octets },
		{ "Width (upper \xe2\x88\x92 lower) / upper", .write = text_width, .numeric = true },
		{ "Limited by the tester", "/tester_limited", text_yes_no },
	};
	const json_t *results = results_of(document);

	table_put(writer, "result-table", fields, COUNT(fields), results, tone_of_result);
	json_each (result, results) {
		struct facts facts = { .count = 0 };

		facts_add_object(&facts, result, known_result);
		if (facts.count)
			writer->ops->subsection(writer, goal_name(result));
		facts_put(&facts, writer);
	}
}

static void put_goals(struct writer *writer, const json_t *document)
{
	goals_put(writer, json_at(document, "/controller_input/goals"));
}

/* Write Min Load and Max Load in frames/s and in bit/s on the link. */
static void put_loads(struct writer *writer, const json_t *document)
{
	static const char *const loads[][2] = { { "min_load", "Min Load" }, { "max_load", "Max Load" } };
	struct facts facts = { .count = 0 };

	for (size_t i = 0; i < COUNT(loads); i++) {
		double fps = read_number(json_object_get(document, "controller_input"), loads[i][0]),
		       bps = l1_bps(fps, frame_octets(document));
		const char *source = i ? read_text(document, "max_load_source") : "";

		facts_add(&facts, loads[i][1], "%s%s%s per interface%s%s", text_fps(fps, VALUE_ROOM),
			  isnan(bps) ? "" : ", L1 ", isnan(bps) ? "" : text_bps(bps, VALUE_ROOM),
			  *source ? ", from the " : "", source);
	}
	facts_put(&facts, writer);
}

static const struct fact input_facts[] = {
	{ "Line rate at this frame size", "[{line_rate:fps}]" },
	{ "Algorithm", "{algorithm}" },
	{ "Trials", "[{trials:count}]" },
	{ "Search duration", "[{search_duration:rate} s]" },
};

/* What --repeat found: mean and spread of each goal. */
static const struct field repeat_columns[] = {
	{ "Goal", "/goal" },
	{ "Mean (frames/s)", "/mean", text_rate },
	{ "Standard deviation (frames/s)", "/stdev", text_rate },
	{ "of the mean", .write = text_deviation, .numeric = true },
	{ "Smallest (frames/s)", "/min", text_rate },
	{ "Largest (frames/s)", "/max", text_rate },
	{ "Searches", "/count", text_count },
};

/* Every search of a repetition: a row a goal of each. */
static const struct field run_columns[] = {
	{ "Search", "/run", text_count },
	{ "Goal", "/goal/name" },
	{ "Result", .write = text_word },
	{ "Relevant Lower Bound (frames/s)", "/relevant_lower_bound", text_rate },
	{ "Relevant Upper Bound (frames/s)", "/relevant_upper_bound", text_rate },
	{ "Conditional Throughput (frames/s)", "/conditional_throughput", text_rate },
	{ "Trials", "/trials", text_count },
};

/* clang-format off */
static const struct part parts[] = {
	{ SECTION("course", "The course of the search") },
	{ .put = put_figures },
	{ SECTION("latency-at", "Latency at parts of the throughput"), .when = "latency_at[]/trial" },
	{ .put = put_latency_figures },
	{ TABLE("latency-at-table", "/latency_at[]/trial", latency_at_columns), .directions = DIRECTIONS_TOO },
	{ SECTION("repeats", "Conditional Throughput over repeated searches"), .when = "repeats/statistics" },
	{ TABLE("repeat-table", "/repeats/statistics", repeat_columns) },
	{ TABLE("run-table", "/repeats/runs[]/search_result", run_columns), .tone = tone_of_run },
	{ .say = "{repeats/count:whole} of {repeats/asked:whole} searches. Everything else in this report is of number "
		 "{repeats/median_run:whole}, which has the median result." },
	{ SECTION("results", "Results"), .level = LEVEL_REFERENCE },
	{ .put = put_results },
	{ SECTION("controller-input", "Search Goals") },
	{ .put = put_goals },
	{ .put = put_loads },
	{ FACTS(input_facts) },
	{ .put = content_put_trials, .level = LEVEL_DETAIL },
};
/* clang-format on */

const struct content content_search = {
	.kind = "search",
	.title = "Throughput by MLRsearch",
	.of_sut = true,
	.known = "algorithm controller_input max_load_source search_result trials search_duration repeats line_rate "
		 "latency_at power",
	.put_verdicts = put_verdicts,
	.parts = parts,
	.part_count = COUNT(parts),
};
