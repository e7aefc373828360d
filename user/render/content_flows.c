/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of the worst flows over time: which of them lost frames when. */
#include <stdlib.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/text_stream.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/parts.h"

#define FLOWS_MOST   40  /* most rows of the figure */
#define COLUMNS_MOST 120 /* most columns of the figure; more intervals share columns */
#define ROW_HEIGHT   15.0
#define ROW_GAP      2.0
#define NAME_SIZE    24
#define STYLE_SIZE   16

/* Levels of loss in a cell: the more frames are lost, the higher and darker is its bar. */
static const struct level {
	double most; /* loss ratio */
	double height;
	const char *text;
} levels[] = { { 0.01, 0.25, "lost up to 1 %" }, { 0.1, 0.5, "up to 10 %" }, { 0.5, 0.75, "up to 50 %" }, { 1, 1, "more" } };

#define LEVELS  COUNT(levels)
#define UNKNOWN LEVELS /* the style of a cell of which it is not known */

/* The figure: rows are flows, columns are intervals. */
struct map {
	struct svg_panel panel;
	const json_t *flows;
	size_t rows, intervals, share; /* `share` intervals are one column */
	double *starts;                /* start times of the columns, and the end; owned by the caller */
};

static size_t columns_of(const struct map *map)
{
	return (map->intervals + map->share - 1) / map->share;
}

static double sum_of(const struct map *map, size_t row, size_t column, const char *member)
{
	const json_t *counts = json_object_get(json_object_get(json_array_get(map->flows, row), "intervals"), member);
	double sum = 0;

	for (size_t i = column * map->share; i < (column + 1) * map->share && i < map->intervals; i++)
		sum += json_is_number(json_array_get(counts, i)) ? json_number_value(json_array_get(counts, i)) : 0;
	return sum;
}

/* How a cell is drawn; beyond UNKNOWN: not at all. */
static size_t level_of(const struct map *map, size_t row, size_t column)
{
	double ratio = sum_of(map, row, column, "lost") / sum_of(map, row, column, "sent");
	size_t level = 0;

	if (!(ratio > 0))
		return sum_of(map, row, column, "unknown") > 0 ? UNKNOWN : UNKNOWN + 1;
	while (level + 1 < LEVELS && ratio > levels[level].most)
		level++;
	return level;
}

/* The bar of a cell and of those beside it that are alike. */
static void put_bar(FILE *stream, const struct map *map, size_t row, size_t from, size_t to, size_t level)
{
	double room = ROW_HEIGHT - ROW_GAP, height = level == UNKNOWN ? room / 8 : levels[level].height * room;
	double x = svg_x(&map->panel, map->starts[from]), bottom = map->panel.top + (double)(row + 1) * ROW_HEIGHT;

	fprintf(stream, "M%.1f %.1fH%.1fv%.1fH%.1fZ", x, bottom - ROW_GAP / 2, svg_x(&map->panel, map->starts[to]), -height,
		x);
}

/* All bars of a level, as one path. */
static void put_level(FILE *stream, const struct map *map, size_t level)
{
	size_t columns = columns_of(map), from;

	fprintf(stream, "<path class=\"heat h%zu\" d=\"M0 0", level + 1);
	for (size_t row = 0; row < map->rows; row++)
		for (size_t column = 0; column < columns; column++) {
			for (from = column; column < columns && level_of(map, row, column) == level;)
				column++;
			if (column > from)
				put_bar(stream, map, row, from, column, level);
		}
	fputs("\"/>\n", stream);
}

static void put_map(struct writer *writer, struct map *map, struct svg_axis time, struct svg_axis names)
{
	struct svg_key keys[LEVELS + 1];
	char styles[LEVELS + 1][STYLE_SIZE];
	struct figure figure = {
		"figure-flows",
		"Loss of flows over time",
		"A row for each of the worst flows, the worst above, with bars in which its frames were lost.",
		keys,
		LEVELS + 1,
		0
	};
	FILE *stream;

	for (size_t i = 0; i <= LEVELS; i++) {
		snprintf(styles[i], STYLE_SIZE, "heat h%zu", i + 1);
		keys[i] = (struct svg_key){ SVG_KEY_BAND, SVG_OTHER, styles[i], i < LEVELS ? levels[i].text : "not known" };
	}
	map->panel = figure_panel((double)map->rows * ROW_HEIGHT, time, names);
	stream = figure_open(writer, &figure, &map->panel);
	if (!stream)
		return;
	for (size_t i = 0; i <= LEVELS; i++)
		put_level(stream, map, i);
	figure_close(
		writer, stream,
		"A frame counts where it was due. The higher and darker a bar, the more of the flow's frames were lost.");
}

