/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the measurer of several hosts: its state, how the ranks of a trial agree, and its parts. */
#pragma once

#include "base/message.h"
#include "config/config.h"
#include "measurer/account.h"
#include "measurer/mpi_clock.h"
#include "measurer/mpi_job.h"
#include "measurer/xdp_ports.h"
#include "measurer/xdp_private.h"

#define TRIAL_PATIENCE_NS (NIC_LAG_NS + 2 * NS_PER_S)

/* What a rank says of itself first. Plain data, as all that ranks exchange: they must be the same program. */
struct mpi_rank {
	char version[32];
	uint32_t port_trial_octets;
	char host[HOST_SIZE];
	char kernel[65];
	struct clock_state clock;
};

/* What the owner of a port says of it once it is open. */
struct mpi_port {
	uint8_t mac[MLR_MAC_OCTETS];
	double link_bps;
	char tx_backend[16]; /* empty if it does not transmit */
};

struct measurer_mpi {
	struct measurer measurer;
	const struct config *config; /* configuration with the ports of all hosts */
	struct config own;           /* configuration with the ports of this host */
	struct measurer_xdp xdp;     /* measurer of the ports of this host */
	unsigned int port_count;
	unsigned int owners[MLR_PORTS_MAX]; /* rank that has each port */
	struct mpi_port ports[MLR_PORTS_MAX];
	struct mpi_rank ranks[JOB_RANKS_MAX];
	struct mpi_clocks clocks;
	struct port_trial own_trials[MLR_PORTS_MAX]; /* facts of this host's ports in the last trial */
	json_t *port_descriptions;                   /* an array; NULL before it is known */
	json_t *load_description;
};

/* --- mpi_trial.c: one trial of all ranks together --- */

/* Exchange what each rank came to. Returns the code of the first that failed, or EXIT_DONE on all ranks. *ret_most is the
 * largest `own` of all ranks; it may be NULL. */
enum exit_code mpi_agree(enum exit_code code, uint64_t own, uint64_t *ret_most);

/* Refuse for a reason that all ranks find alike; rank 0 says it. */
#define refuse_once(...) (job_rank() ? EXIT_USAGE_ERROR : refuse(EXIT_USAGE_ERROR, __VA_ARGS__))

/* Whether a port is on this host. *ret_index is its number in the measurer of this host. */
bool mpi_port_is_here(const struct measurer_mpi *mpi, unsigned int port, unsigned int *ret_index);

/* An order of rank 0. It is plain data. */
struct mpi_order {
	enum { ORDER_OPEN, ORDER_LOOK, ORDER_TRIAL, ORDER_CLOSE, ORDER_END } kind;
	struct mlr_trial_input input; /* This and the next members belong to ORDER_TRIAL. */
	uint16_t trial;
	uint32_t first_sequence;
};

/* The outcome of an order, on all ranks. What ports did is in mpi->xdp.account. */
struct mpi_result {
	uint64_t sequences_used;
	double waits_s;
	struct residual_summary residual;
};

/* Take part in a trial. The call is collective, and returns EXIT_DONE on all ranks or on none. Ranks exchange nothing
 * while frames flow. */
enum exit_code mpi_trial(struct measurer_mpi *mpi, const struct mpi_order *order, struct mpi_result *ret);

/* --- mpi_supervisor.c ------------------------------------------------------------------------------------------------ */

/*
 * A supervisor stands beside a rank: the process that mpirun started only waits for another one, the worker.
 *
 * When the worker is killed, the supervisor says so, undoes its changes on ports, and exits with EXIT_INVALID. That is then
 * mpirun's exit code; mpirun itself would return 137, and nothing about a measurement. When the supervisor is killed, the
 * worker is told to stop, and gives its ports back. Only where both are killed at one moment the journal is left to `xdp-mlr
 * clean`.
 */

/* Run `run` in a process of its own; no thread may run yet. Returns in both: in it what `run` returns, in the supervisor its
 * exit code. */
enum exit_code supervisor_run(enum exit_code (*run)(const struct config *config), const struct config *config);
