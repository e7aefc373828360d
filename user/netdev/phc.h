/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header tells how far a NIC's clock (/dev/ptpN) is from CLOCK_MONOTONIC, and how certain that is. The caller owns the
 * descriptor and the track. A clock is opened, compared from time to time, and its track begins and ends with each trial.
 *
 * The kernel compares the NIC's clock with CLOCK_REALTIME. We compare that one with CLOCK_MONOTONIC right before and right
 * after. So neither the time scales matter, nor whether somebody disciplines the NIC's clock meanwhile.
 */
#pragma once

#include <linux/ptp_clock.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* What to add to one clock to get the other, and by how much that may be wrong in either direction. */
struct phc_offset {
	int64_t offset_ns;
	uint64_t bound_ns;
	uint64_t at_ns; /* the time of the comparison by CLOCK_MONOTONIC; only of phc_measure() and phc_system_offset() */
};

/* The track of a drifting clock: its offset by comparisons, extrapolated between them by their drift. Zeros are a clock that
 * is not compared yet. */
struct phc_track {
	struct phc_offset last; /* the last comparison */
	struct phc_offset
		base[2];    /* earlier comparisons from which the drift is computed: some time ago, and on the way there */
	double drift;       /* drift of the offset, in ns for each ns */
	int64_t applied_ns; /* the offset that is used now */
	uint64_t worst_ns;  /* the largest error of an extrapolation since the beginning, with the bound of the comparison */
	uint64_t worst_applied_ns; /* the largest difference between the used offset and the extrapolated one */
};

/* Returns a file descriptor or -errno. `index` is the N of /dev/ptpN. */
int phc_open(int index);
/* Measure what to add to the NIC's clock to get CLOCK_MONOTONIC, by the most certain of several readings. Returns 0 or
 * -errno; -EAGAIN if CLOCK_REALTIME was set meanwhile. */
int phc_measure(int fd, struct phc_offset *ret);

/* Return the same for one of the system's own clocks. It is valid until somebody sets that clock. */
struct phc_offset phc_system_offset(clockid_t clock);

/* --- the arithmetic ------------------------------------------------------------------------------------------------- */

/* A clock was read between two readings of another. Return what to add to it to get the other. */
struct phc_offset phc_bracket(int64_t before_ns, int64_t read_ns, int64_t after_ns);
/* Get the reading with the narrowest bracket, for CLOCK_REALTIME. Returns false if there is none: no samples, or the clock
 * went backwards. */
bool phc_of_extended(const struct ptp_sys_offset_extended *samples, struct phc_offset *ret);
/* Convert what the older PTP_SYS_OFFSET tells to the form of the newer call. Each reading of the system's clock ends one
 * bracket and begins the next. */
void phc_extend(const struct ptp_sys_offset *samples, struct ptp_sys_offset_extended *ret);
/* Return the offset of a pair that NIC and system read at the same time. */
struct phc_offset phc_of_precise(const struct ptp_sys_offset_precise *pair);
/* Return the offset over a clock in between. */
struct phc_offset phc_chain(const struct phc_offset *first, const struct phc_offset *second);
/* Whether two readings of the same offset can both be right. */
bool phc_agree(const struct phc_offset *one, const struct phc_offset *other);
/* Add a comparison. */
void phc_track_add(struct phc_track *track, const struct phc_offset *comparison);
/* Begin a trial: add a comparison, and forget earlier errors. */
void phc_track_begin(struct phc_track *track, const struct phc_offset *comparison);
/* Return the offset to use from now on for a time, which is that of the middle of this time. */
int64_t phc_track_apply(struct phc_track *track, uint64_t now_ns, uint64_t for_ns);
/* End a trial by the last comparison. */
void phc_track_end(struct phc_track *track, const struct phc_offset *comparison);
/* Return by how much times converted by the used offsets may be wrong, if the clock drifted in one direction between two
 * comparisons. */
uint64_t phc_track_bound_ns(const struct phc_track *track);
/* Return by how much times converted by `before` may be wrong until `after` was measured, if the clocks drifted in one
 * direction. */
uint64_t phc_bound_over_ns(const struct phc_offset *before, const struct phc_offset *after);
