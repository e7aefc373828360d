/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header converts times of a clock to CLOCK_MONOTONIC while a trial runs: of a NIC's, or of CLOCK_TAI. The caller
 * owns it; while it is followed, a thread of its own uses it, too. It is opened once, and each trial begins, follows and
 * ends it.
 *
 * A NIC's clock drifts by tens of microseconds a second unless something disciplines it. So during a trial a thread compares
 * it ten times a second. It extrapolates the offset by the drift known from these comparisons, and reports the offset every
 * few ms. The error of this is part of the bound.
 */
#pragma once

#include <pthread.h>

#include "netdev/phc.h"

struct nic_clock {
	int fd; /* 0: CLOCK_TAI, which does not drift */
	struct phc_track track;
	/* These are valid while the clock is followed. */
	pthread_t thread;
	bool is_followed, is_over;
	void (*use)(void *context, int64_t offset_ns);
	void *context;
};

/* Open a clock and compare it once. `index` is the N of /dev/ptpN. Returns 0 or -errno. */
int nic_clock_open(int index, struct nic_clock *ret);
/* Close the clock. A structure of zeros is accepted. */
void nic_clock_close(struct nic_clock *clock);

/* Begin a trial: compare the clock. Returns 0 or -errno. */
int nic_clock_begin(struct nic_clock *clock);
/* Report the offset now, and until the end from another thread. Returns 0 or -errno. */
int nic_clock_follow(struct nic_clock *clock, void (*use)(void *context, int64_t offset_ns), void *context);
/* Stop following; closing does that, too. */
void nic_clock_leave(struct nic_clock *clock);
/* End the trial by the last comparison. Returns 0 or -errno. */
int nic_clock_end(struct nic_clock *clock);
