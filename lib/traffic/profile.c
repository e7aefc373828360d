/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mlr/imix.h"

#define COMBINATIONS_MAX  (1ull << 62)
#define FEISTEL_ROUNDS    6
#define BROADCAST_ADDRESS 0xffffffffu
#define DISCARD_PORT      9    /* RFC 863 */
#define WEIGHTS_GOOD      1e-4 /* error of a service's rate, as a ratio, that is good enough */
#define WEIGHTS_WORST     0.01

/* --- streams and wire ids ------------------------------------------------------------------------------------------- */

unsigned int mlr_profile_streams_from(const struct mlr_profile *profile, unsigned int port)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < profile->stream_count; i++)
		count += profile->streams[i].from == port;
	return count;
}

unsigned int mlr_profile_transmitters(const struct mlr_profile *profile)
{
	unsigned int count = 0;

	for (unsigned int port = 0; port < profile->port_count; port++)
		count += mlr_profile_streams_from(profile, port) > 0;
	return count;
}

uint64_t mlr_ranges_combinations(const struct mlr_range ranges[MLR_FIELD_COUNT])
{
	uint64_t product = 1;

	for (unsigned int i = 0; i < MLR_FIELD_COUNT; i++)
		if (ranges[i].count &&
		    (__builtin_mul_overflow(product, ranges[i].count, &product) || product > COMBINATIONS_MAX))
			return 0;
	return product;
}

/* Whether all flows of a stream with so many flows can differ. If nothing varies, they are all the same, which is
 * allowed. */
static bool combinations_suffice(const struct mlr_profile *profile, uint32_t flow_count)
{
	uint64_t combinations = mlr_ranges_combinations(profile->ranges);

	return combinations == 1 || combinations >= flow_count;
}

static bool profile_valid(const struct mlr_profile *profile)
{
	if (profile->port_count > MLR_PORTS_MAX || profile->stream_count > MLR_STREAMS_MAX || !profile->flow_count ||
	    profile->flow_count > MLR_FLOWS_MAX || profile->vlan_count > MLR_VLANS_MAX || !profile->sizes.size_count ||
	    !profile->sizes.schedule_length || profile->service_count > MLR_SERVICES_MAX)
		return false;
	for (unsigned int i = 0; i < profile->stream_count; i++) {
		const struct mlr_stream *stream = &profile->streams[i];

		if (stream->from >= profile->port_count || stream->to >= profile->port_count ||
		    (stream->ip_version != 4 && stream->ip_version != 6) ||
		    (stream->service && stream->service >= profile->service_count) ||
		    mlr_profile_streams_from(profile, stream->from) > profile->flow_count ||
		    !combinations_suffice(profile,
					  (profile->flow_count - 1) / mlr_profile_streams_from(profile, stream->from) + 1))
			return false;
	}
	return true;
}

/* Order streams by receiving port, then by service, by sending port, and by IP version. */
static int compare_streams(const void *left, const void *right)
{
	const struct mlr_stream *a = left, *b = right;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->service != b->service)
		return a->service < b->service ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->ip_version < b->ip_version ? -1 : a->ip_version > b->ip_version;
}

unsigned int mlr_profile_least_octets(const struct mlr_profile *profile)
{
	unsigned int least_octets = MLR_FRAME_MIN_OCTETS;

	for (unsigned int i = 0; i < profile->stream_count; i++) {
		struct mlr_frame_spec spec = mlr_profile_frame(profile, &profile->streams[i], 0);
		unsigned int octets = mlr_frame_least_octets(&spec);

		if (octets > least_octets)
			least_octets = octets;
	}
	return least_octets;
}

/* Return the place of a stream among those of its port. */
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

uint32_t mlr_profile_service_end(const struct mlr_profile *profile, unsigned int port, unsigned int service)
{
	uint32_t end = 0;

	for (unsigned int i = 0; i < profile->stream_count; i++) {
		const struct mlr_stream *stream = &profile->streams[i];

		if (stream->to == port && stream->service <= service)
			end = stream->first_flow + stream->flow_count;
	}
	return end;
}

/* --- frames --------------------------------------------------------------------------------------------------------- */

/* A plan together with the memory that it points into. */
struct owned_plan {
	struct mlr_queue_plan plan; /* the first member, so that a pointer to it is one to the whole */
	struct mlr_frame_template *templates;
	struct mlr_flow *flows;
	struct mlr_frame_template broadcast;
	uint8_t *payload;
	uint16_t schedule[MLR_SCHEDULE_MAX];
};

