/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the measurer of frames over real ports: its state, which its parts work on. */
#pragma once

#include <string.h>

#include "base/clock.h"
#include "base/stop.h"
#include "connect/between.h"
#include "dataplane/hostile_tx.h"
#include "dataplane/rx.h"
#include "dataplane/tx_port.h"
#include "measurer/account.h"
#include "measurer/diagnose.h"
#include "measurer/measurer.h"
#include "mlr/profile.h"
#include "netdev/ledger.h"
#include "netdev/netlink.h"
#include "netdev/nic_clock.h"
#include "port/neighbour.h"
#include "port/port.h"
#include "port/snmp.h"

/* How a port's destination MAC was found. */
enum mac_source { MAC_GIVEN, MAC_ARP, MAC_DISCOVERY, MAC_OTHER_PORT };

/* Who stamps departures of a port (departure.h). */
struct departure {
	bool stamped;
	struct nic_clock clock; /* clock of the NIC; without fd the kernel stamps by CLOCK_TAI */
};

/* Everything of one port. */
struct endpoint {
	unsigned int number; /* number of the port in the profile, which may have ports of other hosts, too */
	bool transmits, receives;
	struct ledger *ledger;           /* NULL: none could be opened */
	struct rx *rx;                   /* always: it also shows what is foreign or misdirected */
	struct tx_port *tx;              /* NULL if it does not transmit */
	struct hostile_tx *hostile;      /* NULL: it sends no hostile frames */
	bool knows_tags, takes_tag, takes_outer_tag; /* with hostile frames: whether it takes VLAN tags off what it receives */
	struct nic_clock clock;          /* clock of the NIC; without fd the NIC does not stamp arrivals */
	struct departure departure;
	uint8_t destination_mac[MLR_MAC_OCTETS];
	enum mac_source mac_source;
	bool counts_elsewhere; /* its interface counts few of the frames that XDP takes, however long one waits */
	bool is_confirmed; /* A frame to this address has arrived at its receiver, so the address is right. */
};

/* The longest time that the SUT has held a frame. It is known once phase d of a trial took all of its time. */
struct sut_delay {
	bool is_known;
	uint64_t longest_ns;
};

struct measurer_xdp {
	struct measurer measurer;
	const struct config *config;
	struct mnl_socket *netlink;
	unsigned int port_count;
	struct port ports[MLR_PORTS_MAX];
	struct endpoint ends[MLR_PORTS_MAX];
	struct neighbours *neighbours;
	struct neighbour_answer answers[MLR_PORTS_MAX]; /* answers of the gateways so far */
	struct between between;                         /* findings about what lies between the ports */
	bool connects;                                  /* It finds that out by frames of trial connect_trial. */
	uint16_t connect_trial;
	bool said_spanning;     /* The user was told that the run waits for a spanning tree. */
	struct snmp *snmp;      /* NULL: no queries */
	unsigned int snmp_port; /* index of the port that sends queries */
	struct mlr_profile profile;
	cpu_set_t transmit_cpus;
	uint32_t next_sequence;                /* first sequence number of the next trial, in every flow */
	uint32_t trial_first_sequence;         /* first sequence number of the last trial, in every flow */
	bool said_speed;                       /* The user was told that a load is above a link's line rate. */
	bool said_no_departures;               /* The user was told that nobody stamps departures (departure.h). */
	struct account account;                /* accounting of the last trial */
	uint64_t trial_count;                  /* trials performed so far */
	uint64_t performed_ns;                 /* the time when waits of the last performance of a trial began */
	uint64_t late_in_trials;               /* late frames that the counts of trials already contain */
	struct diagnosis diagnosis;            /* explanations of lost and of foreign frames */
	bool by_nic_clock;                     /* The NICs of all receiving ports stamp arrivals (timestamps.h). */
	uint64_t listening_since_ns;           /* the time when receivers began to attach */
	bool passes_by;      /* Frames of a trial went to the other port; a gateway had not answered. So do those of later trials. */
	bool said_passed_by; /* The user was told that such a gateway answers. */
	bool links_unsteady;                   /* A link changed in the last trial. */
	unsigned int repeats_most;             /* most repetitions of the next trial, if the tester spoils it */
	struct sut_delay delay;                /* longest delay that rank 0, which ends phase d, has seen */
	struct load_steps *steps;              /* load steps of the running trial; NULL: its load is constant */
	int64_t clock_offset_ns;               /* clock of tags minus CLOCK_MONOTONIC; 0: both are one clock */
	uint8_t key_seed[MLR_KEY_SEED_OCTETS]; /* random seed of the key of this run's signatures */
	uint16_t trial; /* number of the last trial; starts at random, so that frames of an earlier process are late */
};

