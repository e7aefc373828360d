/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/memory.h"
#include "base/standing.h"
#include "base/text_stream.h"
#include "mlr/results.h"
#include "render/svg.h"
#include "render/values.h"

#define LEFT       78.0
#define WIDTH      (SVG_WIDTH - LEFT - 16)
#define LEGEND_TOP 18.0
#define PANEL_TOP  36.0
#define X_AXIS     56.0 /* what it takes below a panel */
#define HINTS_MAX  300  /* more trials have no hints: the page would grow too large */

/* Of the bounds of a goal, the lower and the upper one. */
static const char *const bound_styles[COURSE_GOALS][2] = { { "lower", "upper" }, { "second", "third" } };

/* --- what figures share --------------------------------------------------------------------------------------------- */

struct svg_panel figure_panel(double height, struct svg_axis x, struct svg_axis y)
{
	return (struct svg_panel){ LEFT, PANEL_TOP, WIDTH, height, x, y, false };
}

FILE *figure_open(struct writer *writer, const struct figure *figure, struct svg_panel *panel)
{
	FILE *stream = writer->ops->figure ? writer->ops->figure(writer, figure->caption) : NULL;
	double more = svg_legend_more(figure->keys, figure->key_count);

	if (!stream)
		return NULL;
	panel->top += more;
	svg_open(stream, figure->id, figure->caption, figure->description,
		 figure->height > 0 ? figure->height + more : panel->top + panel->height + X_AXIS);
	if (figure->key_count)
		svg_legend(stream, LEGEND_TOP, figure->keys, figure->key_count);
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
	static const enum svg_mark marks[CURVES_MAX] = { SVG_GOOD, SVG_OTHER, SVG_ABOVE, SVG_BELOW, SVG_WARMUP, SVG_BAD };

	snprintf(style, CURVE_STYLE_SIZE, "curve c%zu", number % CURVES_MAX + 1);
	return (struct svg_key){ SVG_KEY_MARK, marks[number % CURVES_MAX], style, text };
}

double *figure_columns(const json_t *rows, const char *const *pointers, size_t count)
{
	size_t length = json_array_size(rows), i;
	double *values = length ? memory_noticed(calloc(count * length, sizeof(*values))) : NULL;
	json_t *row;

	json_array_foreach (rows, i, row)
		for (size_t j = 0; values && j < count; j++) {
			const json_t *value = json_at(row, pointers[j]);

			values[j * length + i] = json_is_number(value) ? json_number_value(value) : NAN;
		}
	return values;
}

/* --- trials --------------------------------------------------------------------------------------------------------- */

static bool counts(const json_t *trial)
{
	return !read_truth(trial, "warmup") && !isnan(read_number(trial, "trial_load"));
}

/* "Trial 7: 1 003 326.9 frames/s for 1 s, loss 0.5 %" */
static const char *trial_hint(size_t number, const json_t *trial, size_t total, char *buffer, size_t size)
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

/* One that counts, and that the tester limited. */
static bool is_limited(const json_t *trial)
{
	return counts(trial) && read_truth(trial, "tester_limited");
}

static bool any_limited(const json_t *trials)
{
	json_each (trial, trials)
		if (is_limited(trial))
			return true;
	return false;
}

/* --- the course of a search ----------------------------------------------------------------------------------------- */

/* What was known of a goal before each trial, and at the end. */
struct goal_course {
	const json_t *goal, *result;
	double *lower, *upper; /* count + 1 of each, of trials; NAN where there was no bound */
	double loss_ratio;     /* of the goal */
};

/* The course of goals that share trials. */
struct course {
	const json_t *trials;
	size_t count, goal_count;
	struct goal_course goals[COURSE_GOALS];
	double *values; /* owns all bounds */
};

static bool read_goal_json(const json_t *json, struct mlr_goal *ret)
{
	snprintf(ret->name, sizeof(ret->name), "goal");
	ret->loss_ratio = read_number(json, "loss_ratio");
	ret->exceed_ratio = read_number(json, "exceed_ratio");
	ret->initial_trial_duration_s = read_number(json, "initial_trial_duration");
	ret->final_trial_duration_s = read_number(json, "final_trial_duration");
	ret->duration_sum_s = read_number(json, "duration_sum");
	ret->width_ratio = read_number(json, "width");
	return ret->exceed_ratio >= 0 && ret->exceed_ratio < 1 &&
	       !isnan(ret->loss_ratio + ret->final_trial_duration_s + ret->duration_sum_s);
}

