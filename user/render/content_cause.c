/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of where the SUT lost frames, by the counters that were observed (--observe). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/message.h"
#include "mlr/cause.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/parts.h"

#define SENTENCE_SIZE 700
#define TITLE_SIZE    256
#define FIGURE_HEIGHT 200.0
#define RESET_SHOWN   5
#define NEAREST_LEAST 0.5 /* growth a lost frame of a counter that is called near */
#define NEAREST_MOST  2

static bool is_kind(const json_t *row, const char *kind)
{
	return strcmp(read_text(row, "kind"), kind) == 0;
}

/* --- a row ---------------------------------------------------------------------------------------------------------- */

bool is_share(const char *counter, bool gauge, double most)
{
	static const char *const shares[] = { "ratio", "use",  "usage", "utilization", "utilisation",
					      "util",  "busy", "idle",  "share" };
	char what[16];

	if (!gauge)
		return sscanf(counter, "cpu%*u/%15s", what) == 1 &&
		       is_one_of(what, "programs interrupts steal busy accounted");
	for (size_t i = 0; i < COUNT(shares) && most <= 1; i++)
		if (mlr_cause_ends_with_word(counter, shares[i]))
			return true;
	return false;
}

static const char *text_level(const json_t *row, const char *member, char buffer[VALUE_SIZE])
{
	return text_growth(read_number(row, member),
			   is_share(read_text(row, "counter"), read_truth(row, "gauge"), read_number(row, "upper_level")),
			   buffer);
}

static void add_lower(struct cells *cells, const json_t *row)
{
	cells_add(cells, "%s", text_level(row, "lower_level", VALUE_ROOM));
}

static void add_upper(struct cells *cells, const json_t *row)
{
	cells_add(cells, "%s", text_level(row, "upper_level", VALUE_ROOM));
}

static void add_per_lost(struct cells *cells, const json_t *row)
{
	bool counts = is_kind(row, "exact") || is_kind(row, "grows");

	cells_add_number(cells, counts ? read_number(row, "per_lost_frame") : NAN, 3);
}

static void add_per_frame(struct cells *cells, const json_t *row)
{
	bool counts = is_kind(row, "exact") || is_kind(row, "grows");

	cells_add(cells, "%s", counts ? text_percent(read_number(row, "upper_per_frame"), VALUE_ROOM) : DASH);
}

static bool has_lower(const json_t *row)
{
	return json_is_number(json_object_get(row, "lower_per_frame"));
}

static void add_meaning(struct cells *cells, const json_t *row)
{
	cells_add(cells, "%s",
		  is_kind(row, "exact")       ? "it grew by the lost frames: the place"
		  : is_kind(row, "shared")    ? "others took this of a CPU that has no time left"
		  : is_kind(row, "saturated") ? "at its limit where frames were lost"
		  : has_lower(row)            ? "it grew where frames were lost, and hardly at the lower bound"
					      : "it grew by nearly the lost frames");
}

static enum tone tone_of_row(const json_t *row)
{
	return is_kind(row, "exact") || is_kind(row, "shared") ? TONE_WARN : TONE_PLAIN;
}

static void put_rows(struct writer *writer, const char *id, const json_t *rows)
{
	static const struct field fields[] = {
		{ "Source", "/source" },
		{ "Counter", "/counter" },
		{ "What it says", .add = add_meaning },
		{ "Per lost frame", .add = add_per_lost, .numeric = true },
		{ "Per frame sent", .add = add_per_frame, .numeric = true, .level = LEVEL_DETAIL },
		{ "/s at lower bound", .add = add_lower, .numeric = true },
		{ "/s with loss", .add = add_upper, .numeric = true },
	};

	table_put(writer, id, fields, COUNT(fields), rows, tone_of_row);
}

/* --- in a sentence -------------------------------------------------------------------------------------------------- */

static const char *trials_text(const json_t *cause, char buffer[VALUE_SIZE])
{
	double trials = read_number(cause, "trials");

	snprintf(buffer, VALUE_SIZE, "%s trial%s", text_count(trials, VALUE_ROOM), trials == 1 ? "" : "s");
	return buffer;
}

/* What grew without agreeing: nearly by the lost frames, or by much less or more, which may be chance. */
static void write_grown(double lost, const json_t *row, char text[SENTENCE_SIZE])
{
	const char *name = read_text(row, "counter"), *source = read_text(row, "source");
	double per_lost = read_number(row, "per_lost_frame");
	const char *count = text_count(lost, VALUE_ROOM), *growth = text_number(per_lost, 3, VALUE_ROOM);

	if (!has_lower(row))
		snprintf(text, SENTENCE_SIZE,
			 "No counter agrees with all of the %s lost frames. Nearest is %.160s of %.32s, which grew by %s a "
			 "lost frame. No trial at a load without loss was observed that could confirm it.",
			 count, name, source, growth);
	else if (per_lost >= NEAREST_LEAST && per_lost <= NEAREST_MOST)
		snprintf(text, SENTENCE_SIZE,
			 "No counter agrees with the %s lost frames. Nearest is %.160s of %.32s, which grew by %s a lost "
			 "frame, and hardly at the Relevant Lower Bound.",
			 count, name, source, growth);
	else
		snprintf(text, SENTENCE_SIZE,
			 "No counter agrees with the %s lost frames, and none is near. What grew with them, and hardly at "
			 "the Relevant Lower Bound, may be chance: first %.160s of %.32s, by %s a lost frame.",
			 count, name, source, growth);
}

