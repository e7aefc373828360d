/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/memory.h"
#include "base/standing.h"
#include "base/text_stream.h"
#include "render/svg.h"
#include "render/values.h"

#define LEFT      86.0
#define WIDTH     (SVG_WIDTH - LEFT - 30)
#define PANEL_TOP 36.0 /* the title of the axis stands above it */
#define X_AXIS    56.0 /* height of the x axis below a panel */
#define HINTS_MAX 300  /* most trials with hints: more would make the page too large */

/* --- what figures share --------------------------------------------------------------------------------------------- */

struct svg_panel figure_panel(double height, struct svg_axis x, struct svg_axis y)
{
	return (struct svg_panel){ LEFT, PANEL_TOP, WIDTH, height, x, y, false };
}

FILE *figure_open(struct writer *writer, const struct figure *figure, const struct svg_panel *panel)
{
	FILE *stream = writer->ops->figure ? writer->ops->figure(writer, figure->caption) : NULL;

	if (!stream)
		return NULL;
	svg_legend(stream, figure->keys, figure->key_count);
	svg_open(stream, figure->id, figure->caption, figure->description,
		 panel->top + panel->height + figure->below + X_AXIS);
	svg_axes(stream, panel);
	return stream;
}

void figure_close(struct writer *writer, FILE *stream, const char *explanation)
{
	svg_close(stream);
	writer->ops->figure_end(writer, explanation);
}

struct svg_key figure_curve(size_t number, const char *text, char style[CURVE_STYLE_SIZE])
{
	static const enum svg_mark marks[] = { SVG_GOOD, SVG_OTHER, SVG_ABOVE, SVG_BELOW, SVG_WARMUP, SVG_BAD };
	size_t colour = number % CURVE_COLOURS, round = number / CURVE_COLOURS % CURVE_COLOURS;

	snprintf(style, CURVE_STYLE_SIZE, round ? "curve c%zu round%zu" : "curve c%zu", colour + 1, round);
	return (struct svg_key){ SVG_KEY_MARK, marks[(colour + round) % CURVE_COLOURS], style, text };
}

double *figure_columns(const json_t *rows, const char *const *pointers, size_t count)
{
	size_t length = json_array_size(rows);
	double *values = length ? memory_noticed(calloc(count * length, sizeof(*values))) : NULL;

	json_each (row, rows)
		for (size_t j = 0; values && j < count; j++) {
			const json_t *value = json_at(row, pointers[j]);

			values[j * length + row_at] = json_is_number(value) ? json_number_value(value) : NAN;
		}
	return values;
}

/* --- trials --------------------------------------------------------------------------------------------------------- */

bool trial_counts(const json_t *trial)
{
	return !read_truth(trial, "warmup") && !isnan(read_number(trial, "trial_load"));
}

const char *trial_hint(size_t number, const json_t *trial, size_t total, char *buffer, size_t size)
{
	if (total > HINTS_MAX)
		return NULL;
	snprintf(buffer, size, "Trial %zu: %s for %g s, loss %s%s%s", number,
		 text_fps(read_number(trial, "trial_load"), VALUE_ROOM), read_number(trial, "trial_duration"),
		 text_percent(read_number(trial, "trial_loss_ratio"), VALUE_ROOM),
		 read_truth(trial, "warmup") ? ", warm-up" : "",
		 read_truth(trial, "tester_limited") ? ", " LIMITED_WORD : "");
	return buffer;
}

bool trial_is_limited(const json_t *trial)
{
	return trial_counts(trial) && read_truth(trial, "tester_limited");
}

bool trials_any_limited(const json_t *trials)
{
	json_each (trial, trials)
		if (trial_is_limited(trial))
			return true;
	return false;
}

double figure_place_load(const struct svg_panel *panel, double load, enum svg_mark *mark)
{
	if (load <= panel->y.max && load >= panel->y.min)
		return svg_y(panel, load);
	*mark = load > panel->y.max ? SVG_ABOVE : SVG_BELOW;
	return load > panel->y.max ? panel->top + 8 : panel->top + panel->height - 8;
}

/* --- loss against load ---------------------------------------------------------------------------------------------- */

static const struct svg_axis loads = { .title = "Load", .unit = "frames/s", .scale = SVG_LOG };

