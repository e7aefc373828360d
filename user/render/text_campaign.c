/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/text_campaign.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/units.h"
#include "mlr/campaign.h"
#include "render/values.h"

#define AXIS_COLUMNS  24 /* at most; a longer label is shown whole, and shifts its row */
#define VALUE_COLUMNS 24
#define SHOWN_MOST    20 /* of points without a regular result; --format json has all of them */
#define ALARM         "\033[1;31m"

static const json_t *axis_at(const json_t *document, size_t index)
{
	return json_array_get(json_object_get(document, "axes"), index);
}

/* Columns that an axis takes: its name, or its longest label, and a gap. */
static int axis_columns(const json_t *axis)
{
	size_t columns = strlen(read_text(axis, "name")), i;
	json_t *label;

	json_array_foreach (json_object_get(axis, "labels"), i, label)
		if (json_string_length(label) > columns)
			columns = json_string_length(label);
	return (int)(columns < AXIS_COLUMNS ? columns : AXIS_COLUMNS) + 2;
}

static void put_axes(FILE *stream, const json_t *document, const json_t *values)
{
	fputs("  ", stream);
	for (size_t i = 0; i < MLR_AXES_MAX && axis_at(document, i); i++) {
		const char *name = read_text(axis_at(document, i), "name");

		fprintf(stream, "%-*s", axis_columns(axis_at(document, i)), values ? read_text(values, name) : name);
	}
}

/* "99.07 kfps \xc2\xb10.5 %", padded by what a terminal shows of it. */
static void put_spread(FILE *stream, const json_t *spread)
{
	bool irregular = read_number(spread, "irregular") > 0, limited = read_number(spread, "tester_limited") > 0;
	double mean = read_number(spread, "mean"), ratio = read_number(spread, "spread");
	char value[UNIT_TEXT_SIZE], text[2 * UNIT_TEXT_SIZE];

	if (isnan(mean)) {
		fprintf(stream, "%-*s", VALUE_COLUMNS, "-");
		return;
	}
	snprintf(text, sizeof(text), "%s \xc2\xb1%.2g %%%s", format_si(mean, "fps", value), 50 * ratio,
		 irregular ? " !"
		 : limited ? " t"
			   : "");
	fprintf(stream, "%-*s", VALUE_COLUMNS + 1, text);
}

static void put_cells(FILE *stream, const json_t *document)
{
	const json_t *goals = json_object_get(document, "goals");
	json_t *cell, *goal;
	size_t i, j;

	fprintf(stream, "\n%s, mean of the repeats and half of their spread\n\n",
		text_quantity(read_text(document, "quantity")));
	put_axes(stream, document, NULL);
	fputs("results   ", stream);
	json_array_foreach (goals, i, goal)
		fprintf(stream, "%-*s", VALUE_COLUMNS, json_string_value(goal) ? json_string_value(goal) : "");
	fputc('\n', stream);
	json_array_foreach (json_object_get(document, "cells"), i, cell) {
		put_axes(stream, document, json_object_get(cell, "values"));
		fprintf(stream, "%3.0f of %-3.0f", read_number(cell, "done"), read_number(cell, "asked"));
		json_array_foreach (json_object_get(cell, "goals"), j, goal)
			put_spread(stream, goal);
		fputc('\n', stream);
	}
	fputs("\n  ! a result is irregular; t the tester was the limit of one\n", stream);
}

/* "frame-size 64, " */
static void put_place(FILE *stream, const json_t *values)
{
	const char *name;
	json_t *label;

	json_object_foreach ((json_t *)values, name, label)
		fprintf(stream, "%s %s, ", name, json_string_value(label) ? json_string_value(label) : "");
}

static void put_comparisons(FILE *stream, const json_t *document, bool colours)
{
	const json_t *comparisons = json_object_get(document, "comparisons");
	json_t *one;
	size_t i;

	if (!json_array_size(comparisons))
		return;
	fprintf(stream, "\n%zu comparisons along %s, a change up to %g %% being none: %.0f slower\n",
		json_array_size(comparisons), read_text(document, "compared"), 100 * read_number(document, "tolerance"),
		read_number(document, "regressions"));
	json_array_foreach (comparisons, i, one) {
		if (strcmp(read_text(one, "verdict"), "slower") != 0)
			continue;
		fprintf(stream, "  %sSLOWER%s  ", colours ? ALARM : "", colours ? "\033[0m" : "");
		put_place(stream, json_object_get(one, "values"));
		fprintf(stream, "%s: %s (B) than %s (A), %+.2f %%\n          %s\n", read_text(one, "goal"),
			read_text(one, "b"), read_text(one, "a"), 100 * read_number(one, "change"),
			read_text(one, "evidence"));
	}
}

static void put_troubled(FILE *stream, const json_t *document, bool colours)
{
	size_t i, shown = 0;
	json_t *point;

	if (!read_string(document, "irregular_reason"))
		return;
	fprintf(stream, "\n%sIRREGULAR%s: %s\n", colours ? ALARM : "", colours ? "\033[0m" : "",
		read_string(document, "irregular_reason"));
	json_array_foreach (json_object_get(document, "points"), i, point) {
		const char *reason = read_string(point, "irregular_reason");

		if (!reason && strcmp(read_text(point, "state"), "done") == 0)
			continue;
		if (shown++ == SHOWN_MOST) {
			fputs("  and more, which --format json names\n", stream);
			return;
		}
		fprintf(stream, "  %s  %s%s%s\n", read_text(point, "point"),
			reason ? "irregular" : read_text(point, "state"), reason || read_string(point, "reason") ? ": " : "",
			reason ? reason : read_text(point, "reason"));
	}
}

void render_campaign_text(FILE *stream, const json_t *document, bool colours)
{
	const json_t *counts = json_object_get(document, "point_counts");

	fprintf(stream, "Campaign %s, of %s: %.0f of %.0f points are done\n", read_text(document, "campaign"),
		read_text(document, "verb"), read_number(counts, "done"), read_number(counts, "total"));
	put_cells(stream, document);
	put_comparisons(stream, document, colours);
	put_troubled(stream, document, colours);
}
