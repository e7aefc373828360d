/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/rfc2544_trial.h"

#include "base/clock.h"
#include "base/stop.h"
#include "progress/events.h"
#include "progress/progress.h"
#include "result/report.h"

#define TRIAL_TRIES 3 /* of a plain trial in which the tester itself was the limit */

/* Whether something of this duration still ends in time. */
static bool has_time(const struct rfc2544 *suite, double duration_s)
{
	const struct waits *waits = &suite->config->waits;
	double elapsed_s = (double)(clock_ns() - suite->start_ns) / (double)NS_PER_S;
	double waits_s = waits->routing_s + waits->learning_s + waits->stabilize_s;

	return suite->config->max_time_s <= 0 || elapsed_s + duration_s + waits_s <= suite->config->max_time_s;
}

/* What every trial begins with; EXIT_UNMET where it would end too late. */
static enum exit_code begin_trial(struct rfc2544_run *run, double load_fps, double duration_s)
{
	struct event_reason reason = { .goal = run->test, .rule = run->config->frame_size_text };
	const struct mlr_trial_input input = { .load_fps = load_fps, .duration_s = duration_s };

	if (stop_requested())
		return EXIT_INTERRUPTED;
	if (!has_time(run->suite, duration_s))
		return EXIT_UNMET;
	progress_show_trial(run->config, &input, run->test_s - (double)(clock_ns() - run->test_start_ns) / NS_PER_S);
	return event_trial_started(run->config, ++run->suite->trial_count, &input, &reason);
}

static enum exit_code end_trial(struct rfc2544_run *run, const struct measurement *measurement)
{
	return event_trial_finished(run->config, run->suite->trial_count, report_trial(measurement));
}

enum exit_code rfc2544_trial(struct rfc2544_run *run, double load_fps, double duration_s, struct measurement *ret)
{
	const struct mlr_trial_input input = { .load_fps = load_fps, .duration_s = duration_s };

	for (int try = 1;; try++) {
		enum exit_code code = begin_trial(run, load_fps, duration_s);

		if (code == EXIT_DONE)
			code = run->measurer->ops->measure(run->measurer, &input, ret);
		if (code == EXIT_DONE)
			code = end_trial(run, ret);
		if (code != EXIT_DONE || !ret->tester_limited || try == TRIAL_TRIES)
			return code;
		measurement_free(ret);
		run->repeated++;
	}
}

enum exit_code rfc2544_steps(struct rfc2544_run *run, struct load_steps *steps, struct measurement *ret)
{
	double duration_s = (double)steps->frame_count / steps->load_fps;
	enum exit_code code;

	if (steps->then_load_fps > 0)
		duration_s += (double)steps->then_frame_count / steps->then_load_fps;
	code = begin_trial(run, steps->load_fps, duration_s);
	if (code == EXIT_DONE)
		code = measurer_xdp_measure_steps(run->measurer, steps, ret);
	return code == EXIT_DONE ? end_trial(run, ret) : code;
}
