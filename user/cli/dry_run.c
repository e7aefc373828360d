/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --dry-run: the checks that the run would make before it changes anything, then its plan. */
#include <math.h>

#include "base/destination.h"
#include "benchmark/plan.h"
#include "cli/verbs.h"
#include "config/given.h"
#include "mlr/frame.h"
#include "port/port.h"
#include "result/deliver.h"

/* Those of load in % of a line rate, where all ports tell their speed or never will. */
static enum exit_code check_loads(const struct config *config, double link_bps)
{
	const struct {
		const char *option;
		const struct load_spec *load;
	} loads[] = { { "load", &config->load }, { "min-load", &config->min_load }, { "max-load", &config->max_load } };
	enum exit_code code = EXIT_DONE;
	double ignored_fps;

	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads) && !code; i++)
		if (loads[i].load->unit == LOAD_LINE_RATIO)
			code = option_load_fps(config, loads[i].option, loads[i].load,
					       mlr_line_rate_fps(link_bps, config->frame_size_octets), &ignored_fps);
	return code;
}

static enum exit_code check_file(const char *option, const char *path)
{
	struct destination destination;
	int error = path ? destination_open(path, &destination) : 0;

	if (path && !error) {
		error = destination_try(&destination);
		destination_close(&destination);
	}
	return error ? refuse(EXIT_USAGE_ERROR, "--%s '%s': %s", option, path, destination_why(error)) : EXIT_DONE;
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
	double link_bps = INFINITY;
	enum exit_code code = check_files(config);

	if (!code && config->measurer == MEASURER_XDP)
		code = ports_check(config, &link_bps);
	if (!code && config->measurer == MEASURER_XDP)
		code = check_loads(config, link_bps);
	return code ? code : plan_show(config);
}
