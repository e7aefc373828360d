/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of dated results: each goal over time, and when it changed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/text_stream.h"
#include "render/figures.h"
#include "render/kinds.h"

#define TICKS_MOST 6
#define DAY_LENGTH 10 /* "2026-11-21" */

static const json_t *goals_of(const json_t *document)
{
	return json_object_get(document, "goals");
}

static const json_t *points_of(const json_t *goal)
{
	return json_object_get(goal, "points");
}

static const json_t *last_of(const json_t *goal)
{
	const json_t *points = points_of(goal);

	return json_array_get(points, json_array_size(points) - 1);
}

/* "2026-11-21 12:59" */
static const char *moment(const json_t *point, char buffer[VALUE_SIZE])
{
	const char *start = read_text(point, "start_time");

	if (strlen(start) < 16)
		snprintf(buffer, VALUE_SIZE, "%.40s", start);
	else
		snprintf(buffer, VALUE_SIZE, "%.10s %.5s", start, start + DAY_LENGTH + 1);
	return buffer;
}

static bool is_change(const json_t *point)
{
	const char *verdict = read_text(point, "verdict");

	return strcmp(verdict, "slower") == 0 || strcmp(verdict, "faster") == 0;
}

static enum tone tone_of_point(const json_t *point)
{
	const char *verdict = read_text(point, "verdict");

	if (strcmp(verdict, "slower") == 0)
		return TONE_BAD;
	if (strcmp(verdict, "faster") == 0)
		return TONE_GOOD;
	return standing_of(point) != STANDING_REGULAR || strcmp(verdict, "unknown") == 0 ? TONE_WARN : TONE_PLAIN;
}

/* --- above ---------------------------------------------------------------------------------------------------------- */

/* "3.1 % slower" */
static const char *change_text(const json_t *point, char buffer[VALUE_SIZE])
{
	snprintf(buffer, VALUE_SIZE, "%.30s %.20s", text_percent(fabs(read_number(point, "change")), VALUE_ROOM),
		 read_text(point, "verdict"));
	return buffer;
}

static void fill_verdict(struct writer_verdict *verdict, const json_t *document, const json_t *goal, size_t index)
{
	const json_t *last = last_of(goal), *change = json_object_get(goal, "last_change");

	snprintf(verdict->id, sizeof(verdict->id), "goal-%zu", index + 1);
	snprintf(verdict->name, sizeof(verdict->name), "%.200s", read_text(goal, "goal"));
	verdict->quantity = strcmp(read_text(document, "quantity"), "critical load") == 0 ? "Critical load, latest"
											  : "Conditional Throughput, latest";
	verdict_set(verdict, read_number(last, "value"), standing_of(last));
	facts_add(&verdict->facts, "of", "%s", moment(last, VALUE_ROOM));
	if (json_is_object(change))
		facts_add(&verdict->facts, "Last change", "%s on %s", change_text(change, VALUE_ROOM),
			  moment(change, VALUE_ROOM));
	else
		facts_add(&verdict->facts, "Last change", "none");
	facts_add(&verdict->facts, "From the first level", "%s", text_change(read_number(goal, "change"), VALUE_ROOM));
	facts_add(&verdict->facts, "Scatter between results", "%.2g %%", 100 * read_number(goal, "noise"));
	facts_add(&verdict->facts, "Slower, faster", "%.0f times, %.0f times", read_number(goal, "slower"),
		  read_number(goal, "faster"));
}

/* Every goal whose last level is below its first one by more than the tolerance. */
static void put_banner(struct writer *writer, const json_t *document)
{
	double tolerance = read_number(document, "tolerance");
	char text[480] = "";

	json_each (goal, goals_of(document)) {
		double change = read_number(goal, "change");

		if (change < -tolerance)
			text_add(text, sizeof(text), "%s%.60s is %s below its first level, since %s",
				 *text ? "; " : "SLOWER: ", read_text(goal, "goal"), text_percent(-change, VALUE_ROOM),
				 moment(json_object_get(goal, "last_change"), VALUE_ROOM));
	}
	writer->ops->banner(writer, *text ? TONE_BAD : TONE_GOOD,
			    *text ? text : "No goal is shown to be slower than at first.");
}

