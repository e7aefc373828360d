/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These are the curves of a sweep: forwarding rate, and order, over load. */
#include <math.h>
#include <stdio.h>

#include "base/json_read.h"
#include "render/figures.h"
#include "render/parts.h"
#include "render/values.h"

static const struct svg_axis loads = { .title = "Load", .unit = "frames/s" };

bool figure_cover_loads(struct svg_axis *axis, const json_t *trials)
{
	svg_axis_none(axis);
	json_each (trial, trials)
		svg_axis_cover(axis, read_number(trial, "trial_load"));
	if (!(axis->min <= axis->max))
		return false;
	axis->min = 0;
	axis->max *= 1.04;
	return true;
}

/* --- forwarding rate ------------------------------------------------------------------------------------------------ */

/* Compare the loads of two trials; sorted by them, the line does not run back. */
static int by_load(const void *a, const void *b)
{
	double load_a = read_number(*(const json_t *const *)a, "trial_load"),
	       load_b = read_number(*(const json_t *const *)b, "trial_load");

	return (load_a > load_b) - (load_a < load_b);
}

json_t *trials_by_load(const json_t *trials)
{
	return rows_sorted(trials, by_load);
}

static void put_rates(FILE *stream, const struct svg_panel *panel, const json_t *trials)
{
	static const char *const pointers[] = { "/trial_load", "/trial_forwarding_rate" };
	json_auto_t *sorted = trials_by_load(trials);
	size_t count = json_array_size(sorted);
	owned double *values = figure_columns(sorted, pointers, COUNT(pointers));
	const double ends[] = { 0, panel->x.max < panel->y.max ? panel->x.max : panel->y.max };

	svg_line(stream, panel, "theory", ends, ends, COUNT(ends));
	if (values)
		svg_line(stream, panel, "first", values, values + count, count);
	json_each (trial, trials) {
		double rate = read_number(trial, "trial_forwarding_rate");

		if (!isnan(read_number(trial, "trial_load")) && !isnan(rate))
			figure_put_trial(stream, panel, rate, trial, trial_at + 1, json_array_size(trials));
	}
}

void figure_forwarding(struct writer *writer, const json_t *trials)
{
	static const struct svg_axis rates = { .title = "Forwarding rate", .unit = "frames/s" };
	struct svg_key keys[] = {
		{ .kind = SVG_KEY_MARK, .mark = SVG_GOOD, .style = "good", .text = "trial without loss" },
		{ .kind = SVG_KEY_MARK, .mark = SVG_BAD, .style = "bad", .text = "trial with loss" },
		{ .kind = SVG_KEY_LINE, .style = "theory", .text = "all that was offered" },
		{ .kind = SVG_KEY_MARK, .mark = SVG_LIMITED, .style = "limited", .text = LIMITED_WORD " trial" },
	};
	const struct figure figure = { "figure-forwarding", "Forwarding rate against load",
				       "The Trial Forwarding Rate of each trial over its load, and the line of no loss.",
				       keys, COUNT(keys) - (trials_any_limited(trials) ? 0 : 1) };
	struct svg_panel panel = figure_panel(240, loads, rates);
	FILE *stream;

	if (!figure_cover_loads(&panel.x, trials))
		return;
	panel.y.min = 0;
	panel.y.max = 0;
	json_each (trial, trials)
		svg_axis_cover(&panel.y, read_number(trial, "trial_forwarding_rate"));
	panel.y.max = panel.y.max > 0 ? panel.y.max * 1.06 : 1;
	stream = figure_open(writer, &figure, &panel);
	if (!stream)
		return;
	put_rates(stream, &panel, trials);
	figure_close(writer, stream, "Per interface. What lies below the dashed line was lost.");
}

/* --- order ---------------------------------------------------------------------------------------------------------- */

static const struct curve {
	const char *member, *text;
} curves[] = {
	{ "reordered", "reordered frames" },
	{ "duplicate", "duplicates" },
	{ "late", "late frames" },
};

/* Return the share of a counter in the frames received; NAN if it is not known. */
static double share(const json_t *trial, const char *member)
{
	const json_t *counts = json_object_get(trial, "counts");

	return read_number(counts, member) / read_number(counts, "received");
}

static double largest_share(const json_t *trials, const char *member)
{
	double largest = 0;

	json_each (trial, trials)
		largest = fmax(largest, share(trial, member));
	return largest;
}

static void put_shares(FILE *stream, const struct svg_panel *panel, const json_t *trials, const struct svg_key *key,
		       const char *member)
{
	json_each (trial, trials) {
		double ratio = share(trial, member);
		const char *hint = TEXT_OF(VALUE_SIZE + 64, "Trial %zu: %s %s", trial_at + 1, key->text,
					   text_percent(ratio, VALUE_ROOM));

		if (!isnan(ratio) && isfinite(ratio))
			svg_mark(stream, svg_x(panel, read_number(trial, "trial_load")), svg_y(panel, ratio), key->mark,
				 key->style, hint);
	}
}

void figure_order(struct writer *writer, const json_t *trials)
{
	static const struct svg_axis shares = {
		.title = "Of the frames received", .unit = "%", .scale = SVG_LOG, .zero_lane = true
	};
	struct svg_panel panel = figure_panel(220, loads, shares);
	char styles[COUNT(curves)][CURVE_STYLE_SIZE];
	struct svg_key keys[COUNT(curves)];
	const char *members[COUNT(curves)];
	struct figure figure = { "figure-order", "Order against load",
				 "How many of the frames of each trial were reordered, duplicates, or late.", keys };
	FILE *stream;

	svg_axis_none(&panel.y);
	svg_axis_cover(&panel.y, 0.01);
	for (size_t i = 0; i < COUNT(curves); i++) {
		double largest = largest_share(trials, curves[i].member);

		if (!(largest > 0) || !isfinite(largest))
			continue;
		members[figure.key_count] = curves[i].member;
		keys[figure.key_count] = figure_curve(i, curves[i].text, styles[i]);
		figure.key_count++;
		json_each (trial, trials)
			if (share(trial, curves[i].member) > 0)
				svg_axis_cover(&panel.y, share(trial, curves[i].member));
	}
	if (!figure.key_count || !figure_cover_loads(&panel.x, trials))
		return;
	svg_axis_round(&panel.y);
	stream = figure_open(writer, &figure, &panel);
	if (!stream)
		return;
	for (size_t i = 0; i < figure.key_count; i++)
		put_shares(stream, &panel, trials, &keys[i], members[i]);
	figure_close(writer, stream, "Trials without any stand in the lane below.");
}
