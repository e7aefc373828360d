/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A supervisor beside a rank: the process that mpirun started only waits for another, which does the work.
 *
 * When that one is killed, whatever by, the supervisor says so, undoes what it left changed on ports, and exits with
 * EXIT_INVALID, which is mpirun's exit code then; mpirun itself would say 137 and nothing of a measurement. When the
 * supervisor is killed, the worker is told to stop, and gives its ports back. Only where both are killed at one moment the
 * journal is left to `xdp-mlr clean`.
 */
#ifndef XDP_MLR_MEASURER_MPI_SUPERVISOR_H
#define XDP_MLR_MEASURER_MPI_SUPERVISOR_H

#include "base/message.h"
#include "config/config.h"

/* Run `run` in a process of its own; no thread may run yet. Returns in both: in it what `run` returns, in the supervisor its
 * exit code. */
enum exit_code supervisor_run(enum exit_code (*run)(const struct config *config), const struct config *config);

#endif
