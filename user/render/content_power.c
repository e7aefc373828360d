/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of the SUT's power and energy, by the meters that were observed (--observe). */
#include <math.h>
#include <stdio.h>

#include "base/json_read.h"
#include "base/text_stream.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/parts.h"

#define NAME_SIZE 208

/* Energy has very different sizes: "150 uJ". */
static const char *text_joules(double joules, char buffer[VALUE_SIZE])
{
	static const struct {
		double least;
		const char *prefix;
	} prefixes[] = { { 1, "" }, { 1e-3, "m" }, { 1e-6, "\xc2\xb5" }, { 1e-9, "n" }, { 0, "p" } };
	static const double units[] = { 1, 1e-3, 1e-6, 1e-9, 1e-12 };
	size_t i = 0;

	if (isnan(joules))
		return DASH;
	while (fabs(joules) < prefixes[i].least && joules != 0)
		i++;
	snprintf(buffer, VALUE_SIZE, "%.60s %sJ", text_growth(joules / units[i], false, VALUE_ROOM), prefixes[i].prefix);
	return buffer;
}

static const char *text_watts(double watts, char buffer[VALUE_SIZE])
{
	if (isnan(watts))
		return DASH;
	snprintf(buffer, VALUE_SIZE, "%s W", text_growth(watts, false, VALUE_ROOM));
	return buffer;
}

static const char *name_of(const json_t *meter, char buffer[NAME_SIZE])
{
	snprintf(buffer, NAME_SIZE, "%.32s: %s", read_text(meter, "source"), SHORTENED(read_text(meter, "meter"), 160));
	return buffer;
}

static void put_meter(struct writer *writer, const json_t *meter, size_t number)
{
	static const struct field fields[] = {
		{ "Trial", "/trial", text_count },
		{ "Load (frames/s)", "/load", text_rate },
		{ "Power", "/watts", text_watts },
		{ "above idle", "/watts_above_idle", text_watts },
		{ "Energy of a frame", "/joules_per_frame", text_joules },
		{ "above idle", "/joules_per_frame_above_idle", text_joules },
		{ "Energy of a bit", "/joules_per_bit", text_joules },
		{ "above idle", "/joules_per_bit_above_idle", text_joules },
	};
	double idle = read_number(meter, "idle_watts");
	const char *name = name_of(meter, ROOM(NAME_SIZE));

	if (isnan(idle))
		paragraph_put(writer, "%s. Power without load was not measured.", name);
	else
		paragraph_put(writer, "%s. Without load, over %.4g s, it was %s.", name, read_number(meter, "idle_duration"),
			      text_watts(idle, VALUE_ROOM));
	table_put_most(writer, TEXT_OF(32, "power-table-%zu", number), fields, COUNT(fields),
		       json_incref(json_object_get(meter, "trials")), NULL);
}

/* --- figure --------------------------------------------------------------------------------------------------------- */

static void cover(struct svg_panel *panel, const json_t *meter)
{
	svg_axis_cover(&panel->y, read_number(meter, "idle_watts"));
	json_each (row, json_object_get(meter, "trials")) {
		svg_axis_cover(&panel->x, read_number(row, "load"));
		svg_axis_cover(&panel->y, read_number(row, "watts"));
	}
}

/* A meter's trials, and its power without load at 0. */
static void put_marks(FILE *stream, const struct svg_panel *panel, const struct svg_key *key, const json_t *meter)
{
	double idle = read_number(meter, "idle_watts");

	if (!isnan(idle))
		svg_mark(stream, svg_x(panel, 0), svg_y(panel, idle), key->mark, key->style,
			 TEXT_OF(64, "Without load: %s", text_watts(idle, VALUE_ROOM)));
	json_each (row, json_object_get(meter, "trials")) {
		double load = read_number(row, "load"), watts = read_number(row, "watts");

		if (!isnan(load) && !isnan(watts))
			svg_mark(stream, svg_x(panel, load), svg_y(panel, watts), key->mark, key->style,
				 TEXT_OF(160, "Trial %.0f: %s, %s", read_number(row, "trial"), text_fps(load, VALUE_ROOM),
					 text_watts(watts, VALUE_ROOM)));
	}
}

static void put_figure(struct writer *writer, const json_t *meters)
{
	static const struct svg_axis loads = { .title = "Load", .unit = "frames/s" };
	static const struct svg_axis watts = { .title = "Power", .unit = "W" };
	char names[CURVES_MAX][NAME_SIZE], styles[CURVES_MAX][CURVE_STYLE_SIZE];
	struct svg_key keys[CURVES_MAX];
	struct figure figure = { "figure-power", "Power against load",
				 "What each meter said on average in each trial, over its load.", keys };
	struct svg_panel panel = figure_panel(240, loads, watts);
	FILE *stream;

	svg_axis_none(&panel.x);
	svg_axis_none(&panel.y);
	svg_axis_cover(&panel.x, 0);
	json_each (meter, meters) {
		if (meter_at == CURVES_MAX)
			break;
		cover(&panel, meter);
		keys[meter_at] = figure_curve(meter_at, name_of(meter, names[meter_at]), styles[meter_at]);
		figure.key_count++;
	}
	if (!(panel.y.min <= panel.y.max))
		return;
	panel.x.max *= 1.04;
	svg_axis_pad(&panel.y, 0.1);
	stream = figure_open(writer, &figure, &panel);
	if (!stream)
		return;
	for (size_t i = 0; i < figure.key_count; i++)
		put_marks(stream, &panel, &keys[i], json_array_get(meters, i));
	figure_close(writer, stream, "The mark at 0 is power without load, where that was measured.");
}

void content_put_power(struct writer *writer, const json_t *document)
{
	const json_t *meters = json_object_get(json_object_get(document, "power"), "meters");

	if (!json_array_size(meters))
		return;
	writer->ops->section(writer, LEVEL_MAIN, "power", "Power");
	if (json_is_array(json_object_get(document, "trials")))
		put_figure(writer, meters);
	json_each (meter, meters)
		put_meter(writer, meter, meter_at + 1);
}
