/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* This header has what the XDP programs and user space share: the values of maps (fixed-size integers only), and a section's
 * name. The maps own the values, and live as long as the program is loaded. */
#pragma once

#include <stdint.h>

#include "bpf/pace.h"
#include "mlr/change.h"
#include "mlr/histogram.h"
#include "mlr/pacer.h"
#include "mlr/profile.h"
#include "mlr/signature.h"
#include "mlr/tag.h"

/* The section of programs that are loaded for one device (user/dataplane/bound_program.h). */
#define BOUND_SECTION "mlr.bound"

/* The counts of a receiver on one CPU, since it was attached. They are never reset: two snapshots are subtracted.
 * mlr/counters.def describes each counter. */
struct rx_counters {
#define RX_COUNTER(name, figure, kind, known, meaning) uint64_t name;
#define RX_INTERNAL(name, kind, meaning)               uint64_t name;
#include "mlr/counters.def"
};

#define RX_COUNTER_FIELDS (sizeof(struct rx_counters) / sizeof(uint64_t))

/* The kind of a counter, a bit each. Some count frames of the trial or frames beside it, so that each frame is in one of
 * them. The others count a property of such frames. */
enum rx_kind { RX_OURS = 1 << 0, RX_BESIDE = 1 << 1, RX_PART = 1 << 2 };

#define RX_WINDOW_USUAL  65536                   /* sequence numbers that a flow remembers by default */
#define RX_DEPTH_BUCKETS 32                      /* depths by powers of two: 1, 2 to 3, 4 to 7, ... */
#define RX_TRIAL_NUMBERS 65536                   /* trials that a tag can name */
#define RX_TRIAL_WORDS   (RX_TRIAL_NUMBERS / 64) /* trials, a bit each */

#define RX_BASES 2    /* bases from which latencies can be counted, one after the other */
#define RX_EXACT 1024 /* a new base is made of so many latencies below the last one */

/*
 * Latencies, counted by how far they are above a base. So their variation is known to 0.2 % of itself however long they are.
 * The first RX_EXACT latencies are kept as they are, and the smallest of them becomes the first base. Then as many that are
 * below that base are kept, and the smallest becomes the next base. Latencies below the last base go into the buckets of
 * `latency` instead. Zeros are no latency.
 */
struct rx_relative {
	uint64_t inverted_base_ns; /* the current base, inverted; 0: there is none, all is below */
	uint64_t offset;           /* place of its buckets in `buckets` */
	uint64_t bases_ns[RX_BASES];
	uint64_t exact_count; /* number of exact latencies of all bases; at most RX_BASES * RX_EXACT */
	uint64_t exact_ns[RX_BASES * RX_EXACT];
	uint64_t buckets[RX_BASES * MLR_HISTOGRAM_BUCKETS];
};

/* The figures of one trial on one CPU that cannot be subtracted. Memory full of zeros is a trial without a frame. */
struct rx_trial {
	struct mlr_histogram latency; /* latencies that are not in `relative` */
	uint64_t reorder_depth_max;
	uint64_t gap_max;      /* numbers skipped at once */
	uint64_t lateness_max; /* lateness of frames with a latency, as tags have it */
	uint64_t reorder_depths[RX_DEPTH_BUCKETS];
	struct mlr_histogram variation; /* differences between latencies of neighbours in a flow, without sign */
	struct rx_relative relative;
};

/* The frames of one trial on one CPU that were due in one interval of the trial's schedule, whenever they arrived. */
struct rx_interval {
	uint64_t received;
	uint64_t timed; /* received frames whose latency is known, and not negative */
	uint64_t latency_sum_ns, latency_max_ns;
	uint64_t latency_inverted_min_ns; /* inverted, so that zeros mean none */
};

#define RX_INTERVALS_MAX 1000

/* The frames of one service (mlr/profile.h) in the accepted trial, on one CPU. */
struct rx_service {
	uint64_t received;
	struct mlr_histogram latency;
};

/* The frames of one flow in the accepted trial, over all CPUs (--per-flow). */
struct rx_flow_figures {
	uint64_t received, duplicate, reordered;
	uint64_t timed; /* received frames whose latency is known, and not negative */
	uint64_t latency_sum_ns, latency_max_ns;
};

