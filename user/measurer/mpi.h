/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trials of several hosts: one measurer on each, which perform a trial together, each with its own ports.
 *
 * mpirun starts the same command line everywhere. Rank 0 holds Manager and Controller; the others wait for its orders. All
 * make the same Traffic Profile, of all ports, and open those on their own host. A trial goes step by step (mpi_trial.c),
 * and what all ports did is accounted for on rank 0, as if they were ports of one machine.
 */
#pragma once

#include "base/message.h"
#include "config/config.h"

/* Run the verb as one rank of a job, under a supervisor (mpi_supervisor.c): rank 0 runs `verb`, the others serve it. The
 * exit code. */
enum exit_code mpi_run(const struct config *config, enum exit_code (*verb)(const struct config *config));