void figure_put_trial(FILE *stream, const struct svg_panel *panel, double y, const json_t *trial, size_t number,
		      size_t total)
{
	bool bad = read_number(trial, "trial_loss_ratio") > 0, limited = trial_is_limited(trial);
	char hint[256];

	svg_mark(stream, svg_x(panel, read_number(trial, "trial_load")), svg_y(panel, y),
		 limited ? SVG_LIMITED
		 : bad   ? SVG_BAD
			 : SVG_GOOD,
		 limited ? "limited"
		 : bad   ? "bad"
			 : "good",
		 trial_hint(number, trial, total, hint, sizeof(hint)));
}

static void put_loss_trials(FILE *stream, const struct svg_panel *panel, const json_t *trials)
{
	json_each (trial, trials) {
		double loss = read_number(trial, "trial_loss_ratio");

		if (trial_counts(trial) && !isnan(loss))
			figure_put_trial(stream, panel, loss, trial, trial_at + 1, json_array_size(trials));
	}
}

/* The goals' loss ratios, and the Conditional Throughput of each. */
static void put_loss_goals(FILE *stream, const struct svg_panel *panel, const json_t *results)
{
	json_each (result, results) {
		const json_t *goal = json_object_get(result, "goal");
		double loss = read_number(goal, "loss_ratio"), load = read_number(result, "relevant_lower_bound");

		if (loss > 0)
			svg_level(stream, panel, "limit", loss,
				  TEXT_OF(80, "Goal Loss Ratio of %.40s", read_text(goal, "name")));
		if (load > 0)
			svg_upright(stream, panel, "result", load);
	}
}

void figure_loss(struct writer *writer, const json_t *trials, const json_t *results)
{
	static const struct svg_key all_keys[] = {
		{ .kind = SVG_KEY_MARK, .mark = SVG_GOOD, .style = "good", .text = "trial without loss" },
		{ .kind = SVG_KEY_MARK, .mark = SVG_BAD, .style = "bad", .text = "trial with loss" },
		{ .kind = SVG_KEY_LINE, .style = "limit", .text = "Goal Loss Ratio" },
		{ .kind = SVG_KEY_LINE, .style = "result", .text = "Relevant Lower Bound of a goal" },
	};
	struct svg_key keys[COUNT(all_keys) + 1];
	static const struct svg_axis losses = {
		.title = "Trial Loss Ratio", .unit = "%", .scale = SVG_LOG, .zero_lane = true
	};
	struct svg_panel panel = figure_panel(240, loads, losses);
	struct figure figure = { .id = "figure-loss", .caption = "Trial Loss Ratio against load", .keys = keys };
	char description[160];
	FILE *stream;

	svg_axis_none(&panel.x);
	svg_axis_none(&panel.y);
	svg_axis_cover(&panel.y, 1);
	json_each (trial, trials) {
		if (!trial_counts(trial))
			continue;
		svg_axis_cover(&panel.x, read_number(trial, "trial_load"));
		svg_axis_cover(&panel.y, read_number(trial, "trial_loss_ratio"));
	}
	json_each (result, results)
		svg_axis_cover(&panel.y, read_number(json_object_get(result, "goal"), "loss_ratio"));
	if (!(panel.x.min <= panel.x.max))
		return;
	svg_axis_pad(&panel.x, 0.04);
	svg_axis_cover(&panel.y, 0.01);
	svg_axis_round(&panel.y);
	snprintf(description, sizeof(description),
		 "The loss ratio of each of %zu trials, on a logarithmic scale, over its load.", json_array_size(trials));
	figure.description = description;
	figure.key_count = json_array_size(results) ? COUNT(all_keys) : 2;
	memcpy(keys, all_keys, sizeof(all_keys));
	if (trials_any_limited(trials))
		keys[figure.key_count++] = (struct svg_key){ SVG_KEY_MARK, SVG_LIMITED, "limited", LIMITED_WORD " trial" };
	stream = figure_open(writer, &figure, &panel);
	if (!stream)
		return;
	put_loss_goals(stream, &panel, results);
	put_loss_trials(stream, &panel, trials);
	figure_close(
		writer, stream,
		"Both scales are logarithmic; trials that lost nothing stand in the lane below. Warm-ups are left out.");
}

/* --- latency -------------------------------------------------------------------------------------------------------- */

