/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A NIC's clock (/dev/ptpN): how far it is from CLOCK_MONOTONIC, and how sure that is.
 *
 * The kernel compares the NIC's clock to CLOCK_REALTIME; that one is compared to CLOCK_MONOTONIC here, right before and
 * right after. So it does not matter which time scale either keeps, nor whether somebody disciplines the NIC's clock
 * meanwhile.
 */
#ifndef XDP_MLR_NETDEV_PHC_H
#define XDP_MLR_NETDEV_PHC_H

#include <linux/ptp_clock.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* What to add to one clock for the other, and by how much that may be wrong, either way. */
struct phc_offset {
	int64_t offset_ns;
	uint64_t bound_ns;
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
/* By how much times converted by `before` may be wrong until `after` was measured, if the clocks drifted one way. */
uint64_t phc_bound_over_ns(const struct phc_offset *before, const struct phc_offset *after);

#endif
