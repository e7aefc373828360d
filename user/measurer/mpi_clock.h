/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header measures how far the clocks of the hosts of a trial are from that of rank 0, and how sure that is. The
 * measurer owns the measurements. They are made before and after each trial.
 *
 * Every trial starts at one moment, and one-way latency between two hosts is the difference of two clocks. So the offset of
 * each host's CLOCK_MONOTONIC is measured before and after every trial, by repeated questions. The answer that came soonest
 * was read within half its round trip of the middle. Hosts that are one machine (network namespaces of one kernel) have one
 * clock, and are known by that.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "measurer/mpi_job.h"
#include "netdev/phc.h"

#define CLOCK_NAME_SIZE 96

/* What a host says of its clocks. Plain data. */
struct clock_state {
	char name
		[CLOCK_NAME_SIZE]; /* the same where CLOCK_MONOTONIC is one clock: the kernel's boot, and the time namespace */
	bool known;                /* the rest: of CLOCK_REALTIME, as adjtimex(2) tells */
	bool synchronized;
	int64_t max_error_us, estimated_error_us;
};
struct clock_state clock_state_here(void);

/* What to add to clocks of a rank for those of rank 0. */
struct clock_offset {
	struct phc_offset monotonic;
	int64_t realtime_ns;
};
/* Return the offset of a reading. The answer was made in the middle of the round trip, give or take half of it. */
struct clock_offset clock_offset_of(const struct job_reading *reading);

/* All ranks' clocks, before and after a trial. Ranks of one clock have one offset, that of the lowest, which is 0 of rank
 * 0's. */
struct mpi_clocks {
	unsigned int rank_count;
	struct clock_state states[JOB_RANKS_MAX];
	struct clock_offset measured[JOB_RANKS_MAX]; /* the last measurement, of each rank for itself */
	struct phc_offset before[JOB_RANKS_MAX], after[JOB_RANKS_MAX];
};

/* Let the last measurement be that before, or after a trial. */
void mpi_clocks_take(struct mpi_clocks *clocks, bool before);
/* How far the clocks of two ranks may have been off between the two measurements (ns). */
uint64_t mpi_clocks_bound_ns(const struct mpi_clocks *clocks, unsigned int from, unsigned int to);

/* Measure all offsets, in so many rounds each; every rank knows them all then. Collective. */
enum exit_code mpi_clocks_measure(struct mpi_clocks *clocks, unsigned int rounds);

/* A rank's clock in the result document. */
json_t *mpi_clock_json(const struct mpi_clocks *clocks, unsigned int rank);