/* The first port that sends test frames. */
static inline unsigned int xdp_first_transmitter(const struct measurer_xdp *xdp)
{
	unsigned int port = 0;

	while (!xdp->ends[port].transmits)
		port++;
	return port;
}

/* Whether a NIC takes the frames that a port sends from the tester's own memory. */
static inline bool xdp_is_zero_copy(const struct measurer_xdp *xdp, unsigned int port)
{
	const struct tx_port *tx = xdp->ends[port].tx;

	return tx && strcmp(tx->mode, TX_MODE_ZERO_COPY) == 0;
}

/* A queue that sends test frames. `for (struct xdp_queue at = { 0 }; xdp_next_queue(xdp, &at);)` repeats for each. */
struct xdp_queue {
	unsigned int port, number;
	const struct mlr_queue_plan *plan;
	const struct tx *tx; /* NULL: before the first one */
};

static inline bool xdp_next_queue(const struct measurer_xdp *xdp, struct xdp_queue *at)
{
	const struct endpoint *end = &xdp->ends[at->port];

	at->number += at->tx != NULL;
	while (at->port < xdp->port_count && (!end->transmits || at->number >= end->tx->queue_count)) {
		end = &xdp->ends[++at->port];
		at->number = 0;
	}
	if (at->port >= xdp->port_count)
		return false;
	at->plan = end->tx->plans[at->number];
	at->tx = end->tx->queues[at->number];
	return true;
}

/* What became of the frames of a port; zeros if it does not transmit. */
static inline const struct tx_report *xdp_report(const struct measurer_xdp *xdp, unsigned int port)
{
	static const struct tx_report none;

	return xdp->ends[port].transmits ? &xdp->ends[port].tx->report : &none;
}

/* How many frames all ports sent in the last trial. */
static inline uint64_t xdp_sent_by_all(const struct measurer_xdp *xdp)
{
	uint64_t sent = 0;

	for (unsigned int i = 0; i < xdp->port_count; i++)
		sent += xdp_report(xdp, i)->sent;
	return sent;
}

/* Whether a stop ends only the sending, so that the part of the trial until then is measured. */
static inline bool xdp_keeps_part(const struct measurer_xdp *xdp)
{
	return xdp->steps && xdp->steps->keeps_part;
}

/* After frames were sent, sleep until this moment, or until a stop that ends the trial: then true. */
static inline bool xdp_pause_until(const struct measurer_xdp *xdp, uint64_t monotonic_ns)
{
	const struct timespec until = clock_timespec(monotonic_ns);

	if (!xdp_keeps_part(xdp))
		return stop_sleep_until(monotonic_ns);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	return false;
}

#define NIC_POLL_NS (NS_PER_S / 20) /* pause between two readings of an interface */

/* Return the receiver that a flow arrives at (lost.c); NULL: the flow goes to none of our ports. */
const struct rx *xdp_receiver_of(const struct measurer_xdp *xdp, uint32_t flow);

/* What the receiver remembers of a flow. It tells whether each frame came, was lost, or is too old to tell (lost.c). */
struct flow_memory {
	uint32_t *seen; /* the caller's: room for xdp_largest_window() numbers */
	uint32_t window, first_sequence;
	uint64_t sent;
	bool came; /* At least one frame of the flow arrived. */
};
enum frame_fate { FRAME_CAME, FRAME_LOST, FRAME_UNKNOWN };
uint32_t xdp_largest_window(const struct measurer_xdp *xdp);
/* Flow number k of a queue that sent so many frames of all its flows. 0 or -errno. */
int xdp_recall_flow(const struct measurer_xdp *xdp, const struct mlr_queue_plan *plan, uint32_t k, uint64_t sent,
		    struct flow_memory *memory);
/* Return the fate of the flow's frame of this number, from 0. */
enum frame_fate flow_memory_fate(const struct flow_memory *memory, uint64_t number);

/* --- xdp_describe.c: what it says of itself in the result; JSON objects are new references --------------------------- */

/* "measurer" and "traffic_profile". */
json_t *xdp_describe(struct measurer *measurer);
json_t *xdp_traffic_profile(struct measurer *measurer);
bool xdp_queue_stops(struct measurer *measurer, unsigned int port, unsigned int queue, struct tx_stops *ret);
struct selftest_way xdp_way(struct measurer *measurer);

/* Return a port of "measurer", and how constant the load is, for "traffic_profile". */
json_t *xdp_port_json(const struct measurer_xdp *xdp, unsigned int port);
json_t *xdp_load_json(const struct tx_port *tx);

