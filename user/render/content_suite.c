/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of the suite of RFC 2544 section 26, in the reporting formats of that section and of
 * RFC 9004. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "base/json_read.h"
#include "base/text_stream.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/limits.h"

static const json_t *sizes_of(const json_t *document)
{
	return json_object_get(document, "frame_sizes");
}

static const char *size_name(const json_t *size)
{
	return read_text(size, "frame_size");
}

/* Whether any size has this test. */
static bool has_test(const json_t *document, const char *test)
{
	json_each (size, sizes_of(document))
		if (json_is_object(json_object_get(size, test)))
			return true;
	return false;
}

/* --- verdicts ------------------------------------------------------------------------------------------------------- */

static const char *text_frames(double frames, char buffer[VALUE_SIZE])
{
	snprintf(buffer, VALUE_SIZE, "%.60s frames", text_number(frames, 0, VALUE_ROOM));
	return buffer;
}

static void fill_verdict(struct writer_verdict *verdict, const json_t *, const json_t *size, size_t index)
{
	const json_t *throughput = json_object_get(size, "throughput");
	const json_t *result = json_object_get(throughput, "goal_result");
	enum standing standing = standing_of(throughput);

	snprintf(verdict->id, sizeof(verdict->id), "size-%zu", index + 1);
	snprintf(verdict->name, sizeof(verdict->name), "%.60s%s", size_name(size),
		 isnan(read_number(size, "frame_size_octets")) ? "" : " octets");
	verdict->quantity = "Throughput (26.1)";
	if (standing == STANDING_IRREGULAR)
		snprintf(verdict->warning, sizeof(verdict->warning), "%.1500s", read_text(throughput, "irregular_reason"));
	else if (standing == STANDING_LIMITED)
		limit_text_of_goal(json_object_get(throughput, "trials"), result, verdict->warning);
	verdict_set(verdict, read_number(throughput, "throughput"), standing);
	facts_add_member(&verdict->facts, "Frames alone (L2)", size, "/throughput/l2_bps", text_bps);
	facts_add_member(&verdict->facts, "On the link (L1)", size, "/throughput/l1_bps", text_bps);
	facts_add_member(&verdict->facts, "Of the line rate", size, "/throughput/line_rate_ratio", text_percent);
	facts_add_member(&verdict->facts, "Latency, average", size, "/latency/average_of_means_ns", text_ns);
	facts_add_member(&verdict->facts,
			 read_truth(json_object_get(size, "back_to_back"), "reached_max_burst")
				 ? "Longest burst without loss, at least"
				 : "Longest burst without loss",
			 size, "/back_to_back/average", text_frames);
	facts_add_member(&verdict->facts, "Recovery from overload", size, "/recovery/average", text_seconds);
}

/* "throughput at 64 octets, latency at 512 octets": the tests that are limited. */
static void list_limited(const json_t *document, char *text, size_t size)
{
	char label[VALUE_SIZE];

	json_each (part, sizes_of(document))
		json_each_member (name, test, part) {
			if (!json_object_get(test, "regular") || standing_of(test) != STANDING_LIMITED)
				continue;
			text_label(name, label);
			label[0] = (char)tolower((unsigned char)label[0]);
			text_join(text, size, ", ", "%s at %.40s octets", label, size_name(part));
		}
	if (standing_of(json_object_get(document, "reset")) == STANDING_LIMITED)
		text_join(text, size, ", ", "reset");
	if (standing_of(json_object_get(document, "reconf")) == STANDING_LIMITED)
		text_join(text, size, ", ", "reconfiguration");
}

static void put_summary(struct writer *writer, const json_t *document)
{
	enum standing standing = standing_of_document(document);
	char limited[600] = "";

	list_limited(document, limited, sizeof(limited));
	if (standing == STANDING_REGULAR)
		writer->ops->banner(writer, tone_of_success(document),
				    "Every test that was asked for has a regular result.");
	else if (*limited || standing == STANDING_LIMITED)
		banner_put(writer, TONE_WARN, "Results are " LIMITED_WORD " by the tester, and the SUT may do more%s%s.",
			   *limited ? ": " : "", limited);
}