/* The ends of the figure's columns in seconds. */
static bool find_starts(struct map *map, const json_t *trial)
{
	const json_t *intervals = json_object_get(trial, "intervals");
	size_t columns = columns_of(map);

	map->starts = memory_noticed(calloc(columns + 1, sizeof(*map->starts)));
	for (size_t i = 0; map->starts && i < columns; i++)
		map->starts[i] = read_number(json_array_get(intervals, i * map->share), "start");
	if (map->starts)
		map->starts[columns] = read_number(trial, "trial_duration");
	return map->starts && map->starts[0] < map->starts[columns];
}

static void put_figure(struct writer *writer, const json_t *trial, const json_t *flows)
{
	size_t intervals = json_array_size(json_object_get(trial, "intervals")), all = json_array_size(flows);
	struct map map = { .flows = flows,
			   .rows = all < FLOWS_MOST ? all : FLOWS_MOST,
			   .intervals = intervals,
			   .share = (intervals + COLUMNS_MOST - 1) / COLUMNS_MOST };
	char names[FLOWS_MOST][NAME_SIZE];
	const char *ticks[FLOWS_MOST];
	double places[FLOWS_MOST];
	struct svg_axis flow = { .title = "Flow", .ticks = places, .tick_names = ticks, .tick_count = map.rows };
	struct svg_axis time = { .title = "Time after the start", .unit = "s" };

	for (size_t i = 0; i < map.rows; i++) {
		snprintf(names[i], NAME_SIZE, "%.0f", read_number(json_array_get(flows, i), "flow"));
		ticks[i] = names[i];
		places[i] = (double)map.rows - (double)i - 0.5;
	}
	flow.max = (double)map.rows;
	if (find_starts(&map, trial)) {
		time.min = map.starts[0];
		time.max = map.starts[columns_of(&map)];
		put_map(writer, &map, time, flow);
	}
	free(map.starts);
}

/* --- the table ------------------------------------------------------------------------------------------------------ */

static void add_interval(json_t *rows, const json_t *flow, const json_t *interval, size_t at)
{
	const json_t *counts = json_object_get(flow, "intervals");
	json_t *row = json_pack("{s:O?, s:O?, s:O?, s:O?}", "flow", json_object_get(flow, "flow"), "from",
				json_object_get(flow, "from"), "to", json_object_get(flow, "to"), "start",
				json_object_get(interval, "start"));

	json_each_member (name, list, counts)
		if (json_is_number(json_array_get(list, at)))
			json_object_set(row, name, json_array_get(list, at));
	if (read_number(row, "lost") > 0 || read_number(row, "unknown") > 0)
		json_array_append_new(rows, row);
	else
		json_decref(row);
}

/* Write the table of intervals with loss, a row each. */
static void put_table(struct writer *writer, const json_t *trial, const json_t *flows)
{
	static const struct field fields[] = {
		{ "Flow", "/flow", text_plain },         { "Direction", .phrase = DIRECTION },
		{ "From (s)", "/start", text_plain },    { "Sent (frames)", "/sent", text_count },
		{ "Lost", "/lost", text_count },         { "Loss Ratio", .write = text_loss_ratio, .numeric = true },
		{ "Not known", "/unknown", text_count },
	};
	json_t *rows = json_array();

	json_each (flow, flows)
		json_each (interval, json_object_get(trial, "intervals"))
			add_interval(rows, flow, interval, interval_at);
	if (json_array_size(rows)) {
		table_put_most(writer, "flow-interval-table", fields, COUNT(fields), rows, NULL);
		return;
	}
	json_decref(rows);
	writer->ops->paragraph(writer, "None of these flows lost a frame.");
}

static double sum_unknown(const json_t *flows)
{
	double sum = 0;

	json_each (flow, flows)
		json_each (count, json_at(flow, "/intervals/unknown"))
			sum += json_is_number(count) ? json_number_value(count) : 0;
	return sum;
}

void content_put_flows_over_time(struct writer *writer, const json_t *trial)
{
	json_auto_t *flows = json_array();
	double unknown;

	json_each (flow, json_at(trial, "/flows/worst"))
		if (json_array_size(json_at(flow, "/intervals/sent")))
			json_array_append(flows, flow);
	if (!json_array_size(flows) || !json_array_size(json_object_get(trial, "intervals")))
		return;
	unknown = sum_unknown(flows);
	writer->ops->section(writer, LEVEL_MAIN, "flows-over-time", "Flows over time");
	if (json_array_size(flows) > FLOWS_MOST && writer->ops->figure)
		paragraph_put(writer, "The figure shows the %d worst.", FLOWS_MOST);
	put_figure(writer, trial, flows);
	if (unknown > 0)
		paragraph_put(writer,
			      "Of %s frames the receiver no longer knows whether they came: it remembers the latest of each "
			      "flow. They are marked as not known.",
			      text_count(unknown, VALUE_ROOM));
	put_table(writer, trial, flows);
}
