/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Traffic Profile (4.5.4), and what it makes each transmit queue send.
 *
 * A profile says which port sends to which in which IP version (streams), in what sizes, and as how many flows. A port's
 * flows are numbered 0 to flow_count - 1 and are dealt out to its streams in turn. On the wire a flow carries an id; ids are
 * given stream by stream, the streams in the order of the port that receives them, so that each port receives one contiguous
 * range.
 *
 * From a profile a plan is made for each transmit queue. Frame i (0, 1, ...) of a queue is frame g = first + i * step of its
 * port, and everything about it follows from these two numbers:
 *
 *	due        at start + g / load                                   (mlr/pacer.h)
 *	flow       flows[i % flow_count]
 *	sequence   first_sequence + i / flow_count                       in its flow
 *	template   templates[flow->stream * size_count + schedule[g % schedule_length]]
 *
 * Several services (Y.1564) are sent at once by a longer list: a flow stands in `flows` as often as the rate of its service
 * asks for, each time with the template that is due there and with which of the flow's numbers of a round it is; so rates are
 * to one another as counts in the list, and services are interleaved as evenly as can be. The sequence then is
 * first_sequence + i / flow_count * (flow->more + 1) + flow->place, which without services is the above.
 *
 * So a transmitter keeps no state a flow, with a million flows either. After every `extra_every` frames of the queue one
 * more is sent, of `extra`: it carries the flow MLR_FLOW_EXTRA and is no part of what a trial intends, sends or receives.
 */
#ifndef MLR_PROFILE_H
#define MLR_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "mlr/frame.h"

#define MLR_PORTS_MAX    8
#define MLR_STREAMS_MAX  (MLR_PORTS_MAX * (MLR_PORTS_MAX - 1) * 2) /* fully meshed, both IP versions */
#define MLR_FLOWS_MAX    1000000u                                  /* of one port */
#define MLR_SIZES_MAX    64
#define MLR_SCHEDULE_MAX 1024
#define MLR_SERVICES_MAX 16
#define MLR_ROUND_MAX    65536 /* frames of a queue's list of flows, with services */

/* --- what one queue sends ------------------------------------------------------------------------------------------- */

struct mlr_queue_plan {
	const struct mlr_frame_template *templates; /* a row of size_count a stream of the port */
	uint32_t template_count, size_count;
	const uint16_t *schedule; /* sizes, as columns of the templates */
	uint32_t schedule_length; /* at most MLR_SCHEDULE_MAX */
	const struct mlr_flow *flows;
	uint32_t flow_count;  /* entries of that list, at least 1 */
	uint32_t flow_most;   /* as often as one flow is in it, at most */
	uint32_t first, step; /* number of the queue, and queues of the port */
	const struct mlr_frame_template *extra;
	struct mlr_flow extra_flow;
	uint32_t extra_every;    /* 0: none */
	const uint8_t *payload;  /* of every frame, from octet MLR_HEADER_MAX_OCTETS on; zeros behind its end. NULL: zeros */
	uint32_t payload_octets; /* of `payload` */
};

/* Where a transmitter is in its plan. */
struct mlr_plan_cursor {
	uint32_t flow;           /* index of the next frame's flow */
	uint32_t first_sequence; /* of every flow */
	uint32_t round;          /* how often the list of flows was gone through */
	uint32_t slot;           /* the next frame's place in the schedule */
	uint32_t slot_step;      /* from one frame to the next, modulo the schedule's length */
	uint32_t until_extra;    /* frames before the next extra one */
};

static inline struct mlr_plan_cursor mlr_plan_start(const struct mlr_queue_plan *plan, uint32_t first_sequence)
{
	return (struct mlr_plan_cursor){
		.first_sequence = first_sequence,
		.slot = plan->first % plan->schedule_length,
		.slot_step = plan->step % plan->schedule_length,
		.until_extra = plan->extra_every,
	};
}

static inline const struct mlr_flow *mlr_plan_flow(const struct mlr_queue_plan *plan, const struct mlr_plan_cursor *cursor)
{
	return &plan->flows[cursor->flow];
}

static inline const struct mlr_frame_template *mlr_plan_template(const struct mlr_queue_plan *plan,
								 const struct mlr_plan_cursor *cursor)
{
	if (plan->template_count == 1)
		return plan->templates;
	return &plan->templates[mlr_plan_flow(plan, cursor)->stream * plan->size_count + plan->schedule[cursor->slot]];
}

