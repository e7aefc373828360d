/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A NIC's clock (/dev/ptpN): how far it is from CLOCK_MONOTONIC, and how sure that is.
 *
 * The kernel compares the NIC's clock to CLOCK_REALTIME; that one is compared to CLOCK_MONOTONIC here, right before and
 * right after. So it does not matter which time scale either keeps, nor whether somebody disciplines the NIC's clock
 * meanwhile.
 */
#pragma once

#include <linux/ptp_clock.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* What to add to one clock for the other, and by how much that may be wrong, either way. */
struct phc_offset {
	int64_t offset_ns;
	uint64_t bound_ns;
	uint64_t at_ns; /* when, by CLOCK_MONOTONIC; of phc_measure() and phc_system_offset() only */
};

/* A clock that drifts: its offset as comparisons tell it, carried on between them by the drift that they show. Zeros are a
 * clock that was not compared yet. */
struct phc_track {
	struct phc_offset last;    /* the last comparison */
	struct phc_offset base[2]; /* earlier ones, that the drift is counted from: some time ago, and on the way there */
	double drift;              /* of the offset, ns a ns */
	int64_t applied_ns;        /* the offset that is in use */
	uint64_t worst_ns; /* what a comparison was off from what was carried on, and its own bound, since the beginning */
	uint64_t worst_applied_ns; /* what was in use was off from what was carried on */
};

/* A file descriptor, or -errno. `index` is the N of /dev/ptpN. */
int phc_open(int index);
/* What to add to the NIC's clock for CLOCK_MONOTONIC: the surest of some readings. 0 or -errno; -EAGAIN if CLOCK_REALTIME
 * was set meanwhile. */
int phc_measure(int fd, struct phc_offset *ret);

/* The same for one of the system's own clocks: it holds until somebody sets that. */
struct phc_offset phc_system_offset(clockid_t clock);

/* --- the arithmetic ------------------------------------------------------------------------------------------------- */

/* For a clock that was read between two readings of another: what to add to it for that other one. */
struct phc_offset phc_bracket(int64_t before_ns, int64_t read_ns, int64_t after_ns);
/* The reading of the narrowest bracket, for CLOCK_REALTIME. False if there is none: no samples, or the clock went
 * backwards. */
bool phc_of_extended(const struct ptp_sys_offset_extended *samples, struct phc_offset *ret);
/* What the older PTP_SYS_OFFSET tells, as the newer call would: each reading of the system's clock ends one bracket and
 * begins the next. */
void phc_extend(const struct ptp_sys_offset *samples, struct ptp_sys_offset_extended *ret);
/* For a pair that the NIC and the system took at one moment. */
struct phc_offset phc_of_precise(const struct ptp_sys_offset_precise *pair);
/* Over a clock in between. */
struct phc_offset phc_chain(const struct phc_offset *first, const struct phc_offset *second);
/* Whether two readings of what should be the same can both be right. */
bool phc_agree(const struct phc_offset *one, const struct phc_offset *other);
/* Count a comparison in. */
void phc_track_add(struct phc_track *track, const struct phc_offset *comparison);
/* The same, and what was off before is forgotten: a trial begins. */
void phc_track_begin(struct phc_track *track, const struct phc_offset *comparison);
/* The offset to use from now on, for so long: that of the middle. */
int64_t phc_track_apply(struct phc_track *track, uint64_t now_ns, uint64_t for_ns);
/* It ends: the last comparison. */
void phc_track_end(struct phc_track *track, const struct phc_offset *comparison);
/* By how much times converted by the offsets in use may be wrong, if between two comparisons the clock drifted one way. */
uint64_t phc_track_bound_ns(const struct phc_track *track);
/* By how much times converted by `before` may be wrong until `after` was measured, if the clocks drifted one way. */
uint64_t phc_bound_over_ns(const struct phc_offset *before, const struct phc_offset *after);
