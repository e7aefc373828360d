/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A transmitter is one transmit queue of one port, and a thread drives it during a trial. The port owns it (tx_port.h). It
 * is opened once, performs one trial after another, and is closed at the end of the run.
 *
 * Backends stand behind tx_ops: tx_xsk.c (AF_XDP) and tx_live.c (XDP live frames). A trial runs in a thread pinned to a CPU,
 * which spins on the absolute schedule of mlr/pacer.h and makes no call but those that move frames. Where there are more
 * transmitters than CPUs, those of one CPU take turns in one thread: two spinning threads would delay each other for ms.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/message.h"
#include "bpf/pace.h"
#include "config/config.h"
#include "mlr/histogram.h"
#include "mlr/pacer.h"
#include "mlr/profile.h"
#include "netdev/netlink.h"

#define TX_NO_LIMIT UINT64_MAX /* frame count for as many frames as fit, unpaced */

/* The frames to transmit in one trial. */
struct tx_trial {
	uint16_t number;
	double load_fps;         /* load; not used with TX_NO_LIMIT */
	uint64_t frame_count;    /* frames of the port, over all its queues; or TX_NO_LIMIT */
	uint32_t first_sequence; /* first sequence number of every flow */
	uint64_t start_ns;       /* CLOCK_MONOTONIC */
	uint64_t deadline_ns;    /* What is not sent by then stays unsent; it moves with the schedule. */
	uint64_t grant_most_ns;  /* most time by which the deadline moves */
	struct mlr_burst burst;  /* bursts of the port; zeros: all frames that are behind are caught up */
	int64_t tag_offset_ns;   /* clock of tags minus CLOCK_MONOTONIC */
	bool asks_nothing;       /* true: the NIC is asked for no stamps and no launch times */
	/* The frames to send right after that, as part of the same trial with the same number. NULL: none. It must outlive
	 * the trial. */
	const struct tx_trial *then;
};

/* The report of a transmitter on one trial. */
struct tx_report {
	uint64_t sent;              /* completed by the kernel, without extra frames */
	uint64_t extra;             /* frames of MLR_FLOW_EXTRA sent beside them */
	uint64_t refused; /* frames of both that the driver had no room for or no link, if the kernel tells us */
	uint64_t burst_max;         /* most frames in a row, each less than half an interval after the one before */
	uint64_t excess_frames_max; /* most frames by which departures ran ahead of a constant load (mlr/envelope.h) */
	uint64_t excess_at_ns;      /* time of that, after the start */
	uint64_t excess_ns;         /* time for which departures were further ahead than the asked burst */
	uint64_t marked;            /* marked frames, which were sent during that time */
	struct tx_stops stops;
	uint64_t first_departure_ns; /* 0 if nothing was sent, or the backend does not tell */
	uint64_t last_departure_ns;  /* 0 if nothing was sent */
	struct mlr_histogram gaps;   /* gaps between departures, ns */
	int error;                   /* 0, or the -errno that ended it: the trial is invalid */
};

/* Merge several reports, of threads or of parts of a trial. The excess of several queues is at most the sum of theirs. */
void tx_report_add(struct tx_report *sum, const struct tx_report *more);
/* Merge the parts of one trial, one after the other. */
void tx_report_append(struct tx_report *sum, const struct tx_report *more);
/* Fill in the pace of the trial. */
void tx_report_pace(struct tx_report *report, const struct tx_pace *pace);

/* The work of the NIC for frames by transmit metadata. Backends without metadata ignore it. */
struct tx_metadata {
	bool stamps;      /* stamp the departure of a sample of the frames */
	uint64_t lead_ns; /* take frames so long before they are due, and let them go when they are; 0: do not */
};

/* The time that a sample of frames took from the stamp in their tag to the stamp of the NIC, or of the kernel. */
struct tx_departures {
	struct mlr_histogram delays; /* ns, what is below 0 as 0 */
	uint64_t asked;              /* frames that were to be stamped; some NICs do not stamp all */
	uint64_t early;              /* number of delays below 0 */
	uint64_t earliest_ns;        /* most time by which a delay was below 0 */
};

/* Merge the samples of several queues. */
void tx_departures_add(struct tx_departures *sum, const struct tx_departures *more);

/* The progress of a trial. */
enum tx_step {
	TX_SENDING,
	TX_DRAINING, /* All frames were handed over, and the kernel has not completed all. */
	TX_ENDED,    /* the report is complete */
};

struct tx;

