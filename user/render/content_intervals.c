/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of a trial by intervals of its schedule: whether loss is a burst or a trickle. */
#include <stdlib.h>

#include "base/json_read.h"
#include "base/text_stream.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/parts.h"

#define PANEL_HEIGHT 130.0
#define ID_SIZE      64
#define HEADING_SIZE 256

static enum tone tone_of_interval(const json_t *interval)
{
	return read_number(interval, "lost") > 0 ? TONE_WARN : TONE_PLAIN;
}

static void put_table(struct writer *writer, const char *id, const json_t *intervals)
{
	static const struct field fields[] = {
		{ "From (s)", "/start", text_plain },
		{ "Sent (frames)", "/sent", text_count },
		{ "Received", "/received", text_count },
		{ "Lost", "/lost", text_count },
		{ "Loss Ratio", .write = text_loss_ratio, .numeric = true },
		{ "Latency: minimum", "/latency/min_ns", text_ns },
		{ "mean", "/latency/mean_ns", text_ns },
		{ "maximum", "/latency/max_ns", text_ns },
	};

	table_put_most(writer, id, fields, COUNT(fields), json_incref((json_t *)intervals), tone_of_interval);
}

/* --- the figure ----------------------------------------------------------------------------------------------------- */

/* A number of each interval over its start; NAN where it has none. */
struct series {
	double *x, *loss, *mean_us, *max_us;
	size_t count;
};

static bool read_series(const json_t *intervals, struct series *ret)
{
	static const char *const members[] = { "/start", "/lost", "/latency/mean_ns", "/latency/max_ns", "/sent" };
	size_t count = json_array_size(intervals);
	double *all = figure_columns(intervals, members, COUNT(members));

	if (!all)
		return false;
	*ret = (struct series){ all, all + count, all + 2 * count, all + 3 * count, count };
	for (size_t i = 0; i < count; i++) {
		ret->loss[i] /= all[4 * count + i];
		ret->mean_us[i] /= NS_PER_US;
		ret->max_us[i] /= NS_PER_US;
	}
	return true;
}

static bool find_latencies(const struct series *series, struct svg_axis *axis)
{
	svg_axis_none(axis);
	svg_axis_cover_all(axis, series->mean_us, series->count);
	svg_axis_cover_all(axis, series->max_us, series->count);
	if (!(axis->min <= axis->max))
		return false;
	svg_axis_pad(axis, 0.06);
	return true;
}

static void put_latency(FILE *stream, const struct svg_panel *panel, const struct series *series)
{
	svg_axes(stream, panel);
	svg_line(stream, panel, "curve c1", series->x, series->mean_us, series->count);
	svg_line(stream, panel, "curve c3", series->x, series->max_us, series->count);
}

/* `of` is what the intervals are of: " in all directions" or so, or empty. */
static void put_figure(struct writer *writer, const char *id, const char *of, const struct series *series)
{
	static const struct svg_key keys[] = {
		{ .kind = SVG_KEY_LINE, .style = "curve c2", .text = "loss ratio" },
		{ .kind = SVG_KEY_LINE, .style = "curve c1", .text = "mean latency" },
		{ .kind = SVG_KEY_LINE, .style = "curve c3", .text = "largest latency" },
	};
	static const struct svg_axis time = { .title = "Time after the start", .unit = "s" };
	static const struct svg_axis loss = { .title = "Loss ratio", .unit = "%" };
	static const struct svg_axis latency = { .title = "Latency", .unit = MICROSECOND, .scale = SVG_LOG, .plain = true };
	struct svg_panel upper = figure_panel(PANEL_HEIGHT, time, loss), lower = figure_panel(PANEL_HEIGHT, time, latency);
	const bool timed = find_latencies(series, &lower.y);
	const struct figure figure = {
		id,
		TEXT_OF(HEADING_SIZE, "Loss %sover time%s", timed ? "and latency " : "", of),
		"The loss ratio, and below it mean and largest latency, of the frames due in each interval of the trial.",
		keys,
		timed ? COUNT(keys) : 1,
		timed ? FIGURE_PANELS_APART + PANEL_HEIGHT : 0,
	};
	FILE *stream;

	upper.hide_x = timed;
	svg_axis_none(&upper.x);
	svg_axis_none(&upper.y);
	svg_axis_cover_all(&upper.x, series->x, series->count);
	svg_axis_pad(&upper.x, 0.02);
	svg_axis_cover(&upper.y, 0);
	svg_axis_cover(&upper.y, 0.0001);
	svg_axis_cover_all(&upper.y, series->loss, series->count);
	svg_axis_round(&upper.y);
	stream = figure_open(writer, &figure, &upper);
	if (!stream)
		return;
	svg_line(stream, &upper, "curve c2", series->x, series->loss, series->count);
	lower.top = upper.top + PANEL_HEIGHT + FIGURE_PANELS_APART;
	lower.x = upper.x;
	if (timed)
		put_latency(stream, &lower, series);
	figure_close(writer, stream, "Frames count where they were due, however late they came.");
}

/* Figure and table, under a heading of a level. `suffix` makes their ids unique on the page. */
static void put_intervals(struct writer *writer, enum writer_level level, const char *suffix, const char *of,
			  const json_t *intervals)
{
	const char *figure = TEXT_OF(ID_SIZE, "figure-intervals%s", suffix);
	struct series series;

	writer->ops->section(writer, level, TEXT_OF(ID_SIZE, "intervals%s", suffix),
			     TEXT_OF(HEADING_SIZE, "Over time%s", of));
	if (read_series(intervals, &series)) {
		put_figure(writer, figure, of, &series);
		free(series.x);
	}
	put_table(writer, TEXT_OF(ID_SIZE, "interval-table%s", suffix), intervals);
}

void content_put_intervals(struct writer *writer, const json_t *trial)
{
	const json_t *intervals = json_object_get(trial, "intervals"), *directions = several_directions(trial);

	if (!json_array_size(intervals))
		return;
	put_intervals(writer, LEVEL_MAIN, "", directions ? ", all directions" : "", intervals);
	json_each (direction, directions) {
		const json_t *own = json_object_get(direction, "intervals");

		if (json_array_size(own))
			put_intervals(writer, LEVEL_MAIN, TEXT_OF(ID_SIZE / 2, "-%zu", direction_at + 1),
				      TEXT_OF(HEADING_SIZE / 2, ", %s", text_direction(direction, VALUE_ROOM)), own);
	}
}
