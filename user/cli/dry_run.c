/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --dry-run makes the checks that the run would make before it changes anything, and then prints its plan. */
#include <math.h>

#include "base/destination.h"
#include "benchmark/plan.h"
#include "cli/verbs.h"
#include "config/given.h"
#include "config/options_suite.h"
#include "config/requirement.h"
#include "measurer/measurer.h"
#include "result/deliver.h"

/* Return the line rate to which loads in % refer. It is known where all ports tell their speed, or never will. 0: it is not
 * known. */
static enum exit_code find_line_rate(const struct config *config, double *ret_fps)
{
	struct measurer *measurer;
	enum exit_code code = EXIT_DONE;

	if (config->measurer == MEASURER_SIM && !(code = measurer_new(config, &measurer))) {
		*ret_fps = measurer->line_rate_fps;
		measurer_free(measurer);
	} else if (config->measurer == MEASURER_XDP) {
		code = measurer_xdp_check(config, ret_fps);
	} else {
		*ret_fps = config->measurer == MEASURER_EXEC ? 0 : INFINITY;
	}
	return code;
}

static enum exit_code check_load(const struct config *config, const char *option, const struct load_spec *load,
				 double line_rate_fps)
{
	double ignored_fps;

	return load->unit == LOAD_LINE_RATIO ? option_load_fps(config, option, load, line_rate_fps, &ignored_fps)
					     : EXIT_DONE;
}

static enum exit_code check_loads(const struct config *config, double line_rate_fps)
{
	struct service_rates rates[SERVICES_MAX];
	double loads_fps[SWEEP_LOADS_MAX];
	enum exit_code code = require_resolve(config, line_rate_fps)
				      ?: check_load(config, "load", &config->load, line_rate_fps)
				      ?: check_load(config, "min-load", &config->min_load, line_rate_fps)
				      ?: check_load(config, "max-load", &config->max_load, line_rate_fps)
				      ?: sweep_loads(config, line_rate_fps, loads_fps);

	if (!code && config->verb == VERB_Y1564)
		code = services_rates(config, l1_bps(line_rate_fps, config->frame_size_octets), rates);
	return code;
}

/* Return the duration of the longest trials that are known beforehand. */
static enum exit_code check_intervals(const struct config *config)
{
	struct mlr_trial_input input = { .load_fps = 1, .duration_s = config->first_duration_s };

	if (config->measurer != MEASURER_XDP)
		return EXIT_DONE;
	if (config->verb == VERB_TRIAL || config->verb == VERB_SWEEP)
		input.duration_s = config->duration_s;
	for (size_t i = 0; config->verb == VERB_SEARCH && i < config->goal_count; i++)
		input.duration_s = fmax(i ? input.duration_s : 0, config->goals[i].final_trial_duration_s);
	return intervals_check(config, &input);
}

static enum exit_code check_file(const char *option, const char *path)
{
	struct destination destination;
	int error = path ? destination_ready(path, &destination) : 0;

	if (error)
		return destination_refuse(option, path, error);
	if (path)
		destination_close(&destination);
	return EXIT_DONE;
}

static enum exit_code check_files(const struct config *config)
{
	struct report_file file;
	enum exit_code code = check_file("metrics", config->metrics_path);

	if (code || (code = report_file_open(config, &file)))
		return code;
	report_file_close(&file);
	if (!(code = check_file("capture-lost", config->lost_path)))
		code = check_file("capture-foreign", config->foreign_path);
	return code;
}

enum exit_code dry_run(const struct config *config)
{
	double line_rate_fps;
	enum exit_code code = check_files(config);

	if (code || (code = find_line_rate(config, &line_rate_fps)) || (code = check_loads(config, line_rate_fps)) ||
	    (code = check_intervals(config)))
		return code;
	return plan_show(config);
}
