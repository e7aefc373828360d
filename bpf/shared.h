/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What the XDP programs and user space share: the values of maps (fixed-size integers only), and a section's name. */
#pragma once

#include <stdint.h>

#include "bpf/pace.h"
#include "mlr/change.h"
#include "mlr/histogram.h"
#include "mlr/pacer.h"
#include "mlr/profile.h"
#include "mlr/signature.h"
#include "mlr/tag.h"

/* The section of programs that are loaded for one device: user/dataplane/bound_program.h. */
#define BOUND_SECTION "mlr.bound"

/* What a receiver counted since it was attached; one a CPU. Never reset: two snapshots are subtracted. mlr/counters.def says what each
 * counter is. */
struct rx_counters {
#define RX_COUNTER(name, figure, kind, known, meaning) uint64_t name;
#define RX_INTERNAL(name, kind, meaning)               uint64_t name;
#include "mlr/counters.def"
};

#define RX_COUNTER_FIELDS (sizeof(struct rx_counters) / sizeof(uint64_t))

/* What a counter counts, a bit each: frames of the trial, or frames beside it, each in one such counter; or something about those. */
enum rx_kind { RX_OURS = 1 << 0, RX_BESIDE = 1 << 1, RX_PART = 1 << 2 };

#define RX_WINDOW_USUAL  65536 /* sequence numbers that a flow remembers, unless more are wanted or there are many flows */
#define RX_DEPTH_BUCKETS 32    /* powers of two: depths 1, 2 to 3, 4 to 7, ... */
#define RX_TRIAL_NUMBERS 65536 /* that a tag can have */
#define RX_TRIAL_WORDS   (RX_TRIAL_NUMBERS / 64) /* with a bit each */

#define RX_BASES 2    /* that latencies can be counted from, one after the other */
#define RX_EXACT 1024 /* latencies below a base, or before there is one, that make a new base */

/*
 * Latencies by how far they are above a base, so that their variation is known to 0.2 % of itself however long they are. The first
 * RX_EXACT latencies are kept as they are; the smallest of them all is the first base. So are as many that are below that base: the
 * smallest is the next one. What comes below the last base goes by itself, into the buckets of `latency`. Zeros are no latency.
 */
struct rx_relative {
	uint64_t inverted_base_ns; /* ~base of now; 0: there is none, all is below */
	uint64_t offset;           /* of its buckets */
	uint64_t bases_ns[RX_BASES];
	uint64_t exact_count; /* of all bases; at most RX_BASES * RX_EXACT */
	uint64_t exact_ns[RX_BASES * RX_EXACT];
	uint64_t buckets[RX_BASES * MLR_HISTOGRAM_BUCKETS];
};

/* What cannot be subtracted, of one trial on one CPU. Memory full of zeros is a trial without a frame. */
struct rx_trial {
	struct mlr_histogram latency; /* its buckets have what is not in `relative` */
	uint64_t reorder_depth_max;
	uint64_t gap_max;      /* numbers skipped at once */
	uint64_t lateness_max; /* of frames with a latency, as tags have it */
	uint64_t reorder_depths[RX_DEPTH_BUCKETS];
	struct mlr_histogram variation; /* from each frame's latency to that of the next of its flow, without its sign */
	struct rx_relative relative;
};

/* Of one trial on one CPU: the frames that were due in one interval of the trial's schedule, whenever they arrived. */
struct rx_interval {
	uint64_t received;
	uint64_t timed; /* of those: their latency is known, and not negative */
	uint64_t latency_sum_ns, latency_max_ns;
	uint64_t latency_inverted_min_ns; /* so that zeros are none */
};

#define RX_INTERVALS_MAX 1000

/* Of the accepted trial on one CPU: what came of one of several services (mlr/profile.h). */
struct rx_service {
	uint64_t received;
	struct mlr_histogram latency;
};

/* Of the accepted trial, over CPUs: what came of one flow (--per-flow). */
struct rx_flow_figures {
	uint64_t received, duplicate, reordered;
	uint64_t timed; /* of those received: their latency is known, and not negative */
	uint64_t latency_sum_ns, latency_max_ns;
};