const struct mlr_size_mix *mlr_profile_sizes(const struct mlr_profile *profile, const struct mlr_stream *stream)
{
	return profile->service_count ? &profile->services[stream->service].sizes : &profile->sizes;
}

struct mlr_frame_spec mlr_profile_frame(const struct mlr_profile *profile, const struct mlr_stream *stream,
					unsigned int size_octets)
{
	static const struct mlr_frame_spec plain = { .hop_limit = MLR_TTL };
	const struct mlr_service_frames *service = profile->service_count ? &profile->services[stream->service] : NULL;
	uint8_t traffic_class = service ? service->traffic_class : profile->traffic_class;
	const struct mlr_profile_port *from = &profile->ports[stream->from], *to = &profile->ports[stream->to];
	struct mlr_frame_spec spec = profile->like ? *profile->like : plain;

	spec.ip_version = stream->ip_version;
	spec.vlan_count = service ? service->vlan_count : profile->vlan_count;
	spec.way_back = stream->from > stream->to;
	spec.size_octets = size_octets;
	if (traffic_class)
		spec.traffic_class = traffic_class;
	memcpy(spec.source_mac, from->mac, MLR_MAC_OCTETS);
	memcpy(spec.destination_mac, stream->destination_mac, MLR_MAC_OCTETS);
	memcpy(spec.vlans, service ? service->vlans : profile->vlans, sizeof(spec.vlans));
	memcpy(spec.source_address6, from->address6, MLR_ADDRESS6_OCTETS);
	memcpy(spec.destination_address6, to->address6, MLR_ADDRESS6_OCTETS);
	spec.key = profile->key.mixing ? &profile->key : NULL;
	if (profile->payload != MLR_PAYLOAD_ZEROS) {
		unsigned int header_octets = mlr_frame_least_octets(&spec) - MLR_FCS_OCTETS;

		spec.payload = profile->pattern + header_octets;
		spec.payload_octets = MLR_FRAME_MAX_OCTETS - header_octets;
	}
	return spec;
}

unsigned int mlr_profile_signed_octets(const struct mlr_profile *profile)
{
	unsigned int most_octets = 0;

	if (!profile->key.mixing)
		return 0;
	for (unsigned int i = 0; i < profile->stream_count; i++) {
		struct mlr_frame_spec spec = mlr_profile_frame(profile, &profile->streams[i], 0);
		unsigned int octets = mlr_frame_signed_octets(&spec);

		if (!octets)
			return 0;
		most_octets = octets > most_octets ? octets : most_octets;
	}
	return most_octets;
}

uint64_t mlr_profile_digest(const struct mlr_profile *profile, const struct mlr_stream *stream, unsigned int size_octets)
{
	struct mlr_frame_spec spec = mlr_profile_frame(profile, stream, size_octets);
	struct mlr_frame_template template;

	return mlr_frame_template_init(&spec, &template) ? 0 : template.digest;
}

unsigned int mlr_profile_udp_octets(const struct mlr_profile *profile, const struct mlr_stream *stream,
				    unsigned int size_octets)
{
	struct mlr_frame_spec spec = mlr_profile_frame(profile, stream, size_octets);
	struct mlr_frame_template template;

	return mlr_frame_template_init(&spec, &template) ? 0 : template.memory_octets - template.transport_offset;
}

/* Get the streams of a port in order; mlr_profile_streams_from() is their number. */
static void streams_of(const struct mlr_profile *profile, unsigned int port, const struct mlr_stream **ret)
{
	for (unsigned int i = 0, count = 0; i < profile->stream_count; i++)
		if (profile->streams[i].from == port)
			ret[count++] = &profile->streams[i];
}

/* Fill in a row of templates for each stream. */
static int fill_templates(const struct mlr_profile *profile, const struct mlr_stream *const *streams,
			  unsigned int stream_count, unsigned int row, struct mlr_frame_template *templates)
{
	for (unsigned int i = 0; i < stream_count; i++) {
		const struct mlr_size_mix *mix = mlr_profile_sizes(profile, streams[i]);

		for (unsigned int size = 0; size < mix->size_count; size++) {
			struct mlr_frame_spec spec = mlr_profile_frame(profile, streams[i], mix->sizes_octets[size]);
			int error = mlr_frame_template_init(&spec, &templates[i * row + size]);

			if (error)
				return error;
		}
	}
	return 0;
}