static void put_verdicts(struct writer *writer, const json_t *document)
{
	const json_t *points = points_of(json_array_get(goals_of(document), 0));
	struct facts facts = { .count = 0 };

	facts_add(&facts, "Results", "%.0f of %s in %s, %s to %s", read_number(document, "results"),
		  read_text(document, "verb"), read_text(document, "folder"), moment(json_array_get(points, 0), VALUE_ROOM),
		  moment(last_of(json_array_get(goals_of(document), 0)), VALUE_ROOM));
	facts_put(&facts, writer);
	put_banner(writer, document);
	verdicts_put(writer, LEVEL_REFERENCE, document, goals_of(document), fill_verdict);
}

/* --- figures -------------------------------------------------------------------------------------------------------- */

struct place {
	double ticks[TICKS_MOST];
	char texts[TICKS_MOST][DAY_LENGTH + 1];
	const char *names[TICKS_MOST];
	size_t count;
};

/* Results stand one after the other, as far apart; some of them have their days below. */
static struct svg_axis x_axis(const json_t *points, struct place *place)
{
	size_t count = json_array_size(points), step = (count + TICKS_MOST - 1) / TICKS_MOST;
	struct svg_axis axis = { .title = "Date", .scale = SVG_LINEAR, .min = 0, .max = count > 1 ? (double)count - 1 : 1 };

	place->count = 0;
	for (size_t i = 0; i < count; i += step) {
		snprintf(place->texts[place->count], DAY_LENGTH + 1, "%.*s", DAY_LENGTH,
			 read_text(json_array_get(points, i), "start_time"));
		place->names[place->count] = place->texts[place->count];
		place->ticks[place->count++] = (double)i;
	}
	axis.ticks = place->ticks;
	axis.tick_names = place->names;
	axis.tick_count = place->count;
	svg_axis_pad(&axis, 0.04);
	return axis;
}

/* Return the edge of a point: a standard deviation below or above it, or its bound; else the value itself. */
static double edge_of(const json_t *point, bool upper)
{
	double stdev = read_number(point, "stdev"), value = read_number(point, "value"),
	       bound = read_number(point, upper ? "upper_bound" : "lower_bound");

	if (!isnan(stdev))
		return value + (upper ? stdev : -stdev);
	return isnan(bound) ? value : bound;
}

static struct svg_axis y_axis(const json_t *points)
{
	struct svg_axis axis = { .title = "Frame rate", .unit = "frames/s", .scale = SVG_LINEAR };

	svg_axis_none(&axis);
	json_each (point, points) {
		svg_axis_cover(&axis, edge_of(point, false));
		svg_axis_cover(&axis, edge_of(point, true));
	}
	svg_axis_pad(&axis, 0.15);
	return axis;
}

static void put_marks(FILE *stream, const struct svg_panel *panel, const json_t *points)
{
	char hint[3 * VALUE_SIZE];

	json_each (point, points) {
		const double at = (double)point_at, x[] = { at, at }, y[] = { edge_of(point, false), edge_of(point, true) };
		enum standing standing = standing_of(point);
		bool slower = strcmp(read_text(point, "verdict"), "slower") == 0, limited = standing == STANDING_LIMITED,
		     irregular = standing == STANDING_IRREGULAR;

		if (isnan(read_number(point, "value")))
			continue;
		svg_line(stream, panel, "first", x, y, 2);
		snprintf(hint, sizeof(hint), "%s: %s%s%s%s", moment(point, VALUE_ROOM),
			 text_fps(read_number(point, "value"), VALUE_ROOM), is_change(point) ? ", " : "",
			 is_change(point) ? change_text(point, VALUE_ROOM) : "", text_standing(standing, VALUE_ROOM));
		svg_mark(stream, svg_x(panel, at), svg_y(panel, read_number(point, "value")),
			 slower             ? SVG_BAD
			 : is_change(point) ? SVG_ABOVE
			 : limited          ? SVG_LIMITED
			 : irregular        ? SVG_OTHER
					    : SVG_GOOD,
			 limited            ? "limited"
			 : slower           ? "bad"
			 : is_change(point) ? "second"
			 : irregular        ? "bad"
					    : "good",
			 hint);
	}
}