struct tx_ops {
	const char *name; /* "xsk", "live" */
	bool takes_turns; /* a step is short: several transmitters may share a thread */
	/* Begin a trial, then take it one step further, again and again until it has ended. The report is empty at first. */
	void (*begin)(struct tx *tx, const struct tx_trial *trial, struct tx_report *report);
	enum tx_step (*step)(struct tx *tx);
	/* Make a step that lasts look at the time and at the stop flag; NULL if none does. Called from another thread, again
	 * and again, until the trial has ended. */
	void (*interrupt)(struct tx *tx);
	/* Load the headers again between two trials, after the plan's have changed. Returns 0 or -errno. */
	int (*renew)(struct tx *tx);
	void (*close)(struct tx *tx);
};

#define TX_MODE_ZERO_COPY "zero-copy"

/* The common part of all backends. Each embeds it as its first member. */
struct tx {
	const struct tx_ops *ops;
	const char *mode;            /* way in which the kernel takes frames: "copy", "live frames", TX_MODE_ZERO_COPY */
	const char *memory;          /* kind of pages that frames lie in; NULL: not known */
	int cpu;                     /* CPU that its thread is pinned to; -1: none */
	struct tx_metadata metadata; /* metadata that it has of those asked for */
	/* CLOCK_MONOTONIC minus the clock that stamps departures; set by the user of this struct. */
	int64_t clock_offset_ns;
	struct tx_departures departures; /* departures of the last trial */
	struct tx_schedule *schedule;    /* schedule that all queues of the port share; that of the first queue opened */
	struct tx_schedule own_schedule;
	struct mlr_moves *moves; /* moves of the schedule in the last trial; NULL: it never moves */
	struct tx_trial trial;
	struct tx_report report;
	struct tx_report part; /* report of the running part of the trial */
	enum tx_step state;
	/* Transmitter whose thread it shares (NULL: it has its own), and the next in that thread (NULL: none). */
	struct tx *leader, *next;
	/* for a leader: its thread, and the transmitters in it */
	pthread_t thread;
	bool runs;
	unsigned int shared_by, started; /* other transmitters in the thread; transmitters whose trial is known */
};

/* In these functions `first` is another queue of the port, which has the same backend and is closed later. For the first
 * queue it is NULL. */

/* Open an AF_XDP transmitter for the frames of a plan, on one queue. The plan must outlive it. It needs CAP_NET_RAW and
 * CAP_NET_ADMIN. `metadata` says which metadata are wanted; NULL: none. There are none where the kernel does not know
 * them, or where a frame takes several buffers. */
enum exit_code tx_xsk_open(const char *port, uint32_t queue, const struct mlr_queue_plan *plan,
			   const struct tx_metadata *metadata, int cpu, const struct tx *first, struct tx **ret);

/* Open a transmitter of XDP live frames for a plan, on the port's queue of the CPU that it runs on. The plan must outlive
 * it. It needs CAP_BPF and CAP_NET_ADMIN, and for a moment CAP_SYS_ADMIN (a network namespace). If the port cannot send
 * live frames, it returns EXIT_INCAPABLE if `required`. Otherwise it writes a note, and returns EXIT_DONE with *ret NULL. */
enum exit_code tx_live_open(const struct link_info *link, const struct mlr_queue_plan *plan, int cpu, bool required,
			    const struct tx *first, struct tx **ret);

/* Open a transmitter of the chosen backend. TX_AUTO takes AF_XDP if it is zero-copy. Otherwise it takes live frames if they
 * are known to be faster and the port can, and else AF_XDP. */
enum exit_code tx_open(enum tx_choice choice, bool live_is_faster, const struct link_info *link, uint32_t queue,
		       const struct mlr_queue_plan *plan, const struct tx_metadata *metadata, int cpu,
		       const struct tx *first, struct tx **ret);

/* From now on the transmitter takes turns with others on its CPU, in the thread of `leader`. The leader has a thread of its
 * own and outlives the trials. Both backends can take turns. */
void tx_share(struct tx *leader, struct tx *tx);

/* Start the thread of a trial, and wait for its end; the report stays valid until the next start. A thread that is shared
 * starts once the trial of all that share it was started; wait for all of them, also where one could not be started. */
enum exit_code tx_start(struct tx *tx, const struct tx_trial *trial);
const struct tx_report *tx_wait(struct tx *tx);

/* Let a running trial test the time, for callers that do something else before tx_wait(). */
static inline void tx_interrupt(struct tx *tx)
{
	if (tx->ops->interrupt)
		tx->ops->interrupt(tx);
}

static inline void tx_close(struct tx *tx)
{
	if (tx)
		tx->ops->close(tx);
}
