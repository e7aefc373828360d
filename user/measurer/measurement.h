/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A measurement is all that a measurer knows of one trial. The caller owns it; it is filled once, and freed by
 * measurement_free(). */
#pragma once

#include <jansson.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/pace.h"
#include "bpf/shared.h"
#include "config/config.h"
#include "mlr/hostile.h"
#include "mlr/rfc2544.h"
#include "mlr/trial.h"
#include "netdev/ethtool.h"

#define REFUSED_SIZE 192

struct selftest_figure;

/* Places where frames went missing (frames). */
struct loss_attribution {
	uint64_t unsent;              /* frames that the transmitter did not send in time */
	uint64_t dropped_before_wire; /* the transmitting NIC or its queue dropped them */
	uint64_t receiver_damaged;    /* They reached the receiving NIC damaged: CRC errors and the like. */
	uint64_t receiver_missed;     /* the receiving NIC or its ring dropped them */
	uint64_t tester_burst;        /* frames lost in a burst that nobody asked for */
	int64_t sut;                  /* the rest: frames lost in the SUT */
};

/* The difference between the latency of a frame and that of the next of its flow, if nothing of the flow came between: IPDV
 * without its sign (RFC 5481, 4.1). NAN if there is no such pair. */
struct variation_summary {
	uint64_t count;
	double mean_ns, p50_ns, p99_ns, p99_9_ns, max_ns;
};

/* One-way latency from the tag (RFC 1242, 3.8), all figures from one data set. */
struct latency_summary {
	const char *clock;
	const char *definition;
	const char *source;    /* "software", "hardware receive timestamps", ... */
	double error_bound_ns; /* error bound: clocks, reading them and the histogram's buckets; NAN: not known */
	uint64_t count;
	uint64_t min_ns, max_ns;
	double mean_ns;
	double p50_ns, p90_ns, p99_ns, p99_9_ns, p99_99_ns;
	/* PDV (RFC 5481, 4.2), above the smallest latency of all; and the error bound of the three percentiles. */
	double pdv_p50_ns, pdv_p99_ns, pdv_p99_9_ns, pdv_max_ns, pdv_error_ns;
	double pdv_p99_9_error_ns; /* error bound of pdv_p99_9_ns */
	bool has_variation;
	struct variation_summary variation;
	const struct selftest_figure
		*floor; /* the tester's own part of it, by a fresh self-test; NULL: none. The measurer's */
};

/* The time that a sample of frames took from the stamp in their tag to their departure (departure.h). */
struct departure_summary {
	const char *source;
	bool by_kernel; /* The kernel stamps, not the NIC: later than the departure, by an unknown time. */
	uint64_t count, early;
	double p50_ns, p99_ns;
	uint64_t max_ns;
	uint64_t error_bound_ns; /* error bound of the clocks */
};

/* The order in which frames came, over all flows. The depth of a frame is its distance, in frames of its flow, from the
 * highest number that had arrived. RFC 4737 calls this the sequence number's discontinuity seen from the late packet. */
struct order_summary {
	uint64_t window;           /* sequence numbers of a flow that are remembered; the fewest of all ports */
	uint64_t beyond_window;    /* frames older than the window: counted as duplicates, because nothing more is known */
	double reorder_depth_mean; /* mean depth of the reordered frames; NAN without any */
	uint64_t reorder_depth_max;
	uint64_t reorder_depths[RX_DEPTH_BUCKETS]; /* frames by powers of two of their depth: 1, 2 to 3, 4 to 7, ... */
	uint64_t gaps;                             /* runs of frames that were lost, or overtaken, before another came */
	uint64_t gap_frames;                       /* frames in all gaps */
	uint64_t gap_max;                          /* frames in the longest gap */
};

/* How constant the load was. */
struct pacing_summary {
	double intended_fps, achieved_fps, error_ppm;
	uint64_t gap_p50_ns, gap_p99_ns, gap_max_ns; /* gaps between departures of one transmitter */
	double transmit_s;                           /* time from the first frame to one interval after the last */
	bool is_paced;                               /* There is a schedule; otherwise the next members say nothing. */
	uint64_t burst_max;   /* most frames in a row, each less than half an interval after the one before; of a port */
	uint64_t burst_asked; /* frames: bursts up to this are part of the load */
	uint64_t excess_frames_max;   /* most frames by which the departures of a port ran ahead of a constant load */
	double excess_at_s, excess_s; /* time of that after the start; time for which it was above burst_asked */
	uint64_t marked_frames;       /* frames sent during the excess */
	struct tx_stops stops;        /* stops of all transmitters */
	/* a burst as long as this, as time, would have kept the mean load within a tenth of the Goal Width */
	uint64_t catch_up_ns;
	/* Count and total time of the stops that moved a schedule; those of the port that moved most. */
	uint64_t moves, moved_ns;
};

