/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report says of the suite of RFC 2544 section 26, in the reporting formats of that section and of RFC 9004. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/units.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/values.h"
#include "render/verdict.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const known[] = {
	"tests", "fast", "regular", "tester_limited", "suite_duration", "frame_sizes", "reset", NULL,
};

static const json_t *sizes_of(const json_t *document)
{
	return json_object_get(document, "frame_sizes");
}

static const char *size_name(const json_t *size)
{
	const char *name = read_string(size, "frame_size");

	return name ? name : "";
}

/* Whether any size has this test. */
static bool has_test(const json_t *document, const char *test)
{
	const json_t *sizes = sizes_of(document);

	for (size_t i = 0; i < json_array_size(sizes); i++)
		if (json_is_object(json_object_get(json_array_get(sizes, i), test)))
			return true;
	return false;
}

/* --- verdicts ------------------------------------------------------------------------------------------------------- */

static const char *text_seconds(double seconds, char buffer[VALUE_SIZE])
{
	return text_ns(seconds * 1e9, buffer);
}

static void add_size_facts(struct facts *facts, const json_t *size)
{
	const json_t *throughput = json_object_get(size, "throughput"), *latency = json_object_get(size, "latency");
	const json_t *bursts = json_object_get(size, "back_to_back"), *recovery = json_object_get(size, "recovery");
	char text[VALUE_SIZE];

	if (!isnan(read_number(throughput, "l2_bps"))) {
		facts_add(facts, "Frames alone (L2)", "%s", text_bps(read_number(throughput, "l2_bps"), text));
		facts_add(facts, "On the link (L1)", "%s", text_bps(read_number(throughput, "l1_bps"), text));
	}
	if (!isnan(read_number(throughput, "line_rate_ratio")))
		facts_add(facts, "Of the line rate", "%s", text_percent(read_number(throughput, "line_rate_ratio"), text));
	if (!isnan(read_number(latency, "average_of_means_ns")))
		facts_add(facts, "Latency, average", "%s", text_ns(read_number(latency, "average_of_means_ns"), text));
	if (!isnan(read_number(bursts, "average")))
		facts_add(facts, "Longest burst without loss", "%s frames",
			  text_number(read_number(bursts, "average"), 0, text));
	if (!isnan(read_number(recovery, "average")))
		facts_add(facts, "Recovery from overload", "%s", text_seconds(read_number(recovery, "average"), text));
}

static void fill_card(struct verdict_card *card, const json_t *document, const json_t *size, size_t index)
{
	const json_t *throughput = json_object_get(size, "throughput");
	bool regular = read_truth(throughput, "regular"), limited = read_truth(throughput, "tester_limited");

	(void)document;
	snprintf(card->id, sizeof(card->id), "size-%zu", index + 1);
	snprintf(card->name, sizeof(card->name), "%.60s%s", size_name(size),
		 isnan(read_number(size, "frame_size_octets")) ? "" : " octets");
	card->verdict.id = card->id;
	card->verdict.name = card->name;
	card->verdict.quantity = "Throughput (26.1)";
	card->verdict.warning = !regular  ? read_string(throughput, "irregular_reason")
				: limited ? "Tester-limited: the tester met its own limit; the SUT may do more."
					  : NULL;
	verdict_card_set(card, read_number(throughput, "throughput"), regular, limited);
	add_size_facts(&card->facts, size);
}

static void put_verdicts(struct writer *writer, const json_t *document)
{
	double duration_s = read_number(document, "suite_duration");
	struct facts facts = { .count = 0 };
	char text[UNIT_TEXT_SIZE];

	if (!isnan(duration_s))
		facts_add(&facts, "Duration", "%s", format_clock(duration_s, text));
	facts_put(&facts, writer);
	if (read_truth(document, "regular") && !read_truth(document, "tester_limited"))
		writer->ops->banner(writer, TONE_GOOD, "Every test that was asked for has a regular result.");
	if (read_truth(document, "fast"))
		writer->ops->banner(writer, TONE_PLAIN,
				    "Shorter than RFC 2544 asks for (--fast): the deviations below say how.");
	if (has_test(document, "throughput"))
		verdict_cards_put(writer, RANK_PAGE, document, sizes_of(document), fill_card);
}