static void put_verdicts(struct writer *writer, const json_t *document)
{
	put_summary(writer, document);
	if (read_truth(document, "fast"))
		writer->ops->banner(writer, TONE_PLAIN,
				    "Shorter than RFC 2544 asks for (--fast): the deviations below say how.");
	if (has_test(document, "throughput"))
		verdicts_put(writer, LEVEL_REFERENCE, document, sizes_of(document), fill_verdict);
}

/* --- tables, a row a frame size ------------------------------------------------------------------------------------- */

/* The columns of one test at every size that has it begin and end so. */
#define SIZE                                                                                                                \
	{                                                                                                                   \
		"Frame size (octets)", "/frame_size", .numeric = true                                                       \
	}
#define RESULT                                                                                                              \
	{                                                                                                                   \
		"Result", .write = text_result                                                                              \
	}

/* Why results are limited; where there are cards, those say it. */
static void put_limits(struct writer *writer, const json_t *document)
{
	char text[LIMIT_TEXT_SIZE];

	json_each (size, sizes_of(document)) {
		const json_t *throughput = json_object_get(size, "throughput");

		if (writer->shown >= LEVEL_REFERENCE || standing_of(throughput) != STANDING_LIMITED)
			continue;
		limit_text_of_goal(json_object_get(throughput, "trials"), json_object_get(throughput, "goal_result"), text);
		paragraph_put(writer, "%.40s octets: %s", size_name(size), text);
	}
}

static const struct field throughput_columns[] = {
	SIZE,
	{ "Throughput: Relevant Lower Bound (frames/s)", "/throughput", text_rate },
	{ "Relevant Upper Bound (frames/s)", "/goal_result/relevant_upper_bound", text_rate },
	{ "L2", "/l2_bps", text_bps },
	{ "L1", "/l1_bps", text_bps },
	{ "Of the line rate", "/line_rate_ratio", text_percent },
	{ "Trials", "/trial_count", text_count },
	{ "Duration (s)", "/duration", text_rate },
	RESULT,
};

static const struct field latency_columns[] = {
	SIZE,
	{ "Rate (frames/s)", "/load", text_rate },
	{ "Average of the repeats' means", "/average_of_means_ns", text_ns },
	{ "of their medians", "/average_of_medians_ns", text_ns, .level = LEVEL_DETAIL },
	{ "Mean of all frames", "/mean_of_all_frames_ns", text_ns, .level = LEVEL_DETAIL },
	{ "Standard deviation of the means", "/stdev_of_means_ns", text_ns, .level = LEVEL_DETAIL },
	{ "Smallest", "/min_ns", text_ns },
	{ "Largest p99", "/p99_ns_max", text_ns },
	{ "Largest", "/max_ns", text_ns },
	{ "Error bound", "/error_bound_ns", text_ns, .level = LEVEL_DETAIL },
	{ "Tester's own median", "/floor_p50_ns", text_ns, .level = LEVEL_DETAIL },
	{ "Repeats", "/repeats", text_count, .level = LEVEL_DETAIL },
	{ "of (s)", "/trial_duration", text_rate, .level = LEVEL_DETAIL },
	RESULT,
};

static const struct field latency_directions[] = {
	SIZE,
	{ "Direction", .phrase = DIRECTION },
	{ "Average of the repeats' means", "/average_of_means_ns", text_ns },
	{ "Smallest", "/min_ns", text_ns },
	{ "Largest p99", "/p99_ns_max", text_ns },
	{ "Largest", "/max_ns", text_ns },
};

/* What the latencies of all sizes are. */
static void put_latency_terms(struct writer *writer, const json_t *document)
{
	static const struct fact terms[] = {
		{ "Latency counts", "[{definition}; of every frame, not of one]" },
		{ "Clock", "{clock}" },
	};
	const json_t *sizes = sizes_of(document), *first = NULL;
	struct facts facts = { .count = 0 };

	for (size_t i = 0; i < json_array_size(sizes) && !read_string(first, "definition"); i++)
		first = json_object_get(json_array_get(sizes, i), "latency");
	facts_say(&facts, first, terms, COUNT(terms));
	facts_put(&facts, writer);
}

