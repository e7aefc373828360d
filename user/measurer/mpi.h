/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several hosts perform a trial together. Each host has a process ("rank") of its own, which owns the host's ports. The
 * ranks live from the start of mpirun until the verb has ended.
 *
 * mpirun starts the same command line on every host. Rank 0 holds Manager and Controller, and the other ranks wait for its
 * orders. All ranks make the same Traffic Profile of all ports, and each opens the ports of its host. A trial goes step by
 * step (mpi_trial.c). Rank 0 then accounts for what all ports did, as if they were ports of one machine.
 */
#pragma once

#include "base/message.h"
#include "config/config.h"

/* Run the verb as one rank of a job, under a supervisor (mpi_supervisor.c). Rank 0 runs `verb`, and the others serve it.
 * Returns the exit code. */
enum exit_code mpi_run(const struct config *config, enum exit_code (*verb)(const struct config *config));