static const struct svg_key latency_keys[] = {
	{ .mark = SVG_GOOD, .style = "first", .text = "median (p50)" },
	{ .mark = SVG_OTHER, .style = "second", .text = "p99" },
	{ .mark = SVG_ABOVE, .style = "third", .text = "maximum" },
};
static const char *const latency_members[COUNT(latency_keys)] = { "p50_ns", "p99_ns", "max_ns" };
static const struct svg_axis latencies = { .title = "Latency", .unit = MICROSECOND, .scale = SVG_LOG, .plain = true };

static void put_latency_trial(FILE *stream, const struct svg_panel *panel, const json_t *trial, size_t number, size_t total)
{
	const json_t *latency = json_object_get(trial, "latency");
	double x = svg_x(panel, read_number(trial, "trial_load"));

	for (size_t i = 0; i < COUNT(latency_keys); i++) {
		const struct svg_key *key = &latency_keys[i];
		double ns = read_number(latency, latency_members[i]);
		char hint[160];

		if (!(ns > 0))
			continue;
		snprintf(hint, sizeof(hint), "Trial %zu: %s %s at %.60s%s", number, key->text, text_ns(ns, VALUE_ROOM),
			 text_fps(read_number(trial, "trial_load"), VALUE_ROOM),
			 trial_is_limited(trial) ? ", " LIMITED_WORD : "");
		svg_mark(stream, x, svg_y(panel, ns / NS_PER_US), key->mark, key->style,
			 3 * total > HINTS_MAX ? NULL : hint);
	}
}

void figure_latency(struct writer *writer, const json_t *trials)
{
	static const struct figure figure = {
		"figure-latency", "Latency against load",
		"Median, 99th percentile and maximum of the latency of each trial over its load.", latency_keys,
		COUNT(latency_keys)
	};
	struct svg_panel panel = figure_panel(240, loads, latencies);
	FILE *stream;

	svg_axis_none(&panel.x);
	svg_axis_none(&panel.y);
	json_each (trial, trials) {
		const json_t *latency = json_object_get(trial, "latency");

		if (!trial_counts(trial) || !json_is_object(latency))
			continue;
		svg_axis_cover(&panel.x, read_number(trial, "trial_load"));
		for (size_t j = 0; j < COUNT(latency_members); j++)
			svg_axis_cover(&panel.y, read_number(latency, latency_members[j]) / NS_PER_US);
	}
	if (!(panel.x.min <= panel.x.max) || !(panel.y.min <= panel.y.max))
		return;
	svg_axis_pad(&panel.x, 0.04);
	svg_axis_pad(&panel.y, 0.06);
	stream = figure_open(writer, &figure, &panel);
	if (!stream)
		return;
	json_each (trial, trials)
		if (trial_counts(trial))
			put_latency_trial(stream, &panel, trial, trial_at + 1, json_array_size(trials));
	figure_close(writer, stream, "One-way, from the tag in each frame; both scales are logarithmic.");
}