static bool read_trial_json(const json_t *json, struct mlr_trial_result *ret)
{
	ret->input.load_fps = read_number(json, "trial_load");
	ret->input.duration_s = read_number(json, "trial_duration");
	ret->output.loss_ratio = read_number(json, "trial_loss_ratio");
	ret->output.effective_duration_s = read_number(json, "trial_effective_duration");
	ret->output.forwarding_rate_fps = read_number(json, "trial_forwarding_rate");
	return counts(json);
}

static double load_of(const struct mlr_results *results, size_t load)
{
	return load == MLR_NO_LOAD ? NAN : mlr_results_load_fps(results, load);
}

/* The bounds by Load Classification (Appendix A), trial by trial. False: they do not follow from the document. */
static bool classify_course(const struct course *course, const struct goal_course *one)
{
	struct mlr_results *results;
	struct mlr_goal goal;
	int error = read_goal_json(one->goal, &goal) ? mlr_results_new(&goal, 1, &results) : -EINVAL;

	if (error == -ENOMEM)
		memory_noticed(NULL);
	if (error)
		return false;
	for (size_t i = 0; i <= course->count; i++) {
		struct mlr_bounds bounds = mlr_results_bounds(results, 0);
		struct mlr_trial_result trial;

		one->lower[i] = load_of(results, bounds.lower);
		one->upper[i] = load_of(results, bounds.upper);
		if (i < course->count && read_trial_json(json_array_get(course->trials, i), &trial))
			error = mlr_results_add(results, &trial);
		if (error == -ENOMEM)
			memory_noticed(NULL);
	}
	mlr_results_free(results);
	return true;
}

/* The bounds as each decision for this goal found them, and as the result has them: where an algorithm has its own. */
static void follow_decisions(const struct course *course, const struct goal_course *one)
{
	const char *name = read_string(one->goal, "name");
	double lower = NAN, upper = NAN;

	for (size_t i = 0; i < course->count; i++) {
		const json_t *decision = json_object_get(json_array_get(course->trials, i), "decision");
		const char *focus = read_string(decision, "goal");

		if (name && focus && strcmp(name, focus) == 0) {
			lower = read_number(decision, "lower_bound");
			upper = read_number(decision, "upper_bound");
		}
		one->lower[i] = lower;
		one->upper[i] = upper;
	}
	one->lower[course->count] = read_number(one->result, "relevant_lower_bound");
	one->upper[course->count] = read_number(one->result, "relevant_upper_bound");
}

/* Of so many goals from this one on. */
static bool read_course(const json_t *document, size_t first, size_t count, struct course *ret)
{
	const json_t *goals = json_at(document, "/controller_input/goals");
	bool own = strcmp(read_text(document, "algorithm"), "phased") == 0;
	struct course course = { .trials = json_object_get(document, "trials"), .goal_count = count };
	size_t room;

	course.count = json_array_size(course.trials);
	room = course.count + 1;
	course.values = course.count ? memory_noticed(calloc(2 * count * room, sizeof(double))) : NULL;
	if (!course.values)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct goal_course *one = &course.goals[i];

		one->goal = json_array_get(goals, first + i);
		one->result = json_array_get(json_object_get(document, "search_result"), first + i);
		one->loss_ratio = read_number(one->goal, "loss_ratio");
		one->lower = course.values + 2 * i * room;
		one->upper = one->lower + room;
		if (own || !classify_course(&course, one))
			follow_decisions(&course, one);
	}
	*ret = course;
	return true;
}

/* Where what held before trial i + 1 ends; the last bounds have half a trial, which is no number with a tick. */
static double course_end(const struct course *course, size_t i)
{
	return i < course->count ? (double)i + 1.5 : (double)i + 0.99;
}

/* A bound as a line of steps: what held before trial i is drawn from i - 1/2 to i + 1/2. */
static void put_steps(FILE *stream, const struct svg_panel *panel, const char *style, const struct course *course,
		      const double *bounds)
{
	owned double *x = memory_noticed(calloc(4 * (course->count + 1), sizeof(*x)));
	double *y = x ? x + 2 * (course->count + 1) : NULL;
	size_t count = 0;

	for (size_t i = 0; x && i <= course->count; i++) {
		x[count] = (double)i + 0.5;
		y[count++] = bounds[i];
		x[count] = course_end(course, i);
		y[count++] = bounds[i];
	}
	svg_line(stream, panel, style, x, y, count);
}