/* Reasons why a frame that came in a trial was not sent in it, or not so. */
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

/* A frame that came for such a reason, or its beginning. */
#define RX_CAPTURED_OCTETS 2048

struct rx_captured {
	uint64_t arrival_ns; /* CLOCK_MONOTONIC */
	uint32_t octets;     /* octets of the frame, without FCS; 0: the entry is empty */
	uint32_t why;
	uint8_t frame[RX_CAPTURED_OCTETS];
};

/* Lengths of UDP packets that are sent, a bit each. */
#define RX_LENGTH_WORDS 256
#define RX_LENGTHS_MAX  (RX_LENGTH_WORDS * 64)

/* An ICMP or ICMPv6 error about frames of the tester. There is one entry for each sender, type and code, with the first
 * frame that it was about. Numbers are those of the RFCs. Addresses are in network byte order; those of IPv4 are in the
 * first four octets. */
#define RX_ICMP_ERRORS 64
#define RX_NO_FLOW     UINT32_MAX

enum rx_icmp_state { RX_ICMP_FREE, RX_ICMP_TAKEN, RX_ICMP_READY };

struct rx_icmp_error {
	uint32_t state;
	uint8_t ip_version, type, code, reserved;
	uint32_t from[4];
	uint32_t about[4]; /* destination of that frame */
	/* Flow of the frame; RX_NO_FLOW: the quote is too short, or the frame was sent beside the load. */
	uint32_t flow;
	uint32_t mtu_octets;  /* MTU that the error names; 0: none */
	uint64_t frames;      /* errors that said so */
	uint64_t other_flows; /* errors about another flow */
};

/* A trial is counted in the slot of its number's lowest bit, so that the other slot can be cleared meanwhile. */
#define RX_TRIAL_SLOTS 2

#define RX_CPU_INTERVALS (RX_TRIAL_SLOTS * RX_INTERVALS_MAX) /* intervals of one CPU in the map `intervals`, slot by slot */

/* The fields of IP and UDP headers that a SUT may change, as words in the order of the frame. */
struct rx_header {
	uint64_t addresses; /* IPv4 addresses, the source first; of IPv6 RX_FOLD_ADDRESSES() of four such words */
	uint32_t ports;
	uint32_t class_and_limit; /* traffic class and TTL, where they are in the header */
};

/* Fold four words into one number. Any word that differs makes another number. */
#define RX_FOLD_ADDRESSES(words) ((words)[0] + 3 * (words)[1] + 5 * (words)[2] + 7 * (words)[3])

/* The headers that the frames of a flow are sent with. */
struct rx_sent {
	uint64_t addresses; /* addresses, as in struct rx_header */
	uint32_t ports;
	uint8_t traffic_class, hop_limit, vlan_count, reserved;
	uint16_t vlans[MLR_VLANS_MAX]; /* priority and VID of VLAN tags, the outer one first */
};

/* Sums over the payload of a frame, in words of 8 octets. */
struct rx_summed {
	uint64_t sum, upper; /* sum of the words, and of their upper halves alone */
	struct mlr_digest_sums digest;
	uint32_t words; /* words that were summed up; zeros fill the last block */
};

/* Digests of the payloads of frames of one length; 0: none. Frames of one length have several where their headers differ. */
#define RX_DIGESTS_MAX 4

struct rx_digests {
	uint64_t of[RX_DIGESTS_MAX];
};

/* The memory that one CPU writes, on cache lines of its own. */
struct rx_cpu {
	struct rx_counters counters;
	struct rx_header header; /* header of a frame that is being compared */
	struct rx_summed summed;
	uint64_t
		gap_at; /* number of the frame received, counted from 1, at which a gap belongs to the run of the last one */
	uint64_t scratch[16]; /* sums of a frame that is being verified, or what ICMP says of one */
	struct rx_trial trials[RX_TRIAL_SLOTS];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct mlr_histogram) == 32 + 8 * MLR_HISTOGRAM_BUCKETS, "layout shared with BPF");

/* The EtherType of the one frame that tests whether a port takes live frames. It is a local experimental one (IEEE 802), so
 * no SUT takes it for a frame of the load. */
