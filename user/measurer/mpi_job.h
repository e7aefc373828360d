/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job is several processes ("ranks"), one on each host, that mpirun started together. This header exchanges data between
 * them. The process owns its part of the job, which it joins once and leaves at its end.
 *
 * All that this program asks of MPI is here: mpi_job_openmpi.c does it by Open MPI (`make MPI=1`), mpi_job_none.c stands in
 * its place otherwise. Every function but job_rank(), job_size() and job_is_lost() is for the main thread and collective:
 * all ranks call the same ones in the same order. Open MPI waits by spinning, so none may be called while frames flow; and a
 * wait here tests the exchange again and again, and sleeps in between.
 *
 * A rank is lost if it does not answer in time, or not soon after a stop was requested. (mpirun ends a job by SIGTERM, and
 * by SIGKILL a second later.) With the rank the job is lost: this call and every later one return EXIT_INVALID.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/message.h"

#define JOB_RANKS_MAX 64

/* Find MPI; call this before anything else. A build without MPI executes the program with it, xdp-mlr-mpi beside this one;
 * EXIT_INCAPABLE if there is none. */
enum exit_code job_find(void);
/* Join the job. */
enum exit_code job_begin(void);
/* Leave the job. If a rank was lost, end the job for all. `code` is this process's exit code. */
void job_end(enum exit_code code);

unsigned int job_rank(void);
unsigned int job_size(void);
bool job_is_lost(void);
/* Return the name of the library, such as "Open MPI 4.1.4". */
const char *job_library(void);

/* Set how long the slowest rank may take to reach the next exchange. It is longer while ports are opened. There is no
 * limit while ranks only wait for orders. */
#define JOB_NO_LIMIT UINT64_MAX
void job_set_patience(uint64_t patience_ns);

/* Give all ranks the data of `root`. */
enum exit_code job_broadcast(unsigned int root, void *data, size_t octets);
/* Give all ranks the data of all ranks: job_size() times so many octets, in the order of ranks. */
enum exit_code job_share(const void *own, size_t octets, void *ret_all);

/* Read the clocks of rank 0 and of `rank` in turn, `rounds` times. Rank 0 sends a question, and `rank` answers with its
 * clocks. On rank 0 *ret is the reading whose answer came soonest. The call spins for some tens of us a round. */
struct job_reading {
	uint64_t before_ns, after_ns;       /* CLOCK_MONOTONIC of rank 0 when it asked, and when the answer was there */
	uint64_t monotonic_ns, realtime_ns; /* clocks of `rank` between these two */
	uint64_t reference_realtime_ns;     /* CLOCK_REALTIME of rank 0 at after_ns */
};
enum exit_code job_read_clocks(unsigned int rank, unsigned int rounds, struct job_reading *ret);