static void write_first(const json_t *cause, const json_t *row, char text[SENTENCE_SIZE])
{
	const char *name = read_text(row, "counter"), *source = read_text(row, "source");
	double lost = read_number(cause, "lost");

	if (is_kind(row, "exact"))
		snprintf(text, SENTENCE_SIZE,
			 "The SUT lost %s frames in %s, and the counter %.160s of %.32s grew by %s: that is the place.",
			 text_count(lost, VALUE_ROOM), trials_text(cause, VALUE_ROOM), name, source,
			 text_count(read_number(row, "change"), VALUE_ROOM));
	else if (is_kind(row, "shared"))
		snprintf(
			text, SENTENCE_SIZE,
			"The SUT lost %s frames in %s at a CPU that has no time left, and others take much of it: %.160s of "
			"%.32s is %s.",
			text_count(lost, VALUE_ROOM), trials_text(cause, VALUE_ROOM), name, source,
			text_level(row, "upper_level", VALUE_ROOM));
	else if (is_kind(row, "saturated"))
		snprintf(text, SENTENCE_SIZE,
			 "No counter tells of the %s lost frames. But %.160s of %.32s was at its limit where they were "
			 "lost, and at "
			 "%s at the Relevant Lower Bound.",
			 text_count(lost, VALUE_ROOM), name, source, text_level(row, "lower_level", VALUE_ROOM));
	else
		write_grown(lost, row, text);
}

/* Whether any trial tells how many frames were lost: an external measurer need not. */
static bool has_counts(const json_t *trials)
{
	json_each (trial, trials)
		if (json_is_object(json_object_get(trial, "counts")))
			return true;
	return false;
}

static void put_sentence(struct writer *writer, const json_t *cause, const json_t *trials)
{
	const json_t *row = json_array_get(json_object_get(cause, "rows"), 0);
	char text[SENTENCE_SIZE] = "The SUT lost frames in no trial that was observed.";

	if (!has_counts(trials))
		snprintf(text, sizeof(text), "How many frames the SUT lost is not known, as the measurer counts none.");
	else if (row)
		write_first(cause, row, text);
	else if (read_number(cause, "trials") > 0)
		snprintf(text, sizeof(text),
			 "No counter that was observed fits: none agrees with the %s frames that the SUT lost in %s, and "
			 "none was at "
			 "a limit only there. They were lost where nobody counts, or where nobody looked.",
			 text_count(read_number(cause, "lost"), VALUE_ROOM), trials_text(cause, VALUE_ROOM));
	writer->ops->paragraph(writer, text);
}

static void put_reset(struct writer *writer, const char *source, const json_t *reset)
{
	size_t count = json_array_size(reset);
	char names[RESET_SHOWN * 84 + 24] = "";

	for (size_t i = 0; i < count && i < RESET_SHOWN; i++)
		text_add(names, sizeof(names), "%s%.80s", i ? ", " : "", json_string_value(json_array_get(reset, i)) ?: "");
	if (count > RESET_SHOWN)
		text_add(names, sizeof(names), " and %zu more", count - RESET_SHOWN);
	if (count)
		writer->ops->banner(writer, TONE_WARN,
				    TEXT_OF(SENTENCE_SIZE,
					    "%s of %.32s %s reset in a trial, so what %s did there is not known.", names,
					    source, count == 1 ? "was" : "were", count == 1 ? "it" : "they"));
}

/* What did nothing, what was reset, and which source was not there. */
static void put_sources(struct writer *writer, const json_t *sources)
{
	json_each (source, sources) {
		const char *name = read_text(source, "source"), *trouble = read_string(source, "trouble");
		double trials = read_number(source, "trials"), whole = read_number(source, "whole");
		double idle = read_number(source, "idle");

		if (whole < trials)
			writer->ops->banner(writer, TONE_WARN,
					    TEXT_OF(SENTENCE_SIZE, "%.32s was observed in %.0f of %.0f trials%s%.200s", name,
						    whole, trials, trouble ? ": " : "", trouble ?: ""));
		if (whole > 0 && idle > 0)
			writer->ops->paragraph(writer, TEXT_OF(SENTENCE_SIZE,
							       "%.0f other counter%s of %.32s did nothing in any trial.",
							       idle, idle == 1 ? "" : "s", name));
		put_reset(writer, name, json_object_get(source, "reset"));
	}
}

