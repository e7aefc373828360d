/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These figures show latency by percentile at parts of the throughput: a figure for each goal and direction, a curve for
 * each load. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hdr_text.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "render/figures.h"
#include "render/parts.h"
#include "render/values.h"

#define NINES_MOST 6  /* number of nines at the right end: 99.9999 % */
#define STEPS      20 /* points of a curve for each nine */
#define CURVES     LINES_MAX
#define EDGE       0.25 /* room beyond the last nine, so that its tick is whole */

/* The histogram of one load, in one direction. */
struct curve {
	char text[VALUE_SIZE], style[CURVE_STYLE_SIZE];
	double nines[NINES_MOST * STEPS + 1], us[NINES_MOST * STEPS + 1];
	size_t count;
};

struct curves {
	struct curve list[CURVES];
	size_t count;
};

/* A percentile that fewer than one frame is above says no more than the largest. */
static void read_points(struct curve *curve, const struct mlr_hdr *hdr)
{
	double most = log10((double)hdr->count);

	for (size_t i = 0; i < COUNT(curve->nines); i++) {
		double nines = fmin((double)i / STEPS, most);

		curve->nines[i] = nines;
		curve->us[i] = mlr_hdr_quantile_ns(hdr, 1 - pow(10, -nines)) / NS_PER_US;
		curve->count = i + 1;
		if (nines >= most)
			break;
	}
}

static void add_curve(struct curves *curves, const json_t *entry, const char *histogram)
{
	owned struct mlr_hdr *hdr = memory_noticed(calloc(1, sizeof(*hdr)));
	struct curve *curve = &curves->list[curves->count];
	double share = read_number(entry, "share");

	if (!hdr || curves->count == CURVES || hdr_read(hdr, histogram) || !hdr->count)
		return;
	snprintf(curve->text, sizeof(curve->text), "%.20s%s%.40s", share > 0 ? text_percent(share, VALUE_ROOM) : "",
		 share > 0 ? ": " : "", text_fps(read_number(json_object_get(entry, "trial"), "trial_load"), VALUE_ROOM));
	read_points(curve, hdr);
	curves->count++;
}

static const char *histogram_of(const json_t *trial, size_t direction)
{
	const json_t *directions = json_object_get(trial, "directions");
	const json_t *holder = json_array_size(directions) > 1 ? json_array_get(directions, direction) : trial;

	return read_string(json_object_get(holder, "latency"), "histogram");
}

/* Read the curves of a goal, and the one with next to no load. */
static void read_curves(const json_t *entries, const char *goal, size_t direction, struct curves *ret)
{
	ret->count = 0;
	json_each (entry, entries) {
		const char *name = read_string(entry, "goal");
		const char *histogram = histogram_of(json_object_get(entry, "trial"), direction);

		if (histogram && (!name || strcmp(name, goal) == 0))
			add_curve(ret, entry, histogram);
	}
}

static void put_curves(struct writer *writer, struct curves *curves, const struct figure *described)
{
	static const char *const names[] = { "0", "90", "99", "99.9", "99.99", "99.999", "99.9999" };
	static const double places[] = { 0, 1, 2, 3, 4, 5, 6 };
	struct svg_axis percentiles = { .title = "Percentile of the frames",
					.unit = "%",
					.ticks = places,
					.tick_names = names,
					.tick_count = COUNT(places) };
	static const struct svg_axis latencies = {
		.title = "Latency", .unit = MICROSECOND, .scale = SVG_LOG, .plain = true
	};
	struct svg_panel panel;
	struct svg_key keys[CURVES];
	struct figure figure = *described;
	FILE *stream;

	svg_axis_none(&percentiles);
	percentiles.min = 0;
	panel = figure_panel(240, percentiles, latencies);
	svg_axis_none(&panel.y);
	for (size_t i = 0; i < curves->count; i++) {
		struct curve *curve = &curves->list[i];

		keys[i] = figure_curve(i, curve->text, curve->style);
		keys[i].kind = SVG_KEY_LINE;
		svg_axis_cover(&panel.x, curve->nines[curve->count - 1]);
		svg_axis_cover_all(&panel.y, curve->us, curve->count);
	}
	panel.x.max = fmax(panel.x.max, 1) + EDGE;
	svg_axis_pad(&panel.y, 0.06);
	figure.keys = keys;
	figure.key_count = curves->count;
	stream = figure_open(writer, &figure, &panel);
	if (!stream)
		return;
	for (size_t i = 0; i < curves->count; i++)
		svg_line(stream, &panel, curves->list[i].style, curves->list[i].nines, curves->list[i].us,
			 curves->list[i].count);
	figure_close(
		writer, stream,
		"Each nine is as wide as the one before it. A curve ends where one frame is left: at the largest latency.");
}

static void put_directions(struct writer *writer, const json_t *entries, const char *goal, size_t goal_at)
{
	const json_t *directions = json_at(json_array_get(entries, 0), "/trial/directions");
	size_t count = json_array_size(directions) > 1 ? json_array_size(directions) : 1;
	owned struct curves *curves = memory_noticed(calloc(1, sizeof(*curves)));

	for (size_t i = 0; curves && i < count; i++) {
		const json_t *direction = json_array_get(directions, i);
		char id[64], caption[200];

		read_curves(entries, goal, i, curves);
		snprintf(id, sizeof(id), "figure-percentiles-%zu-%zu", goal_at + 1, i + 1);
		snprintf(caption, sizeof(caption), "Latency by percentile at parts of the throughput of %.60s%s%.90s", goal,
			 count > 1 ? ", " : "", count > 1 ? text_direction(direction, VALUE_ROOM) : "");
		if (curves->count)
			put_curves(writer, curves,
				   &(struct figure){ .id = id,
						     .caption = caption,
						     .description = "Latency over percentile, a curve for each load." });
	}
}

void figures_latency_at(struct writer *writer, const json_t *entries, const json_t *goals)
{
	json_each (goal, goals)
		put_directions(writer, entries, read_text(goal, "name"), goal_at);
}
