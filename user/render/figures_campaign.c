/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This figure shows a campaign: what was measured against frame size, or whatever else its matrix varies, a curve a
 * build. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_text.h"
#include "base/standing.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "render/figures.h"
#include "render/svg.h"
#include "render/values.h"

#define FIGURES_MOST 24  /* most figures of a page; the tables have everything */
#define LABELS_MAX   256 /* most labels of an axis in a figure */
#define NONE         ((size_t)-1)

/* The axes of a figure. */
struct layout {
	const json_t *axes;
	size_t x, series;             /* indices of axes; NONE: no such axis */
	double positions[LABELS_MAX]; /* positions of the labels of x */
	const char *names[LABELS_MAX];
	size_t labels;
	bool numeric; /* positions are the labels as numbers, else their order */
};

static const json_t *axis_at(const json_t *axes, size_t index)
{
	return json_array_get(axes, index);
}

static const json_t *labels_of(const json_t *axes, size_t index)
{
	return json_object_get(axis_at(axes, index), "labels");
}

static const char *label_at(const json_t *labels, size_t index)
{
	const char *text = json_string_value(json_array_get(labels, index));

	return text ? text : "";
}

/* Whether all labels are numbers above 0, as a logarithmic scale needs. */
static bool is_numeric(const json_t *labels)
{
	double number;

	for (size_t i = 0; i < json_array_size(labels); i++)
		if (!parse_number(label_at(labels, i), &number) || number <= 0)
			return false;
	return true;
}

/* The frame size, else the first axis of numbers, else the first one. */
static size_t choose_x(const json_t *axes)
{
	size_t best = NONE;

	for (size_t i = json_array_size(axes); i-- > 0;) {
		bool usable = json_array_size(labels_of(axes, i)) > 1 && json_array_size(labels_of(axes, i)) <= LABELS_MAX;

		if (!usable)
			continue;
		if (strcmp(read_text(axis_at(axes, i), "name"), "frame-size") == 0 && is_numeric(labels_of(axes, i)))
			return i;
		if (best == NONE || is_numeric(labels_of(axes, i)) || !is_numeric(labels_of(axes, best)))
			best = i;
	}
	return best;
}

/* The axis that is compared, else the first other one. */
static size_t choose_series(const json_t *document, const json_t *axes, size_t x)
{
	size_t best = NONE;

	for (size_t i = json_array_size(axes); i-- > 0;) {
		if (i == x || json_array_size(labels_of(axes, i)) < 2)
			continue;
		if (strcmp(read_text(axis_at(axes, i), "name"), read_text(document, "compared")) == 0)
			return i;
		best = i;
	}
	return best;
}

static bool lay_out(const json_t *document, struct layout *layout)
{
	const json_t *labels;

	layout->axes = json_object_get(document, "axes");
	layout->x = choose_x(layout->axes);
	if (layout->x == NONE)
		return false;
	layout->series = choose_series(document, layout->axes, layout->x);
	labels = labels_of(layout->axes, layout->x);
	layout->numeric = is_numeric(labels);
	layout->labels = json_array_size(labels);
	for (size_t i = 0; i < layout->labels; i++) {
		layout->names[i] = label_at(labels, i);
		layout->positions[i] = (double)i;
		if (layout->numeric)
			parse_number(layout->names[i], &layout->positions[i]);
	}
	return true;
}

/* The label of a cell on an axis. */
static const char *cell_label(const json_t *cell, const json_t *axes, size_t axis)
{
	return read_text(json_object_get(cell, "values"), read_text(axis_at(axes, axis), "name"));
}

static double position_of(const struct layout *layout, const json_t *cell)
{
	const char *label = cell_label(cell, layout->axes, layout->x);

	for (size_t i = 0; i < layout->labels; i++)
		if (strcmp(layout->names[i], label) == 0)
			return layout->positions[i];
	return NAN;
}

/* Where a cell stands on the axes that are neither x nor the curves': one figure for each of them. */
static void other_labels(const struct layout *layout, const json_t *cell, char *buffer, size_t size)
{
	buffer[0] = '\0';
	for (size_t i = 0; i < json_array_size(layout->axes); i++)
		if (i != layout->x && i != layout->series)
			text_join(buffer, size, ", ", "%s %s", read_text(axis_at(layout->axes, i), "name"),
				  cell_label(cell, layout->axes, i));
}

/* Cells by figure: texts to arrays of cells. A new reference. */
static json_t *group_cells(const struct layout *layout, const json_t *cells)
{
	json_t *groups = json_object();
	char key[512];

	json_each (cell, cells) {
		other_labels(layout, cell, key, sizeof(key));
		json_array_append(json_list_at(groups, key), cell);
	}
	return groups;
}

/* --- one figure ----------------------------------------------------------------------------------------------------- */

struct curve {
	const struct layout *layout;
	const char *goal, *label; /* NULL: all cells are of one curve */
	const struct svg_key *key;
};

static const json_t *goal_of(const json_t *cell, const char *goal)
{
	json_each (one, json_object_get(cell, "goals"))
		if (strcmp(read_text(one, "goal"), goal) == 0)
			return one;
	return NULL;
}

