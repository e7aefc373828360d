/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header measures how far the clocks of the hosts of a trial are from that of rank 0, and how sure that is. The
 * measurer owns the measurements. They are made before and after each trial.
 *
 * Every trial starts at one moment, and one-way latency between two hosts is the difference of two clocks. So the offset of
 * each host's CLOCK_MONOTONIC is measured before and after every trial, by repeated questions. The answer that came soonest
 * was read within half its round trip of the middle. Hosts that are one machine (network namespaces of one kernel) have one
 * clock, and are known by that, unless the measurement contradicts it.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "measurer/mpi_job.h"
#include "netdev/phc.h"

#define CLOCK_NAME_SIZE 96

/* What a host says of its clocks, as plain data. */
struct clock_state {
	char name
		[CLOCK_NAME_SIZE]; /* the same where CLOCK_MONOTONIC is one clock: the kernel's boot, and the time namespace */
	bool known;                /* the rest: of CLOCK_REALTIME, as adjtimex(2) tells */
	bool synchronized;
	int64_t max_error_us, estimated_error_us;
};
struct clock_state clock_state_here(void);

/* The times to add to the clocks of a rank to get those of rank 0. */
struct clock_offset {
	struct phc_offset monotonic;
	int64_t realtime_ns;
};
/* Return the offset of a reading. The answer was made in the middle of the round trip, give or take half of it. */
struct clock_offset clock_offset_of(const struct job_reading *reading);

/* The clocks of all ranks, before and after a trial. Ranks with the same clock have one offset, that of the lowest of
 * them. The offset of rank 0 is 0. */
struct mpi_clocks {
	unsigned int rank_count;
	struct clock_state states[JOB_RANKS_MAX];
	struct clock_offset measured[JOB_RANKS_MAX]; /* the last measurement, of each rank for itself */
	struct phc_offset before[JOB_RANKS_MAX], after[JOB_RANKS_MAX];
};

/* Keep the last measurement as the one before the trial, or as the one after it. */
void mpi_clocks_take(struct mpi_clocks *clocks, bool before);
/* Return by how much the clocks of two ranks may have been off between the two measurements (ns). */
uint64_t mpi_clocks_bound_ns(const struct mpi_clocks *clocks, unsigned int from, unsigned int to);

/* Measure the offsets of all ranks, in so many rounds each. The call is collective, and all ranks then know all offsets. */
enum exit_code mpi_clocks_measure(struct mpi_clocks *clocks, unsigned int rounds);

/* Return a rank's clock for the result document, a new reference. */
json_t *mpi_clock_json(const struct mpi_clocks *clocks, unsigned int rank);