static const struct field loss_parameters[] = {
	SIZE,
	{ "Maximum rate, 100 % (frames/s)", "/max_rate", text_rate },
	{ "Step", "/step_ratio", text_percent },
	{ "Trial duration (s)", "/trial_duration", text_rate },
	RESULT,
};

static const struct field loss_points[] = {
	SIZE,
	{ "Load (frames/s)", "/load", text_rate },
	{ "of the maximum rate", "/load_ratio", text_percent },
	{ "Input (frames)", "/input_frames", text_count },
	{ "Output (frames)", "/output_frames", text_count },
	{ "Frame loss rate", "/loss_ratio", text_percent },
	{ "of the worst direction", .write = text_worst_direction },
	{ "Limited by the tester", "/tester_limited", text_yes_no },
};

static const struct field loss_directions[] = {
	SIZE,
	{ "Load (frames/s)", "/load", text_rate },
	{ "Direction", .phrase = DIRECTION },
	{ "Input (frames)", "/input_frames", text_count },
	{ "Output (frames)", "/output_frames", text_count },
	{ "Frame loss rate", "/loss_ratio", text_percent },
};

/* The curve of a size in a line: "66.6 % at 100 %, 50 % at 90 %". */
static void add_curve(struct facts *facts, const json_t *size)
{
	char text[2400] = "", label[VALUE_SIZE];

	json_each (point, json_at(size, "/frame_loss/points"))
		text_join(text, sizeof(text), ", ", "%s at %s%s", text_percent(read_number(point, "loss_ratio"), VALUE_ROOM),
			  text_percent(read_number(point, "load_ratio"), VALUE_ROOM),
			  read_truth(point, "tester_limited") ? " (" LIMITED_WORD ")" : "");
	snprintf(label, sizeof(label), "Lost, %.40s octets", size_name(size));
	if (*text)
		facts_add(facts, label, "%s", text);
}

/* Where there are no curves, and who asks for no more than a screenful. */
static void put_curves(struct writer *writer, const json_t *document)
{
	struct facts facts = { .count = 0 };

	if (writer->shown != LEVEL_MAIN)
		return;
	json_each (size, sizes_of(document))
		add_curve(&facts, size);
	facts_put(&facts, writer);
}

static const struct field burst_columns[] = {
	SIZE,
	{ "Average burst (frames)", "/average", text_count },
	{ "Smallest", "/min", text_count },
	{ "Largest", "/max", text_count },
	{ "Standard deviation", "/stdev", text_count },
	{ "Corrected DUT Buffer Time", "/corrected_buffer_time", text_seconds },
	{ "Implied DUT Buffer Time", "/implied_buffer_time", text_seconds },
	{ "Note", .phrase = "[reached_max_burst? at least: the longest burst that is sent lost nothing]" },
	RESULT,
};

static const struct field burst_directions[] = {
	SIZE,
	{ "Direction", .phrase = DIRECTION },
	{ "Bursts that lost frames", "/lossy_bursts", text_count },
	{ "Frames lost", "/frames_lost", text_count },
};

static const struct field burst_parameters[] = {
	SIZE,
	{ "Tests averaged (N)", "/tests", text_count },
	{ "Minimum step (frames)", "/min_step_frames", text_count },
	{ "Max Theoretical Frame Rate (frames/s)", "/max_theoretical_frame_rate", text_rate },
	{ "Burst rate (frames/s)", "/burst_rate", text_rate },
	{ "Longest pause", "/pause_longest", text_seconds },
	{ "Measured Throughput (frames/s)", "/measured_throughput", text_rate },
	RESULT,
};