/* What lies between the bounds, from the first trial after which both existed. */
static void put_gap(FILE *stream, const struct svg_panel *panel, const struct course *course, const struct goal_course *one)
{
	size_t room = 2 * (course->count + 1), count = 0;
	owned double *x = memory_noticed(calloc(3 * room, sizeof(*x)));
	double *low = x ? x + room : NULL, *high = x ? low + room : NULL;

	for (size_t i = 0; x && i <= course->count; i++) {
		if (isnan(one->lower[i]) || isnan(one->upper[i]))
			continue;
		for (int end = 0; end < 2; end++) {
			x[count] = !end ? (double)i + 0.5 : course_end(course, i);
			low[count] = one->lower[i];
			high[count++] = one->upper[i];
		}
	}
	if (count)
		svg_band(stream, panel, "between", x, low, high, count);
}

/* Where a load is drawn: outside the panel at its edge, as a triangle that points there. */
static double place_load(const struct svg_panel *panel, double load, enum svg_mark *mark)
{
	if (load <= panel->y.max && load >= panel->y.min)
		return svg_y(panel, load);
	*mark = load > panel->y.max ? SVG_ABOVE : SVG_BELOW;
	return load > panel->y.max ? panel->top + 8 : panel->top + panel->height - 8;
}

/* How many of the goals a trial lost too much for. */
static size_t failed_by(const struct course *course, const json_t *trial)
{
	size_t count = 0;

	for (size_t i = 0; i < course->goal_count; i++)
		count += read_number(trial, "trial_loss_ratio") > course->goals[i].loss_ratio;
	return count;
}

static void put_course_trial(FILE *stream, const struct svg_panel *panel, const struct course *course, size_t index)
{
	const json_t *trial = json_array_get(course->trials, index);
	double load = read_number(trial, "trial_load");
	size_t failed = failed_by(course, trial);
	bool warmup = read_truth(trial, "warmup"), bad = failed == course->goal_count;
	bool limited = is_limited(trial);
	enum svg_mark mark = warmup ? SVG_WARMUP : limited ? SVG_LIMITED : bad ? SVG_BAD : failed ? SVG_OTHER : SVG_GOOD;
	double y = place_load(panel, load, &mark);
	bool edge = mark == SVG_ABOVE || mark == SVG_BELOW;
	const char *style = warmup    ? "warmup"
			    : limited ? "limited"
			    : bad     ? (edge ? "edge-bad" : "bad")
			    : failed  ? "second"
			    : edge    ? "edge-good"
				      : "good";
	char hint[256];

	if (isnan(load))
		return;
	svg_mark(stream, svg_x(panel, (double)index + 1), y, mark, style,
		 trial_hint(index + 1, trial, course->count, hint, sizeof(hint)));
}

static void put_course_panel(FILE *stream, const struct svg_panel *panel, const struct course *course)
{
	for (size_t i = 0; i < course->goal_count; i++)
		put_gap(stream, panel, course, &course->goals[i]);
	for (size_t i = 0; i < course->goal_count; i++) {
		put_steps(stream, panel, bound_styles[i][0], course, course->goals[i].lower);
		put_steps(stream, panel, bound_styles[i][1], course, course->goals[i].upper);
	}
	for (size_t i = 0; i < course->count; i++)
		put_course_trial(stream, panel, course, i);
}

/* The loads of all trials but the warm-up; false where that magnifies nothing. */
static bool find_measured(const struct course *course, struct svg_axis *axis)
{
	svg_axis_none(axis);
	for (size_t i = 0; i < course->count; i++)
		if (counts(json_array_get(course->trials, i)))
			svg_axis_cover(axis, read_number(json_array_get(course->trials, i), "trial_load"));
	if (!(axis->max < 3 * axis->min))
		return false;
	svg_axis_pad(axis, 0.15);
	return true;
}

