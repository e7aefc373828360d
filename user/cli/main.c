/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xdp-mlr reads the configuration, runs the verb, and makes sure that what was printed was written. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/keeper.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/stop.h"
#include "cli/verbs.h"
#include "config/configure.h"
#include "config/echo.h"
#include "measurer/mpi.h"
#include "progress/metrics.h"

#define VERB_ENTRY(CONSTANT, FUNCTION, ...) [CONSTANT] = FUNCTION,
static enum exit_code (*const functions[])(const struct config *config) = { VERBS(VERB_ENTRY) };

/* Whether --dry-run of a verb shows points and jobs instead of the plan of a run. */
static bool is_campaign(enum verb verb)
{
	return verb >= VERB_CAMPAIGN_RUN && verb <= VERB_CAMPAIGN_REPORT;
}

static enum exit_code run_with_metrics(const struct config *config)
{
	return metrics_start(config) ?: metrics_finish(functions[config->verb](config));
}

/* Whether it changes anything that a signal must not leave half done. */
static bool begins_something(const struct config *config)
{
	switch (config->verb) {
	case VERB_REPORT:
	case VERB_COMPARE:
	case VERB_VERIFY:
	case VERB_PROFILE_SHOW:
	case VERB_CAMPAIGN_RUN: /* This verb says so itself, once it has read its campaign. */
	case VERB_CAMPAIGN_SUBMIT:
	case VERB_CAMPAIGN_STATUS:
	case VERB_CAMPAIGN_REPORT:
		return false;
	default:
		return !config->dump_config && !config->dry_run && config->measurer != MEASURER_REPLAY;
	}
}

static enum exit_code run(const struct config *config)
{
	if (begins_something(config))
		stop_in_order();
	if (config->dump_config)
		return config_dump(config);
	if (config->dry_run && !is_campaign(config->verb))
		return dry_run(config);
	return config->measurer == MEASURER_MPI ? mpi_run(config, run_with_metrics) : run_with_metrics(config);
}

int main(int argc, char **argv)
{
	struct config config;
	enum exit_code code;
	bool finished;
	int error = standard_open();

	if (error)
		return EXIT_INCAPABLE; /* There is nowhere to report it. */
	memory_watch();
	error = stop_install();
	if (error)
		return refuse(EXIT_INCAPABLE, "cannot handle signals: %s", strerror(-error));
	code = config_read(argc, argv, &config, &finished);
	if (code != EXIT_DONE || finished)
		return code;
	code = run(&config);
	config_free(&config);
	code = keeper_check(code);
	if ((code == EXIT_DONE || code == EXIT_UNMET) && memory_ran_out())
		code = out_of_memory();
	if (fflush(stdout) && code == EXIT_DONE)
		code = stop_requested() ? EXIT_INTERRUPTED
					: refuse(EXIT_INCAPABLE, "cannot write to standard output: %s", strerror(errno));
	return code;
}
