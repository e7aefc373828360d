/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/destination.h"
#include "base/files.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "config/given.h"

#define RUNNING (-1) /* stands in place of an exit code */

static struct {
	const struct config *config; /* NULL: no --metrics */
	struct view view;
	bool has_view;
	uint64_t written_ns;
	bool is_held;   /* Metrics go to `held`, because files can no longer be opened. */
	int hold_error; /* -errno where it could not be held: the file's folder has gone */
	struct destination held;
	int error; /* errno of the last time that the file was written */
} metrics;

/* --- text ----------------------------------------------------------------------------------------------------------- */

static void put_help(FILE *stream, const char *name, const char *help)
{
	fprintf(stream, "# HELP xdp_mlr_%s %s\n# TYPE xdp_mlr_%s gauge\n", name, help, name);
}

static void put_number(FILE *stream, double value)
{
	fprintf(stream, " %s\n", format_number(value, UNIT_ROOM));
}

/* Write a gauge without labels, or nothing if the value is not known. */
static void put_gauge(FILE *stream, const char *name, const char *help, double value)
{
	if (isnan(value))
		return;
	put_help(stream, name, help);
	fprintf(stream, "xdp_mlr_%s", name);
	put_number(stream, value);
}

/* Write the value of a label: backslash, quote and line end are escaped. */
static void put_label_value(FILE *stream, const char *text)
{
	fputc('"', stream);
	for (; *text; text++) {
		if (*text == '\n') {
			fputs("\\n", stream);
			continue;
		}
		if (*text == '\\' || *text == '"')
			fputc('\\', stream);
		fputc(*text, stream);
	}
	fputc('"', stream);
}

/* Write the number at this offset of every goal for which it is known. */
static void put_goals(FILE *stream, const struct view *view, const char *name, const char *help, size_t offset)
{
	put_help(stream, name, help);
	for (size_t i = 0; i < view->goal_count; i++) {
		double value = *(const double *)((const char *)&view->goals[i] + offset);

		if (isnan(value))
			continue;
		fprintf(stream, "xdp_mlr_%s{goal=", name);
		put_label_value(stream, view->goals[i].name);
		fputc('}', stream);
		put_number(stream, value);
	}
}

static void put_goals_done(FILE *stream, const struct view *view)
{
	put_help(stream, "goal_done", "Whether the search wants nothing more for this goal.");
	for (size_t i = 0; i < view->goal_count; i++) {
		fputs("xdp_mlr_goal_done{goal=", stream);
		put_label_value(stream, view->goals[i].name);
		fprintf(stream, "} %d\n", view->goals[i].done);
	}
}

static void put_view(FILE *stream, const struct view *view)
{
	put_gauge(stream, "elapsed_seconds", "Since the start of the search, by the clock that counts for it.",
		  view->elapsed_s);
	put_gauge(stream, "remaining_seconds", "A rough estimate.", view->remaining_s);
	put_gauge(stream, "trials", "Trials that have ended.", (double)view->trial_count);
	put_gauge(stream, "sent_frames", "Frames sent in them.", view->sent_frames);
	put_gauge(stream, "lost_frames", "Frames lost of those.", view->lost_frames);
	put_gauge(stream, "last_trial_loss_ratio", "Trial Loss Ratio of the last trial.", view->last_loss_ratio);
	put_gauge(stream, "trial_load_frames_per_second", "Load of the trial that runs, per interface.", view->load_fps);
	put_gauge(stream, "min_load_frames_per_second", "Min Load.", view->min_load_fps);
	put_gauge(stream, "max_load_frames_per_second", "Max Load.", view->max_load_fps);
	put_gauge(stream, "critical_load_frames_per_second", "Estimate of a soak.", view->estimate_fps);
	put_gauge(stream, "critical_load_stdev_frames_per_second", "Its standard deviation.", view->estimate_stdev_fps);
	if (!view->goal_count)
		return;
	put_goals(stream, view, "relevant_lower_bound_frames_per_second", "Relevant Lower Bound of a goal so far.",
		  offsetof(struct view_goal, lower_fps));
	put_goals(stream, view, "relevant_upper_bound_frames_per_second", "Relevant Upper Bound of a goal so far.",
		  offsetof(struct view_goal, upper_fps));
	put_goals(stream, view, "conditional_throughput_frames_per_second",
		  "Conditional Throughput, once the search has ended.", offsetof(struct view_goal, throughput_fps));
	put_goals(stream, view, "goal_limited",
		  "Once the search has ended: 1 where the result is limited by the tester, and the SUT may do more.",
		  offsetof(struct view_goal, limited));
	put_goals(stream, view, "goal_irregular",
		  "Once the search has ended: 1 where the result is irregular, and 0 elsewhere.",
		  offsetof(struct view_goal, irregular));
	put_goals_done(stream, view);
}

static void put_all(FILE *stream, int ended_with)
{
	put_help(stream, "info", "What runs.");
	fprintf(stream, "xdp_mlr_info{version=\"%s\",verb=\"%s\"} 1\n", XDP_MLR_VERSION, verb_name(metrics.config->verb));
	put_gauge(stream, "running", "1 while it runs, 0 once it has ended.", ended_with == RUNNING);
	put_gauge(
		stream, "exit_code",
		"How it ended: 0 done, 1 irregular, limited by the tester, or a requirement not met, others see xdp-mlr(8).",
		ended_with == RUNNING ? NAN : ended_with);
	if (metrics.has_view)
		put_view(stream, &metrics.view);
	fputs("# EOF\n", stream);
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

static enum exit_code replace_file(const char *path, const char *text, size_t length)
{
	int before = metrics.error, error;

	if (metrics.hold_error)
		error = metrics.hold_error;
	else if (!metrics.is_held)
		error = file_replace(path, text, length, 0644, false);
	else if (metrics.held.fd >= 0)
		error = file_write_all(metrics.held.fd, text, length);
	else
		error = destination_write(&metrics.held, text, length, 0644, false, false);

	metrics.error = error;
	if (error && error != before) /* once, not every second */
		destination_refuse("metrics", path, error);
	return error ? EXIT_USAGE_ERROR : EXIT_DONE;
}

static enum exit_code write_metrics(int ended_with)
{
	enum exit_code code;
	size_t length;
	owned char *text = TEXT_WRITTEN(stream, &length, put_all(stream, ended_with));

	if (!text)
		return out_of_memory();
	code = replace_file(metrics.config->metrics_path, text, length);
	metrics.written_ns = clock_ns();
	return code;
}

enum exit_code metrics_start(const struct config *config)
{
	if (!config->metrics_path)
		return EXIT_DONE;
	metrics.config = config;
	return write_metrics(RUNNING);
}

void metrics_hold(struct keeper_plan *plan)
{
	if (!metrics.config)
		return;
	metrics.hold_error = destination_ready(metrics.config->metrics_path, &metrics.held);
	if (metrics.hold_error)
		return;
	destination_hold(&metrics.held, plan);
	metrics.is_held = true;
}

void metrics_update(const struct view *view)
{
	bool is_first = !metrics.has_view;

	metrics.view = *view;
	metrics.has_view = true;
	if (metrics.config && (is_first || clock_ns() - metrics.written_ns >= NS_PER_S))
		write_metrics(RUNNING);
}

enum exit_code metrics_finish(enum exit_code code)
{
	enum exit_code written;

	if (!metrics.config)
		return code;
	written = write_metrics(code);
	return code == EXIT_DONE ? written : code;
}