/* Reasons by which the tester alone spoilt a trial. */
enum spoilt_by {
	SPOILT_NOT,
	/* Stops made the mean load differ by more than a tenth of the Goal Width, or left frames unsent. */
	SPOILT_BY_STOPS,
	SPOILT_BY_BURST,  /* Frames were lost in a burst of the tester. */
	SPOILT_BY_DROPS,  /* An interface of the tester dropped a few frames before the wire. */
	SPOILT_BY_MISSES, /* An interface of the tester missed a few frames. */
};

/* A performance of a trial that was spoilt, so that it was performed again. */
struct spoilt_performance {
	const char *reason; /* a constant phrase */
	struct mlr_trial_counts counts;
	struct mlr_trial_verdict verdict;
	struct loss_attribution attribution;
	uint64_t stop_max_ns, moved_ns;
	double wall_s;
};

/* How long phase d was, and why it ended. */
struct residual_summary {
	double waited_s;
	double quiet_s;       /* nothing came so long before it ended */
	const char *ended_by; /* NULL: there was none */
};

/* Frames that were due in one interval of a trial's schedule; their latency over those that came. */
struct interval_counts {
	double start_s; /* beginning of the interval, after the start of the trial */
	uint64_t sent, received;
	uint64_t timed; /* received frames with a known latency. 0: the next three members say nothing */
	uint64_t latency_min_ns, latency_max_ns;
	double latency_mean_ns;
};

/* A direction: the frames that one port receives. The ports that send them are bits. */
struct trial_direction {
	unsigned int to;
	uint32_t from;
};

/* The outcome of a trial in one direction. Several ports may send its frames, and some of them may send to other ports, too.
 * All else is of the port that receives. Its clock, definition, source and floor of latency are those of the trial. */
struct direction_figures {
	struct mlr_trial_counts counts;
	struct mlr_trial_verdict verdict;
	struct order_summary order;
	bool has_latency;
	struct latency_summary latency;
};

/* The outcome of a service in one direction, with the latency of the frames that came. */
struct service_counts {
	uint64_t intended, sent, received;
	/* Missing frames that our interfaces lost, at most; only for a service that was sent alone. */
	uint64_t tester_lost;
	uint64_t timed; /* received frames with a known latency. 0: the next five members say nothing */
	uint64_t latency_min_ns, latency_max_ns;
	double latency_mean_ns;
	double pdv_p99_9_ns, pdv_p99_9_error_ns; /* PDV and its error bound, as in struct latency_summary */
	uint64_t *due_in,
		/* For each whole second of the schedule: frames due in it, and those of them that arrived. */
		*received_in;
};

/* The outcome of one flow. */
struct flow_figures {
	uint32_t flow; /* id of the flow on the wire */
	size_t direction;
	uint64_t sent;
	struct rx_flow_figures seen;
	struct flow_interval *intervals; /* one for each interval of the measurement; NULL: not counted, or too many flows */
};

/* Frames of a flow that were due in an interval. The unknown ones were displaced in the receiver's memory by later ones. */
struct flow_interval {
	uint64_t sent, lost, unknown;
};

/* An ICMP or ICMPv6 error about our frames: one for each port, sender, type and code. */
struct icmp_report {
	unsigned int port; /* number of the port that received it */
	uint8_t ip_version, type, code;
	const char *message, *advice; /* constants */
	char from[INET6_ADDRSTRLEN];
	char about[INET6_ADDRSTRLEN]; /* destination of the first frame that the error was about */
	uint32_t flow;                /* flow of that frame; RX_NO_FLOW: not known */
	uint32_t mtu_octets;          /* MTU that the error told; 0: none */
	uint64_t frames;              /* frames with this error */
	uint64_t other_flows;         /* those of them that were about other flows */
};

/* A counter that the kernel has for a port, and by how much it moved in a trial. */
#define MOVED_MOST 12
struct moved_counter {
	char name[COUNTER_NAME_SIZE];
	uint64_t moved;
};

/* Hostile frames that were sent beside a trial (hostile.h), over all ports. */
struct hostile_summary {
	unsigned int senders; /* ports that sent them; 0: there were none */
	uint64_t frames;
	uint64_t by_kind[MLR_HOSTILE_KINDS]
			[MLR_HOSTILE_COUNT_COUNT]; /* of each kind, by the count in which they have to end */
	uint64_t busy;                             /* times that a driver had no room, and the frame was sent again */
	double duration_s;                         /* how long they were sent, summed over the senders */
};

/* The observations of one port. */
struct port_counts {
	char name[PORT_LABEL_SIZE];
	bool transmits, receives;
	struct mlr_trial_counts counts;
	uint64_t extra_sent, extra_received;     /* frames beside the load: modifiers of RFC 2544, section 11 */
	uint64_t queries_sent, queries_answered; /* management queries of RFC 2544, 11.2 */
	uint64_t announcements_sent; /* frames of a port that sends no test frames, so that bridges remember where it is */
	uint64_t housekeeping;       /* frames that links carry by themselves (bpf/shared.h) */
	uint32_t unknown_trials;     /* different trial numbers in received tags that the run did not use */
	uint16_t unknown_trial_most; /* most frequent of these numbers */
	uint64_t received_octets;    /* octets received, with FCS */
	uint64_t nic_tx_frames, nic_tx_dropped; /* the interface's own counters over the trial */
	uint64_t nic_rx_frames, nic_rx_missed, nic_rx_damaged;
	struct moved_counter moved[MOVED_MOST]; /* counters that tell of trouble (moved.h), the largest first */
	unsigned int moved_count;
};