/* Return the IPv4 address of a port, or the end of its IPv6 address. */
static uint32_t address_of(const struct mlr_profile_port *port, unsigned int ip_version)
{
	const uint8_t *end = port->address6 + MLR_ADDRESS6_OCTETS - sizeof(uint32_t);

	return ip_version == 4 ? port->address : mlr_get32(end);
}

/* --- flows ---------------------------------------------------------------------------------------------------------- */

/* Mix 64 bits (the finalizer of splitmix64). */
static uint64_t mix_bits(uint64_t bits)
{
	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ull;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebull;
	return bits ^ bits >> 31;
}

/* Permute 0 .. 2^(2 * half_bits) - 1 by a Feistel network. */
static uint64_t permute_power(uint64_t n, unsigned int half_bits, uint64_t seed)
{
	uint64_t mask = (1ull << half_bits) - 1, left = n >> half_bits, right = n & mask;

	for (uint64_t round = 0; round < FEISTEL_ROUNDS; round++) {
		uint64_t next = left ^ (mix_bits(right ^ mix_bits(seed + round)) & mask);

		left = right;
		right = next;
	}
	return left << half_bits | right;
}

/* Permute 0 .. size - 1. A result outside is permuted again until it is inside. The power of two is less than four times
 * `size`, so that takes less than four turns on average. */
static uint64_t permute(uint64_t n, uint64_t size, uint64_t seed)
{
	unsigned int half_bits = 1;

	while (half_bits < 31 && 1ull << 2 * half_bits < size)
		half_bits++;
	do
		n = permute_power(n, half_bits, seed);
	while (n >= size);
	return n;
}

const char *const mlr_field_names[MLR_FIELD_COUNT] = {
	[MLR_SOURCE_ADDRESS] = "src-address",
	[MLR_DESTINATION_ADDRESS] = "dst-address",
	[MLR_SOURCE_PORT] = "src-port",
	[MLR_DESTINATION_PORT] = "dst-port",
};

static uint16_t port_at(uint16_t first, uint32_t offset, uint32_t least, uint32_t count)
{
	uint32_t start = first < least ? 0 : first - least;

	return (uint16_t)(least + (start + offset) % count);
}

uint16_t mlr_profile_udp_port(const struct mlr_profile *profile, enum mlr_field field, uint32_t k)
{
	uint32_t offset = k * profile->ranges[field].step;
	bool is_source = field == MLR_SOURCE_PORT;
	uint16_t first = is_source ? profile->source_port : profile->destination_port;

	if (!offset)
		return first; /* The value may be outside of the range. */
	return is_source ? port_at(first, offset, MLR_SOURCE_PORT_LEAST, MLR_SOURCE_PORT_COUNT)
			 : port_at(first, offset, MLR_DESTINATION_PORT_LEAST, MLR_DESTINATION_PORT_COUNT);
}

/* Give a flow the values of combination number n. */
static void vary(const struct mlr_profile *profile, uint64_t n, struct mlr_flow *flow)
{
	uint32_t value[MLR_FIELD_COUNT] = { 0 }; /* the number of each field's value */

	for (unsigned int i = 0; i < MLR_FIELD_COUNT; i++) {
		const struct mlr_range *range = &profile->ranges[i];

		if (range->count < 2)
			continue;
		value[i] = (uint32_t)(n % range->count);
		n /= range->count;
	}
	flow->source_address += value[MLR_SOURCE_ADDRESS] * profile->ranges[MLR_SOURCE_ADDRESS].step;
	flow->destination_address += value[MLR_DESTINATION_ADDRESS] * profile->ranges[MLR_DESTINATION_ADDRESS].step;
	flow->source_port = mlr_profile_udp_port(profile, MLR_SOURCE_PORT, value[MLR_SOURCE_PORT]);
	flow->destination_port = mlr_profile_udp_port(profile, MLR_DESTINATION_PORT, value[MLR_DESTINATION_PORT]);
}

struct mlr_flow mlr_profile_flow(const struct mlr_profile *profile, const struct mlr_stream *stream, uint32_t number)
{
	uint64_t n = number;
	struct mlr_flow flow = {
		.id = stream->first_flow + number,
		.source_address = address_of(&profile->ports[stream->from], stream->ip_version),
		.destination_address = address_of(&profile->ports[stream->to], stream->ip_version),
		.source_port = profile->source_port,
		.destination_port = profile->destination_port,
		.service = (uint16_t)stream->service,
	};

