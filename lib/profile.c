/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- sizes ---------------------------------------------------------------------------------------------------------- */

struct mlr_size_mix mlr_size_one(unsigned int size_octets)
{
	return (struct mlr_size_mix){
		.sizes_octets = { (uint16_t)size_octets },
		.size_count = 1,
		.schedule_length = 1,
	};
}

double mlr_size_mean_octets(const struct mlr_size_mix *mix)
{
	double sum_octets = 0.0;

	for (unsigned int i = 0; i < mix->schedule_length; i++)
		sum_octets += mix->sizes_octets[mix->schedule[i]];
	return sum_octets / mix->schedule_length;
}

unsigned int mlr_size_least_octets(const struct mlr_size_mix *mix)
{
	unsigned int least_octets = UINT16_MAX;

	for (unsigned int i = 0; i < mix->size_count; i++)
		if (mix->sizes_octets[i] < least_octets)
			least_octets = mix->sizes_octets[i];
	return least_octets;
}

unsigned int mlr_size_most_octets(const struct mlr_size_mix *mix)
{
	unsigned int most_octets = 0;

	for (unsigned int i = 0; i < mix->size_count; i++)
		if (mix->sizes_octets[i] > most_octets)
			most_octets = mix->sizes_octets[i];
	return most_octets;
}

/* --- streams and wire ids ------------------------------------------------------------------------------------------- */

unsigned int mlr_profile_streams_from(const struct mlr_profile *profile, unsigned int port)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < profile->stream_count; i++)
		count += profile->streams[i].from == port;
	return count;
}

static bool profile_valid(const struct mlr_profile *profile)
{
	if (profile->port_count > MLR_PORTS_MAX || profile->stream_count > MLR_STREAMS_MAX || !profile->flow_count ||
	    profile->flow_count > MLR_FLOWS_MAX || profile->vlan_count > MLR_VLANS_MAX || !profile->sizes.size_count ||
	    !profile->sizes.schedule_length)
		return false;
	for (unsigned int i = 0; i < profile->stream_count; i++) {
		const struct mlr_stream *stream = &profile->streams[i];

		if (stream->from >= profile->port_count || stream->to >= profile->port_count ||
		    (stream->ip_version != 4 && stream->ip_version != 6) ||
		    mlr_profile_streams_from(profile, stream->from) > profile->flow_count)
			return false;
	}
	return true;
}

/* By receiving port, then by sending port, then by IP version. */
static int compare_streams(const void *left, const void *right)
{
	const struct mlr_stream *a = left, *b = right;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->ip_version < b->ip_version ? -1 : a->ip_version > b->ip_version;
}

/* A stream's place among those of its port. */
static unsigned int place_of(const struct mlr_profile *profile, unsigned int index)
{
	unsigned int place = 0;

	for (unsigned int i = 0; i < index; i++)
		place += profile->streams[i].from == profile->streams[index].from;
	return place;
}

int mlr_profile_number(struct mlr_profile *profile)
{
	uint32_t id = 0;

	if (!profile_valid(profile))
		return -EINVAL;
	qsort(profile->streams, profile->stream_count, sizeof(profile->streams[0]), compare_streams);
	for (unsigned int i = 0; i < profile->stream_count; i++) {
		struct mlr_stream *stream = &profile->streams[i];
		unsigned int streams = mlr_profile_streams_from(profile, stream->from), place = place_of(profile, i);

		stream->first_flow = id;
		stream->flow_count = (profile->flow_count - place - 1) / streams + 1;
		id += stream->flow_count;
	}
	return 0;
}

void mlr_profile_receives(const struct mlr_profile *profile, unsigned int port, uint32_t *ret_first_flow,
			  uint32_t *ret_flow_count)
{
	uint32_t first_flow = 0, flow_count = 0;

	for (unsigned int i = 0; i < profile->stream_count; i++) {
		if (profile->streams[i].to != port)
			continue;
		if (!flow_count)
			first_flow = profile->streams[i].first_flow;
		flow_count += profile->streams[i].flow_count;
	}
	*ret_first_flow = first_flow;
	*ret_flow_count = flow_count;
}

/* --- plans ---------------------------------------------------------------------------------------------------------- */

/* A plan, and the memory that it points into. */
struct owned_plan {
	struct mlr_queue_plan plan; /* first */
	struct mlr_frame_template *templates;
	struct mlr_flow *flows;
	uint16_t schedule[MLR_SCHEDULE_MAX];
};

static struct mlr_frame_spec frame_spec(const struct mlr_profile *profile, const struct mlr_stream *stream,
					unsigned int size_octets)
{
	const struct mlr_profile_port *from = &profile->ports[stream->from], *to = &profile->ports[stream->to];
	struct mlr_frame_spec spec = {
		.ip_version = stream->ip_version,
		.vlan_count = profile->vlan_count,
		.hop_limit = MLR_TTL,
		.size_octets = size_octets,
	};

	memcpy(spec.source_mac, from->mac, MLR_MAC_OCTETS);
	memcpy(spec.destination_mac, stream->destination_mac, MLR_MAC_OCTETS);
	memcpy(spec.vlans, profile->vlans, sizeof(spec.vlans));
	memcpy(spec.source_address6, from->address6, MLR_ADDRESS6_OCTETS);
	memcpy(spec.destination_address6, to->address6, MLR_ADDRESS6_OCTETS);
	return spec;
}