static const struct field recovery_columns[] = {
	SIZE,
	{ "Overload (frames/s)", "/overload", text_rate },
	{ "of the throughput", "/overload_ratio", text_percent, .level = LEVEL_DETAIL },
	{ "for (s)", "/overload_duration", text_rate, .level = LEVEL_DETAIL },
	{ "Then (frames/s)", "/reduced_load", text_rate, .level = LEVEL_DETAIL },
	{ "for (s)", "/reduced_duration", text_rate, .level = LEVEL_DETAIL },
	{ "Recovery time, average", "/average", text_seconds },
	{ "Smallest", "/min", text_seconds },
	{ "Largest", "/max", text_seconds },
	{ "Runs", "/runs", text_count },
	RESULT,
};

static const struct field recovery_directions[] = {
	SIZE,
	{ "Direction", .phrase = DIRECTION },
	{ "Recovery time", "/recovery", text_seconds },
	{ "Resolution", "/resolution", text_seconds },
	{ "Lost (frames)", "/frames_lost", text_count },
	{ "after the change", "/frames_lost_after", text_count },
};

static const struct field reset_directions[] = {
	{ "Direction", .phrase = DIRECTION },
	{ "Reset time", "/reset_time", text_seconds },
	{ "by loss", "/reset_time_by_loss", text_seconds },
	{ "Lost (frames)", "/frames_lost", text_count },
	{ "Nothing came from", "/outage_from", text_seconds },
	{ "to", "/outage_to", text_seconds },
};

/* Put the standing of a test that is made once. */
static void put_standing(struct writer *writer, const json_t *test)
{
	enum standing standing = standing_of(test);

	if (standing == STANDING_IRREGULAR)
		banner_put(writer, TONE_BAD, "%s: %s", standing_word(standing), read_text(test, "irregular_reason"));
	else if (standing == STANDING_LIMITED)
		writer->ops->banner(writer, TONE_WARN, "This result is " LIMITED_WORD " by the tester.");
}

static void put_reset_standing(struct writer *writer, const json_t *document)
{
	put_standing(writer, json_object_get(document, "reset"));
}

static void put_reconf_standing(struct writer *writer, const json_t *document)
{
	put_standing(writer, json_object_get(document, "reconf"));
}

static void put_reset_facts(struct writer *writer, const json_t *document)
{
	static const char told[] = "frame_size load command reset_time reset_time_by_loss resolution frames_lost trials "
				   "regular irregular_reason tester_limited trial_duration outage_from outage_to command_at "
				   "command_until unrelated_from unrelated_to duration directions worst_direction";
	static const struct fact times[] = {
		{ "Trial Duration", "[{trial_duration:seconds}]" },
		{ "The command ran at", "[{command_at:seconds}]" },
		{ "and ended at", "[{command_until:seconds}]" },
		{ "Nothing came from", "[{outage_from:seconds}]" },
		{ "to", "[{outage_to:seconds}]" },
		{ "An unrelated outage lasted from", "[{unrelated_from:seconds}]" },
		{ "to", "[{unrelated_to:seconds}]" },
		{ "Duration", "[{duration:seconds}]" },
	};
	const json_t *reset = json_object_get(document, "reset");
	struct facts facts = { .count = 0 };

	facts_say(&facts, reset, times, COUNT(times));
	facts_add_object(&facts, reset, told);
	facts_put(&facts, writer);
}

static const struct field reconf_directions[] = {
	{ "Direction", .phrase = DIRECTION },
	{ "Blocked", "/blocked_time", text_seconds },
	{ "Lost (frames)", "/frames_lost", text_count },
	{ "from", "/blocked_from", text_seconds },
	{ "to", "/blocked_to", text_seconds },
};

static void put_reconf_facts(struct writer *writer, const json_t *document)
{
	static const char told[] = "frame_size load command blocked_time frames_lost trials regular irregular_reason "
				   "tester_limited trial_duration command_at duration directions worst_direction";
	static const struct fact times[] = {
		{ "Trial Duration", "[{trial_duration:seconds}]" },
		{ "The command ran at", "[{command_at:seconds}]" },
		{ "Duration", "[{duration:seconds}]" },
	};
	const json_t *reconf = json_object_get(document, "reconf");
	struct facts facts = { .count = 0 };

	facts_say(&facts, reconf, times, COUNT(times));
	facts_add_object(&facts, reconf, told);
	facts_put(&facts, writer);
}