static void put_figure(struct writer *writer, const json_t *document, const json_t *goal, size_t index)
{
	static const struct svg_key usual[] = {
		{ SVG_KEY_MARK, SVG_GOOD, "good", "as before" },
		{ SVG_KEY_MARK, SVG_BAD, "bad", "slower" },
		{ SVG_KEY_MARK, SVG_ABOVE, "second", "faster" },
	};
	const json_t *points = points_of(goal);
	struct svg_key keys[COUNT(usual) + 2];
	size_t key_count = COUNT(usual);
	char id[40], caption[300];
	struct svg_panel panel;
	struct place place;
	FILE *stream;

	if (!json_array_size(points))
		return;
	memcpy(keys, usual, sizeof(usual));
	if (standing_count(points, STANDING_LIMITED))
		keys[key_count++] = (struct svg_key){ SVG_KEY_MARK, SVG_LIMITED, "limited", LIMITED_WORD };
	if (standing_count(points, STANDING_IRREGULAR))
		keys[key_count++] = (struct svg_key){ SVG_KEY_MARK, SVG_OTHER, "bad", "irregular" };
	snprintf(id, sizeof(id), "figure-trend-%zu", index + 1);
	snprintf(caption, sizeof(caption), "%.60s by date: %.150s", text_quantity(read_text(document, "quantity")),
		 read_text(goal, "goal"));
	panel = figure_panel(240, x_axis(points, &place), y_axis(points));
	stream = figure_open(
		writer,
		&(struct figure){ id, caption, "A mark for each result, in the order of their dates.", keys, key_count },
		&panel);
	if (!stream)
		return;
	put_marks(stream, &panel, points);
	figure_close(writer, stream,
		     "The upright lines are a standard deviation each way, or go from bound to bound. A level begins at "
		     "each mark that is slower or faster than the level before. The axis does not begin at 0.");
}

static void put_figures(struct writer *writer, const json_t *document)
{
	json_each (goal, goals_of(document))
		put_figure(writer, document, goal, goal_at);
}

/* --- tables --------------------------------------------------------------------------------------------------------- */

static const char *text_verdict(const json_t *point, char text[CELL_SIZE])
{
	const char *verdict = read_text(point, "verdict");

	return text_print(text, CELL_SIZE, "%s%s", strcmp(verdict, "slower") == 0 ? "SLOWER" : verdict,
			  text_standing(standing_of(point), VALUE_ROOM));
}

static const char *text_fall(const json_t *point, char text[CELL_SIZE])
{
	double change = read_number(point, "change");

	return fabs(change) > 10 ? "more than 1000 %" : text_change(change, text);
}

static const struct field point_columns[] = {
	{ "Date", .write = moment },
	{ "Frames/s", "/value", text_rate },
	{ "Standard deviation", "/stdev", text_rate },
	{ "Lower bound", "/lower_bound", text_rate, .level = LEVEL_DETAIL },
	{ "Upper bound", "/upper_bound", text_rate, .level = LEVEL_DETAIL },
	{ "Verdict", .write = text_verdict },
	{ "Change", .write = text_fall, .numeric = true },
	{ "SUT", "/sut" },
	{ "Evidence", "/evidence", .level = LEVEL_DETAIL },
	{ "File", "/file" },
};
static const struct field level_columns[] = {
	{ "From", .write = moment },
	{ "Results", "/results", text_count },
	{ "Mean (frames/s)", "/mean", text_rate },
	{ "Change", .write = text_fall, .numeric = true },
};
static const struct field skipped_columns[] = { { "File", "/file" }, { "Why", "/why" } };

/* A table for each goal. */
static void put_of_goals(struct writer *writer, const json_t *document, const char *member, const char *id,
			 const struct field *fields, size_t count, enum tone (*tone)(const json_t *row))
{
	json_each (goal, goals_of(document)) {
		writer->ops->subsection(writer, read_text(goal, "goal"));
		table_put(writer, TEXT_OF(40, "%s-%zu", id, goal_at + 1), fields, count, json_object_get(goal, member),
			  tone);
	}
}

static void put_levels(struct writer *writer, const json_t *document)
{
	put_of_goals(writer, document, "levels", "levels", level_columns, COUNT(level_columns), NULL);
}

static void put_points(struct writer *writer, const json_t *document)
{
	put_of_goals(writer, document, "points", "trend", point_columns, COUNT(point_columns), tone_of_point);
}

static const struct part parts[] = {
	{ .put = put_figures },
	{ SECTION("levels", "Levels") },
	{ .put = put_levels },
	{ SECTION("trend", "Every result") },
	{ .put = put_points },
	{ SECTION("skipped", "Left out"), .when = "skipped" },
	{ TABLE("skipped-table", "/skipped", skipped_columns) },
};

const struct content content_trend = {
	.kind = "trend",
	.title = "Trend",
	.known = "folder verb quantity tolerance significance results goals skipped",
	.put_verdicts = put_verdicts,
	.parts = parts,
	.part_count = COUNT(parts),
};
