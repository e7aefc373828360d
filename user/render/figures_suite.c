/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These are the graphs that RFC 2544 section 26 asks for, and latency by frame size. */
#include <math.h>
#include <stdio.h>

#include "base/json_read.h"
#include "base/units.h"
#include "render/figures.h"
#include "render/svg.h"
#include "render/values.h"

#define SIZES_MAX    64
#define THEORY_STEPS 64

/* The frame sizes of a suite that have a test, smallest first. */
struct sizes {
	const json_t *items[SIZES_MAX];
	double octets[SIZES_MAX];
	size_t count;
};

static void read_sizes(const json_t *document, const char *test, struct sizes *ret)
{
	const json_t *list = json_object_get(document, "frame_sizes");

	ret->count = 0;
	for (size_t i = 0; i < json_array_size(list) && ret->count < SIZES_MAX; i++) {
		const json_t *size = json_array_get(list, i);
		double octets = read_number(size, "frame_size_octets");
		size_t at = ret->count;

		if (!json_is_object(json_object_get(size, test)) || !(octets > 0))
			continue;
		for (; at > 0 && ret->octets[at - 1] > octets; at--) {
			ret->items[at] = ret->items[at - 1];
			ret->octets[at] = ret->octets[at - 1];
		}
		ret->items[at] = size;
		ret->octets[at] = octets;
		ret->count++;
	}
}

static bool any_throughput(const struct sizes *sizes, enum standing standing)
{
	for (size_t i = 0; i < sizes->count; i++)
		if (standing_of(json_object_get(sizes->items[i], "throughput")) == standing)
			return true;
	return false;
}

/* The axis of frame sizes, with a tick at each of them. */
static struct svg_axis size_axis(const struct sizes *sizes)
{
	struct svg_axis axis = {
		.title = "Frame size", .unit = "octets", .scale = SVG_LOG, .ticks = sizes->octets, .tick_count = sizes->count
	};

	svg_axis_none(&axis);
	svg_axis_cover_all(&axis, sizes->octets, sizes->count);
	svg_axis_pad(&axis, 0.06);
	return axis;
}

/* --- 26.1 ----------------------------------------------------------------------------------------------------------- */

/* The bit rate of the medium, from the line rate at any size; NAN where there is none. */
static double medium_bps(const struct sizes *sizes)
{
	for (size_t i = 0; i < sizes->count; i++) {
		double fps = read_number(sizes->items[i], "line_rate");

		if (fps > 0)
			return l1_bps(fps, sizes->octets[i]);
	}
	return NAN;
}

static void put_theory(FILE *stream, const struct svg_panel *panel, double bps)
{
	double x[THEORY_STEPS + 1], y[THEORY_STEPS + 1];

	for (size_t i = 0; i <= THEORY_STEPS; i++) {
		x[i] = panel->x.min * pow(panel->x.max / panel->x.min, (double)i / THEORY_STEPS);
		y[i] = bps / l1_bps(1, x[i]);
	}
	svg_line(stream, panel, "theory", x, y, COUNT(x));
}

static const struct svg_key standings[] = {
	[STANDING_REGULAR] = { SVG_KEY_MARK, SVG_GOOD, "first", "throughput, regular" },
	[STANDING_LIMITED] = { SVG_KEY_MARK, SVG_LIMITED, "limited", "throughput, " LIMITED_WORD },
	[STANDING_IRREGULAR] = { SVG_KEY_MARK, SVG_BAD, "bad", "throughput, irregular" },
};

static void put_throughputs(FILE *stream, const struct svg_panel *panel, const struct sizes *sizes)
{
	double fps[SIZES_MAX];

	for (size_t i = 0; i < sizes->count; i++)
		fps[i] = read_number(json_object_get(sizes->items[i], "throughput"), "throughput");
	svg_line(stream, panel, "first", sizes->octets, fps, sizes->count);
	for (size_t i = 0; i < sizes->count; i++) {
		enum standing standing = standing_of(json_object_get(sizes->items[i], "throughput"));
		const struct svg_key *key = &standings[standing];
		char hint[VALUE_SIZE + 64];

		if (isnan(fps[i]))
			continue;
		snprintf(hint, sizeof(hint), "%g octets: %s%s", sizes->octets[i], text_fps(fps[i], VALUE_ROOM),
			 text_standing(standing, VALUE_ROOM));
		svg_mark(stream, svg_x(panel, sizes->octets[i]), svg_y(panel, fps[i]), key->mark, key->style, hint);
	}
}