/* The sequence number of the next frame. */
static inline uint32_t mlr_plan_sequence(const struct mlr_plan_cursor *cursor, const struct mlr_flow *flow)
{
	return cursor->first_sequence + cursor->round * (flow->more + 1u) + flow->place;
}

/* Whether an extra frame comes before the next one. */
static inline bool mlr_plan_extra_due(const struct mlr_queue_plan *plan, const struct mlr_plan_cursor *cursor)
{
	return plan->extra_every && !cursor->until_extra;
}

static inline void mlr_plan_take_extra(const struct mlr_queue_plan *plan, struct mlr_plan_cursor *cursor)
{
	cursor->until_extra = plan->extra_every;
}

/* Go on to the next frame. */
static inline void mlr_plan_take(const struct mlr_queue_plan *plan, struct mlr_plan_cursor *cursor)
{
	if (++cursor->flow == plan->flow_count) {
		cursor->flow = 0;
		cursor->round++;
	}
	if (plan->schedule_length > 1) {
		cursor->slot += cursor->slot_step;
		if (cursor->slot >= plan->schedule_length)
			cursor->slot -= plan->schedule_length;
	}
	cursor->until_extra--;
}

/* The longest frame of a plan, without FCS. */
unsigned int mlr_plan_memory_octets(const struct mlr_queue_plan *plan);

/* The queue's share of `count` frames of its port. */
uint64_t mlr_plan_share(const struct mlr_queue_plan *plan, uint64_t count);
/* The most frames that one flow gets of `count` frames of the queue: how many sequence numbers they use. */
uint64_t mlr_plan_sequences(const struct mlr_queue_plan *plan, uint64_t count);
/* How many of the first 0, 1, ... flow_count entries of the list are of a service: flow_count + 1 numbers. */
void mlr_plan_service_counts(const struct mlr_queue_plan *plan, unsigned int service, uint32_t *ret);

/* --- the profile ---------------------------------------------------------------------------------------------------- */

/* Frame sizes, FCS included, and the order in which they are sent, again and again. See mlr/imix.h. */
struct mlr_size_mix {
	uint16_t sizes_octets[MLR_SIZES_MAX];
	unsigned int size_count;
	uint16_t schedule[MLR_SCHEDULE_MAX]; /* indices of sizes_octets */
	unsigned int schedule_length;
};

/* What is its own of the frames of one of several services that are sent at once. */
struct mlr_service_frames {
	struct mlr_size_mix sizes;
	unsigned int vlan_count;
	struct mlr_vlan vlans[MLR_VLANS_MAX];
	uint8_t traffic_class;
	uint32_t weight; /* of so many frames of its port as the weights of all services add up to; at least 1 */
};

/* Weights for rates above 0 that are as good as their shares: the smallest of which none is off by more than a ten-thousandth of
 * its rate, else the best; they add up to about `most` at most, MLR_ROUND_MAX / 2 or less. The load at which no service is sent at
 * more than its rate; 0 where the rates are too far apart. */
double mlr_service_weights(const double *rates_fps, unsigned int count, uint32_t most, uint32_t *ret_weights);
/* The load at which none is sent at more than its rate by these weights above 0. */
double mlr_service_load(const double *rates_fps, const uint32_t *weights, unsigned int count);

/* The tester's addresses on a port. */
struct mlr_profile_port {
	uint8_t mac[MLR_MAC_OCTETS];
	uint32_t address; /* IPv4, host order */
	uint8_t address6[MLR_ADDRESS6_OCTETS];
};

/* A field that differs from flow to flow, and how: `count` values, `step` apart. 0 or 1: it does not. */
enum mlr_field {
	MLR_SOURCE_ADDRESS,
	MLR_DESTINATION_ADDRESS,
	MLR_SOURCE_PORT,
	MLR_DESTINATION_PORT,
	MLR_FIELD_COUNT,
};
extern const char *const mlr_field_names[MLR_FIELD_COUNT]; /* "src-address" ... */
struct mlr_range {
	uint32_t count, step;
};

/* The ports that RFC 4814 section 4.5 has flows vary over; a range that reaches the end goes on at the beginning. */
#define MLR_SOURCE_PORT_LEAST      1024
#define MLR_SOURCE_PORT_COUNT      64512
#define MLR_DESTINATION_PORT_LEAST 1
#define MLR_DESTINATION_PORT_COUNT 49151

