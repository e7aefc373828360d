/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/check.h"

#include <string.h>

#include "config/given.h"
#include "config/options_suite.h"
#include "config/requirement.h"
#include "config/traffic.h"
#include "mlr/controller.h"

static void take_preset_goals(struct config *config)
{
	const struct mlr_goal *goals;

	config->goal_count = mlr_goal_preset(config->preset, &goals);
	memcpy(config->goals, goals, config->goal_count * sizeof(*goals));
}

/* Min Load and Max Load, as far as they can be compared before the line rate is known. */
static enum exit_code check_loads(const struct config *config)
{
	const struct given *min = given_find(config->given, "min-load"), *max = given_find(config->given, "max-load");
	double octets = config->frame_size_octets;

	if (!max && !config_uses_ports(config))
		return refuse(EXIT_USAGE_ERROR, "--max-load is missing: a measurer other than xdp knows no line rate; "
						"give it, for example --max-load 10Mfps");
	if (!max || !load_is_absolute(&config->min_load) || !load_is_absolute(&config->max_load))
		return EXIT_DONE;
	if (load_fps(&config->min_load, octets, 0) < load_fps(&config->max_load, octets, 0))
		return EXIT_DONE;
	return refuse_given(max, "must be above Min Load, which is '%s'; raise it or give a smaller --min-load", min->text);
}

static enum exit_code check_search(struct config *config)
{
	if (given_find(config->given, "replay"))
		config->measurer = MEASURER_REPLAY;
	if (config->goal_count == 0)
		take_preset_goals(config);
	for (size_t i = 0; config->algorithm == ALGORITHM_TST009 && config->max_r && i < config->goal_count; i++)
		mlr_tst009_goal(&config->goals[i], config->max_r);
	return check_loads(config);
}

static enum exit_code check_rfc2544(struct config *config)
{
	choose_tests(config);
	return check_loads(config);
}

static enum exit_code check_trial(const struct config *config)
{
	if (config->load.unit == LOAD_UNSET)
		return refuse(EXIT_USAGE_ERROR, "--load is missing: give frames/s, or max for as fast as the tester can");
	return EXIT_DONE;
}

/* Ports of other hosts, and what is different where there are some. */
static enum exit_code check_places(const struct config *config)
{
	const struct given *ports = given_find(config->given, "ports"), *budget = given_find(config->given, "clock-budget"),
			   *direction = given_find(config->given, "direction");
	bool places = config_has_roles(config);

	for (unsigned int i = 0; i < config->port_count; i++)
		places |= config->ports[i].host[0] != '\0';
	if (places && config->measurer != MEASURER_MPI)
		return refuse_given(ports, "hosts and roles of ports, HOST:PORT:ROLE, are for --measurer mpi");
	if (budget && config->measurer != MEASURER_MPI)
		return refuse_given(budget, "clocks are compared by --measurer mpi only");
	if (config->measurer != MEASURER_MPI)
		return EXIT_DONE;
	if (config_has_roles(config) && !direction->fallback)
		return refuse_given(direction, "--ports says which ports transmit; leave --direction out");
	if (config->timestamps == TIMESTAMPS_HARDWARE || config->prepare.asked & 1u << PREPARE_TIMESTAMPS)
		return refuse(EXIT_USAGE_ERROR, "--measurer mpi has software timestamps only; leave --timestamps and "
						"'timestamps' of --prepare out");
	if (config->queries_per_s)
		return refuse(EXIT_USAGE_ERROR, "--modifier: --measurer mpi sends no management queries");
	return EXIT_DONE;
}

enum exit_code config_check(struct config *config)
{
	enum exit_code code = EXIT_DONE;

	if (config->verb == VERB_SEARCH)
		code = check_search(config);
	else if (config->verb == VERB_TRIAL)
		code = check_trial(config);
	else if (config->verb == VERB_SOAK)
		code = check_loads(config);
	else if (config->verb == VERB_PROFILE_SHOW)
		return traffic_check(config);
	else if (config->verb == VERB_RFC2544)
		code = check_rfc2544(config);
	else if (config->verb != VERB_SELFTEST)
		return EXIT_DONE;
	if (code == EXIT_DONE)
		code = check_places(config);
	if (code == EXIT_DONE && config_uses_ports(config))
		code = traffic_check(config);
	if (code == EXIT_DONE)
		code = require_check(config);
	if (code != EXIT_DONE)
		return code;
	if (config->timestamps == TIMESTAMPS_HARDWARE && config->no_latency)
		return refuse(EXIT_USAGE_ERROR, "--timestamps hardware is for latency, and --no-latency measures none");
	if (config_uses_ports(config) && !config->ports[PORT_A].name[0])
		return refuse(EXIT_USAGE_ERROR, "--ports is missing: give the tester's two ports, for example -p eth1,eth2");
	if (config->verb == VERB_SELFTEST && (config->port_count != PORT_COUNT || config->direction == DIRECTION_MESH))
		return refuse(EXIT_USAGE_ERROR,
			      "selftest takes two ports at a time, which are connected to each other: -p A,B");
	return EXIT_DONE;
}