void figure_throughput_by_size(struct writer *writer, const json_t *document)
{
	struct svg_key keys[COUNT(standings) + 1];
	static const struct svg_axis rates = { .title = "Frame rate", .unit = "frames/s" };
	struct figure figure = {
		"figure-throughput", "Throughput against frame size",
		"The throughput at each frame size, per interface, and the theoretical frame rate of the medium.", keys
	};
	struct svg_panel panel;
	struct sizes sizes;
	double bps;
	FILE *stream;

	read_sizes(document, "throughput", &sizes);
	if (!sizes.count)
		return;
	panel = figure_panel(240, size_axis(&sizes), rates);
	bps = medium_bps(&sizes);
	for (enum standing standing = 0; standing < COUNT(standings); standing++)
		if (any_throughput(&sizes, standing))
			keys[figure.key_count++] = standings[standing];
	if (!isnan(bps))
		keys[figure.key_count++] =
			(struct svg_key){ SVG_KEY_LINE, .style = "theory", .text = "theoretical rate of the medium" };
	for (size_t i = 0; i < sizes.count; i++)
		svg_axis_cover(&panel.y, read_number(json_object_get(sizes.items[i], "throughput"), "throughput"));
	svg_axis_cover(&panel.y, bps / l1_bps(1, sizes.octets[0]));
	panel.y.max = panel.y.max > 0 ? panel.y.max * 1.05 : 1;
	svg_axis_round(&panel.y);
	stream = figure_open(writer, &figure, &panel);
	if (!stream)
		return;
	if (!isnan(bps))
		put_theory(stream, &panel, bps);
	put_throughputs(stream, &panel, &sizes);
	figure_close(writer, stream,
		     isnan(bps)
			     ? "The ports have no line rate, so there is no theoretical line. Frame sizes include the frame "
			       "check sequence."
			     : "Frame sizes include the frame check sequence.");
}

/* --- 26.2 ----------------------------------------------------------------------------------------------------------- */

static const struct svg_key latency_keys[] = {
	{ .mark = SVG_BELOW, .style = "curve c4", .text = "smallest" },
	{ .mark = SVG_GOOD, .style = "curve c1", .text = "average of the means" },
	{ .mark = SVG_OTHER, .style = "curve c3", .text = "largest p99" },
	{ .mark = SVG_ABOVE, .style = "curve c2", .text = "largest" },
};
static const char *const latency_members[COUNT(latency_keys)] = { "min_ns", "average_of_means_ns", "p99_ns_max", "max_ns" };

static double latency_us(const struct sizes *sizes, size_t size, size_t series)
{
	double ns = read_number(json_object_get(sizes->items[size], "latency"), latency_members[series]);

	return ns > 0 ? ns / NS_PER_US : NAN;
}

static void put_series(FILE *stream, const struct svg_panel *panel, const struct sizes *sizes, size_t series)
{
	const struct svg_key *key = &latency_keys[series];
	double us[SIZES_MAX];

	for (size_t i = 0; i < sizes->count; i++)
		us[i] = latency_us(sizes, i, series);
	svg_line(stream, panel, key->style, sizes->octets, us, sizes->count);
	for (size_t i = 0; i < sizes->count; i++) {
		enum standing standing = standing_of(json_object_get(sizes->items[i], "latency"));
		const char *hint = TEXT_OF(VALUE_SIZE + 64, "%g octets: %s %s%s", sizes->octets[i], key->text,
					   text_ns(us[i] * NS_PER_US, VALUE_ROOM), text_standing(standing, VALUE_ROOM));

		if (!isnan(us[i]))
			svg_mark(stream, svg_x(panel, sizes->octets[i]), svg_y(panel, us[i]), key->mark, key->style, hint);
	}
}

