/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the ranks of a wide trial agree. Private to the measurer of several hosts, whose state stands here, too. */
#ifndef XDP_MLR_MEASURER_MPI_AGREE_H
#define XDP_MLR_MEASURER_MPI_AGREE_H

#include "config/config.h"
#include "measurer/mpi_clock.h"
#include "measurer/mpi_job.h"
#include "measurer/xdp_private.h"

#define TRIAL_PATIENCE_NS (10 * NS_PER_S) /* interfaces may be slow to tell their counters */

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
	const struct config *config; /* with all ports */
	struct config own;           /* with those of this host */
	struct measurer_xdp xdp;     /* of those */
	unsigned int port_count;
	unsigned int owners[MLR_PORTS_MAX]; /* ranks */
	struct mpi_port ports[MLR_PORTS_MAX];
	struct mpi_rank ranks[JOB_RANKS_MAX];
	struct mpi_clocks clocks;
	struct port_trial own_trials[MLR_PORTS_MAX]; /* what the ports of this host did in the last trial */
	json_t *port_descriptions;                   /* an array; NULL before it is known */
	json_t *load_description;
};

/* What each rank came to, exchanged: the code of the first that failed, or EXIT_DONE on all. `most` of a number of each, if
 * it is not NULL. */
enum exit_code mpi_agree(enum exit_code code, uint64_t own, uint64_t *ret_most);

/* Something that all ranks find out alike, and rank 0 says. */
#define refuse_once(...) (job_rank() ? EXIT_USAGE_ERROR : refuse(EXIT_USAGE_ERROR, __VA_ARGS__))

/* Whether a port is on this host, and where in its measurer. */
bool mpi_port_is_here(const struct measurer_mpi *mpi, unsigned int port, unsigned int *ret_index);

#endif