/* Why a frame that came in a trial is none that it sent, or not as it was sent. */
enum rx_wrong {
	RX_FOREIGN,
	RX_WRONG_CHECKSUM,
	RX_WRONG_HEADER,
	RX_WRONG_LENGTHS,
	RX_WRONG_NUMBER,
	RX_NOT_SENT_SO_LONG,
	RX_WRONG_PORT,
	RX_FRAGMENT,
	RX_MORE_TAGS,
	RX_UNKNOWN_TRIAL,
	RX_ICMP_ERROR,
	RX_WRONG_SIGNATURE,
	RX_WRONG_PAYLOAD,
	RX_WRONG_COUNT,
};

/* Such a frame itself, or its beginning. */
#define RX_CAPTURED_OCTETS 2048

struct rx_captured {
	uint64_t arrival_ns; /* CLOCK_MONOTONIC */
	uint32_t octets;     /* of the frame, without FCS; 0: nothing is here */
	uint32_t why;
	uint8_t frame[RX_CAPTURED_OCTETS];
};

/* Lengths that frames may have, as UDP says them: a bit each. */
#define RX_LENGTH_WORDS 256
#define RX_LENGTHS_MAX  (RX_LENGTH_WORDS * 64)

/* An ICMP error, or ICMPv6, about frames of the tester: one a sender, type and code, with the first frame that it was about. The numbers
 * are those of the RFCs, the addresses in network byte order; those of IPv4 are in the first four octets. */
#define RX_ICMP_ERRORS 64
#define RX_NO_FLOW     UINT32_MAX

enum rx_icmp_state { RX_ICMP_FREE, RX_ICMP_TAKEN, RX_ICMP_READY };

struct rx_icmp_error {
	uint32_t state;
	uint8_t ip_version, type, code, reserved;
	uint32_t from[4];
	uint32_t about[4];    /* where that frame was to go */
	uint32_t flow;        /* of it; RX_NO_FLOW: the quote is too short to tell, or it was sent beside the load */
	uint32_t mtu_octets;  /* that the error told; 0: none */
	uint64_t frames;      /* that said so */
	uint64_t other_flows; /* of those: about another flow */
};

/* A trial goes into the slot of its number's lowest bit, so that the other can be cleared meanwhile. */
#define RX_TRIAL_SLOTS 2

#define RX_CPU_INTERVALS (RX_TRIAL_SLOTS * RX_INTERVALS_MAX) /* that one CPU has in the map `intervals`, slot by slot */

/* The IP and UDP header of a frame, as far as a SUT may change them: words as they are in it. */
struct rx_header {
	uint64_t addresses; /* of IPv4, the source first; of IPv6 RX_FOLD_ADDRESSES() of four such words */
	uint32_t ports;
	uint32_t class_and_limit; /* the octets of traffic class and TTL, where they are in the header */
};

/* Any word that differs makes another number. */
#define RX_FOLD_ADDRESSES(words) ((words)[0] + 3 * (words)[1] + 5 * (words)[2] + 7 * (words)[3])

/* What the frames of a flow are sent with. */
struct rx_sent {
	uint64_t addresses; /* as above */
	uint32_t ports;
	uint8_t traffic_class, hop_limit, vlan_count, reserved;
	uint16_t vlans[MLR_VLANS_MAX]; /* priority and VID of tags, the outer one first */
};

/* What the words of a payload came to, of 8 octets each. */
struct rx_summed {
	uint64_t sum, upper; /* of the words, and of their upper halves alone */
	struct mlr_digest_sums digest;
	uint32_t words; /* that were summed up; zeros fill the last block */
};

/* Digests of the payloads of frames of one length; 0: none. Frames of one length differ where their headers do. */
#define RX_DIGESTS_MAX 4

struct rx_digests {
	uint64_t of[RX_DIGESTS_MAX];
};

/* All that one CPU writes; on cache lines of its own. */
struct rx_cpu {
	struct rx_counters counters;
	struct rx_header header; /* of a frame, while it is compared */
	struct rx_summed summed;
	uint64_t scratch[16]; /* of a frame, while it is verified; or of what ICMP says of one */
	struct rx_trial trials[RX_TRIAL_SLOTS];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct mlr_histogram) == 32 + 8 * MLR_HISTOGRAM_BUCKETS, "layout shared with BPF");