	if (profile->random)
		n = permute(n, mlr_ranges_combinations(profile->ranges), profile->seed + stream->first_flow);
	vary(profile, n, &flow);
	return flow;
}

/* Return flow k of a port with these streams. */
static struct mlr_flow flow_of(const struct mlr_profile *profile, const struct mlr_stream *const *streams,
			       unsigned int stream_count, uint32_t k)
{
	struct mlr_flow flow = mlr_profile_flow(profile, streams[k % stream_count], k / stream_count);

	flow.stream = (uint16_t)(k % stream_count);
	return flow;
}

/* --- services ------------------------------------------------------------------------------------------------------- */

static double sum_of(const uint32_t *weights, unsigned int count)
{
	double sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += weights[i];
	return sum;
}

double mlr_service_load(const double *rates_fps, const uint32_t *weights, unsigned int count)
{
	double load_fps = INFINITY, sum = sum_of(weights, count);

	for (unsigned int i = 0; i < count; i++)
		load_fps = fmin(load_fps, rates_fps[i] * sum / weights[i]);
	return load_fps;
}

/* Return by which part of its rate a service is sent too slowly, in the worst case. */
static double error_of(double load_fps, const double *rates_fps, const uint32_t *weights, unsigned int count)
{
	double error = 0, sum = sum_of(weights, count);

	for (unsigned int i = 0; i < count; i++)
		error = fmax(error, 1 - load_fps * weights[i] / sum / rates_fps[i]);
	return error;
}

double mlr_service_weights(const double *rates_fps, unsigned int count, uint32_t most, uint32_t *ret_weights)
{
	double sum_fps = 0, least_error = WEIGHTS_WORST, best_fps = 0;
	uint32_t weights[MLR_SERVICES_MAX];

	for (unsigned int i = 0; i < count; i++)
		sum_fps += rates_fps[i];
	for (uint32_t scale = count; scale <= most && least_error > WEIGHTS_GOOD; scale++) {
		double load_fps, error;

		for (unsigned int i = 0; i < count; i++)
			weights[i] = (uint32_t)fmax(1, round(rates_fps[i] / sum_fps * scale));
		load_fps = mlr_service_load(rates_fps, weights, count);
		error = error_of(load_fps, rates_fps, weights, count);
		if (error >= least_error)
			continue;
		least_error = error;
		best_fps = load_fps;
		memcpy(ret_weights, weights, count * sizeof(*weights));
	}
	return best_fps;
}

/* The state of one service while the list of a queue is made. */
struct turn {
	unsigned int streams[MLR_STREAMS_MAX]; /* the streams of the service, as rows of the templates */
	unsigned int stream_count;
	uint32_t flow_count; /* flows of the queue, over those streams */
	unsigned int weight;
	unsigned int of_port; /* frames of the port so far, modulo the length of its schedule of sizes */
	uint32_t of_queue;    /* frames of the queue so far */
};

static void begin_turns(const struct mlr_profile *profile, const struct mlr_stream *const *streams,
			unsigned int stream_count, const struct mlr_queue_plan *plan, struct turn *turns)
{
	for (unsigned int i = 0; i < stream_count; i++) {
		struct turn *turn = &turns[streams[i]->service];

		turn->weight = profile->services[streams[i]->service].weight;
		turn->streams[turn->stream_count++] = i;
		if (streams[i]->flow_count > plan->first)
			turn->flow_count += (streams[i]->flow_count - plan->first - 1) / plan->step + 1;
	}
}

/* Take the next frame of a service for the queue. The flows take turns, and so do the streams. */
static struct mlr_flow take_turn(const struct mlr_profile *profile, const struct mlr_stream *const *streams,
				 unsigned int stream_count, unsigned int row, const struct mlr_queue_plan *plan,
				 struct turn *turn)
{
	uint32_t number = turn->of_queue++ % turn->flow_count, n = plan->first + number / turn->stream_count * plan->step;
	unsigned int stream = turn->streams[number % turn->stream_count];
	struct mlr_flow flow = flow_of(profile, streams, stream_count, n * stream_count + stream);

	flow.place = (uint16_t)((turn->of_queue - 1) / turn->flow_count);
	flow.stream = (uint16_t)(stream * row + mlr_profile_sizes(profile, streams[stream])->schedule[turn->of_port]);
	return flow;
}

