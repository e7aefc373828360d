/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header transmits from one port. It owns a transmitter for each queue (tx.h), each with a plan, and on a CPU of its
 * own if there are enough. Queue q of Q sends the frames q, q + Q, q + 2 Q ... of the port's schedule, so that the port's
 * load is constant to the frame.
 */
#pragma once

#include <sched.h>

#include "config/config.h"
#include "dataplane/tx.h"

/* The transmitters on each CPU, as ports are opened. Zeros: there is none. */
struct tx_cpus {
	bool any; /* CPU 0, and two of one core, are as good as others */
	cpu_set_t taken;
	/* First transmitter on each CPU, whose thread others share; at 0 the one without a CPU. */
	struct tx *first[CPU_SETSIZE + 1];
	bool crowded; /* Others do not share it; the user was told. */
};

struct tx_port {
	const char *backend; /* "xsk", "live" */
	const char *mode;    /* see struct tx; that of the worst queue */
	const char *memory;  /* kind of pages that frames lie in; NULL: not known */
	unsigned int queue_count;
	struct mlr_queue_plan *plans[TX_QUEUES_MAX];
	struct tx *queues[TX_QUEUES_MAX];
	uint64_t start_ns; /* start of the last trial */
	/* Report of the last trial over all queues; gaps are those between frames of one queue. */
	struct tx_report report;
	struct tx_schedule schedule;     /* schedule of the last trial, with its moves */
	struct tx_metadata metadata;     /* metadata that all queues have */
	struct tx_departures departures; /* departures of the last trial, over all queues */
};

/* Check whether the link has enough queues. With --dry-run it is enough that --prepare may add them. Returns
 * EXIT_INCAPABLE if not. */
enum exit_code tx_port_check(const struct config *config, const struct link_info *link);
/* Open the transmitters of port number `port` of the profile, behind this link. There are as many as the configuration
 * says, with as much of the metadata as there is. Each takes a CPU of its own from `cpus` while there are any. After that
 * the transmitters of one CPU share a thread. Ports that share threads are closed after all trials. */
enum exit_code tx_port_open(const struct config *config, bool live_is_faster, const struct link_info *link,
			    const struct mlr_profile *profile, unsigned int port, const struct tx_metadata *metadata,
			    struct tx_cpus *cpus, struct tx_port **ret);
void tx_port_close(struct tx_port *port);

/* Add the CPUs that its threads are pinned to. */
void tx_port_add_cpus(const struct tx_port *port, cpu_set_t *cpus);

/* Start a trial on all queues, and wait for its end, which fills in the report. Trials go on once all ports whose queues
 * share a thread were started. A port that could not be started must be waited for, too. */
enum exit_code tx_port_start(struct tx_port *port, const struct tx_trial *trial);
void tx_port_wait(struct tx_port *port);
/* Set what to add to the clock that stamps departures for CLOCK_MONOTONIC, from now on, also while frames are sent. */
void tx_port_set_clock_offset(struct tx_port *port, int64_t offset_ns);
/* Call it between two trials: frames then go to the destination MAC addresses that the profile has now. */
enum exit_code tx_port_readdress(struct tx_port *port, const struct mlr_profile *profile, unsigned int number);
/* Make its threads look at the time, so that they go on to the next part of a trial. */
void tx_port_interrupt(struct tx_port *port);

/* Return how many sequence numbers of a flow so many frames of the port use, and how many the last trial used. */
uint64_t tx_port_sequences(const struct tx_port *port, uint64_t frame_count);
uint64_t tx_port_sequences_used(const struct tx_port *port);
