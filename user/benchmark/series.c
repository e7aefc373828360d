/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/series.h"

#include <stdlib.h>

#include "base/clock.h"
#include "benchmark/search_state.h"
#include "progress/events.h"
#include "progress/progress.h"
#include "result/report.h"

struct series series_begin(const struct config *config, struct measurer *measurer)
{
	return (struct series){ .config = config, .measurer = measurer, .start_time = time(NULL), .start_ns = clock_ns() };
}

void series_free(struct series *series)
{
	for (size_t i = 0; i < series->trial_count; i++)
		measurement_free(&series->trials[i]);
	free(series->trials);
}

/* --- showing it ----------------------------------------------------------------------------------------------------- */

double series_elapsed_s(const struct series *series)
{
	return series->measurer->virtual_time ? series->virtual_s : clock_since_s(series->start_ns);
}

struct view series_view(const struct series *series)
{
	struct view view = progress_view(series->config);

	view.trial_count = series->trial_count;
	for (size_t i = 0; i < series->trial_count; i++) {
		view_take_measurement(&view, &series->trials[i]);
		if (i + VIEW_MARKS >= series->trial_count)
			view_add_mark(&view, series->trials[i].tester_limited                 ? VIEW_LIMITED
					     : series->trials[i].result.output.loss_ratio > 0 ? VIEW_BAD
											      : VIEW_GOOD);
	}
	view.elapsed_s = series_elapsed_s(series);
	return view;
}

void series_end(struct series *series, struct view *view)
{
	series->duration_s = series_elapsed_s(series);
	view->remaining_s = 0;
	progress_show_end(view);
}

/* --- its trials ----------------------------------------------------------------------------------------------------- */

/* Add a trial. It takes the measurement over. */
static enum exit_code keep(struct series *series, struct measurement *measurement)
{
	struct measurement *grown = reallocarray(series->trials, series->trial_count + 1, sizeof(*grown));

	if (!grown) {
		measurement_free(measurement);
		return out_of_memory();
	}
	series->trials = grown;
	series->trials[series->trial_count++] = *measurement;
	series->tester_limited |= measurement->tester_limited;
	series->virtual_s += measurement->result.output.effective_duration_s + measurement->waits_s;
	return EXIT_DONE;
}

enum exit_code series_perform(struct series *series, const struct mlr_trial_input *input, struct view *view)
{
	struct measurement measurement = { 0 };
	enum exit_code code = event_trial_started(series->config, series->trial_count + 1, input, NULL);

	if (code != EXIT_DONE)
		return code;
	progress_take_trial(view, input);
	progress_show(series->config, view, !series->measurer->virtual_time);
	return series->measurer->ops->measure(series->measurer, input, &measurement) ?: keep(series, &measurement);
}

enum exit_code series_tell(const struct series *series)
{
	return event_trial_finished(series->config, series->trial_count,
				    report_trial(&series->trials[series->trial_count - 1]));
}
