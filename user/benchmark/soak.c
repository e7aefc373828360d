/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/soak.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/stop.h"
#include "benchmark/search_state.h"
#include "progress/events.h"
#include "progress/progress.h"
#include "result/report.h"

/* Return the seconds since its start, by the clock that counts for it. */
static double elapsed_s(const struct soak *soak)
{
	if (soak->measurer->virtual_time)
		return soak->virtual_s;
	return clock_since_s(soak->start_ns);
}

/* Show the trials and the estimate so far. --stdev may end it before its time, and nobody knows when. */
static struct view view_of(const struct soak *soak)
{
	struct view view = progress_view(soak->config);
	struct mlr_plr_estimate estimate;

	mlr_plr_estimate(soak->plr, &estimate);
	view.min_load_fps = soak->range.min_fps;
	view.max_load_fps = soak->range.max_fps;
	view.estimate_fps = estimate.together.mean_fps;
	view.estimate_stdev_fps = estimate.robust_stdev_fps;
	view_take_trials(&view, soak->trials, soak->trial_count);
	view.elapsed_s = elapsed_s(soak);
	view.limit_s = soak->config->max_time_s;
	if (!(soak->config->stdev_ratio > 0))
		view.remaining_s = fmax(view.limit_s - view.elapsed_s, 0);
	return view;
}

static void show(const struct soak *soak, const struct mlr_trial_input *next)
{
	struct view view = view_of(soak);

	progress_take_trial(&view, next);
	progress_show(soak->config, &view, !soak->measurer->virtual_time);
}

static void show_end(const struct soak *soak)
{
	struct view view = view_of(soak);

	view.remaining_s = 0;
	progress_show_end(&view);
}

/* Return why no further trial is performed; SOAK_RUNNING: perform it. */
static enum soak_end end_of(const struct soak *soak, const struct mlr_trial_input *next)
{
	const struct config *config = soak->config;

	if (stop_requested())
		return SOAK_INTERRUPTED;
	if (config->stdev_ratio > 0 && mlr_plr_sharp(soak->plr, config->stdev_ratio))
		return SOAK_SHARP;
	if (elapsed_s(soak) + next->duration_s > config->max_time_s)
		return SOAK_OUT_OF_TIME;
	return SOAK_RUNNING;
}

/* What PLRsearch is to know of a trial; false where only the loss ratio is known. Unsent frames of a limited trial are in
 * its loss ratio, so they are in its counts. */
static bool counts_of(const struct measurement *measurement, struct mlr_plr_counts *ret)
{
	const struct mlr_trial_counts *counts = &measurement->counts;

	if (!measurement->has_counts || !counts->sent)
		return false;
	ret->offered_frames = (double)(measurement->verdict.tester_limited ? counts->intended : counts->sent);
	ret->lost_frames = ret->offered_frames - (double)counts->received;
	if (ret->lost_frames < 0)
		ret->lost_frames = 0;
	return true;
}

/* Add a trial. It takes the measurement over. */
static enum exit_code keep(struct soak *soak, struct measurement *measurement)
{
	struct measurement *grown = reallocarray(soak->trials, soak->trial_count + 1, sizeof(*grown));
	struct mlr_plr_counts counts;
	int error;

	if (!grown) {
		measurement_free(measurement);
		return refuse(EXIT_INCAPABLE, "out of memory");
	}
	soak->trials = grown;
	soak->trials[soak->trial_count++] = *measurement;
	soak->tester_limited |= measurement->tester_limited;
	soak->virtual_s += measurement->result.output.effective_duration_s + measurement->waits_s;
	error = mlr_plr_add(soak->plr, &measurement->result, counts_of(measurement, &counts) ? &counts : NULL);
	if (error == -ENOMEM)
		return refuse(EXIT_INCAPABLE, "out of memory");
	if (error)
		return refuse(EXIT_INVALID, "a trial at %g fps came back with a result out of range",
			      measurement->result.input.load_fps);
	return EXIT_DONE;
}

static enum exit_code perform(struct soak *soak, const struct mlr_trial_input *input)
{
	struct measurement measurement = { 0 };
	enum exit_code code;

	code = event_trial_started(soak->config, soak->trial_count + 1, input, NULL);
	if (code != EXIT_DONE)
		return code;
	show(soak, input);
	code = soak->measurer->ops->measure(soak->measurer, input, &measurement);
	if (code == EXIT_DONE)
		code = keep(soak, &measurement);
	if (code == EXIT_DONE)
		code = event_trial_finished(soak->config, soak->trial_count,
					    report_trial(&soak->trials[soak->trial_count - 1]));
	return code;
}

static enum exit_code loop(struct soak *soak)
{
	struct mlr_trial_input input;
	enum exit_code code = EXIT_DONE;

	mlr_plr_next(soak->plr, &input);
	while ((soak->end = end_of(soak, &input)) == SOAK_RUNNING) {
		code = perform(soak, &input);
		if (code != EXIT_DONE) {
			soak->end = code == EXIT_INTERRUPTED ? SOAK_INTERRUPTED : SOAK_FAILED;
			return code;
		}
		mlr_plr_next(soak->plr, &input);
	}
	if (soak->end == SOAK_INTERRUPTED)
		return EXIT_INTERRUPTED;
	return soak->tester_limited || !soak->trial_count ? EXIT_UNMET : EXIT_DONE;
}

/* An estimate at the self-test's figure may be the tester's. An estimate by a model that does not fit, or with several
 * crossings, cannot be relied on. */
static enum exit_code judge(struct soak *soak, enum exit_code code)
{
	struct mlr_plr_estimate estimate;

	mlr_plr_estimate(soak->plr, &estimate);
	if (!soak->trial_count)
		return code;
	soak->tester_limited |=
		load_touches_tester(soak->measurer, estimate.together.mean_fps + estimate.together.stdev_fps);
	return code == EXIT_DONE && (soak->tester_limited || !soak_is_regular(soak)) ? EXIT_UNMET : code;
}

static enum exit_code new_plr(struct soak *soak)
{
	const struct mlr_plr_parameters parameters = {
		.min_load_fps = soak->range.min_fps,
		.max_load_fps = soak->range.max_fps,
		.target_loss_ratio = soak->config->target_loss_ratio,
		.first_duration_s = soak->config->first_duration_s,
		.duration_step_s = soak->config->duration_step_s,
		.scan_every = MLR_PLR_SCAN_EVERY,
	};

	if (mlr_plr_new(&parameters, &soak->plr))
		return refuse(EXIT_INCAPABLE, "out of memory");
	return EXIT_DONE;
}

enum exit_code soak_run(const struct config *config, struct measurer *measurer, struct soak *ret_soak)
{
	struct soak *soak = ret_soak;
	enum exit_code code;

	*soak = (struct soak){ .config = config, .measurer = measurer, .start_time = time(NULL), .start_ns = clock_ns() };
	code = load_range_find(config, measurer, &soak->range);
	if (code == EXIT_INTERRUPTED) {
		soak->range = (struct load_range){ .min_fps = NAN, .max_fps = NAN };
		soak->end = SOAK_INTERRUPTED;
	}
	if (code == EXIT_DONE)
		code = new_plr(soak);
	if (code != EXIT_DONE)
		return code;
	code = loop(soak);
	soak->duration_s = elapsed_s(soak);
	show_end(soak);
	return judge(soak, code);
}

void soak_free(struct soak *soak)
{
	for (size_t i = 0; i < soak->trial_count; i++)
		measurement_free(&soak->trials[i]);
	free(soak->trials);
	mlr_plr_free(soak->plr);
}