void figure_latency_by_size(struct writer *writer, const json_t *document)
{
	static const struct figure figure = { "figure-latency", "Latency against frame size, at the throughput",
					      "Smallest, average, 99th percentile and largest latency at each frame size.",
					      latency_keys, COUNT(latency_keys) };
	struct svg_axis latencies = { .title = "Latency", .unit = MICROSECOND, .scale = SVG_LOG, .plain = true };
	struct svg_panel panel;
	struct sizes sizes;
	FILE *stream;

	read_sizes(document, "latency", &sizes);
	svg_axis_none(&latencies);
	for (size_t i = 0; i < sizes.count; i++)
		for (size_t j = 0; j < COUNT(latency_keys); j++)
			svg_axis_cover(&latencies, latency_us(&sizes, i, j));
	if (!(latencies.min <= latencies.max))
		return;
	svg_axis_pad(&latencies, 0.08);
	panel = figure_panel(240, size_axis(&sizes), latencies);
	stream = figure_open(writer, &figure, &panel);
	if (!stream)
		return;
	for (size_t i = 0; i < COUNT(latency_keys); i++)
		put_series(stream, &panel, &sizes, i);
	figure_close(writer, stream, "Both scales are logarithmic. Every frame is measured, not one as RFC 2544 has it.");
}

/* --- 26.3 ----------------------------------------------------------------------------------------------------------- */

static void put_loss_curve(FILE *stream, const struct svg_panel *panel, const json_t *size, const struct svg_key *key)
{
	const json_t *points = json_object_get(json_object_get(size, "frame_loss"), "points");
	double x[256], y[256];
	size_t count = json_array_size(points) < COUNT(x) ? json_array_size(points) : COUNT(x);

	for (size_t i = 0; i < count; i++) {
		x[i] = read_number(json_array_get(points, i), "load_ratio");
		y[i] = read_number(json_array_get(points, i), "loss_ratio");
	}
	svg_line(stream, panel, key->style, x, y, count);
	for (size_t i = 0; i < count; i++) {
		const char *hint =
			TEXT_OF(3 * VALUE_SIZE, "%.40s octets, %s of the rate: loss %s%s", read_text(size, "frame_size"),
				text_percent(x[i], VALUE_ROOM), text_percent(y[i], VALUE_ROOM),
				read_truth(json_array_get(points, i), "tester_limited") ? ", " LIMITED_WORD : "");

		if (!isnan(x[i]) && !isnan(y[i]))
			svg_mark(stream, svg_x(panel, fmin(fmax(x[i], 0), 1)), svg_y(panel, fmin(fmax(y[i], 0), 1)),
				 key->mark, key->style, hint);
	}
}

void figure_loss_curves(struct writer *writer, const json_t *document)
{
	static const double tenths[] = { 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1 };
	static const char *const names[] = { "0", "10", "20", "30", "40", "50", "60", "70", "80", "90", "100" };
	struct svg_axis rates = { .title = "Input rate, of the maximum rate at the frame size",
				  .unit = "%",
				  .max = 1,
				  .ticks = tenths,
				  .tick_names = names,
				  .tick_count = COUNT(tenths) },
			losses = rates;
	char styles[SIZES_MAX][CURVE_STYLE_SIZE], texts[SIZES_MAX][48];
	struct svg_key keys[SIZES_MAX];
	struct svg_panel panel;
	bool theoretical = true;
	struct sizes sizes;
	FILE *stream;

	losses.title = "Frame loss rate";
	panel = figure_panel(280, rates, losses);
	read_sizes(document, "frame_loss", &sizes);
	if (!sizes.count)
		return;
	for (size_t i = 0; i < sizes.count; i++) {
		theoretical &= is_line_rate(read_number(sizes.items[i], "max_rate"), read_number(sizes.items[i], "line_rate"));
		snprintf(texts[i], sizeof(texts[i]), "%g octets", sizes.octets[i]);
		keys[i] = figure_curve(i, texts[i], styles[i]);
	}
	stream = figure_open(writer,
			     &(struct figure){ "figure-loss", "Frame loss rate against load",
					       "Percent of the frames lost over the input rate in percent of the maximum "
					       "rate, a curve a frame size; both axes from 0 to 100 %.",
					       keys, sizes.count },
			     &panel);
	if (!stream)
		return;
	for (size_t i = 0; i < sizes.count; i++)
		put_loss_curve(stream, &panel, sizes.items[i], &keys[i]);
	figure_close(writer, stream,
		     theoretical ? "100 % is the theoretical rate of the medium at the frame size."
				 : "100 % is the largest rate that the tester sent: the theoretical rate of the medium is "
				   "not known, or was not reached.");
}