/* The EtherType of the one frame that finds out whether a port takes live frames: a local experimental one (IEEE 802), which no SUT
 * takes for a frame of the load. */
#define LIVE_TRIAL_TYPE 0x88b5

/*
 * One queue of the live-frames transmitter. User space sets the first part before a trial, the program works on it; both are
 * never there at once. Times are ns of CLOCK_MONOTONIC; a fraction is in units of 2^-64 ns.
 */
struct live_queue {
	struct mlr_queue_plan plan; /* its pointers are not used: templates and flows are in maps */
	struct mlr_plan_cursor cursor;
	struct tx_pace pace;
	uint64_t due_ns, due_fraction; /* when the next frame is planned, by a schedule that does not move */
	uint64_t sent;                 /* frames of the plan that departed */
	uint64_t moved_ns;             /* how far the schedule had moved before the last of them */
	uint64_t interval_ns, interval_fraction;
	uint64_t left; /* frames to go */
	uint64_t deadline_ns;
	uint64_t tag_offset_ns; /* to add to CLOCK_MONOTONIC for the clock that tags are in, modulo 2^64 */
	uint32_t batch;         /* runs between two flushes; with 1 the program waits for a frame's moment */
	uint32_t memory_octets; /* of the longest frame, which every run starts with */
	uint16_t trial;
	uint16_t unpaced;        /* frames are due as fast as they can go */
	uint16_t mixed;          /* the longest header, where templates have some of different length; else 0 */
	uint16_t is_trial_frame; /* send it as LIVE_TRIAL_TYPE */

	uint32_t run;    /* in the batch */
	uint32_t cpu;    /* that runs it */
	uint64_t handed; /* frames redirected to the port, extra ones included */
	uint64_t extra;
	/* the next three while note_xmit and note_error are attached: */
	uint64_t failed;    /* of those handed, not taken by the port, for want of a link or a driver that can */
	uint64_t refused;   /* of those handed, dropped by the driver */
	uint64_t in_flight; /* redirected, and not flushed */
	uint64_t now_ns;    /* at the last look at the clock that found a frame due */
	uint64_t burst_start_ns, burst;
	int64_t error;             /* of the last frame that failed or was refused */
	struct mlr_histogram gaps; /* between the departures of batches; those in a batch are 0 and not in it */
};

/*
 * The policer of the lab: a queue in front of a server of constant rate (GCRA), guarded by a spin lock. A frame is dropped if
 * the work that is queued when it comes is above `burst`. Where that is N intervals, at most N frames wait, behind the one
 * that is served. Times are 48.16 fixed point.
 */
struct policer_config {
	uint64_t interval_q16_ns; /* that the server takes for a frame */
	uint64_t burst_q16_ns;    /* how much work may be queued when a frame comes */
	uint32_t control;         /* of the outer VLAN tag of those frames that it is about, */
	uint32_t control_mask;    /* as far as it matters; 0: all frames */
	uint32_t wall_clock;      /* a frame comes when it arrives; 0: at the intended departure in its tag */
	uint32_t any_udp;         /* also frames of other generators, by the wall clock */
	uint32_t reserved;
};

/* What a policer did in one direction since it was attached, to the test frames that it is about. Never reset. */
struct policer_counts {
	uint64_t passed;           /* handed to the other port */
	uint64_t dropped;          /* because the queue was full */
	uint64_t queue_max_frames; /* that waited at once, without the one that was served */
};

/*
 * The stretch SUT of the lab: its loss ratio over the load, as a table of STRETCH_STEPS equal steps from `low` on, which
 * ends where the loss rate is all of the load above critical. Loads in thousandths of a frame/s.
 */
#define STRETCH_STEPS 4096

struct stretch_config {
	uint64_t low_mfps;
	uint64_t step_mfps;
	uint64_t critical_mfps;
	uint64_t seed;
	uint64_t loss_ratio_q64[STRETCH_STEPS + 1]; /* 0.64 fixed point */
};

/* What the delay SUT puts in front of a frame: when it came. */
struct delay_metadata {
	uint64_t arrival_ns; /* CLOCK_MONOTONIC */
};

_Static_assert(sizeof(struct delay_metadata) % 4 == 0, "XDP metadata comes in words of 4 octets");