/* The streams of a port, in order: as many as mlr_profile_streams_from() says. */
static void streams_of(const struct mlr_profile *profile, unsigned int port, const struct mlr_stream **ret)
{
	for (unsigned int i = 0, count = 0; i < profile->stream_count; i++)
		if (profile->streams[i].from == port)
			ret[count++] = &profile->streams[i];
}

static int fill_templates(const struct mlr_profile *profile, const struct mlr_stream *const *streams,
			  unsigned int stream_count, struct mlr_frame_template *templates)
{
	const struct mlr_size_mix *mix = &profile->sizes;

	for (unsigned int i = 0; i < stream_count; i++) {
		for (unsigned int size = 0; size < mix->size_count; size++) {
			struct mlr_frame_spec spec = frame_spec(profile, streams[i], mix->sizes_octets[size]);
			int error = mlr_frame_template_init(&spec, &templates[i * mix->size_count + size]);

			if (error)
				return error;
		}
	}
	return 0;
}

/* The IPv4 address of a port, or the end of its IPv6 address. */
static uint32_t address_of(const struct mlr_profile_port *port, unsigned int ip_version)
{
	const uint8_t *end = port->address6 + MLR_ADDRESS6_OCTETS - sizeof(uint32_t);

	if (ip_version == 4)
		return port->address;
	return (uint32_t)end[0] << 24 | (uint32_t)end[1] << 16 | (uint32_t)end[2] << 8 | end[3];
}

/* Flow k of a port, whose stream is the one of this index. */
static struct mlr_flow flow_of(const struct mlr_profile *profile, const struct mlr_stream *const *streams,
			       unsigned int stream_count, uint32_t k)
{
	const struct mlr_stream *stream = streams[k % stream_count];

	return (struct mlr_flow){
		.id = stream->first_flow + k / stream_count,
		.source_address = address_of(&profile->ports[stream->from], stream->ip_version),
		.destination_address = address_of(&profile->ports[stream->to], stream->ip_version),
		.source_port = profile->source_port,
		.destination_port = profile->destination_port,
		.stream = (uint16_t)(k % stream_count),
	};
}

static int fill_plan(const struct mlr_profile *profile, unsigned int port, uint32_t queue, uint32_t queue_count,
		     struct owned_plan *owned)
{
	const struct mlr_stream *streams[MLR_STREAMS_MAX];
	unsigned int stream_count = mlr_profile_streams_from(profile, port);
	uint32_t flow_count = (profile->flow_count - queue - 1) / queue_count + 1;
	const struct mlr_size_mix *mix = &profile->sizes;

	streams_of(profile, port, streams);
	owned->templates = calloc((size_t)stream_count * mix->size_count, sizeof(*owned->templates));
	owned->flows = calloc(flow_count, sizeof(*owned->flows));
	if (!owned->templates || !owned->flows)
		return -ENOMEM;
	for (uint32_t i = 0; i < flow_count; i++)
		owned->flows[i] = flow_of(profile, streams, stream_count, queue + i * queue_count);
	memcpy(owned->schedule, mix->schedule, sizeof(owned->schedule));
	owned->plan = (struct mlr_queue_plan){
		.templates = owned->templates,
		.template_count = stream_count * mix->size_count,
		.size_count = mix->size_count,
		.schedule = owned->schedule,
		.schedule_length = mix->schedule_length,
		.flows = owned->flows,
		.flow_count = flow_count,
		.first = queue,
		.step = queue_count,
	};
	return fill_templates(profile, streams, stream_count, owned->templates);
}

int mlr_queue_plan_new(const struct mlr_profile *profile, unsigned int port, uint32_t queue, uint32_t queue_count,
		       struct mlr_queue_plan **ret)
{
	struct owned_plan *owned;
	int error;

	if (!profile_valid(profile) || !mlr_profile_streams_from(profile, port) || queue >= queue_count ||
	    queue >= profile->flow_count)
		return -EINVAL;
	owned = calloc(1, sizeof(*owned));
	if (!owned)
		return -ENOMEM;
	error = fill_plan(profile, port, queue, queue_count, owned);
	if (error) {
		mlr_queue_plan_free(&owned->plan);
		return error;
	}
	*ret = &owned->plan;
	return 0;
}

void mlr_queue_plan_free(struct mlr_queue_plan *plan)
{
	struct owned_plan *owned = (struct owned_plan *)plan;

	if (!owned)
		return;
	free(owned->templates);
	free(owned->flows);
	free(owned);
}

unsigned int mlr_plan_memory_octets(const struct mlr_queue_plan *plan)
{
	unsigned int most_octets = plan->extra_every ? plan->extra->memory_octets : 0;

	for (uint32_t i = 0; i < plan->template_count; i++)
		if (plan->templates[i].memory_octets > most_octets)
			most_octets = plan->templates[i].memory_octets;
	return most_octets;
}

uint64_t mlr_plan_share(const struct mlr_queue_plan *plan, uint64_t count)
{
	return count > plan->first ? (count - plan->first - 1) / plan->step + 1 : 0;
}

uint64_t mlr_plan_sequences(const struct mlr_queue_plan *plan, uint64_t count)
{
	return count ? (count - 1) / plan->flow_count + 1 : 0;
}