/* --- over time ------------------------------------------------------------------------------------------------------ */

/* What a counter did in a trial, at each sample: NULL where that is not known. */
static const json_t *series_of(const json_t *trial, const json_t *row, const json_t **ret_times)
{
	json_each (source, json_object_get(trial, "observed")) {
		const json_t *counter = json_object_get(json_object_get(source, "counters"), read_text(row, "counter"));
		const json_t *series = json_object_get(counter, "series");

		*ret_times = json_object_get(source, "times");
		if (strcmp(read_text(source, "source"), read_text(row, "source")) == 0)
			return json_array_size(series) == json_array_size(*ret_times) ? series : NULL;
	}
	return NULL;
}

/* Return a trial with loss at the smallest load at or above upper_fps whose samples are known. */
static const json_t *trial_to_draw(const json_t *trials, const json_t *row, double upper_fps)
{
	const json_t *best = NULL, *times;

	json_each (trial, trials) {
		double load = read_number(trial, "trial_load");

		if (read_number(json_object_get(trial, "counts"), "lost") > 0 && !read_truth(trial, "warmup") &&
		    !(load < upper_fps) && json_array_size(json_object_get(trial, "intervals")) &&
		    json_array_size(series_of(trial, row, &times)) && (!best || load < read_number(best, "trial_load")))
			best = trial;
	}
	return best;
}

/* Both over time, in frames from the beginning of the trial. */
struct lines {
	double *x, *y;
	size_t count;
};

static struct lines lines_of(size_t count)
{
	double *values = calloc(2 * count + 1, sizeof(*values));

	return (struct lines){ values, values + count, values ? count : 0 };
}

static struct lines counted(const json_t *times, const json_t *series)
{
	struct lines lines = lines_of(json_array_size(series));

	for (size_t i = 0; i < lines.count; i++) {
		const json_t *value = json_array_get(series, i);

		lines.x[i] = json_number_value(json_array_get(times, i));
		lines.y[i] = json_is_number(value) ? json_number_value(value) : NAN;
	}
	return lines;
}

static struct lines lost(const json_t *trial)
{
	const json_t *intervals = json_object_get(trial, "intervals");
	struct lines lines = lines_of(json_array_size(intervals) + 1);
	double sum = 0;

	for (size_t i = 0; i + 1 < lines.count; i++) {
		lines.x[i] = read_number(json_array_get(intervals, i), "start");
		lines.y[i] = sum;
		sum += read_number(json_array_get(intervals, i), "lost");
	}
	if (lines.count) {
		lines.x[lines.count - 1] = read_number(trial, "trial_duration");
		lines.y[lines.count - 1] = sum;
	}
	return lines;
}

static void put_lines(struct writer *writer, unsigned int number, const json_t *row, const struct lines *lost,
		      const struct lines *counted)
{
	const struct svg_key keys[] = {
		{ .kind = SVG_KEY_LINE, .style = "curve c2", .text = "frames lost, by when they were due" },
		{ .kind = SVG_KEY_LINE, .style = "curve c1", .text = read_text(row, "counter") },
	};
	const struct figure figure = {
		TEXT_OF(32, "figure-cause-%u", number),
		"Lost frames and the counter over time",
		"Frames lost since the beginning of a trial, and the growth of the counter that is named first.",
		keys,
		COUNT(keys),
		0,
	};
	struct svg_panel panel =
		figure_panel(FIGURE_HEIGHT, (struct svg_axis){ .title = "Time after the start", .unit = "s" },
			     (struct svg_axis){ .title = "Since the start", .unit = "frames" });
	FILE *stream;

	svg_axis_none(&panel.x);
	svg_axis_none(&panel.y);
	svg_axis_cover_all(&panel.x, lost->x, lost->count);
	svg_axis_cover_all(&panel.x, counted->x, counted->count);
	svg_axis_cover_all(&panel.y, lost->y, lost->count);
	svg_axis_cover_all(&panel.y, counted->y, counted->count);
	if (!(panel.x.min <= panel.x.max) || !(panel.y.min <= panel.y.max))
		return;
	svg_axis_pad(&panel.x, 0.02);
	svg_axis_round(&panel.y);
	stream = figure_open(writer, &figure, &panel);
	if (!stream)
		return;
	svg_line(stream, &panel, "curve c2", lost->x, lost->y, lost->count);
	svg_line(stream, &panel, "curve c1", counted->x, counted->y, counted->count);
	figure_close(writer, stream,
		     "Of the trials that tell of the loss, the one at the least load. The counter has a value a sample, "
		     "about ten a second.");
}

