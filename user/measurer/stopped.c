/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands for a measurer where a stop came before it was ready: it measures nothing, and tells the result what would
 * have been sent.
 */
#include <stdlib.h>

#include "config/traffic.h"
#include "measurer/measurer_new.h"

struct measurer_stopped {
	struct measurer base;
	const struct config *config;
	struct mlr_profile profile;
};

static enum exit_code stopped_measure(struct measurer *measurer, const struct mlr_trial_input *input,
				      struct measurement *ret)
{
	(void)measurer;
	(void)input;
	(void)ret;
	return EXIT_INTERRUPTED;
}

static json_t *stopped_describe(struct measurer *measurer)
{
	const struct config *config = ((const struct measurer_stopped *)measurer)->config;
	json_t *names;

	if (config->measurer == MEASURER_EXEC)
		return json_pack("{s:s, s:s, s:s}", "name", "exec", "command", config->measurer_argument, "state",
				 "stopped before it was started");
	names = json_array();
	for (unsigned int i = 0; i < config->port_count; i++)
		json_array_append_new(names, json_pack("{s:s}", "name", config->ports[i].label));
	return json_pack("{s:s, s:o, s:s?, s:s}", "name", config->measurer == MEASURER_MPI ? "mpi" : "xdp", "ports", names,
			 "allow_unsafe", config->unsafe_reason, "state", "stopped before its ports were ready");
}

static json_t *stopped_traffic_profile(struct measurer *measurer)
{
	const struct measurer_stopped *stopped = (const struct measurer_stopped *)measurer;
	const char *names[MLR_PORTS_MAX];

	if (stopped->config->measurer == MEASURER_EXEC)
		return json_pack("{s:s}", "description", "the external measurer's own");
	for (unsigned int i = 0; i < stopped->config->port_count; i++)
		names[i] = stopped->config->ports[i].label;
	return traffic_describe(stopped->config, &stopped->profile, names);
}

static void stopped_free(struct measurer *measurer)
{
	free(measurer);
}

static const struct measurer_ops stopped_ops = {
	.measure = stopped_measure,
	.describe = stopped_describe,
	.traffic_profile = stopped_traffic_profile,
	.free = stopped_free,
};

/* Another measurer has ports of its own. */
static enum exit_code init_exec(struct measurer_stopped *stopped)
{
	stopped->base.virtual_time = true;
	stopped->base.transmitters = 1;
	return EXIT_DONE;
}

static enum exit_code init_frames(struct measurer_stopped *stopped)
{
	enum exit_code code = traffic_profile_of(stopped->config, &stopped->profile);

	if (!code)
		stopped->base.transmitters = mlr_profile_transmitters(&stopped->profile);
	return code;
}

enum exit_code measurer_stopped_new(const struct config *config, struct measurer **ret)
{
	struct measurer_stopped *stopped = calloc(1, sizeof(*stopped));
	enum exit_code code;

	if (!stopped)
		return refuse(EXIT_INCAPABLE, "out of memory");
	stopped->base.ops = &stopped_ops;
	stopped->config = config;
	code = config->measurer == MEASURER_EXEC ? init_exec(stopped) : init_frames(stopped);
	if (code) {
		free(stopped);
		return code;
	}
	*ret = &stopped->base;
	return EXIT_DONE;
}