/* --- tables, a row a frame size ------------------------------------------------------------------------------------- */

/* How a number is shown. */
enum shown { AS_COUNT, AS_FPS, AS_BPS, AS_RATIO, AS_NS, AS_SECONDS, AS_DURATION };

struct field {
	const char *heading, *name;
	enum shown shown;
};

static void add_field(struct cells *cells, const json_t *test, const struct field *field)
{
	const json_t *list = json_object_get(test, field->name);
	double value = json_is_array(list) ? (double)json_array_size(list) : read_number(test, field->name);
	char text[VALUE_SIZE];

	switch (field->shown) {
	case AS_COUNT:
		cells_add_number(cells, value, value == floor(value) ? 0 : 1);
		break;
	case AS_FPS:
		cells_add_number(cells, value, 1);
		break;
	case AS_BPS:
		cells_add(cells, "%s", text_bps(value, text));
		break;
	case AS_RATIO:
		cells_add(cells, "%s", text_percent(value, text));
		break;
	case AS_NS:
		cells_add(cells, "%s", text_ns(value, text));
		break;
	case AS_SECONDS:
		cells_add(cells, "%s", text_seconds(value, text));
		break;
	case AS_DURATION:
		cells_add_number(cells, value, 1);
		break;
	}
}

/* One test at every size. */
static void put_test_table(struct writer *writer, const json_t *document, const char *test, const char *id,
			   const struct field *fields, size_t count)
{
	struct writer_column columns[CELLS_MAX] = { { "Frame size (octets)", true } };
	const json_t *sizes = sizes_of(document);
	struct cells cells = { .count = 0 };

	for (size_t i = 0; i < count; i++)
		columns[1 + i] = (struct writer_column){ fields[i].heading, true };
	columns[1 + count] = (struct writer_column){ "Result", false };
	writer->ops->table(writer, id, columns, count + 2);
	for (size_t i = 0; i < json_array_size(sizes); i++) {
		const json_t *size = json_array_get(sizes, i), *one = json_object_get(size, test);
		bool regular = read_truth(one, "regular"), limited = read_truth(one, "tester_limited");
		const char *reason = read_string(one, "irregular_reason");

		if (!json_is_object(one))
			continue;
		cells_add(&cells, "%s", size_name(size));
		for (size_t j = 0; j < count; j++)
			add_field(&cells, one, &fields[j]);
		cells_add(&cells, "%s%s%s%s", regular ? "regular" : "IRREGULAR", limited ? ", tester-limited" : "",
			  !regular && reason ? ": " : "", !regular && reason ? reason : "");
		cells_put(&cells, writer, !regular ? TONE_BAD : limited ? TONE_WARN : TONE_GOOD);
	}
	writer->ops->table_end(writer);
}

static void put_throughput(struct writer *writer, const json_t *document)
{
	static const struct field fields[] = {
		{ "Throughput (frames/s)", "throughput", AS_FPS },
		{ "L2", "l2_bps", AS_BPS },
		{ "L1", "l1_bps", AS_BPS },
		{ "Of the line rate", "line_rate_ratio", AS_RATIO },
		{ "Trials", "trial_count", AS_COUNT },
		{ "Duration (s)", "duration", AS_DURATION },
	};

	writer->ops->section(writer, RANK_MAIN, "suite-throughput", "Throughput (26.1)");
	figure_throughput_by_size(writer, document);
	put_test_table(writer, document, "throughput", "throughput-table", fields, COUNT(fields));
}