/* Whether everything begins again: flows and sizes. */
static bool meets(const struct mlr_profile *profile, const struct turn *turns)
{
	for (unsigned int i = 0; i < profile->service_count; i++)
		if (turns[i].of_port || turns[i].of_queue % turns[i].flow_count)
			return false;
	return true;
}

/* Make the list of a queue from frames queue, queue + queues, ... of what the port sends, until everything begins again. */
static int fill_round(const struct mlr_profile *profile, const struct mlr_stream *const *streams, unsigned int stream_count,
		      unsigned int row, struct owned_plan *owned)
{
	struct turn turns[MLR_SERVICES_MAX] = { 0 };
	unsigned int weights[MLR_SERVICES_MAX], sent[MLR_SERVICES_MAX] = { 0 }, place = 0, length = 0;
	struct mlr_queue_plan *plan = &owned->plan;
	uint32_t count = 0, of_step = 0;

	if (profile->flow_count % stream_count)
		return -EINVAL; /* all streams must have the same number */
	begin_turns(profile, streams, stream_count, plan, turns);
	for (unsigned int i = 0; i < profile->service_count; i++) {
		if (!turns[i].stream_count || !turns[i].flow_count)
			return -EINVAL;
		length += weights[i] = turns[i].weight;
	}
	do {
		unsigned int service = mlr_spread_next(weights, sent, profile->service_count, place, length);
		struct turn *turn = &turns[service];

		if (of_step == plan->first) {
			if (count == MLR_ROUND_MAX)
				return -E2BIG;
			owned->flows[count++] = take_turn(profile, streams, stream_count, row, plan, turn);
		}
		turn->of_port = (turn->of_port + 1) % profile->services[service].sizes.schedule_length;
		of_step = (of_step + 1) % plan->step;
		sent[service]++;
		if (++place == length) {
			place = 0;
			memset(sent, 0, sizeof(sent));
		}
	} while (place || of_step || !meets(profile, turns));
	for (uint32_t i = 0; i < count; i++) {
		const struct turn *turn = &turns[owned->flows[i].service];

		owned->flows[i].more = (uint16_t)(turn->of_queue / turn->flow_count - 1);
		if (owned->flows[i].more >= plan->flow_most)
			plan->flow_most = owned->flows[i].more + 1u;
	}
	plan->flow_count = count;
	return 0;
}

void mlr_plan_flow_counts(const struct mlr_queue_plan *plan, uint32_t first_flow, uint32_t end_flow, uint32_t *ret)
{
	ret[0] = 0;
	for (uint32_t i = 0; i < plan->flow_count; i++)
		ret[i + 1] = ret[i] + (plan->flows[i].id >= first_flow && plan->flows[i].id < end_flow);
}

/* --- plans ---------------------------------------------------------------------------------------------------------- */

/* Make the broadcast frame of RFC 2544, 11.1: the smallest frame to everybody that the SUT need not process. */
static int fill_broadcast(const struct mlr_profile *profile, const struct mlr_stream *stream, struct owned_plan *owned)
{
	struct mlr_frame_spec spec = mlr_profile_frame(profile, stream, 0);
	int error;

	memset(spec.destination_mac, 0xff, MLR_MAC_OCTETS);
	spec.ip_version = 4;
	spec.ip_options_octets = spec.outer_octets = spec.outer_field_count = 0;
	spec.payload = NULL;
	spec.key = NULL;
	spec.size_octets = mlr_frame_least_octets(&spec);
	error = mlr_frame_template_init(&spec, &owned->broadcast);
	if (error)
		return error;
	owned->plan.extra = &owned->broadcast;
	owned->plan.extra_every = profile->broadcast_every;
	owned->plan.extra_flow = (struct mlr_flow){
		.id = MLR_FLOW_EXTRA,
		.source_address = profile->ports[stream->from].address,
		.destination_address = BROADCAST_ADDRESS,
		.source_port = profile->source_port,
		.destination_port = DISCARD_PORT,
	};
	return 0;
}

static int fill_pattern(const struct mlr_profile *profile, struct owned_plan *owned)
{
	unsigned int end_octets = mlr_plan_memory_octets(&owned->plan);

	if (end_octets <= MLR_HEADER_MAX_OCTETS)
		return 0;
	owned->plan.payload_octets = end_octets - MLR_HEADER_MAX_OCTETS;
	owned->payload = malloc(owned->plan.payload_octets);
	if (!owned->payload)
		return -ENOMEM;
	memcpy(owned->payload, profile->pattern + MLR_HEADER_MAX_OCTETS, owned->plan.payload_octets);
	owned->plan.payload = owned->payload;
	return 0;
}