/* The range of loads in which the bounds met, else where the trials were; false where there is nothing to magnify. */
static bool find_closing(const struct course *course, struct svg_axis *axis)
{
	double lower = INFINITY, upper = 0, half = 0;

	for (size_t i = 0; i < course->goal_count; i++) {
		const struct goal_course *one = &course->goals[i];
		double low = one->lower[course->count], high = one->upper[course->count],
		       width = read_number(one->goal, "width");

		if (isnan(low) || isnan(high))
			return find_measured(course, axis);
		lower = fmin(lower, low);
		upper = fmax(upper, high);
		half = fmax(half, fmax(5 * (high - low), isnan(width) ? 0 : 4 * width * high));
	}
	axis->min = fmax(lower - half, 0);
	axis->max = upper + half;
	return true;
}

static struct svg_axis course_y_axis(const struct course *course)
{
	struct svg_axis axis = { .title = "Load", .unit = "frames/s", .scale = SVG_LOG };

	svg_axis_none(&axis);
	for (size_t i = 0; i < course->count; i++)
		svg_axis_cover(&axis, read_number(json_array_get(course->trials, i), "trial_load"));
	svg_axis_pad(&axis, 0.06);
	return axis;
}

static void describe_course(const struct course *course, char *buffer, size_t size)
{
	size_t bad = 0;

	for (size_t i = 0; i < course->count; i++)
		bad += counts(json_array_get(course->trials, i)) && failed_by(course, json_array_get(course->trials, i));
	snprintf(buffer, size, "Trial Load over the number of the trial. %zu trials, of which %zu lost more than %s allows.",
		 course->count, bad, course->goal_count > 1 ? "a goal" : "the goal");
	for (size_t i = 0; i < course->goal_count; i++) {
		double lower = course->goals[i].lower[course->count], upper = course->goals[i].upper[course->count];

		text_add(buffer, size, " In the end the Relevant Lower Bound%s%.40s is %s and the Relevant Upper Bound %s.",
			 course->goal_count > 1 ? " of " : "",
			 course->goal_count > 1 ? read_text(course->goals[i].goal, "name") : "",
			 isnan(lower) ? "missing" : text_fps(lower, VALUE_ROOM),
			 isnan(upper) ? "missing" : text_fps(upper, VALUE_ROOM));
	}
}

#define KEY_SIZE 64
enum { KEYS_MOST = 5 + 2 * COURSE_GOALS };

/* What the marks and lines are. Two goals tell apart a trial that the one with the smaller Goal Loss Ratio fails alone. */
static size_t course_keys(const struct course *course, struct svg_key keys[KEYS_MOST], char texts[KEYS_MOST][KEY_SIZE])
{
	bool several = course->goal_count > 1;
	size_t count = 0, strict = several && course->goals[1].loss_ratio < course->goals[0].loss_ratio;

	keys[count++] = (struct svg_key){ SVG_KEY_MARK, SVG_GOOD, "good", "good (low-loss) trial" };
	if (several) {
		snprintf(texts[0], KEY_SIZE, "bad for %.30s alone", read_text(course->goals[strict].goal, "name"));
		keys[count++] = (struct svg_key){ SVG_KEY_MARK, SVG_OTHER, "second", texts[0] };
	}
	keys[count++] = (struct svg_key){ SVG_KEY_MARK, SVG_BAD, "bad", "bad (high-loss) trial" };
	if (any_limited(course->trials))
		keys[count++] = (struct svg_key){ SVG_KEY_MARK, SVG_LIMITED, "limited", LIMITED_WORD " trial" };
	keys[count++] = (struct svg_key){ SVG_KEY_MARK, SVG_WARMUP, "warmup", "warm-up" };
	for (size_t i = 0; i < 2 * course->goal_count; i++) {
		snprintf(texts[1 + i], KEY_SIZE, "Relevant %s Bound%s%.30s", i % 2 ? "Lower" : "Upper",
			 several ? " of " : "", several ? read_text(course->goals[i / 2].goal, "name") : "");
		keys[count++] =
			(struct svg_key){ SVG_KEY_LINE, .style = bound_styles[i / 2][i % 2 == 0], .text = texts[1 + i] };
	}
	return count;
}