static void put_latency(struct writer *writer, const json_t *document)
{
	static const struct field fields[] = {
		{ "Rate (frames/s)", "load", AS_FPS },
		{ "Average of the repeats' means", "average_of_means_ns", AS_NS },
		{ "of their medians", "average_of_medians_ns", AS_NS },
		{ "Mean of all frames", "mean_of_all_frames_ns", AS_NS },
		{ "Standard deviation of the means", "stdev_of_means_ns", AS_NS },
		{ "Smallest", "min_ns", AS_NS },
		{ "Largest p99", "p99_ns_max", AS_NS },
		{ "Largest", "max_ns", AS_NS },
		{ "Error bound", "error_bound_ns", AS_NS },
		{ "Tester's own median", "floor_p50_ns", AS_NS },
		{ "Repeats", "repeats", AS_COUNT },
		{ "of (s)", "trial_duration", AS_DURATION },
	};
	const json_t *sizes = sizes_of(document), *first = NULL;
	struct facts facts = { .count = 0 };

	writer->ops->section(writer, RANK_MAIN, "suite-latency", "Latency (26.2)");
	figure_latency_by_size(writer, document);
	put_test_table(writer, document, "latency", "latency-table", fields, COUNT(fields));
	for (size_t i = 0; i < json_array_size(sizes) && !read_string(first, "definition"); i++)
		first = json_object_get(json_array_get(sizes, i), "latency");
	if (read_string(first, "definition"))
		facts_add(&facts, "Latency counts", "%s; of every frame, not of one", read_string(first, "definition"));
	if (read_string(first, "clock"))
		facts_add(&facts, "Clock", "%s", read_string(first, "clock"));
	facts_put(&facts, writer);
}

/* Every point of every loss curve. */
static void put_loss_points(struct writer *writer, const json_t *document)
{
	static const struct writer_column columns[] = {
		{ "Frame size (octets)", true }, { "Load (frames/s)", true }, { "of the maximum rate", true },
		{ "Input (frames)", true },      { "Output (frames)", true }, { "Frame loss rate", true },
		{ "Tester-limited", false },
	};
	const json_t *sizes = sizes_of(document);
	struct cells cells = { .count = 0 };
	char text[VALUE_SIZE];

	writer->ops->fold(writer, RANK_MAIN, "loss-fold", "Every point of the curves");
	writer->ops->table(writer, "loss-table", columns, COUNT(columns));
	for (size_t i = 0; i < json_array_size(sizes); i++) {
		const json_t *size = json_array_get(sizes, i);
		const json_t *points = json_object_get(json_object_get(size, "frame_loss"), "points");

		for (size_t j = 0; j < json_array_size(points); j++) {
			const json_t *point = json_array_get(points, j);

			cells_add(&cells, "%s", size_name(size));
			cells_add_number(&cells, read_number(point, "load"), 1);
			cells_add(&cells, "%s", text_percent(read_number(point, "load_ratio"), text));
			cells_add_number(&cells, read_number(point, "input_frames"), 0);
			cells_add_number(&cells, read_number(point, "output_frames"), 0);
			cells_add(&cells, "%s", text_percent(read_number(point, "loss_ratio"), text));
			cells_add(&cells, "%s", read_truth(point, "tester_limited") ? "yes" : "no");
			cells_put(&cells, writer, read_truth(point, "tester_limited") ? TONE_WARN : TONE_PLAIN);
		}
	}
	writer->ops->table_end(writer);
	writer->ops->fold_end(writer);
}

static void put_loss(struct writer *writer, const json_t *document)
{
	static const struct field fields[] = {
		{ "Maximum rate, 100 % (frames/s)", "max_rate", AS_FPS },
		{ "Step", "step_ratio", AS_RATIO },
		{ "Trial duration (s)", "trial_duration", AS_DURATION },
	};

	writer->ops->section(writer, RANK_MAIN, "suite-loss", "Frame loss rate (26.3)");
	figure_loss_curves(writer, document);
	put_test_table(writer, document, "frame_loss", "loss-parameters", fields, COUNT(fields));
	put_loss_points(writer, document);
}

