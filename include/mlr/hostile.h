/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header makes the frames of a hostile wire: wrong lengths, runts, VLAN stacks, extension headers, options, fragments,
 * forged tags, and random octets. The caller owns all memory. Nothing is kept: frame n follows from the seed and n alone.
 *
 * With each frame comes the count in which a receiver has to put it. So whoever sends these frames beside a trial knows what
 * the counts of that trial must be.
 *
 * No frame can change a switch, a host or a router between the ports. Its MAC addresses are those of the trial's frames. It is
 * no ARP, neighbour discovery, IGMP, MLD, pause frame, or LLDP. What a receiver passes on to its kernel has the loopback
 * address as its destination, if it has one, so no kernel forwards or answers it.
 */
#ifndef MLR_HOSTILE_H
#define MLR_HOSTILE_H

#include <stdbool.h>
#include <stdint.h>

#include "mlr/profile.h"

/* The counts in which frames may end. Their names are those of mlr/counters.def. */
#define MLR_HOSTILE_COUNTS(X)                                                                                               \
	X(foreign)                                                                                                          \
	X(late)                                                                                                             \
	X(unknown_trial)                                                                                                    \
	X(icmp_errors)                                                                                                      \
	X(malformed)                                                                                                        \
	X(fragmented)                                                                                                       \
	X(overtagged)                                                                                                       \
	X(wrong_length)                                                                                                     \
	X(damaged)                                                                                                          \
	X(wrong_signature)                                                                                                  \
	X(changed_payload)

enum mlr_hostile_count {
#define X(name) MLR_HOSTILE_##name,
	MLR_HOSTILE_COUNTS(X)
#undef X
		MLR_HOSTILE_COUNT_COUNT,
	MLR_HOSTILE_NONE = MLR_HOSTILE_COUNT_COUNT, /* there is no such frame */
};

#define MLR_HOSTILE_KINDS     42 /* kinds of frames */
#define MLR_HOSTILE_FIRST     2  /* The first frames are what a receiver knows later fragments by. They go ahead. */
#define MLR_HOSTILE_SIZE_MOST (MLR_FRAME_MAX_OCTETS + 4 * 20) /* room for any frame */

/* A trial beside which hostile frames are sent. */
struct mlr_hostile {
	const struct mlr_profile *profile; /* It is numbered, and signed, and has neither VLAN tags nor tunnels. */
	const struct mlr_stream *stream;   /* one of its streams, whose frames are forged */
	uint16_t trial;                    /* number of the trial */
	uint16_t earlier_trial;            /* number of a trial before */
	uint16_t unknown_trial;            /* a number that no trial of this run has */
	uint32_t first_sequence;           /* sequence numbers of a flow in the trial */
	uint32_t sequence_count;           /* at least 1 */
	unsigned int most_octets;          /* longest frame that the port sends, without FCS */
	bool takes_tag, takes_outer_tag;   /* The receiving port takes a first VLAN tag of 802.1Q off, or one of 802.1ad. */
	uint64_t seed;
};

/* What frame number n is. */
struct mlr_hostile_frame {
	unsigned int kind; /* below MLR_HOSTILE_KINDS */
	enum mlr_hostile_count count;
	unsigned int octets; /* without FCS */
};

/* Write frame number n. `frame` starts at an even address and has room for MLR_HOSTILE_SIZE_MOST octets. The kinds take turns.
 * Returns false if this kind does not fit here: frames are too short to have a payload, or too long to add something. */
bool mlr_hostile_write(const struct mlr_hostile *hostile, uint64_t n, uint8_t *frame, struct mlr_hostile_frame *ret);

/* Write a frame of the kind "vlan-stack" behind three tags, the first one of 802.1Q, or if `is_outer` of 802.1ad. A receiver counts it as
 * overtagged, or under another name if the port takes the first tag off. So whoever sends it can tell whether the port does. */
bool mlr_hostile_write_tags(const struct mlr_hostile *hostile, bool is_outer, uint8_t *frame, struct mlr_hostile_frame *ret);

/* Return the name of a kind, for users: "ip-length". */
const char *mlr_hostile_kind_name(unsigned int kind);

/* Return the name of a count. */
const char *mlr_hostile_count_name(enum mlr_hostile_count count);

#endif