/* --- all ------------------------------------------------------------------------------------------------------------ */

/* A size's search as the document of a search, for its figure. A new reference. */
static json_t *search_of(const json_t *size)
{
	const json_t *throughput = json_object_get(size, "throughput"), *result = json_object_get(throughput, "goal_result");

	return json_pack("{s:{s:[O?], s:O?, s:O?}, s:[O?], s:O?}", "controller_input", "goals",
			 json_object_get(result, "goal"), "min_load", json_object_get(size, "min_load"), "max_load",
			 json_object_get(size, "max_load"), "search_result", result, "trials",
			 json_object_get(throughput, "trials"));
}

static void put_courses(struct writer *writer, const json_t *document)
{
	json_each (size, sizes_of(document)) {
		json_auto_t *search = search_of(size);

		figure_course(writer, search, 0, 1, (unsigned int)size_at + 1,
			      TEXT_OF(VALUE_SIZE, "the throughput at %.60s octets", size_name(size)));
	}
}

static const struct field size_columns[] = {
	SIZE,
	{ "Line rate (frames/s)", "/line_rate", text_rate },
	{ "Max Load (frames/s)", "/max_load", text_rate },
	{ "from the", "/max_load_source" },
	{ "Maximum rate of 26.3 and 26.4 (frames/s)", "/max_rate", text_rate },
};

/* The goal of the throughput searches. */
static void put_goal(struct writer *writer, const json_t *document)
{
	json_auto_t *goals = json_pack("[O*]", json_at(document, "/frame_sizes/0/throughput/goal_result/goal"));

	goals_put(writer, goals);
}

void content_put_trial_folds(struct writer *writer, const json_t *parts, const char *name, const char *unit,
			     const char *const *tests, const char *const *names, size_t count)
{
	for (size_t i = 0; i < json_array_size(parts); i++) {
		for (size_t j = 0; j < count; j++) {
			const json_t *part = json_array_get(parts, i);
			const char *summary = TEXT_OF(160, "%.100s%s, %s", read_text(part, name), unit, names[j]);

			content_put_trial_fold(writer, TEXT_OF(48, "trials-%zu-%s", i + 1, tests[j]), summary,
					       json_object_get(json_object_get(part, tests[j]), "trials"), NAN);
		}
	}
}

/* The trials of each test at each size. */
static void put_trials(struct writer *writer, const json_t *document)
{
	static const char *const tests[] = { "throughput", "latency", "frame_loss", "back_to_back", "recovery" };
	static const char *const names[] = { "throughput", "latency", "frame loss rate", "back-to-back frames", "recovery" };

	content_put_trial_folds(writer, sizes_of(document), "frame_size", " octets", tests, names, COUNT(tests));
	content_put_trial_fold(writer, "trials-reset", "Reset",
			       json_object_get(json_object_get(document, "reset"), "trials"), NAN);
}

