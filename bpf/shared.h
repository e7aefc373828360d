/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What the XDP programs and user space share: the values of maps (fixed-size integers only), and a section's name. */
#pragma once

#include <stdint.h>

#include "mlr/histogram.h"
#include "mlr/profile.h"
#include "mlr/tag.h"

/* The section of programs that are loaded for one device: user/dataplane/bound_program.h. */
#define BOUND_SECTION "mlr.bound"

/* What a receiver counted since it was attached; one a CPU. Never reset: two snapshots are subtracted. */
struct rx_counters {
	uint64_t received;        /* unique frames of the accepted trial */
	uint64_t received_octets; /* of those, without FCS */
	uint64_t duplicate;       /* copies, and frames too old for the window to tell */
	uint64_t beyond_window;   /* of those: the ones too old */
	uint64_t reordered;       /* unique, but after a frame sent later in the same flow */
	uint64_t
		reorder_depth; /* sum over those: how many numbers behind the highest that had arrived (1: the one before) */
	uint64_t gaps;         /* times that a number was skipped: runs of frames lost, or overtaken */
	uint64_t gap_frames;   /* sum over those: numbers skipped */
	uint64_t late;         /* of another trial */
	uint64_t foreign;      /* not the tester's; passed on to the kernel */
	uint64_t housekeeping; /* ARP, ICMPv6 but echoes, MLD, IGMP, LLDP, STP; passed on */
	uint64_t malformed;    /* the tester's magic in a frame whose lengths do not fit, or a number that no trial has */
	uint64_t wrong_length; /* of the accepted trial, but of a length that it does not send, or padded */
	uint64_t damaged;      /* the tester's, but a checksum is wrong */
	uint64_t unverified;   /* of those received: their checksums were not verified */
	uint64_t misdirected;  /* of the accepted trial, but of a flow that should arrive at the other port */
	uint64_t negative_latency; /* arrived before it left: clocks disagree */
	uint64_t hardware_timed; /* of those received: the arrival was read from the NIC's clock, not from this machine's */
	uint64_t extra;          /* of MLR_FLOW_EXTRA: sent beside the load */
	uint64_t fragmented;     /* fragments of frames of the tester */
	uint64_t overtagged;     /* the tester's, but behind VLAN tags that it does not send */
	uint64_t flows;          /* flows of which a frame came, each once a trial */
};

#define RX_COUNTER_FIELDS (sizeof(struct rx_counters) / sizeof(uint64_t))

#define RX_WINDOW_USUAL  65536 /* sequence numbers that a flow remembers, unless more are wanted or there are many flows */
#define RX_DEPTH_BUCKETS 32    /* powers of two: depths 1, 2 to 3, 4 to 7, ... */
#define RX_TRIAL_NUMBERS 65536 /* that a tag can have */

/* What cannot be subtracted, of one trial on one CPU. Memory full of zeros is a trial without a frame. */
struct rx_trial {
	struct mlr_histogram latency;
	uint64_t reorder_depth_max;
	uint64_t gap_max;      /* numbers skipped at once */
	uint64_t lateness_max; /* of frames with a latency, as tags have it */
	uint64_t reorder_depths[RX_DEPTH_BUCKETS];
	struct mlr_histogram variation; /* from each frame's latency to that of the next of its flow, without its sign */
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

/* A trial goes into the slot of its number's lowest bit, so that the other can be cleared meanwhile. */
#define RX_TRIAL_SLOTS 2

#define RX_CPU_INTERVALS (RX_TRIAL_SLOTS * RX_INTERVALS_MAX) /* that one CPU has in the map `intervals`, slot by slot */

/* All that one CPU writes; on cache lines of its own. */
struct rx_cpu {
	struct rx_counters counters;
	uint8_t scratch[520]; /* of a frame, while its checksum is verified */
	struct rx_trial trials[RX_TRIAL_SLOTS];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct rx_counters) == 176, "layout shared with BPF");
_Static_assert(sizeof(struct mlr_histogram) == 32 + 8 * MLR_HISTOGRAM_BUCKETS, "layout shared with BPF");

/*
 * One queue of the live-frames transmitter. User space sets the first part before a trial, the program works on it; both are
 * never there at once. Times are ns of CLOCK_MONOTONIC; a fraction is in units of 2^-64 ns.
 */
struct live_queue {
	struct mlr_queue_plan plan; /* its pointers are not used: templates and flows are in maps */
	struct mlr_plan_cursor cursor;
	uint64_t due_ns, due_fraction; /* of the next frame */
	uint64_t interval_ns, interval_fraction;
	uint64_t left; /* frames to go */
	uint64_t deadline_ns;
	uint64_t tag_offset_ns; /* to add to CLOCK_MONOTONIC for the clock that tags are in, modulo 2^64 */
	uint32_t batch;         /* runs between two flushes; with 1 the program waits for a frame's moment */
	uint32_t memory_octets; /* of the longest frame, which every run starts with */
	uint16_t trial;
	uint16_t unpaced; /* frames are due as fast as they can go */
	uint16_t mixed;   /* the longest header, where templates have some of different length; else 0 */
	uint16_t reserved;

	uint32_t run;    /* in the batch */
	uint32_t cpu;    /* that runs it */
	uint64_t handed; /* frames redirected to the port, extra ones included */
	uint64_t extra;
	/* the next three while note_xmit and note_error are attached: */
	uint64_t failed;    /* of those handed, not taken by the port, for want of a link or a driver that can */
	uint64_t refused;   /* of those handed, dropped by the driver */
	uint64_t in_flight; /* redirected, and not flushed */
	uint64_t now_ns;    /* at the last look at the clock that found a frame due */
	uint64_t burst_start_ns, burst, burst_max;
	int64_t error;             /* of the last frame that failed or was refused */
	struct mlr_histogram gaps; /* between the departures of batches; those in a batch are 0 and not in it */
};

/* The policer of the lab: a leaky bucket (GCRA) in one struct, guarded by a spin lock in the map beside it. */
struct policer_config {
	uint64_t interval_q16_ns; /* ns between conforming frames, 48.16 fixed point */
	uint64_t burst_ns;        /* how early a frame may be */
	uint32_t control;         /* of the outer VLAN tag of those frames that it is about, */
	uint32_t control_mask;    /* as far as it matters; 0: all frames */
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
