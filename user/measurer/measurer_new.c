/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/measurer_new.h"

#include "base/stop.h"
#include "config/requirement.h"
#include "observe/observe.h"
#include "port/privileges.h"

void measurer_free(struct measurer *measurer)
{
	struct observers *observers = measurer ? measurer->observers : NULL;

	if (measurer && measurer->ops->free)
		measurer->ops->free(measurer);
	else
		free(measurer);
	observers_close(observers);
}

static enum exit_code new_measurer(const struct config *config, struct measurer **ret)
{
	switch (config->measurer) {
	case MEASURER_XDP:
		return measurer_xdp_new(config, ret);
	case MEASURER_EXEC:
		return measurer_exec_new(config, ret);
	case MEASURER_SIM:
		return measurer_sim_new(config, ret);
	case MEASURER_MPI:
		return measurer_mpi_new(config, ret);
	case MEASURER_REPLAY:
		return measurer_replay_new(config, ret);
	}
	return EXIT_USAGE_ERROR;
}

/* Once a stop was requested no port is touched any more, and no measurer started. A simulated or stored one costs
 * nothing. */
static bool is_too_late(const struct config *config)
{
	return stop_requested() && config->measurer != MEASURER_SIM && config->measurer != MEASURER_REPLAY;
}

/* The sources start first: they keep the privileges that a measurer gives up. */
static enum exit_code new_observed(const struct config *config, struct measurer **ret)
{
	struct observers *observers;
	enum exit_code code = observers_open(config, &observers);

	if (code == EXIT_DONE && (code = new_measurer(config, ret)) != EXIT_DONE)
		observers_close(observers);
	else if (code == EXIT_DONE)
		(*ret)->observers = observers;
	return code;
}

enum exit_code measurer_new(const struct config *config, struct measurer **ret)
{
	struct measurer *measurer;
	enum exit_code code = is_too_late(config) ? EXIT_INTERRUPTED : new_observed(config, &measurer);

	if (code == EXIT_INTERRUPTED) {
		enum exit_code stopped = measurer_stopped_new(config, ret);

		return stopped == EXIT_DONE ? code : stopped;
	}
	if (code != EXIT_DONE)
		return code;
	measurer->config = config;
	code = require_resolve(config, measurer->line_rate_fps);
	if (code == EXIT_DONE)
		*ret = measurer;
	else
		measurer_free(measurer);
	return code;
}

enum exit_code measurer_connect(struct measurer *measurer)
{
	return measurer->ops->connect ? measurer->ops->connect(measurer) : EXIT_DONE;
}

enum exit_code measurer_divide(struct measurer *measurer, struct keeper_plan *plan)
{
	if (measurer->ops->hold)
		measurer->ops->hold(measurer, plan);
	return privileges_divide(measurer->config, plan) ?: measurer_connect(measurer);
}

/* --- of ports --------------------------------------------------------------------------------------------------------- */

enum exit_code measurer_xdp_measure_steps(struct measurer *measurer, struct load_steps *steps, struct measurement *ret)
{
	return measurer->ops->steps(measurer, steps, ret);
}

bool measurer_xdp_queue_stops(struct measurer *measurer, unsigned int port, unsigned int queue, struct tx_stops *ret)
{
	return measurer->ops->queue_stops(measurer, port, queue, ret);
}

struct selftest_way measurer_xdp_way(struct measurer *measurer)
{
	return measurer->ops->way(measurer);
}

json_t *measurer_xdp_connection(struct measurer *measurer)
{
	return measurer->ops->connection ? measurer->ops->connection(measurer) : NULL;
}
