/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/soak.h"

#include <errno.h>
#include <math.h>

#include "base/stop.h"

/* Show the trials and the estimate so far. --stdev may end it before its time, and nobody knows when. */
static struct view view_of(const struct soak *soak)
{
	const struct config *config = soak->series.config;
	struct view view = series_view(&soak->series);
	struct mlr_plr_estimate estimate;

	mlr_plr_estimate(soak->plr, &estimate);
	view.min_load_fps = soak->range.min_fps;
	view.max_load_fps = soak->range.max_fps;
	view.estimate_fps = estimate.together.mean_fps;
	view.estimate_stdev_fps = estimate.robust_stdev_fps;
	view.limit_s = config->max_time_s;
	if (!(config->stdev_ratio > 0))
		view.remaining_s = fmax(view.limit_s - view.elapsed_s, 0);
	return view;
}

/* Return why no further trial is performed; SOAK_RUNNING: perform it. */
static enum soak_end end_of(const struct soak *soak, const struct mlr_trial_input *next)
{
	const struct config *config = soak->series.config;

	if (stop_requested())
		return SOAK_INTERRUPTED;
	if (config->stdev_ratio > 0 && mlr_plr_sharp(soak->plr, config->stdev_ratio))
		return SOAK_SHARP;
	if (series_elapsed_s(&soak->series) + next->duration_s > config->max_time_s)
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

/* Give PLRsearch the last trial. */
static enum exit_code add_last(struct soak *soak)
{
	const struct measurement *measurement = &soak->series.trials[soak->series.trial_count - 1];
	struct mlr_plr_counts counts;
	int error = mlr_plr_add(soak->plr, &measurement->result, counts_of(measurement, &counts) ? &counts : NULL);

	if (error == -ENOMEM)
		return out_of_memory();
	if (error)
		return refuse(EXIT_INVALID, "a trial at %g fps came back with a result out of range",
			      measurement->result.input.load_fps);
	return EXIT_DONE;
}

static enum exit_code perform(struct soak *soak, const struct mlr_trial_input *input)
{
	struct view view = view_of(soak);

	return series_perform(&soak->series, input, &view) ?: add_last(soak) ?: series_tell(&soak->series);
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
	return soak->series.tester_limited || !soak->series.trial_count ? EXIT_UNMET : EXIT_DONE;
}

/* An estimate at the self-test's figure may be the tester's. An estimate by a model that does not fit, or with several
 * crossings, cannot be relied on. */
static enum exit_code judge(struct soak *soak, enum exit_code code)
{
	struct mlr_plr_estimate estimate;

	mlr_plr_estimate(soak->plr, &estimate);
	if (!soak->series.trial_count)
		return code;
	soak->series.tester_limited |=
		load_touches_tester(soak->series.measurer, estimate.together.mean_fps + estimate.together.stdev_fps);
	return code == EXIT_DONE && (soak->series.tester_limited || !soak_is_regular(soak)) ? EXIT_UNMET : code;
}

static enum exit_code new_plr(struct soak *soak)
{
	const struct config *config = soak->series.config;
	const struct mlr_plr_parameters parameters = {
		.min_load_fps = soak->range.min_fps,
		.max_load_fps = soak->range.max_fps,
		.target_loss_ratio = config->target_loss_ratio,
		.first_duration_s = config->first_duration_s,
		.duration_step_s = config->duration_step_s,
		.scan_every = MLR_PLR_SCAN_EVERY,
	};

	if (mlr_plr_new(&parameters, &soak->plr))
		return out_of_memory();
	return EXIT_DONE;
}

enum exit_code soak_run(const struct config *config, struct measurer *measurer, struct soak *ret_soak)
{
	struct soak *soak = ret_soak;
	struct view view;
	enum exit_code code;

	*soak = (struct soak){ .series = series_begin(config, measurer) };
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
	view = view_of(soak);
	series_end(&soak->series, &view);
	return judge(soak, code);
}

void soak_free(struct soak *soak)
{
	series_free(&soak->series);
	mlr_plr_free(soak->plr);
}