/* Draw the figure of the first counter of events; shares of a CPU have none. */
static void put_figure(struct writer *writer, unsigned int number, const json_t *cause, const json_t *trials,
		       double upper_fps)
{
	const json_t *row = NULL, *trial, *series, *times = NULL;
	struct lines of_tester, of_counter;

	json_each (one, json_object_get(cause, "rows"))
		if (!row && (is_kind(one, "exact") || is_kind(one, "grows")))
			row = one;
	trial = row ? trial_to_draw(trials, row, upper_fps) : NULL;
	if (!trial)
		return;
	of_tester = lost(trial);
	series = series_of(trial, row, &times);
	of_counter = counted(times, series);
	put_lines(writer, number, row, &of_tester, &of_counter);
	free(of_tester.x);
	free(of_counter.x);
}

/* --- the section ---------------------------------------------------------------------------------------------------- */

static void begin(struct writer *writer)
{
	writer->ops->section(writer, LEVEL_MAIN, "cause", "Where the SUT lost them");
}

static void put_cause(struct writer *writer, unsigned int number, const json_t *cause, const json_t *trials,
		      double upper_fps)
{
	const json_t *rows = json_object_get(cause, "rows");

	put_sentence(writer, cause, trials);
	if (json_array_size(rows))
		put_rows(writer, TEXT_OF(32, "cause-table-%u", number), rows);
	put_figure(writer, number, cause, trials, upper_fps);
}

/* Put the cause of a test that lost frames. Return whether it did. */
static bool put_test(struct writer *writer, unsigned int number, const char *title, const json_t *test)
{
	const json_t *cause = json_object_get(test, "cause");

	if (!(read_number(cause, "lost") > 0))
		return false;
	writer->ops->subsection(writer, title);
	put_cause(writer, number, cause, json_object_get(test, "trials"),
		  read_number(json_object_get(test, "goal_result"), "relevant_upper_bound"));
	return true;
}

/* All tests of a part of a suite that has a name: a frame size, a service, or the whole. Return how many lost frames. */
static unsigned int put_tests(struct writer *writer, unsigned int number, const char *name, const json_t *part)
{
	unsigned int count = 0;

	json_each_member (key, test, part)
		if (json_is_object(test))
			count += put_test(
				writer, number + count,
				TEXT_OF(TITLE_SIZE, "%s%s%s", text_label(key, ROOM(VALUE_SIZE)), *name ? ", " : "", name),
				test);
	return count;
}

static const json_t *sources_within(const json_t *part)
{
	json_each_member (key, test, part)
		if (json_is_object(json_object_get(test, "cause")))
			return json_at(test, "/cause/sources");
	return NULL;
}

/* Write the causes of a suite. */
static void put_suite(struct writer *writer, const json_t *document)
{
	const json_t *sizes = json_object_get(document, "frame_sizes"), *services = json_object_get(document, "services");
	const json_t *parts = sizes ? sizes : services, *sources = NULL;
	unsigned int count = 0;

	json_each (part, parts)
		sources = sources ? sources : sources_within(part);
	sources = sources ? sources : sources_within(document);
	if (!sources)
		return;
	begin(writer);
	json_each (part, parts)
		count += put_tests(writer, count + 1,
				   sizes ? TEXT_OF(TITLE_SIZE, "%s octets", read_text(part, "frame_size"))
					 : read_text(part, "name"),
				   part);
	count += put_tests(writer, count + 1, "", document);
	if (!count)
		writer->ops->paragraph(writer, "The SUT lost no frame while it was observed.");
	put_sources(writer, sources);
}

static void put_results(struct writer *writer, const json_t *document)
{
	const json_t *results = json_object_get(document, "search_result");
	unsigned int number = 0;

	begin(writer);
	json_each (result, results) {
		if (json_array_size(results) > 1)
			writer->ops->subsection(writer, read_text(json_object_get(result, "goal"), "name"));
		put_cause(writer, ++number, json_object_get(result, "cause"), json_object_get(document, "trials"),
			  read_number(result, "relevant_upper_bound"));
	}
	put_sources(writer, json_at(document, "/search_result/0/cause/sources"));
}

/* Write the causes of a trial, a sweep, or a soak. */
static void put_alone(struct writer *writer, const json_t *document)
{
	const json_t *cause = json_object_get(document, "cause"), *trials = json_object_get(document, "trials");
	json_auto_t *trial = json_pack("[O?]", json_object_get(document, "trial_result"));

	begin(writer);
	put_cause(writer, 1, cause, trials ? trials : trial, NAN);
	put_sources(writer, json_object_get(cause, "sources"));
}

void content_put_cause(struct writer *writer, const json_t *document)
{
	if (json_is_object(json_object_get(document, "cause")))
		put_alone(writer, document);
	else if (json_is_object(json_at(document, "/search_result/0/cause")))
		put_results(writer, document);
	else
		put_suite(writer, document);
}