#define LIVE_TRIAL_TYPE 0x88b5

/*
 * One queue of the live-frames transmitter. User space sets the first part before a trial, and the program owns it during
 * the trial. Times are ns of CLOCK_MONOTONIC; a fraction is in units of 2^-64 ns.
 */
struct live_queue {
	struct mlr_queue_plan plan; /* the plan without its pointers: templates and flows are in maps */
	struct mlr_plan_cursor cursor;
	struct tx_pace pace;
	uint64_t due_ns, due_fraction; /* due time of the next frame, by a schedule that does not move */
	uint64_t moved_ns;             /* move of the schedule at the last reading of the clock that found a frame due */
	uint64_t interval_ns, interval_fraction;
	uint64_t left; /* frames to go */
	uint64_t deadline_ns;
	uint64_t tag_offset_ns; /* clock of tags minus CLOCK_MONOTONIC, modulo 2^64 */
	uint32_t batch;         /* runs between two flushes; with 1 the program waits for a frame's moment */
	uint32_t memory_octets; /* octets of the longest frame; every run starts with so many */
	uint16_t trial;
	uint16_t unpaced;        /* frames are due as fast as they can go */
	uint16_t mixed;          /* the longest header, where templates have headers of different length; else 0 */
	uint16_t is_trial_frame; /* send the frame with EtherType LIVE_TRIAL_TYPE */

	uint32_t run;    /* number of the run in its batch */
	uint32_t cpu;    /* CPU that the last batch began on */
	uint64_t handed; /* frames redirected to the port, extra ones included */
	uint64_t extra;
	/* The next two are counted while note_xmit and note_error are attached. */
	uint64_t refused; /* frames that the driver dropped, or the port did not take, for want of a link or a driver that can */
	uint64_t flushed; /* frames that have left the devmap */
	uint64_t now_ns;  /* the last reading of the clock that found a frame due */
	uint64_t burst_start_ns, burst;
	int64_t error;             /* error of the last frame that was refused */
	struct mlr_histogram gaps; /* gaps between departures of batches; gaps within a batch are 0 and not counted */
};

/*
 * The policer of the lab: a queue in front of a server of constant rate (GCRA), guarded by a spin lock. A frame is dropped
 * if more work than `burst` is queued when it comes. If `burst` is N intervals, at most N frames wait behind the one that is
 * served. Times are 48.16 fixed point.
 */
struct policer_config {
	uint64_t interval_q16_ns; /* time that the server takes for a frame */
	uint64_t burst_q16_ns;    /* most work that may be queued when a frame arrives */
	uint32_t control;         /* bits of the outer VLAN tag of the frames that it polices */
	uint32_t control_mask;    /* bits of `control` that matter; 0: it polices all frames */
	uint32_t wall_clock;      /* a frame comes when it arrives; 0: at the intended departure in its tag */
	uint32_t any_udp;         /* The policer also polices frames of other generators, by the wall clock. */
	uint32_t reserved;
};

/* The test frames that a policer has policed in one direction since it was attached. The counts are never reset. */
struct policer_counts {
	uint64_t passed;           /* frames handed to the other port */
	uint64_t dropped;          /* frames dropped because the queue was full */
	uint64_t queue_max_frames; /* most frames that waited at once, without the one that was served */
};

/*
 * The stretch SUT of the lab. Its loss ratio over the load is a table of STRETCH_STEPS equal steps from `low` on. The table
 * ends where the loss rate is all of the load above critical. Loads are in thousandths of a frame/s.
 */
#define STRETCH_STEPS 4096

struct stretch_config {
	uint64_t low_mfps;
	uint64_t step_mfps;
	uint64_t critical_mfps;
	uint64_t seed;
	uint64_t loss_ratio_q64[STRETCH_STEPS + 1]; /* 0.64 fixed point */
};

/* The metadata that the delay SUT puts in front of a frame: when it arrived. */
struct delay_metadata {
	uint64_t arrival_ns; /* CLOCK_MONOTONIC */
};

_Static_assert(sizeof(struct delay_metadata) % 4 == 0, "XDP metadata comes in words of 4 octets");