/* What one port sends to another in one IP version. */
struct mlr_stream {
	unsigned int from, to;
	unsigned int ip_version;
	unsigned int service; /* 0 where there are none */
	uint8_t destination_mac[MLR_MAC_OCTETS];
	uint32_t first_flow; /* its wire ids: first_flow to first_flow + flow_count - 1; set by mlr_profile_number() */
	uint32_t flow_count;
};

struct mlr_profile {
	struct mlr_size_mix sizes;
	unsigned int vlan_count;
	struct mlr_vlan vlans[MLR_VLANS_MAX];
	uint8_t traffic_class; /* 0: that of `like` */
	/* Services that are sent at once, each by streams of its own; they say what sizes, VLAN tags and traffic class frames
	 * have. 0: those above */
	unsigned int service_count;
	const struct mlr_service_frames *services;
	unsigned int port_count;
	struct mlr_profile_port ports[MLR_PORTS_MAX];
	unsigned int stream_count;
	struct mlr_stream streams[MLR_STREAMS_MAX];
	uint32_t flow_count;                    /* of each transmitting port, over all its streams; at most MLR_FLOWS_MAX */
	uint16_t source_port, destination_port; /* of the first flow */
	/* Flow number j of a stream is number j of all combinations of the fields' values, the first field changing fastest;
	 * or, where `random`, number p(j), p being a permutation that the seed chooses: all flows of a stream differ. */
	struct mlr_range ranges[MLR_FIELD_COUNT];
	bool random;
	uint64_t seed;
	const struct mlr_frame_spec *like; /* what frames look like but for sizes, addresses and VLAN tags; NULL: plain */
	uint32_t broadcast_every;          /* RFC 2544, 11.1: one broadcast frame after so many frames of a queue; 0: none */
};

/* Value number k of a field that is a UDP port (MLR_SOURCE_PORT or MLR_DESTINATION_PORT); number 0 is the first flow's. */
uint16_t mlr_profile_udp_port(const struct mlr_profile *profile, enum mlr_field field, uint32_t k);

/* How many flows the ranges can tell apart; at most 2^62, else 0. */
uint64_t mlr_ranges_combinations(const struct mlr_range ranges[MLR_FIELD_COUNT]);

/* The smallest frame that all streams can carry, FCS included. */
unsigned int mlr_profile_least_octets(const struct mlr_profile *profile);

/* How many streams a port sends. */
unsigned int mlr_profile_streams_from(const struct mlr_profile *profile, unsigned int port);
/* How many ports send: the factor between the load of one interface and that of all (4.5.2). */
unsigned int mlr_profile_transmitters(const struct mlr_profile *profile);

/* Sort the streams by the port that receives them, and by service, and give each its wire ids. To be called once all are there. 0, or
 * -EINVAL where a port has more streams than flows, a stream more flows than combinations (unless nothing varies), or
 * something is out of range. */
int mlr_profile_number(struct mlr_profile *profile);

/* The wire ids of all that a port receives; *ret_flow_count is 0 where that is nothing. */
void mlr_profile_receives(const struct mlr_profile *profile, unsigned int port, uint32_t *ret_first_flow,
			  uint32_t *ret_flow_count);

/* The id behind the last one of a service in that range, where the next service begins. */
uint32_t mlr_profile_service_end(const struct mlr_profile *profile, unsigned int port, unsigned int service);

/* The sizes of a stream's frames. */
const struct mlr_size_mix *mlr_profile_sizes(const struct mlr_profile *profile, const struct mlr_stream *stream);

/* The frame of a stream in a size, as mlr_queue_plan_new() has it. */
struct mlr_frame_spec mlr_profile_frame(const struct mlr_profile *profile, const struct mlr_stream *stream,
					unsigned int size_octets);

/* The length that UDP says in that frame, its header included; 0 where the frame does not hold the tag. */
unsigned int mlr_profile_udp_octets(const struct mlr_profile *profile, const struct mlr_stream *stream,
				    unsigned int size_octets);

/* The plan of one of `queue_count` transmit queues of a port, of a profile that was numbered. 0, -EINVAL (no stream, a queue
 * without a flow, a size that does not hold the tag), -E2BIG (services, flows and sizes do not meet again within
 * MLR_ROUND_MAX frames) or -ENOMEM. The caller frees it by mlr_queue_plan_free. */
int mlr_queue_plan_new(const struct mlr_profile *profile, unsigned int port, uint32_t queue, uint32_t queue_count,
		       struct mlr_queue_plan **ret);
void mlr_queue_plan_free(struct mlr_queue_plan *plan);

#endif
