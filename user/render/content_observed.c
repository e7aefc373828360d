/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of the SUT's counters at each load of a sweep (--observe). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/schema.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/parts.h"

#define ROWS_MOST    12
#define CURVES_MOST  4
#define TABLE_LOADS  8 /* columns of a table */
#define TABLES_MOST  5
#define COUNTER_SIZE 208

/* --- values --------------------------------------------------------------------------------------------------------- */

/* Whether counters that a source does not tell of in a trial did nothing in it. None is told of that has no room. */
static bool tells_all(const json_t *source)
{
	static const char *const lists[] = { "counters", "gauges", "reset", "partial" };
	size_t told = 0;

	for (size_t i = 0; i < COUNT(lists); i++) {
		const json_t *list = json_object_get(source, lists[i]);

		told += json_object_size(list) + json_array_size(list);
	}
	return read_truth(source, "whole") && (told < SCHEMA_OBSERVED_MOST || !(read_number(source, "omitted") > 0));
}

/* A counter's growth by second in a trial, or a gauge's mean. What did not move is 0. Null: not known. A new reference. */
static json_t *value_in(const json_t *trial, const json_t *row)
{
	bool gauge = read_truth(row, "gauge");
	const char *source = read_text(row, "source"), *list = gauge ? "gauges" : "counters";

	json_each (one, json_object_get(trial, "observed")) {
		const json_t *found = json_object_get(json_object_get(one, list), read_text(row, "counter"));

		if (strcmp(read_text(one, "source"), source) != 0)
			continue;
		if (found)
			return json_number_or_null(read_number(found, gauge ? "mean" : "per_second"));
		json_each (name, json_object_get(one, "reset"))
			if (strcmp(json_string_value(name) ?: "", read_text(row, "counter")) == 0)
				return json_null();
		if (json_object_get(json_object_get(one, "partial"), read_text(row, "counter")))
			return json_null();
		return tells_all(one) ? json_integer(0) : json_null();
	}
	return json_null();
}

static double value_of(const json_t *row, size_t trial)
{
	return number_of(json_array_get(json_object_get(row, "values"), trial));
}

static double largest(const json_t *row)
{
	double most = 0;

	json_each (value, json_object_get(row, "values"))
		most = fmax(most, number_of(value));
	return most;
}

/* --- which move ----------------------------------------------------------------------------------------------------- */

static double smallest(const json_t *row)
{
	double least = INFINITY;

	json_each (value, json_object_get(row, "values"))
		least = fmin(least, number_of(value));
	return least;
}

/* Return how far a counter departs from growth in proportion to the load, as a share of the largest load. Counters that grow
 * by more than 1 a frame, such as octets, are scaled to 1 a frame. */
static double departure(const json_t *row, const json_t *trials)
{
	double product = 0, square = 0, most = 0, load_most = 0, slope;

	json_each (trial, trials) {
		double load = read_number(trial, "trial_load"), value = value_of(row, trial_at);

		product += isnan(value) ? 0 : value * load;
		square += isnan(value) ? 0 : load * load;
		load_most = fmax(load_most, load);
	}
	slope = product / square;
	json_each (trial, trials)
		most = fmax(most, fabs(value_of(row, trial_at) - slope * read_number(trial, "trial_load")));
	return fmin(most / load_most / fmax(slope, 1), 1);
}

/* Return the rank of a counter; counters that are named for the cause are first. */
static double rank_of(const json_t *row, const json_t *document, const json_t *trials)
{
	const json_t *causes = json_at(document, "/cause/rows");

	json_each (cause, causes)
		if (strcmp(read_text(cause, "source"), read_text(row, "source")) == 0 &&
		    strcmp(read_text(cause, "counter"), read_text(row, "counter")) == 0)
			return 1 + (double)(json_array_size(causes) - cause_at);
	return read_truth(row, "share") ? largest(row) - smallest(row) : departure(row, trials);
}

/* Each counter and gauge that moved in any trial, once. A new reference. */
static json_t *all_rows(const json_t *trials)
{
	static const char *const lists[] = { "counters", "gauges" };
	json_auto_t *seen = json_object();
	json_t *rows = json_array();

	json_each (trial, trials)
		json_each (source, json_object_get(trial, "observed"))
			for (size_t i = 0; i < COUNT(lists); i++)
				json_each_member (counter, value, json_object_get(source, lists[i])) {
					const char *name = read_text(source, "source");
					const char *key = TEXT_OF(512, "%zu %s\n%s", i, name, counter);

					if (json_object_get(seen, key))
						continue;
					json_put(seen, key, true);
					json_array_append_new(rows, json_with("source", name, "counter", counter, "gauge",
									      json_boolean(i == 1)));
				}
	return rows;
}

static int by_rank(const void *a, const void *b)
{
	double rank_a = read_number(*(const json_t *const *)a, "rank"),
	       rank_b = read_number(*(const json_t *const *)b, "rank");

	return (rank_a < rank_b) - (rank_a > rank_b);
}

/* The most telling ones, with their values in these trials, the first one first. A new reference. */
static json_t *ranked_rows(const json_t *document, const json_t *trials)
{
	json_auto_t *all = all_rows(trials);

	json_each (row, all) {
		json_t *values = json_array();

		json_each (trial, trials)
			json_array_append_new(values, value_in(trial, row));
		json_put(row, "values", values);
		json_put(row, "share", is_share(read_text(row, "counter"), read_truth(row, "gauge"), largest(row)));
		json_put(row, "rank", rank_of(row, document, trials));
	}
	return rows_sorted(all, by_rank);
}