/* Return which frames' checksums are verified, and by what. */
json_t *xdp_verification_json(const struct config *config);

/* Add sentences to the deviations from RFC 2544. */
void xdp_deviations(struct measurer *measurer, json_t *list);

/* The transmit backend: "xsk" or "live". */
const char *xdp_backend(const struct measurer_xdp *xdp);

/* --- intervals.c ----------------------------------------------------------------------------------------------------- */

/*
 * A trial may be counted by intervals of its schedule (--interval). A frame counts for the interval in which it was due: by
 * its tag if it arrived, and by the pacer if it was sent. So the sums of both are the trial's, and what an interval lacks
 * was lost of the frames that were due in it, whatever the SUT did to the others.
 */

/* The load of a trial. */
struct sent_load {
	double fps;
	uint64_t frame_count; /* frames of each port */
};

/* The schedule begins then, and so do the parts of it that are counted; those of load steps begin with the second load, if there is
 * one. Before the first frame is sent, when the steps have their times. */
void intervals_begin(struct measurer_xdp *xdp, uint64_t start_ns);

/* After a trial: fill in its intervals. EXIT_INCAPABLE without memory. */
enum exit_code intervals_end(const struct measurer_xdp *xdp, const struct sent_load *load, double duration_s,
			     struct measurement *measurement);

/*
 * The services of y1564 are counted by direction: a direction is all that one port receives, whoever sends it. No figure
 * mixes two directions, because a sum or a mean may hide what is wrong in one of them.
 */

/* Count the frames of some flows among the first `count` frames of a queue. before[] counts them among the first entries of
 * the queue's list. */
uint64_t xdp_frames_of_flows(const struct mlr_queue_plan *plan, const uint32_t *before, uint64_t count);

/* Count the frames that a queue sent of those due before the end of each interval; the last count has all. */
void intervals_sent(const struct measurer_xdp *xdp, const struct xdp_queue *queue, const struct sent_load *load, size_t count,
		    uint64_t *ret_sent);

/* After a trial with --per-flow, and after intervals_end(): fill in the worst flows, and their intervals if there are any.
 * Nothing without. EXIT_INCAPABLE without memory, or if the receiver cannot be read. */
enum exit_code flows_end(const struct measurer_xdp *xdp, const struct sent_load *load, struct measurement *measurement);

/* How many parts of a schedule the receiver counts: the seconds of services that are sent at once, or those of load steps, or none. */
uint32_t parts_wanted(const struct measurer_xdp *xdp);

/* After a trial with load steps by due time: fill in what was sent and received of each part of its last load, in each direction.
 * EXIT_INCAPABLE without memory. */
enum exit_code parts_end(const struct measurer_xdp *xdp, struct measurement *measurement);

/* After a trial of y1564 that was judged: fill in what came of each service in each direction. If a stop ended the trial,
 * only whole seconds that were sent are filled in. Nothing for other verbs. EXIT_INCAPABLE without memory. */
enum exit_code services_end(const struct measurer_xdp *xdp, const struct sent_load *load, bool is_part,
			    struct measurement *measurement);

/* --- xdp.c: how it is opened, step by step, for one host or as a part of several (mpi.h) ----------------------------- */

/* Initialise a measurer of the configuration's ports, and open nothing yet. *ret must be zeros: it has nine megabytes, and
 * most runs write to few of them. */
void xdp_init(const struct config *config, struct measurer_xdp *ret);
/* Check, claim and prepare the ports; with --dry-run only check them. */
enum exit_code xdp_open_ports(struct measurer_xdp *xdp);
/* Make the Traffic Profile of all ports of the test: those of xdp->config, and those of other hosts. It does not have the
 * MAC addresses of the latter yet, nor any destination MAC address. */
enum exit_code xdp_make_profile(struct measurer_xdp *xdp, const struct config *all_ports);
/* Attach the receivers, and open the transmitters and all other sockets. Nothing that arrives is parsed. */
enum exit_code xdp_open_frames(struct measurer_xdp *xdp);
/* Have the keeper undo what was changed on ports (keeper.h). */
void xdp_hold_ports(struct measurer_xdp *xdp, struct keeper_plan *plan);
/* Learn addresses, and judge what was heard since the receivers were attached. It needs no privileges. */
enum exit_code xdp_look_around(struct measurer_xdp *xdp);
/* Undo all that. It may be called after any of these functions failed. */
void xdp_close(struct measurer_xdp *xdp);

/* Return the frames/s of the profile on a link of this speed, or 0 if the speed is not known. */
double xdp_line_rate_fps(const struct measurer_xdp *xdp, double link_bps);
