/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These measurers measure nothing. One stands for a measurer if a stop came before it was ready, and describes what would
 * have been sent. The other is for a replay, and describes what the stored search had.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "config/stored.h"
#include "config/traffic.h"
#include "measurer/measurer_new.h"

struct measurer_stopped {
	struct measurer base;
	struct mlr_profile profile;
};

static enum exit_code stopped_measure(struct measurer *, const struct mlr_trial_input *, struct measurement *)
{
	return EXIT_INTERRUPTED;
}

static json_t *stopped_describe(struct measurer *measurer)
{
	const struct config *config = measurer->config;

	if (config->measurer == MEASURER_EXEC)
		return json_with("name", "exec", "command", config->measurer_argument, "state",
				 "stopped before it was started");
	return json_with("name", config->measurer == MEASURER_MPI ? "mpi" : "xdp", "ports",
			 json_list(i, config->port_count, json_with("name", config->ports[i].label)), "allow_unsafe",
			 config->unsafe_reason, "state", "stopped before its ports were ready");
}

static json_t *stopped_traffic_profile(struct measurer *measurer)
{
	const struct measurer_stopped *stopped = (const struct measurer_stopped *)measurer;
	const char *names[MLR_PORTS_MAX];

	if (measurer->config->measurer == MEASURER_EXEC)
		return json_with("description", "the external measurer's own");
	for (unsigned int i = 0; i < measurer->config->port_count; i++)
		names[i] = measurer->config->ports[i].label;
	return traffic_describe(measurer->config, &stopped->profile, names);
}

static const struct measurer_ops stopped_ops = {
	.measure = stopped_measure,
	.describe = stopped_describe,
	.traffic_profile = stopped_traffic_profile,
};

enum exit_code measurer_stopped_new(const struct config *config, struct measurer **ret)
{
	struct measurer_stopped *stopped = calloc(1, sizeof(*stopped));
	enum exit_code code;

	if (!stopped)
		return out_of_memory();
	stopped->base = (struct measurer){ .ops = &stopped_ops, .config = config, .transmitters = 1 };
	stopped->base.virtual_time = config->measurer == MEASURER_EXEC;
	if (config->measurer != MEASURER_EXEC) { /* an external one has ports of its own */
		code = traffic_profile_of(config, &stopped->profile);
		if (code) {
			free(stopped);
			return code;
		}
		stopped->base.transmitters = mlr_profile_transmitters(&stopped->profile);
	}
	*ret = &stopped->base;
	return EXIT_DONE;
}

/* --- of a replay ---------------------------------------------------------------------------------------------------- */

static enum exit_code replay_measure(struct measurer *, const struct mlr_trial_input *, struct measurement *)
{
	return refuse(EXIT_INVALID, "a replay cannot measure");
}

/* Return a member of the stored document; null if it has none. */
static json_t *stored_member(const struct measurer *measurer, const char *name)
{
	json_t *member = json_object_get(measurer->config->stored->document, name);

	return member ? json_incref(member) : json_null();
}

static json_t *replay_describe(struct measurer *measurer)
{
	return json_with("name", "replay", "replayed", stored_member(measurer, "measurer"));
}

static json_t *replay_traffic_profile(struct measurer *measurer)
{
	return stored_member(measurer, "traffic_profile");
}

static const struct measurer_ops replay_ops = {
	.measure = replay_measure,
	.describe = replay_describe,
	.traffic_profile = replay_traffic_profile,
};

/* Return the size by which the stored search turned its loads into bits; NAN: it did not. */
static double octets_of_results(const json_t *document)
{
	json_each (result, json_object_get(document, "search_result")) {
		double octets = read_number(result, "relevant_upper_bound_l2_bps") / CHAR_BIT /
				read_number(result, "relevant_upper_bound");

		if (isnan(octets))
			octets = read_number(result, "relevant_lower_bound_l2_bps") / CHAR_BIT /
				 read_number(result, "relevant_lower_bound");
		if (octets > 0)
			return octets;
	}
	return NAN;
}

/* Return the mean size of the frames, as struct measurer has it. The frames of an external measurer are not those of our
 * options. */
static double stored_octets(const json_t *document)
{
	const json_t *profile = json_object_get(document, "traffic_profile");
	double octets = read_either(profile, "mean_frame_size_octets", "frame_size_octets");

	if (!isnan(octets))
		return octets;
	return strcmp(read_text(document_measurer(document), "name"), "exec") == 0 ? octets_of_results(document) : 0;
}

/* Return the aggregate factor. Events do not have it, but the ports of their trials. */
static unsigned int stored_transmitters(const json_t *document)
{
	json_auto_t *first = json_item(json_object_get(document, "trials"), 0);
	double factor = read_number(document, "aggregate_factor");
	unsigned int count = 0;

	json_each (port, json_object_get(first, "ports"))
		count += read_truth(port, "transmits");
	if (factor >= 1 && factor <= UINT_MAX)
		return (unsigned int)factor;
	return count ? count : 1;
}

enum exit_code measurer_replay_new(const struct config *config, struct measurer **ret)
{
	const json_t *document = config->stored->document;
	double line_rate_fps = read_number(document, "line_rate");

	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return out_of_memory();
	**ret = (struct measurer){ .ops = &replay_ops,
				   .virtual_time = true,
				   .transmitters = stored_transmitters(document),
				   .line_rate_fps = line_rate_fps > 0 ? line_rate_fps : 0,
				   .frame_size_octets = stored_octets(document) };
	return EXIT_DONE;
}