static void put_point(FILE *stream, const struct svg_panel *panel, const struct curve *curve, double position,
		      const json_t *spread)
{
	const double x[] = { position, position }, y[] = { read_number(spread, "min"), read_number(spread, "max") };
	enum standing standing = standing_of_spread(spread);
	bool irregular = standing == STANDING_IRREGULAR, limited = standing == STANDING_LIMITED;
	double mean = read_number(spread, "mean");
	char hint[3 * VALUE_SIZE];

	if (isnan(mean) || isnan(position))
		return;
	svg_line(stream, panel, curve->key->style, x, y, 2);
	snprintf(hint, sizeof(hint), "%.60s: mean %s, %s to %s%s", curve->label ? curve->label : curve->goal,
		 text_fps(mean, VALUE_ROOM), text_fps(y[0], VALUE_ROOM), text_fps(y[1], VALUE_ROOM),
		 text_standing(standing, VALUE_ROOM));
	svg_mark(stream, svg_x(panel, position), svg_y(panel, mean),
		 irregular ? SVG_BAD
		 : limited ? SVG_LIMITED
			   : curve->key->mark,
		 irregular ? "bad"
		 : limited ? "limited"
			   : curve->key->style,
		 hint);
}

/* The means of a curve in the order of the labels of x, and the spread of each. */
static void put_curve(FILE *stream, const struct svg_panel *panel, const struct curve *curve, const json_t *cells)
{
	const struct layout *layout = curve->layout;
	double means[LABELS_MAX], positions[LABELS_MAX];
	size_t i;

	for (i = 0; i < layout->labels; i++) {
		means[i] = NAN;
		positions[i] = layout->positions[i];
	}
	json_each (cell, cells) {
		double position = position_of(layout, cell);

		if (curve->label && strcmp(cell_label(cell, layout->axes, layout->series), curve->label) != 0)
			continue;
		for (size_t j = 0; j < layout->labels; j++)
			if (layout->positions[j] == position)
				means[j] = read_number(goal_of(cell, curve->goal), "mean");
	}
	svg_line(stream, panel, curve->key->style, positions, means, layout->labels);
	json_each (cell, cells)
		if (!curve->label || strcmp(cell_label(cell, layout->axes, layout->series), curve->label) == 0)
			put_point(stream, panel, curve, position_of(layout, cell), goal_of(cell, curve->goal));
}

static struct svg_axis x_axis(const struct layout *layout)
{
	struct svg_axis axis = { .title = read_text(axis_at(layout->axes, layout->x), "name"),
				 .scale = layout->numeric ? SVG_LOG : SVG_LINEAR,
				 .ticks = layout->positions,
				 .tick_names = layout->names,
				 .tick_count = layout->labels };

	svg_axis_none(&axis);
	svg_axis_cover_all(&axis, layout->positions, layout->labels);
	svg_axis_pad(&axis, 0.06);
	return axis;
}

static void cover_values(struct svg_axis *axis, const json_t *cells, const char *goal)
{
	axis->min = axis->max = 0;
	json_each (cell, cells)
		svg_axis_cover(axis, read_number(goal_of(cell, goal), "max"));
	axis->max = axis->max > 0 ? axis->max * 1.05 : 1;
	svg_axis_round(axis);
}

static bool has_values(const json_t *cells, const char *goal)
{
	json_each (cell, cells)
		if (!isnan(read_number(goal_of(cell, goal), "mean")))
			return true;
	return false;
}

static bool any_limited(const json_t *cells, const char *goal)
{
	json_each (cell, cells)
		if (standing_of_spread(goal_of(cell, goal)) == STANDING_LIMITED)
			return true;
	return false;
}

static void put_figure(struct writer *writer, const json_t *document, const struct layout *layout, const json_t *cells,
		       const char *goal, const char *where, unsigned int number)
{
	const json_t *labels = layout->series == NONE ? NULL : labels_of(layout->axes, layout->series);
	size_t count = labels ? json_array_size(labels) : 1;
	struct svg_axis rates = { .title = "Frame rate", .unit = "frames/s" };
	char styles[CURVES_MAX][CURVE_STYLE_SIZE];
	struct svg_key keys[CURVES_MAX + 1];
	struct svg_panel panel;
	size_t key_count = count < CURVES_MAX ? count : CURVES_MAX;
	FILE *stream;
	const char *caption = TEXT_OF(700, "%s against %s: %.60s%s%.400s", text_quantity(read_text(document, "quantity")),
				      read_text(axis_at(layout->axes, layout->x), "name"), goal, *where ? ", " : "", where);

	cover_values(&rates, cells, goal);
	panel = figure_panel(240, x_axis(layout), rates);
	for (size_t i = 0; i < key_count; i++)
		keys[i] = figure_curve(i, labels ? label_at(labels, i) : goal, styles[i]);
	if (any_limited(cells, goal))
		keys[key_count++] = (struct svg_key){ SVG_KEY_MARK, SVG_LIMITED, "limited", LIMITED_WORD };
	stream = figure_open(writer,
			     &(struct figure){ TEXT_OF(40, "figure-campaign-%u", number), caption,
					       "The mean over the repeats, and from the smallest to the largest of them.",
					       keys, key_count },
			     &panel);
	if (!stream)
		return;
	for (size_t i = 0; i < count; i++)
		put_curve(stream, &panel,
			  &(struct curve){ layout, goal, labels ? label_at(labels, i) : NULL, &keys[i % CURVES_MAX] },
			  cells);
	figure_close(writer, stream,
		     "Marks are means over the repeats; the upright lines go from the smallest to the largest.");
}

void figures_campaign(struct writer *writer, const json_t *document)
{
	struct layout layout;
	json_auto_t *groups = NULL;
	unsigned int count = 0;

	if (!lay_out(document, &layout))
		return;
	groups = group_cells(&layout, json_object_get(document, "cells"));
	json_each (goal, json_object_get(document, "goals"))
		json_each_member (where, group, groups)
			if (json_is_string(goal) && has_values(group, json_string_value(goal)) && count < FIGURES_MOST)
				put_figure(writer, document, &layout, group, json_string_value(goal), where, ++count);
	if (count == FIGURES_MOST)
		writer->ops->paragraph(writer, "Further combinations stand in the tables only.");
}