static void put_bursts(struct writer *writer, const json_t *document)
{
	static const struct field fields[] = {
		{ "Average burst (frames)", "average", AS_COUNT },
		{ "Smallest", "min", AS_COUNT },
		{ "Largest", "max", AS_COUNT },
		{ "Standard deviation", "stdev", AS_COUNT },
		{ "Corrected DUT Buffer Time", "corrected_buffer_time", AS_SECONDS },
		{ "Implied DUT Buffer Time", "implied_buffer_time", AS_SECONDS },
	};
	static const struct field parameters[] = {
		{ "Tests averaged (N)", "tests", AS_COUNT },
		{ "Minimum step (frames)", "min_step_frames", AS_COUNT },
		{ "Max Theoretical Frame Rate (frames/s)", "max_theoretical_frame_rate", AS_FPS },
		{ "Burst rate (frames/s)", "burst_rate", AS_FPS },
		{ "Measured Throughput (frames/s)", "measured_throughput", AS_FPS },
	};

	writer->ops->section(writer, RANK_MAIN, "suite-back-to-back", "Back-to-back frames (26.4, RFC 9004)");
	put_test_table(writer, document, "back_to_back", "burst-table", fields, COUNT(fields));
	writer->ops->subsection(writer, NULL, "Parameters of the test");
	put_test_table(writer, document, "back_to_back", "burst-parameters", parameters, COUNT(parameters));
	writer->ops->paragraph(
		writer, "The longest burst at the burst rate that lost no frame. Where the burst rate is below the Max "
			"Theoretical Frame Rate, frames were further apart than the medium allows.");
}

static void put_recovery(struct writer *writer, const json_t *document)
{
	static const struct field fields[] = {
		{ "Overload (frames/s)", "overload", AS_FPS },
		{ "of the throughput", "overload_ratio", AS_RATIO },
		{ "for (s)", "overload_duration", AS_DURATION },
		{ "Then (frames/s)", "reduced_load", AS_FPS },
		{ "for (s)", "reduced_duration", AS_DURATION },
		{ "Recovery time, average", "average", AS_SECONDS },
		{ "Smallest", "min", AS_SECONDS },
		{ "Largest", "max", AS_SECONDS },
		{ "Runs", "runs", AS_COUNT },
	};

	writer->ops->section(writer, RANK_MAIN, "suite-recovery", "System recovery (26.5)");
	put_test_table(writer, document, "recovery", "recovery-table", fields, COUNT(fields));
	writer->ops->paragraph(
		writer, "From the change of the rate to the last frame that was lost; none where frames were lost to the "
			"end.");
}

static void put_reset(struct writer *writer, const json_t *reset)
{
	static const char *const told[] = {
		"frame_size",  "load",   "command", "reset_time",       "reset_time_by_loss", "resolution",
		"frames_lost", "trials", "regular", "irregular_reason", "tester_limited",     NULL,
	};
	const char *command = read_string(reset, "command"), *reason = read_string(reset, "irregular_reason");
	char time[VALUE_SIZE], loss[VALUE_SIZE], load[VALUE_SIZE], resolution[VALUE_SIZE], text[600];
	struct facts facts = { .count = 0 };

	writer->ops->section(writer, RANK_MAIN, "suite-reset", "Reset (26.6, RFC 6201)");
	if (!read_truth(reset, "regular")) {
		snprintf(text, sizeof(text), "IRREGULAR: %s", reason ? reason : "");
		writer->ops->banner(writer, TONE_BAD, text);
	}
	snprintf(text, sizeof(text),
		 "Reset by %.200s, at %s with frames of %.40s octets: %s without a frame (resolution %s); %s by the frames "
		 "lost.",
		 command ? command : "the operator", text_fps(read_number(reset, "load"), load), size_name(reset),
		 text_seconds(read_number(reset, "reset_time"), time),
		 text_seconds(read_number(reset, "resolution"), resolution),
		 text_seconds(read_number(reset, "reset_time_by_loss"), loss));
	writer->ops->paragraph(writer, text);
	facts_add_object(&facts, reset, told);
	facts_put(&facts, writer);
}

/* --- all ------------------------------------------------------------------------------------------------------------ */

