/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One trial of all ranks together. */
#ifndef XDP_MLR_MEASURER_MPI_TRIAL_H
#define XDP_MLR_MEASURER_MPI_TRIAL_H

#include "measurer/account.h"
#include "measurer/mpi_agree.h"

/* What rank 0 orders. Plain data. */
struct mpi_order {
	enum { ORDER_OPEN, ORDER_TRIAL, ORDER_CLOSE, ORDER_END } kind;
	struct mlr_trial_input input; /* the rest is of a trial */
	uint16_t trial;
	uint32_t first_sequence;
};

/* What came of it, on all ranks; what ports did is in mpi->xdp.account. */
struct mpi_result {
	uint64_t sequences_used;
	double waits_s;
	struct residual_summary residual;
};

/* Take part in a trial. Collective; EXIT_DONE on all ranks or on none. No exchange while frames flow. */
enum exit_code mpi_trial(struct measurer_mpi *mpi, const struct mpi_order *order, struct mpi_result *ret);

#endif
