/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/sweep.h"

#include "base/stop.h"
#include "config/options_suite.h"

/* Show the trials so far. Each further one takes about as long. */
static struct view view_of(const struct sweep *sweep)
{
	const struct series *series = &sweep->series;
	struct view view = series_view(series);
	size_t left = sweep->load_count - series->trial_count;

	view.remaining_s = (double)left *
			   (series->trial_count ? view.elapsed_s / (double)series->trial_count : series->config->duration_s);
	return view;
}

static enum exit_code perform(struct sweep *sweep)
{
	struct series *series = &sweep->series;
	const struct mlr_trial_input input = { .duration_s = series->config->duration_s,
					       .load_fps = sweep->loads_fps[series->trial_count] };
	struct view view = view_of(sweep);
	enum exit_code code = stop_requested() ? EXIT_INTERRUPTED : series_perform(series, &input, &view);

	return code ?: series_tell(series);
}

static enum exit_code loop(struct sweep *sweep)
{
	enum exit_code code = EXIT_DONE;

	while (code == EXIT_DONE && sweep->series.trial_count < sweep->load_count)
		code = perform(sweep);
	sweep->end = code == EXIT_DONE ? SWEEP_COMPLETE : code == EXIT_INTERRUPTED ? SWEEP_INTERRUPTED : SWEEP_FAILED;
	return code == EXIT_DONE && sweep->series.tester_limited ? EXIT_UNMET : code;
}

enum exit_code sweep_run(const struct config *config, struct measurer *measurer, struct sweep *ret_sweep)
{
	struct sweep *sweep = ret_sweep;
	struct view view;
	enum exit_code code;

	*sweep = (struct sweep){ .series = series_begin(config, measurer) };
	if (stop_requested()) { /* maybe before the ports, and their line rate, were known */
		sweep->end = SWEEP_INTERRUPTED;
		return EXIT_INTERRUPTED;
	}
	code = sweep_loads(config, measurer->line_rate_fps, sweep->loads_fps);
	if (code != EXIT_DONE)
		return code;
	sweep->load_count = sweep_load_count(config);
	code = loop(sweep);
	view = view_of(sweep);
	series_end(&sweep->series, &view);
	return code;
}

void sweep_free(struct sweep *sweep)
{
	series_free(&sweep->series);
}