/* --- figure --------------------------------------------------------------------------------------------------------- */

static const char *text_value(const json_t *row, double value, char buffer[VALUE_SIZE])
{
	return text_growth(value, read_truth(row, "share"), buffer);
}

static void put_curve(FILE *stream, const struct svg_panel *panel, const struct svg_key *key, const json_t *row,
		      const json_t *trials)
{
	double most = largest(row);

	json_each (trial, trials) {
		double load = read_number(trial, "trial_load"), value = value_of(row, trial_at);

		if (!isnan(load) && !isnan(value) && value >= 0)
			svg_mark(stream, svg_x(panel, load), svg_y(panel, value / most), key->mark, key->style,
				 TEXT_OF(COUNTER_SIZE + VALUE_SIZE, "%s: %s", text_fps(load, VALUE_ROOM),
					 text_value(row, value, VALUE_ROOM)));
	}
}

static void put_figure(struct writer *writer, const json_t *rows, const json_t *trials)
{
	static const struct svg_axis loads = { .title = "Load", .unit = "frames/s" };
	static const struct svg_axis shares = { .title = "Of its largest", .unit = "%", .max = 1.04 };
	char names[CURVES_MOST][COUNTER_SIZE], styles[CURVES_MOST][CURVE_STYLE_SIZE];
	struct svg_key keys[CURVES_MOST];
	struct figure figure = { "figure-observed", "Counters of the SUT against load",
				 "What the first counters of the table did at each load, as a share of their largest.",
				 keys };
	struct svg_panel panel = figure_panel(240, loads, shares);
	const json_t *drawn[CURVES_MOST];
	FILE *stream;

	json_each (row, rows) {
		size_t i = figure.key_count;

		if (i == CURVES_MOST || !(largest(row) > 0))
			continue;
		snprintf(names[i], COUNTER_SIZE, "%.20s: %s (at most %s)", read_text(row, "source"),
			 SHORTENED(read_text(row, "counter"), 60), text_value(row, largest(row), VALUE_ROOM));
		keys[i] = figure_curve(i, names[i], styles[i]);
		drawn[figure.key_count++] = row;
	}
	if (!figure.key_count || !figure_cover_loads(&panel.x, trials))
		return;
	stream = figure_open(writer, &figure, &panel);
	if (!stream)
		return;
	for (size_t i = 0; i < figure.key_count; i++)
		put_curve(stream, &panel, &keys[i], drawn[i], trials);
	figure_close(writer, stream, "Growth by second, each of its own largest value, which the legend names.");
}

/* --- table ---------------------------------------------------------------------------------------------------------- */

/* Some loads side by side: `count` columns of the trials at these places. */
static void put_loads(struct writer *writer, size_t number, const json_t *rows, const json_t *trials, const size_t *places,
		      size_t count)
{
	char headings[TABLE_LOADS][VALUE_SIZE], pointers[TABLE_LOADS][16];
	struct field fields[3 + TABLE_LOADS] = { { "Source", "/source" }, { "Counter", "/counter" } };
	json_auto_t *shown = json_array();

	for (size_t i = 0; i < count; i++) {
		snprintf(pointers[i], sizeof(pointers[i]), "/%zu", i);
		text_rate(read_number(json_array_get(trials, places[i]), "trial_load"), headings[i]);
		fields[2 + i] = (struct field){ headings[i], pointers[i], .numeric = true };
	}
	json_each (row, rows) {
		json_t *one = json_copy(row);

		for (size_t i = 0; i < count; i++)
			json_put(one, pointers[i] + 1, text_value(row, value_of(row, places[i]), VALUE_ROOM));
		json_array_append_new(shown, one);
	}
	table_put(writer, TEXT_OF(32, "observed-table-%zu", number), fields, 2 + count, shown, NULL);
}

static void put_tables(struct writer *writer, const json_t *rows, const json_t *trials)
{
	size_t all = json_array_size(trials), most = TABLE_LOADS * (writer->items_most ? 1 : TABLES_MOST);
	size_t count = all < most ? all : most, places[TABLE_LOADS * TABLES_MOST];

	for (size_t i = 0; i < count; i++)
		places[i] = count > 1 ? i * (all - 1) / (count - 1) : 0;
	for (size_t i = 0; i < count; i += TABLE_LOADS)
		put_loads(writer, i / TABLE_LOADS + 1, rows, trials, places + i,
			  count - i < TABLE_LOADS ? count - i : TABLE_LOADS);
	if (count < all)
		paragraph_put(writer, "%zu of %zu loads, spread evenly; --report FILE.csv has all.", count, all);
}

void content_put_observed(struct writer *writer, const json_t *document)
{
	json_auto_t *trials = trials_by_load(json_object_get(document, "trials"));
	json_auto_t *rows = ranked_rows(document, trials);
	size_t all = json_array_size(rows);

	if (!all)
		return;
	while (json_array_size(rows) > ROWS_MOST)
		json_array_remove(rows, json_array_size(rows) - 1);
	writer->ops->section(writer, LEVEL_MAIN, "observed", "The SUT's counters, load by load");
	put_figure(writer, rows, trials);
	writer->ops->paragraph(
		writer, "Growth by second at each load (frames/s); of a CPU's time its share, of a gauge its mean. Those "
			"that name the cause stand first, then those that move most beside the load.");
	put_tables(writer, rows, trials);
	if (all > ROWS_MOST)
		paragraph_put(writer, "%zu more counters moved, which --report FILE.csv has.", all - ROWS_MOST);
}
