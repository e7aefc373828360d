/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/sweep.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/stop.h"
#include "benchmark/search_state.h"
#include "config/options_suite.h"
#include "progress/events.h"
#include "progress/progress.h"
#include "result/report.h"

/* Return the seconds since its start, by the clock that counts for it. */
static double elapsed_s(const struct sweep *sweep)
{
	return sweep->measurer->virtual_time ? sweep->virtual_s : clock_since_s(sweep->start_ns);
}

/* Show the trials so far. Each further one takes about as long. */
static struct view view_of(const struct sweep *sweep)
{
	struct view view = progress_view(sweep->config);
	size_t left = sweep->load_count - sweep->trial_count;

	view_take_trials(&view, sweep->trials, sweep->trial_count);
	view.elapsed_s = elapsed_s(sweep);
	view.remaining_s = (double)left *
			   (sweep->trial_count ? view.elapsed_s / (double)sweep->trial_count : sweep->config->duration_s);
	return view;
}

static void show(const struct sweep *sweep, const struct mlr_trial_input *next)
{
	struct view view = view_of(sweep);

	progress_take_trial(&view, next);
	progress_show(sweep->config, &view, !sweep->measurer->virtual_time);
}

static void show_end(const struct sweep *sweep)
{
	struct view view = view_of(sweep);

	view.remaining_s = 0;
	progress_show_end(&view);
}

static void keep(struct sweep *sweep, const struct measurement *measurement)
{
	sweep->trials[sweep->trial_count++] = *measurement;
	sweep->tester_limited |= measurement->tester_limited;
	sweep->virtual_s += measurement->result.output.effective_duration_s + measurement->waits_s;
}

static enum exit_code perform(struct sweep *sweep)
{
	const struct mlr_trial_input input = { .duration_s = sweep->config->duration_s,
					       .load_fps = sweep->loads_fps[sweep->trial_count] };
	struct measurement measurement = { 0 };
	enum exit_code code;

	if (stop_requested())
		return EXIT_INTERRUPTED;
	code = event_trial_started(sweep->config, sweep->trial_count + 1, &input, NULL);
	if (code != EXIT_DONE)
		return code;
	show(sweep, &input);
	code = sweep->measurer->ops->measure(sweep->measurer, &input, &measurement);
	if (code != EXIT_DONE)
		return code;
	keep(sweep, &measurement);
	return event_trial_finished(sweep->config, sweep->trial_count, report_trial(&sweep->trials[sweep->trial_count - 1]));
}

static enum exit_code loop(struct sweep *sweep)
{
	enum exit_code code = EXIT_DONE;

	while (code == EXIT_DONE && sweep->trial_count < sweep->load_count)
		code = perform(sweep);
	sweep->end = code == EXIT_DONE ? SWEEP_COMPLETE : code == EXIT_INTERRUPTED ? SWEEP_INTERRUPTED : SWEEP_FAILED;
	return code == EXIT_DONE && sweep->tester_limited ? EXIT_UNMET : code;
}

static enum exit_code find_loads(struct sweep *sweep)
{
	enum exit_code code = sweep_loads(sweep->config, sweep->measurer->line_rate_fps, sweep->loads_fps);

	if (code != EXIT_DONE)
		return code;
	sweep->load_count = sweep_load_count(sweep->config);
	sweep->trials = calloc(sweep->load_count, sizeof(*sweep->trials));
	return sweep->trials ? EXIT_DONE : refuse(EXIT_INCAPABLE, "out of memory");
}

enum exit_code sweep_run(const struct config *config, struct measurer *measurer, struct sweep *ret_sweep)
{
	struct sweep *sweep = ret_sweep;
	enum exit_code code;

	*sweep = (struct sweep){ .config = config, .measurer = measurer, .start_time = time(NULL), .start_ns = clock_ns() };
	if (stop_requested()) { /* maybe before the ports, and their line rate, were known */
		sweep->end = SWEEP_INTERRUPTED;
		return EXIT_INTERRUPTED;
	}
	code = find_loads(sweep);
	if (code != EXIT_DONE)
		return code;
	code = loop(sweep);
	sweep->duration_s = elapsed_s(sweep);
	show_end(sweep);
	return code;
}

void sweep_free(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->trial_count; i++)
		measurement_free(&sweep->trials[i]);
	free(sweep->trials);
}
