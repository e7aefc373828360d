/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Traffic Profile (4.5.4) says which frames a run sends, and a queue plan says which of them one transmit queue sends
 * when. The caller owns the profile; a plan owns its templates, flows and schedule. A profile is filled in, numbered once by
 * mlr_profile_number(), and then read; a plan lives from mlr_queue_plan_new() to mlr_queue_plan_free().
 *
 * A profile says which port sends to which port in which IP version (streams), in which sizes, and in how many flows. The
 * flows of a port are numbered 0 to flow_count - 1 and are dealt out to its streams in turn. On the wire a flow carries an
 * id. Ids are given stream by stream, in the order of the receiving ports. So each port receives one contiguous range.
 *
 * Frame i (0, 1, ...) of a queue is frame g = first + i * step of its port, and everything about it follows from these two
 * numbers:
 *
 *	due        at start + g / load                                   (mlr/pacer.h)
 *	flow       flows[i % flow_count]
 *	sequence   first_sequence + i / flow_count                       in its flow
 *	template   templates[flow->stream * size_count + schedule[g % schedule_length]]
 *
 * Several services (Y.1564) are sent at once by a longer list. A flow stands in `flows` as often as the rate of its service
 * asks for. So the rates relate to one another as the counts in the list, and services are interleaved as evenly as
 * possible. Each entry has the template that is due there, and says which of the flow's numbers of a round it is. The
 * sequence is then first_sequence + i / flow_count * (flow->more + 1) + flow->place, which without services is the same as
 * above.
 *
 * So a transmitter keeps no state for a flow, even with a million flows. After every `extra_every` frames of the queue one
 * frame of `extra` is sent. It carries the flow MLR_FLOW_EXTRA and is no part of what a trial intends, sends or receives.
 */
#ifndef MLR_PROFILE_H
#define MLR_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "mlr/frame.h"
#include "mlr/payload.h"

#define MLR_PORTS_MAX    8
#define MLR_STREAMS_MAX  (MLR_PORTS_MAX * (MLR_PORTS_MAX - 1) * 2) /* fully meshed, both IP versions */
#define MLR_FLOWS_MAX    1000000u                                  /* most flows of one port */
#define MLR_SIZES_MAX    64
#define MLR_SCHEDULE_MAX 1024
#define MLR_SERVICES_MAX 16
#define MLR_ROUND_MAX    65536 /* frames in a queue's list of flows, with services */

/* --- what one queue sends ------------------------------------------------------------------------------------------- */

struct mlr_queue_plan {
	const struct mlr_frame_template *templates; /* rows of size_count templates, a row for each stream of the port */
	uint32_t template_count, size_count;
	const uint16_t *schedule; /* indices of sizes, which are columns of the templates */
	uint32_t schedule_length; /* number of entries of the schedule, at most MLR_SCHEDULE_MAX */
	const struct mlr_flow *flows;
	uint32_t flow_count;  /* entries of the list `flows`, at least 1 */
	uint32_t flow_most;   /* most entries of one flow in the list */
	uint32_t first, step; /* the number of this queue, and how many queues the port has */
	const struct mlr_frame_template *extra;
	struct mlr_flow extra_flow;
	uint32_t extra_every; /* frames between two extra ones; 0: no extra frames */
	const uint8_t
		*payload; /* the octets of every frame from MLR_HEADER_MAX_OCTETS on; zeros behind its end. NULL: zeros */
	uint32_t payload_octets; /* the length of `payload` */
};

/* The place of a transmitter in its plan. */
struct mlr_plan_cursor {
	uint32_t flow;           /* the index of the next frame's flow */
	uint32_t first_sequence; /* the first sequence number of every flow */
	uint32_t round;          /* how many times the list of flows was completed */
	uint32_t slot;           /* the next frame's place in the schedule */
	uint32_t slot_step;      /* the step from one frame to the next in the schedule, modulo its length */
	uint64_t until_extra;    /* frames before the next extra one; UINT64_MAX: there is none */
};

