/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This figure shows the course of a search: the load of each trial, and the bounds closing in. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/memory.h"
#include "base/standing.h"
#include "base/text_stream.h"
#include "mlr/results.h"
#include "render/figures.h"
#include "render/values.h"

/* Styles of the lower and the upper bound of each goal. */
static const char *const bound_styles[COURSE_GOALS][2] = { { "lower", "upper" }, { "second", "third" } };

/* The state of a goal before each trial, and at the end. */
struct goal_course {
	const json_t *goal, *result;
	double *lower, *upper; /* count + 1 of each, for `count` trials; NAN: there was no bound */
	double loss_ratio;     /* Goal Loss Ratio */
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
	return trial_counts(json);
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
		json_auto_t *json = json_item(course->trials, i);
		struct mlr_trial_result trial;

		one->lower[i] = load_of(results, bounds.lower);
		one->upper[i] = load_of(results, bounds.upper);
		if (json && read_trial_json(json, &trial))
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

	json_each (trial, course->trials) {
		const json_t *decision = json_object_get(trial, "decision");
		const char *focus = read_string(decision, "goal");

		if (name && focus && strcmp(name, focus) == 0) {
			lower = read_number(decision, "lower_bound");
			upper = read_number(decision, "upper_bound");
		}
		one->lower[trial_at] = lower;
		one->upper[trial_at] = upper;
	}
	one->lower[course->count] = read_number(one->result, "relevant_lower_bound");
	one->upper[course->count] = read_number(one->result, "relevant_upper_bound");
}

/* Read the course of `count` goals from `first` on. */
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

/* How many of the goals a trial lost too much for. */
static size_t failed_by(const struct course *course, const json_t *trial)
{
	size_t count = 0;

	for (size_t i = 0; i < course->goal_count; i++)
		count += read_number(trial, "trial_loss_ratio") > course->goals[i].loss_ratio;
	return count;
}

static void put_course_trial(FILE *stream, const struct svg_panel *panel, const struct course *course, size_t number,
			     const json_t *trial)
{
	double load = read_number(trial, "trial_load");
	size_t failed = failed_by(course, trial);
	bool warmup = read_truth(trial, "warmup"), bad = failed == course->goal_count;
	bool limited = trial_is_limited(trial);
	enum svg_mark mark = warmup ? SVG_WARMUP : limited ? SVG_LIMITED : bad ? SVG_BAD : failed ? SVG_OTHER : SVG_GOOD;
	double y = figure_place_load(panel, load, &mark);
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
	svg_mark(stream, svg_x(panel, (double)number), y, mark, style,
		 trial_hint(number, trial, course->count, hint, sizeof(hint)));
}

static void put_course_panel(FILE *stream, const struct svg_panel *panel, const struct course *course)
{
	for (size_t i = 0; i < course->goal_count; i++)
		put_gap(stream, panel, course, &course->goals[i]);
	for (size_t i = 0; i < course->goal_count; i++) {
		put_steps(stream, panel, bound_styles[i][0], course, course->goals[i].lower);
		put_steps(stream, panel, bound_styles[i][1], course, course->goals[i].upper);
	}
	json_each (trial, course->trials)
		put_course_trial(stream, panel, course, trial_at + 1, trial);
}

/* The loads of all trials but the warm-up; false where that magnifies nothing. */
static bool find_measured(const struct course *course, struct svg_axis *axis)
{
	svg_axis_none(axis);
	json_each (trial, course->trials)
		if (trial_counts(trial))
			svg_axis_cover(axis, read_number(trial, "trial_load"));
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
	return axis->min < axis->max && isfinite(axis->max);
}

static struct svg_axis course_y_axis(const struct course *course)
{
	struct svg_axis axis = { .title = "Load", .unit = "frames/s", .scale = SVG_LOG };

	svg_axis_none(&axis);
	json_each (trial, course->trials)
		svg_axis_cover(&axis, read_number(trial, "trial_load"));
	svg_axis_pad(&axis, 0.06);
	return axis;
}

static void describe_course(const struct course *course, char *buffer, size_t size)
{
	size_t bad = 0;

	json_each (trial, course->trials)
		bad += trial_counts(trial) && failed_by(course, trial);
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
	if (trials_any_limited(course->trials))
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
	whole = figure_panel(magnified ? 100 : 220, numbers, course_y_axis(&course));
	whole.hide_x = magnified;
	closing = figure_panel(200, numbers, near);
	closing.top = whole.top + whole.height + FIGURE_PANELS_APART;
	snprintf(caption, sizeof(caption), "Course of the search for %.80s: load over trial number", of);
	describe_course(&course, description, sizeof(description));
	stream = figure_open(writer,
			     &(struct figure){ TEXT_OF(32, "figure-course-%u", number), caption, description, keys,
					       course_keys(&course, keys, texts),
					       magnified ? FIGURE_PANELS_APART + closing.height : 0 },
			     &whole);
	if (stream) {
		put_course_panel(stream, &whole, &course);
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
