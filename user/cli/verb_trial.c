/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial: one trial, the one-shot throughput test. */
#include <math.h>
#include <time.h>

#include "base/stop.h"
#include "cli/measured.h"
#include "cli/verbs.h"
#include "config/given.h"
#include "measurer/measurer.h"
#include "progress/events.h"
#include "progress/progress.h"
#include "result/report.h"

static enum exit_code measure(const struct config *config, struct measurer *measurer, struct measurement *ret)
{
	struct mlr_trial_input input = { .duration_s = config->duration_s, .load_fps = NAN };
	enum exit_code code = EXIT_DONE;

	if (stop_requested())
		return EXIT_INTERRUPTED;
	if (config->load.unit != LOAD_MAX)
		code = option_load_fps(config, "load", &config->load, measurer->line_rate_fps, &input.load_fps);
	if (code == EXIT_DONE)
		code = event_trial_started(config, 1, &input, NULL);
	if (code != EXIT_DONE)
		return code;
	progress_show_trial(config, &input);
	if (config->load.unit == LOAD_MAX)
		return measurer_xdp_measure_max(measurer, config->duration_s, ret);
	return measurer->ops->measure(measurer, &input, ret);
}

/* `measurement` is NULL for an interrupted trial. */
static enum exit_code show(const struct config *config, struct measurer *measurer, const struct measurement *measurement,
			   time_t start_time, struct report_file *file, enum exit_code code)
{
	enum exit_code told = measurement ? event_trial_finished(config, 1, report_trial(measurement)) : EXIT_DONE;

	if (told != EXIT_DONE)
		return told;
	return deliver_measured(report_one_trial(config, measurer, measurement, start_time), config,
				measurement ? measurement->wall_s : 0, file, code);
}

static enum exit_code trial_with(const struct config *config, struct report_file *file)
{
	time_t start_time = time(NULL);
	struct measurer *measurer = NULL;
	struct measurement measurement = { .port_count = 0 };
	enum exit_code code = measurer_new(config, &measurer);

	if (code != EXIT_DONE && code != EXIT_INTERRUPTED)
		return code;
	code = measure(config, measurer, &measurement);
	progress_end();
	if (code == EXIT_DONE)
		code = show(config, measurer, &measurement, start_time, file,
			    measurement.tester_limited ? EXIT_UNMET : EXIT_DONE);
	else if (code == EXIT_INTERRUPTED)
		code = show(config, measurer, NULL, start_time, file, code);
	measurement_free(&measurement);
	measurer_free(measurer);
	return code;
}

enum exit_code verb_trial(const struct config *config)
{
	return measure_for_report(config, trial_with);
}