/* All that is known of one trial. Free it with measurement_free(), or declare it measurement_auto_t, which begins as zeros
 * and is freed when its block ends. */
struct measurement {
	struct mlr_trial_result result;
	bool has_counts;         /* counts and verdict */
	bool counts_are_partial; /* only sent, received and verdict.lost are known */
	struct mlr_trial_counts counts;
	struct mlr_trial_verdict verdict;
	bool has_attribution;
	struct loss_attribution attribution;
	struct hostile_summary hostile;
	bool tester_limited;
	const char *tester_limited_reason; /* a constant phrase, NULL if not limited */
	/* a counter of a port of ours tells of exactly the frames that the SUT seems to have lost: ports[port].moved[at] */
	struct loss_counter {
		bool is_there;
		size_t port;
		unsigned int at;
	} loss_counter;
	double sut_loss_ratio;  /* loss ratio without the tester's part, of a limited trial */
	const char *tx_backend; /* "xsk", or NULL */
	bool has_order;
	bool order_unknown; /* sequence numbers were not looked at: duplicate and reordered are not known either */
	struct order_summary order;
	bool has_latency;
	struct latency_summary latency;  /* with several directions, each figure is that of the worst one */
	char *histograms[MLR_PORTS_MAX]; /* --latency-at: of the latencies of each direction (base/hdr_text.h). Owned */
	bool has_departure;
	struct departure_summary departure;
	char latency_refused[REFUSED_SIZE]; /* reason why there is no latency though frames were timed; empty: none */
	uint64_t number;                    /* number of the trial, as the measurer counts, from 1 */
	struct residual_summary residual;
	bool has_hosts;        /* Several hosts performed the trial. */
	double start_skew_ns;  /* span of the first departures of all transmitters; NAN: not known */
	double clock_bound_ns; /* largest error of the clocks of sender and receiver */
	bool has_pacing;
	struct pacing_summary pacing;
	/* Intervals of the length of --interval: first over all directions, then those of each direction. NULL: none.
	 * Owned */
	struct interval_counts *intervals;
	size_t interval_count;
	/* y1564: of each service, or of the one that was sent by itself, a row of all directions. NULL: there are none. Owned */
	struct service_counts *services;
	size_t service_count, second_count;
	size_t direction_count;
	struct trial_direction directions[MLR_PORTS_MAX];
	struct direction_figures by_direction[MLR_PORTS_MAX];
	uint64_t *seconds; /* memory that they point into. Owned */
	/* For a trial with load steps (by_due_time): frames by their due time, in each direction. They point into
	 * `parts`. */
	struct mlr_due_counts due[MLR_PORTS_MAX];
	uint64_t *parts; /* Owned */
	/* --per-flow: the worst flows, the worst first; and of all, how many there are, lost frames, had copies, were reordered. NULL:
	 * they were not counted. Owned */
	struct flow_figures *worst_flows;
	struct flow_interval *flow_intervals; /* memory that they point into. Owned */
	size_t worst_flow_count, flows, lossy_flows, duplicated_flows, reordered_flows;
	struct icmp_report *icmp_errors; /* the most frequent first. Owned */
	size_t icmp_error_count;
	size_t port_count;
	struct port_counts ports[MLR_PORTS_MAX];
	bool offered_less;         /* the mean load was below the Trial Load by more than a tenth of the Goal Width */
	enum spoilt_by spoilt;     /* reason why this performance is spoilt */
	unsigned int link_repeats; /* repetitions because a link changed in the trial */
	struct spoilt_performance *spoilt_performances; /* earlier performances of this trial. Owned */
	size_t tester_repeats;                          /* number of spoilt_performances */
	double wall_s;          /* real time the trial took, waits included; 0 where time is virtual */
	double waits_s;         /* configured waits really spent in it */
	json_t *observed;       /* observations of the SUT during the trial, or NULL; owned */
	json_t *passed_through; /* fields of an external measurer that are not known here, or NULL; owned */
	const json_t *stored;   /* a trial of an earlier run, as it was reported then; the config's. NULL: measured now */
};
void measurement_free(struct measurement *measurement);

/* Forget the histograms, which are large. */
void measurement_forget_histograms(struct measurement *measurement);
/* Keep the record of a spoilt performance, which took `wall_s`, and empty the rest for the next one. Returns 0 or
 * -ENOMEM. */
int measurement_repeat(struct measurement *measurement, double wall_s);
/* Whether less than the Trial Load was offered, so that a good trial shows less than it seems to. */
bool measurement_offered_less(const struct measurement *measurement);
/* Enlarge the error bound of the latency, in all directions. */
void measurement_add_latency_error(struct measurement *measurement, double error_ns);
#define measurement_auto_t __attribute__((cleanup(measurement_free))) struct measurement