void figure_percentiles(struct writer *writer, const json_t *latency)
{
	static const char *const members[] = { "min_ns", "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "p99_99_ns", "max_ns" };
	static const char *const names[] = { "min", "50", "90", "99", "99.9", "99.99", "max" };
	static const double places[] = { 0, 1, 2, 3, 4, 5, 6 };
	static const struct svg_axis percentiles = { .title = "Percentile of the frames",
						     .unit = "%",
						     .min = -0.3,
						     .max = 6.3,
						     .ticks = places,
						     .tick_names = names,
						     .tick_count = COUNT(places) };
	static const struct figure figure = {
		"figure-percentiles", "Latency by percentile",
		"Latency from the smallest over the median and higher percentiles to the largest."
	};
	struct svg_panel panel = figure_panel(240, percentiles, latencies);
	double values[COUNT(members)];
	FILE *stream;

	svg_axis_none(&panel.y);
	for (size_t i = 0; i < COUNT(members); i++) {
		values[i] = read_number(latency, members[i]) / NS_PER_US;
		svg_axis_cover(&panel.y, values[i]);
	}
	if (!(panel.y.min <= panel.y.max))
		return;
	svg_axis_pad(&panel.y, 0.1);
	stream = figure_open(writer, &figure, &panel);
	if (!stream)
		return;
	svg_line(stream, &panel, "first", places, values, COUNT(places));
	for (size_t i = 0; i < COUNT(members); i++) {
		const char *hint = TEXT_OF(VALUE_SIZE, "%s: %.60s", names[i], text_ns(values[i] * NS_PER_US, VALUE_ROOM));

		if (values[i] > 0)
			svg_mark(stream, svg_x(&panel, places[i]), svg_y(&panel, values[i]), SVG_GOOD, "first", hint);
	}
	figure_close(writer, stream, read_string(latency, "definition"));
}

/* --- a soak --------------------------------------------------------------------------------------------------------- */

/* The columns of the time line. */
struct time_line {
	size_t count;
	double *time; /* count of each; the first of them owns all */
	double *load, *mean, *stretch, *erf, *low, *high;
};

static bool read_time_line(const json_t *steps, struct time_line *ret)
{
	static const char *const members[] = { "/time",     "/trial_load",     "/together/mean", "/stretch/mean",
					       "/erf/mean", "/together/stdev", "/together/stdev" };
	size_t count = json_array_size(steps);
	double *values = figure_columns(steps, members, COUNT(members));

	if (!values)
		return false;
	*ret = (struct time_line){ count,
				   values,
				   values + count,
				   values + 2 * count,
				   values + 3 * count,
				   values + 4 * count,
				   values + 5 * count,
				   values + 6 * count };
	for (size_t i = 0; i < count; i++) {
		ret->low[i] = ret->mean[i] - ret->low[i];
		ret->high[i] = ret->mean[i] + ret->high[i];
	}
	return true;
}

/* The loads around the estimate once it has settled: the first tenth of the trials may lie outside. */
static void find_estimate_range(const struct time_line *line, struct svg_axis *axis)
{
	svg_axis_none(axis);
	for (size_t i = line->count / 10; i < line->count; i++) {
		svg_axis_cover(axis, fmax(line->low[i], 0));
		svg_axis_cover(axis, line->high[i]);
		svg_axis_cover(axis, line->stretch[i]);
		svg_axis_cover(axis, line->erf[i]);
	}
	svg_axis_pad(axis, 0.3);
	axis->min = fmax(axis->min, 0);
}

static void put_soak_trials(FILE *stream, const struct svg_panel *panel, const struct time_line *line, const json_t *trials)
{
	for (size_t i = 0; i < line->count; i++) {
		json_auto_t *trial = json_item(trials, i);
		enum svg_mark mark = SVG_OTHER;
		double y = figure_place_load(panel, line->load[i], &mark);
		char hint[256];

		if (!isnan(line->load[i]))
			svg_mark(stream, svg_x(panel, line->time[i]), y, mark, "faint",
				 trial_hint(i + 1, trial, line->count, hint, sizeof(hint)));
	}
}

void figure_estimate(struct writer *writer, const json_t *document)
{
	static const struct svg_key keys[] = {
		{ .kind = SVG_KEY_LINE, .style = "first", .text = "estimate" },
		{ .kind = SVG_KEY_BAND, .style = "first", .text = "one standard deviation" },
		{ .kind = SVG_KEY_LINE, .style = "second", .text = "by stretch" },
		{ .kind = SVG_KEY_LINE, .style = "third", .text = "by erf" },
		{ .kind = SVG_KEY_MARK, .mark = SVG_OTHER, .style = "faint", .text = "load of a trial" },
	};
	static const struct figure figure = { "figure-estimate", "PLRsearch: the estimate of the critical load over time",
					      "The estimated critical load with a band of one standard deviation, and the "
					      "estimates by each fitting function, "
					      "over time; and the loads of the trials.",
					      keys, COUNT(keys) };
	struct svg_panel panel =
		figure_panel(280, (struct svg_axis){ .title = "Time since the start", .unit = "s", .plain = true },
			     (struct svg_axis){ .title = "Load", .unit = "frames/s" });
	struct time_line line;
	FILE *stream;

	if (!read_time_line(json_object_get(document, "time_line"), &line))
		return;
	panel.x.max = fmax(line.time[line.count - 1], 1e-9) * 1.01;
	find_estimate_range(&line, &panel.y);
	stream = figure_open(writer, &figure, &panel);
	if (stream) {
		put_soak_trials(stream, &panel, &line, json_object_get(document, "trials"));
		svg_band(stream, &panel, "first", line.time, line.low, line.high, line.count);
		svg_line(stream, &panel, "second", line.time, line.stretch, line.count);
		svg_line(stream, &panel, "third", line.time, line.erf, line.count);
		svg_line(stream, &panel, "first", line.time, line.mean, line.count);
		figure_close(writer, stream, "Loads are per interface; triangles at the edge are trials outside the range.");
	}
	free(line.time);
}