/* Make the payload behind the part that the templates keep. */
static int fill_payload(const struct mlr_profile *profile, struct owned_plan *owned)
{
	unsigned int offset = MLR_HEADER_MAX_OCTETS - owned->templates[0].header_octets;
	unsigned int end_octets = mlr_size_most_octets(&profile->sizes) - MLR_FCS_OCTETS, octets;

	if (profile->payload != MLR_PAYLOAD_ZEROS)
		return fill_pattern(profile, owned);
	if (!profile->like || !profile->like->payload || profile->like->payload_octets <= offset ||
	    end_octets <= MLR_HEADER_MAX_OCTETS)
		return 0;
	octets = profile->like->payload_octets - offset;
	if (octets > end_octets - MLR_HEADER_MAX_OCTETS)
		octets = end_octets - MLR_HEADER_MAX_OCTETS;
	owned->payload = malloc(octets);
	if (!owned->payload)
		return -ENOMEM;
	memcpy(owned->payload, profile->like->payload + offset, octets);
	owned->plan.payload = owned->payload;
	owned->plan.payload_octets = octets;
	return 0;
}

/* Return the length of the longest row of templates. */
static unsigned int row_of(const struct mlr_profile *profile, const struct mlr_stream *const *streams,
			   unsigned int stream_count)
{
	unsigned int row = 0;

	for (unsigned int i = 0; i < stream_count; i++)
		if (mlr_profile_sizes(profile, streams[i])->size_count > row)
			row = mlr_profile_sizes(profile, streams[i])->size_count;
	return row;
}

static int fill_plan(const struct mlr_profile *profile, unsigned int port, uint32_t queue, uint32_t queue_count,
		     struct owned_plan *owned)
{
	const struct mlr_stream *streams[MLR_STREAMS_MAX];
	unsigned int stream_count = mlr_profile_streams_from(profile, port), row;
	uint32_t flow_count = (profile->flow_count - queue - 1) / queue_count + 1;
	int error;

	streams_of(profile, port, streams);
	row = row_of(profile, streams, stream_count);
	owned->templates = calloc((size_t)stream_count * row, sizeof(*owned->templates));
	owned->flows = calloc(profile->service_count ? MLR_ROUND_MAX : flow_count, sizeof(*owned->flows));
	if (!owned->templates || !owned->flows)
		return -ENOMEM;
	owned->plan = (struct mlr_queue_plan){
		.templates = owned->templates,
		.template_count = stream_count * row,
		.size_count = 1,
		.schedule = owned->schedule,
		.schedule_length = 1,
		.flows = owned->flows,
		.flow_count = flow_count,
		.flow_most = 1,
		.first = queue,
		.step = queue_count,
	};
	if (profile->service_count) {
		error = fill_round(profile, streams, stream_count, row, owned);
		if (error)
			return error;
	} else {
		owned->plan.size_count = row;
		owned->plan.schedule_length = profile->sizes.schedule_length;
		memcpy(owned->schedule, profile->sizes.schedule, sizeof(owned->schedule));
		for (uint32_t i = 0; i < flow_count; i++)
			owned->flows[i] = flow_of(profile, streams, stream_count, queue + i * queue_count);
	}
	error = fill_templates(profile, streams, stream_count, row, owned->templates) ?: fill_payload(profile, owned);
	if (!error && profile->broadcast_every)
		error = fill_broadcast(profile, streams[0], owned);
	return error;
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

void mlr_queue_plan_readdress(struct mlr_queue_plan *plan, const struct mlr_profile *profile, unsigned int port)
{
	struct owned_plan *owned = (struct owned_plan *)plan;
	const struct mlr_stream *streams[MLR_STREAMS_MAX];
	unsigned int stream_count = mlr_profile_streams_from(profile, port);

	streams_of(profile, port, streams);
	for (uint32_t i = 0; i < plan->template_count; i++)
		memcpy(owned->templates[i].header, streams[i / (plan->template_count / stream_count)]->destination_mac,
		       MLR_MAC_OCTETS);
}

void mlr_queue_plan_free(struct mlr_queue_plan *plan)
{
	struct owned_plan *owned = (struct owned_plan *)plan;

	if (!owned)
		return;
	free(owned->templates);
	free(owned->payload);
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
	return count ? ((count - 1) / plan->flow_count + 1) * plan->flow_most : 0;
}