/* clang-format off */
static const struct part parts[] = {
	{ SECTION("suite-throughput", "Throughput (26.1)"), .when = "frame_sizes[]/throughput" },
	{ .put = figure_throughput_by_size },
	{ TABLE("throughput-table", "/frame_sizes[]/throughput", throughput_columns), .tone = tone_of_result },
	{ .put = put_limits },

	{ SECTION("suite-latency", "Latency (26.2)"), .when = "frame_sizes[]/latency" },
	{ .put = figure_latency_by_size },
	{ TABLE("latency-table", "/frame_sizes[]/latency", latency_columns), .tone = tone_of_result },
	{ TABLE("latency-directions", "/frame_sizes[]/latency", latency_directions), .directions = DIRECTIONS_ALONE },
	{ .put = put_latency_terms },

	{ SECTION("suite-loss", "Frame loss rate (26.3)"), .when = "frame_sizes[]/frame_loss" },
	{ .put = figure_loss_curves },
	{ TABLE("loss-parameters", "/frame_sizes[]/frame_loss", loss_parameters), .tone = tone_of_result },
	{ .put = put_curves },
	{ .id = "loss-fold", .fold = "Every point of the curves", .level = LEVEL_DETAIL },
	{ TABLE("loss-table", "/frame_sizes[]/frame_loss/points", loss_points), .tone = tone_of_limited },
	{ TABLE("loss-directions", "/frame_sizes[]/frame_loss/points", loss_directions), .directions = DIRECTIONS_ALONE },
	{ .fold_end = true },

	{ SECTION("suite-back-to-back", "Back-to-back frames (26.4, RFC 9004)"), .when = "frame_sizes[]/back_to_back" },
	{ TABLE("burst-table", "/frame_sizes[]/back_to_back", burst_columns), .tone = tone_of_result },
	{ TABLE("burst-directions", "/frame_sizes[]/back_to_back", burst_directions), .directions = DIRECTIONS_ALONE },
	{ .subsection = "Parameters of the test", .level = LEVEL_DETAIL },
	{ TABLE("burst-parameters", "/frame_sizes[]/back_to_back", burst_parameters), .tone = tone_of_result, .level = LEVEL_DETAIL },
	{ .say = "The longest burst at the burst rate that lost no frame. Where the burst rate is below the Max Theoretical Frame "
		 "Rate, frames were further apart than the medium allows." },

	{ SECTION("suite-recovery", "System recovery (26.5)"), .when = "frame_sizes[]/recovery" },
	{ TABLE("recovery-table", "/frame_sizes[]/recovery", recovery_columns), .tone = tone_of_result },
	{ TABLE("recovery-directions", "/frame_sizes[]/recovery/runs", recovery_directions), .directions = DIRECTIONS_ALONE },
	{ .say = "From the change of the rate to when the last frame that was lost was due; none where frames were lost to the "
		 "end, or the overload lost none: then nothing was overloaded." },

	{ SECTION("suite-reset", "Reset (26.6, RFC 6201)"), .when = "reset" },
	{ .put = put_reset_standing },
	{ .say = "Reset by [{reset/command}][!reset/command? the operator], at {reset/load:fps} with frames of {reset/frame_size} "
		 "octets: {reset/reset_time:seconds} without a frame (resolution {reset/resolution:seconds}); "
		 "{reset/reset_time_by_loss:seconds} by the frames lost.", .when = "reset/frame_size" },
	{ .put = put_reset_facts, .level = LEVEL_DETAIL },
	{ TABLE("reset-directions", "/reset/directions", reset_directions), .when = "reset/directions" },
	{ SECTION("suite-reconf", "Reconfiguration under load"), .when = "reconf" },
	{ .put = put_reconf_standing },
	{ .say = "Reconfigured by {reconf/command}, at {reconf/load:fps} with frames of {reconf/frame_size} octets: "
		 "{reconf/frames_lost:count} frames were lost[, and traffic was blocked for {reconf/blocked_time:seconds}]." },
	{ .put = put_reconf_facts, .level = LEVEL_DETAIL },
	{ TABLE("reconf-directions", "/reconf/directions", reconf_directions), .when = "reconf/directions" },

	{ SECTION("course", "The course of the searches"), .when = "frame_sizes[]/throughput" },
	{ .put = put_courses },
	{ SECTION("frame-sizes", "Frame sizes and Search Goal"), .level = LEVEL_DETAIL },
	{ TABLE("size-table", "/frame_sizes", size_columns) },
	{ SECTION("suite-goal", "Search Goal of the throughput, as applied at every size"), .level = LEVEL_REFERENCE },
	{ .put = put_goal },
	{ SECTION("trials", "Trials"), .level = LEVEL_DETAIL },
	{ .put = put_trials, .level = LEVEL_DETAIL },
};
/* clang-format on */

const struct content content_suite = {
	.kind = "rfc2544",
	.title = "Benchmarks of RFC 2544",
	.of_sut = true,
	.known = "tests fast regular tester_limited suite_duration frame_sizes reset reconf",
	.put_verdicts = put_verdicts,
	.parts = parts,
	.part_count = COUNT(parts),
};
