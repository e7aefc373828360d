/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wide trials: one measurer on each of several hosts, which perform a trial together, each with its own ports.
 *
 * mpirun starts the same command line everywhere. Rank 0 holds Manager and Controller; the others wait for its orders. All make
 * the same Traffic Profile, of all ports, and open those on their own host. A trial goes step by step (wide_trial.h), and what
 * all ports did is accounted for on rank 0, as if they were ports of one machine.
 */
#ifndef XDP_MLR_MEASURER_MPI_H
#define XDP_MLR_MEASURER_MPI_H

#include "config.h"
#include "job.h"
#include "measurer_xdp.h"
#include "wide_clock.h"

/* What a rank says of itself first. Plain data, as all that ranks exchange: they must be the same program. */
struct wide_rank {
	char version[32];
	uint32_t port_trial_octets;
	char host[HOST_SIZE];
	char kernel[65];
	struct clock_state clock;
};

/* What the owner of a port says of it once it is open. */
struct wide_port {
	uint8_t mac[MLR_MAC_OCTETS];
	double link_bps;
	char tx_backend[16]; /* empty if it does not transmit */
};

struct measurer_mpi {
	struct measurer measurer;
	const struct config *config; /* with all ports */
	struct config own;           /* with those of this host */
	struct measurer_xdp xdp;     /* of those */
	unsigned int port_count;
	unsigned int owners[MLR_PORTS_MAX]; /* ranks */
	struct wide_port ports[MLR_PORTS_MAX];
	struct wide_rank ranks[JOB_RANKS_MAX];
	struct wide_clocks clocks;
	json_t *port_descriptions; /* an array; NULL before it is known */
	json_t *load_description;
};

/* What each rank came to, exchanged: the code of the first that failed, or EXIT_DONE on all. `most` of a number of each, if it
 * is not NULL. */
enum exit_code wide_agree(enum exit_code code, uint64_t own, uint64_t *ret_most);

/* Whether a port is on this host, and where in its measurer. */
bool wide_port_is_here(const struct measurer_mpi *mpi, unsigned int port, unsigned int *ret_index);

/* Run the verb as one rank of a job, under a guard (guard.h): rank 0 runs `verb`, the others serve it. The exit code. */
enum exit_code wide_run(const struct config *config, enum exit_code (*verb)(const struct config *config));

#endif