void figure_course(struct writer *writer, const json_t *document, size_t goal, size_t count, unsigned int number,
		   const char *of)
{
	struct svg_axis numbers = { .title = "Trial number", .whole = true, .min = 0.5 };
	struct svg_axis near = { .title = "Load, closing in", .unit = "frames/s" };
	char caption[160], description[600], texts[KEYS_MOST][KEY_SIZE];
	struct svg_key keys[KEYS_MOST];
	struct svg_panel whole, closing;
	struct course course;
	bool magnified;
	FILE *stream;

	if (!read_course(document, goal, count, &course))
		return;
	numbers.max = course_end(&course, course.count);
	magnified = find_closing(&course, &near);
	whole = figure_panel(magnified ? 138 : 250, numbers, course_y_axis(&course));
	whole.hide_x = magnified;
	closing = figure_panel(250, numbers, near);
	snprintf(caption, sizeof(caption), "Course of the search for %.80s: load over trial number", of);
	describe_course(&course, description, sizeof(description));
	stream = figure_open(writer,
			     &(struct figure){ TEXT_OF(32, "figure-course-%u", number), caption, description, keys,
					       course_keys(&course, keys, texts), magnified ? 504 : 336 },
			     &whole);
	if (stream) {
		put_course_panel(stream, &whole, &course);
		closing.top = whole.top + 168;
		if (magnified) {
			svg_axes(stream, &closing);
			put_course_panel(stream, &closing, &course);
		}
		figure_close(writer, stream,
			     magnified ? "Above the whole search, below the loads near the result; triangles at "
					 "the edge are trials outside the range. Loads are per interface."
				       : "Loads are per interface.");
	}
	free(course.values);
}

/* --- loss against load ---------------------------------------------------------------------------------------------- */

static const struct svg_axis loads = { .title = "Load", .unit = "frames/s", .scale = SVG_LOG };

static void put_loss_trial(FILE *stream, const struct svg_panel *panel, const json_t *trials, size_t index)
{
	const json_t *trial = json_array_get(trials, index);
	double loss = read_number(trial, "trial_loss_ratio");
	bool bad = loss > 0, limited = is_limited(trial);
	char hint[256];

	if (!counts(trial) || isnan(loss))
		return;
	svg_mark(stream, svg_x(panel, read_number(trial, "trial_load")), svg_y(panel, loss),
		 limited ? SVG_LIMITED
		 : bad   ? SVG_BAD
			 : SVG_GOOD,
		 limited ? "limited"
		 : bad   ? "bad"
			 : "good",
		 trial_hint(index + 1, trial, json_array_size(trials), hint, sizeof(hint)));
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
	struct svg_panel panel = figure_panel(300, loads, losses);
	struct figure figure = { .id = "figure-loss", .caption = "Trial Loss Ratio against load", .keys = keys };
	char description[160];
	FILE *stream;

	svg_axis_none(&panel.x);
	svg_axis_none(&panel.y);
	svg_axis_cover(&panel.y, 1);
	json_each (trial, trials) {
		if (!counts(trial))
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
	if (any_limited(trials))
		keys[figure.key_count++] = (struct svg_key){ SVG_KEY_MARK, SVG_LIMITED, "limited", LIMITED_WORD " trial" };
	stream = figure_open(writer, &figure, &panel);
	if (!stream)
		return;
	put_loss_goals(stream, &panel, results);
	for (size_t i = 0; i < json_array_size(trials); i++)
		put_loss_trial(stream, &panel, trials, i);
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
			 text_fps(read_number(trial, "trial_load"), VALUE_ROOM), is_limited(trial) ? ", " LIMITED_WORD : "");
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
	struct svg_panel panel = figure_panel(280, loads, latencies);
	FILE *stream;

	svg_axis_none(&panel.x);
	svg_axis_none(&panel.y);
	json_each (trial, trials) {
		const json_t *latency = json_object_get(trial, "latency");

		if (!counts(trial) || !json_is_object(latency))
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
	for (size_t i = 0; i < json_array_size(trials); i++)
		if (counts(json_array_get(trials, i)))
			put_latency_trial(stream, &panel, json_array_get(trials, i), i + 1, json_array_size(trials));
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
	struct svg_panel panel = figure_panel(260, percentiles, latencies);
	double values[COUNT(members)];
	FILE *stream;

	panel.top = 24; /* there is no legend */
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
		enum svg_mark mark = SVG_OTHER;
		double y = place_load(panel, line->load[i], &mark);
		char hint[256];

		if (!isnan(line->load[i]))
			svg_mark(stream, svg_x(panel, line->time[i]), y, mark, "faint",
				 trial_hint(i + 1, json_array_get(trials, i), line->count, hint, sizeof(hint)));
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
		figure_panel(320, (struct svg_axis){ .title = "Time since the start", .unit = "s", .plain = true },
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