static inline struct mlr_plan_cursor mlr_plan_start(const struct mlr_queue_plan *plan, uint32_t first_sequence)
{
	return (struct mlr_plan_cursor){
		.first_sequence = first_sequence,
		.slot = plan->first % plan->schedule_length,
		.slot_step = plan->step % plan->schedule_length,
		.until_extra = plan->extra_every ? plan->extra_every : UINT64_MAX,
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

/* Return the sequence number of the next frame. */
static inline uint32_t mlr_plan_sequence(const struct mlr_plan_cursor *cursor, const struct mlr_flow *flow)
{
	return cursor->first_sequence + cursor->round * (flow->more + 1u) + flow->place;
}

/* Whether an extra frame comes before the next one. */
static inline bool mlr_plan_extra_due(const struct mlr_plan_cursor *cursor)
{
	return !cursor->until_extra;
}

static inline void mlr_plan_take_extra(const struct mlr_queue_plan *plan, struct mlr_plan_cursor *cursor)
{
	cursor->until_extra = plan->extra_every;
}

/* Move to the next frame. */
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

/* Return the length of the longest frame of a plan, without FCS. */
unsigned int mlr_plan_memory_octets(const struct mlr_queue_plan *plan);

/* Return how many of `count` frames of the port are sent by this queue. */
uint64_t mlr_plan_share(const struct mlr_queue_plan *plan, uint64_t count);
/* Return how many of `count` frames of the queue one flow gets at most, which is how many sequence numbers they use. */
uint64_t mlr_plan_sequences(const struct mlr_queue_plan *plan, uint64_t count);
/* Count the entries of the list whose flows have wire ids from first_flow up to, but without, end_flow. The k-th of
 * flow_count + 1 results is the count among the first k entries, k = 0, 1, ... flow_count. */
void mlr_plan_flow_counts(const struct mlr_queue_plan *plan, uint32_t first_flow, uint32_t end_flow, uint32_t *ret);

/* --- the profile ---------------------------------------------------------------------------------------------------- */

/* Frame sizes, FCS included, and the repeating order in which they are sent. See mlr/imix.h. */
struct mlr_size_mix {
	uint16_t sizes_octets[MLR_SIZES_MAX];
	unsigned int size_count;
	uint16_t schedule[MLR_SCHEDULE_MAX]; /* indices into sizes_octets */
	unsigned int schedule_length;
};

/* What the frames of one service have of their own, where several services are sent at once. */
struct mlr_service_frames {
	struct mlr_size_mix sizes;
	unsigned int vlan_count;
	struct mlr_vlan vlans[MLR_VLANS_MAX];
	uint8_t traffic_class;
	uint32_t weight; /* how many frames it sends of so many as all weights add up to; at least 1 */
};

/* Find integer weights that stand for the shares of rates above 0. They are the smallest of which none is off by more than a
 * ten-thousandth of its rate, or else the best ones. They add up to about `most` at most, which is MLR_ROUND_MAX / 2 or
 * less. Returns the load at which no service is sent at more than its rate, or 0 if the rates are too far apart. */
double mlr_service_weights(const double *rates_fps, unsigned int count, uint32_t most, uint32_t *ret_weights);
/* Return the load at which no service is sent at more than its rate, for these weights above 0. */
double mlr_service_load(const double *rates_fps, const uint32_t *weights, unsigned int count);

/* The tester's addresses on a port. */
struct mlr_profile_port {
	uint8_t mac[MLR_MAC_OCTETS];
	uint32_t address; /* an IPv4 address in host order */
	uint8_t address6[MLR_ADDRESS6_OCTETS];
};

/* A field that may differ from flow to flow. It takes `count` values that are `step` apart. A count of 0 or 1 means that it
 * does not differ. */
enum mlr_field {
	MLR_SOURCE_ADDRESS,
	MLR_DESTINATION_ADDRESS,
	MLR_SOURCE_PORT,
	MLR_DESTINATION_PORT,
	MLR_FIELD_COUNT,
};
extern const char *const mlr_field_names[MLR_FIELD_COUNT]; /* "src-address" and so on */
struct mlr_range {
	uint32_t count, step;
};

/* The ports over which RFC 4814 section 4.5 lets flows vary. A range that reaches the end continues at the beginning. */
#define MLR_SOURCE_PORT_LEAST      1024
#define MLR_SOURCE_PORT_COUNT      64512
#define MLR_DESTINATION_PORT_LEAST 1
#define MLR_DESTINATION_PORT_COUNT 49151

/* What one port sends to another in one IP version. */
struct mlr_stream {
	unsigned int from, to;
	unsigned int ip_version;
	unsigned int service; /* the index of its service; 0 without services */
	uint8_t destination_mac[MLR_MAC_OCTETS];
	uint32_t
		first_flow; /* it has the wire ids first_flow to first_flow + flow_count - 1; mlr_profile_number() sets them */
	uint32_t flow_count;
};

struct mlr_profile {
	struct mlr_size_mix sizes;
	unsigned int vlan_count;
	struct mlr_vlan vlans[MLR_VLANS_MAX];
	uint8_t traffic_class; /* 0: the traffic class of `like` */
	/* Services that are sent at once, each by streams of its own. They say which sizes, VLAN tags and traffic class the
	 * frames have. With a count of 0 the members above say it. */
	unsigned int service_count;
	const struct mlr_service_frames *services;
	unsigned int port_count;
	struct mlr_profile_port ports[MLR_PORTS_MAX];
	unsigned int stream_count;
	struct mlr_stream streams[MLR_STREAMS_MAX];
	uint32_t flow_count; /* flows of each transmitting port, over all its streams; at most MLR_FLOWS_MAX */
	uint16_t source_port, destination_port; /* the ports of the first flow */
	/* Flow number j of a stream has combination number j of the fields' values, and the first field changes fastest. If
	 * `random`, it has combination number p(j), where p is a permutation that the seed chooses. All flows of a stream
	 * differ. */
	struct mlr_range ranges[MLR_FIELD_COUNT];
	bool random;
	uint64_t seed;
	const struct mlr_frame_spec *like; /* what frames look like apart from sizes, addresses and VLAN tags; NULL: plain */
	enum mlr_payload payload;          /* zeros: the payload of `like` */
	uint8_t pattern[MLR_FRAME_MAX_OCTETS]; /* for any other payload: the octets behind the tag, by place */
	struct mlr_signature_key key;          /* key of signatures; without a key no frame is signed */
	uint32_t
		broadcast_every; /* RFC 2544, 11.1: one broadcast frame after so many frames of a queue; 0: no broadcast frames */
};

/* Return value number k of a field that is a UDP port (MLR_SOURCE_PORT or MLR_DESTINATION_PORT). Number 0 is the value of
 * the first flow. */
uint16_t mlr_profile_udp_port(const struct mlr_profile *profile, enum mlr_field field, uint32_t k);

/* Return how many flows the ranges can tell apart. It is at most 2^62, or else 0. */
uint64_t mlr_ranges_combinations(const struct mlr_range ranges[MLR_FIELD_COUNT]);

/* Return the size of the smallest frame that all streams can carry, FCS included. */
unsigned int mlr_profile_least_octets(const struct mlr_profile *profile);

/* Return how many streams a port sends. */
unsigned int mlr_profile_streams_from(const struct mlr_profile *profile, unsigned int port);
/* Return how many ports send. It is the factor between the load of one interface and that of all (4.5.2). */
unsigned int mlr_profile_transmitters(const struct mlr_profile *profile);

/* Sort the streams by receiving port and by service, and give each of them its wire ids. Call it once, when all streams are
 * there. Returns 0, or -EINVAL if something is out of range, or a port has more streams than flows. It also returns -EINVAL
 * if a stream has more flows than combinations, unless nothing varies. */
int mlr_profile_number(struct mlr_profile *profile);

/* Return the range of wire ids that a port receives. *ret_flow_count is 0 if it receives nothing. */
void mlr_profile_receives(const struct mlr_profile *profile, unsigned int port, uint32_t *ret_first_flow,
			  uint32_t *ret_flow_count);

/* Return the first id behind those of a service in that range. The next service begins there. */
uint32_t mlr_profile_service_end(const struct mlr_profile *profile, unsigned int port, unsigned int service);

/* Return a flow of a stream by its number, from 0 on: its wire id, addresses and ports. */
struct mlr_flow mlr_profile_flow(const struct mlr_profile *profile, const struct mlr_stream *stream, uint32_t number);

/* Return the sizes of a stream's frames. */
const struct mlr_size_mix *mlr_profile_sizes(const struct mlr_profile *profile, const struct mlr_stream *stream);

/* Return the frame of a stream in one size, as mlr_queue_plan_new() uses it. */
struct mlr_frame_spec mlr_profile_frame(const struct mlr_profile *profile, const struct mlr_stream *stream,
					unsigned int size_octets);

/* Return the length field of UDP in that frame, UDP header included, or 0 if the frame does not hold the tag. */
unsigned int mlr_profile_udp_octets(const struct mlr_profile *profile, const struct mlr_stream *stream,
				    unsigned int size_octets);

/* Return the size from which on all frames of the profile are signed, FCS included. 0: none are, or not all. */
unsigned int mlr_profile_signed_octets(const struct mlr_profile *profile);

/* Return the digest of the payload of that frame, which its signature is made of, or 0 if it is not signed. */
uint64_t mlr_profile_digest(const struct mlr_profile *profile, const struct mlr_stream *stream, unsigned int size_octets);

/* Make the plan of one of `queue_count` transmit queues of a port. The profile must be numbered. Returns 0 or -ENOMEM.
 * Returns -EINVAL if there is no stream, a queue has no flow, or a size does not hold the tag. Returns -E2BIG if services,
 * flows and sizes do not repeat within MLR_ROUND_MAX frames. The caller frees it by mlr_queue_plan_free(). */
int mlr_queue_plan_new(const struct mlr_profile *profile, unsigned int port, uint32_t queue, uint32_t queue_count,
		       struct mlr_queue_plan **ret);
/* Give the frames of a plan the destination MAC addresses that the profile has now; nothing else of it may have changed. */
void mlr_queue_plan_readdress(struct mlr_queue_plan *plan, const struct mlr_profile *profile, unsigned int port);
void mlr_queue_plan_free(struct mlr_queue_plan *plan);

#endif