static void put_tests(struct writer *writer, const json_t *document)
{
	static const struct test {
		const char *name;
		void (*put)(struct writer *writer, const json_t *document);
	} tests[] = {
		{ "throughput", put_throughput }, { "latency", put_latency },   { "frame_loss", put_loss },
		{ "back_to_back", put_bursts },   { "recovery", put_recovery },
	};

	for (size_t i = 0; i < COUNT(tests); i++)
		if (has_test(document, tests[i].name))
			tests[i].put(writer, document);
	if (json_is_object(json_object_get(document, "reset")))
		put_reset(writer, json_object_get(document, "reset"));
}

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
	const json_t *sizes = sizes_of(document);

	if (!has_test(document, "throughput"))
		return;
	writer->ops->section(writer, RANK_MAIN, "course", "The course of the searches");
	for (size_t i = 0; i < json_array_size(sizes); i++) {
		json_t *search = search_of(json_array_get(sizes, i));

		char of[VALUE_SIZE];

		snprintf(of, sizeof(of), "the throughput at %.60s octets", size_name(json_array_get(sizes, i)));
		figure_course(writer, search, 0, (unsigned int)i + 1, of);
		json_decref(search);
	}
}

/* The goal of the throughput searches, and each size's limits. */
static void put_goal(struct writer *writer, const json_t *document)
{
	static const struct writer_column columns[] = {
		{ "Frame size (octets)", true },
		{ "Line rate (frames/s)", true },
		{ "Max Load (frames/s)", true },
		{ "from the", false },
		{ "Maximum rate of 26.3 and 26.4 (frames/s)", true },
	};
	const json_t *sizes = sizes_of(document), *first = json_object_get(json_array_get(sizes, 0), "throughput");
	struct cells cells = { .count = 0 };
	struct facts facts = { .count = 0 };

	writer->ops->section(writer, RANK_MAIN, "frame-sizes", "Frame sizes and Search Goal");
	writer->ops->table(writer, "size-table", columns, COUNT(columns));
	for (size_t i = 0; i < json_array_size(sizes); i++) {
		const json_t *size = json_array_get(sizes, i);
		const char *source = read_string(size, "max_load_source");

		cells_add(&cells, "%s", size_name(size));
		cells_add_number(&cells, read_number(size, "line_rate"), 1);
		cells_add_number(&cells, read_number(size, "max_load"), 1);
		cells_add(&cells, "%s", source ? source : "");
		cells_add_number(&cells, read_number(size, "max_rate"), 1);
		cells_put(&cells, writer, TONE_PLAIN);
	}
	writer->ops->table_end(writer);
	writer->ops->section(writer, RANK_PAGE, "suite-goal", "Search Goal of the throughput, as applied at every size");
	facts_add_object(&facts, json_object_get(json_object_get(first, "goal_result"), "goal"), NULL);
	facts_put(&facts, writer);
}

/* The trials of each test at each size. */
static void put_trials(struct writer *writer, const json_t *document)
{
	static const char *const tests[] = { "throughput", "latency", "frame_loss", "back_to_back", "recovery" };
	const json_t *sizes = sizes_of(document);

	writer->ops->section(writer, RANK_COURSE, "trials", "Trials");
	for (size_t i = 0; i < json_array_size(sizes); i++) {
		for (size_t j = 0; j < COUNT(tests); j++) {
			const json_t *size = json_array_get(sizes, i);
			char id[48], summary[120];

			snprintf(id, sizeof(id), "trials-%zu-%s", i + 1, tests[j]);
			snprintf(summary, sizeof(summary), "%.60s octets, %s", size_name(size), tests[j]);
			content_put_trial_fold(writer, id, summary,
					       json_object_get(json_object_get(size, tests[j]), "trials"));
		}
	}
	content_put_trial_fold(writer, "trials-reset", "Reset",
			       json_object_get(json_object_get(document, "reset"), "trials"));
}

static void put_tables(struct writer *writer, const json_t *document)
{
	put_courses(writer, document);
	put_goal(writer, document);
	put_trials(writer, document);
}

const struct content content_suite = {
	.kind = "rfc2544",
	.title = "Benchmarks of RFC 2544",
	.of_sut = true,
	.known = known,
	.put_verdicts = put_verdicts,
	.put_figures = put_tests,
	.put_tables = put_tables,
};
