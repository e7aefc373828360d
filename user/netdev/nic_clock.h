/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A clock whose times are converted to CLOCK_MONOTONIC while a trial runs: a NIC's, or CLOCK_TAI.
 *
 * A NIC's clock drifts, by tens of microseconds a second where nobody disciplines it. So from the beginning of a trial to its
 * end a thread compares it ten times a second, carries its offset on by the drift that is known from this and earlier
 * comparisons, and hands over the offset every few ms. What it was off is part of the bound.
 */
#pragma once

#include <pthread.h>

#include "netdev/phc.h"

struct nic_clock {
	int fd; /* 0: CLOCK_TAI, which does not drift */
	struct phc_track track;
	/* while it is followed */
	pthread_t thread;
	bool is_followed, is_over;
	void (*use)(void *context, int64_t offset_ns);
	void *context;
};

/* 0 or -errno; it is compared once. `index` is the N of /dev/ptpN. */
int nic_clock_open(int index, struct nic_clock *ret);
/* Fine for zeros. */
void nic_clock_close(struct nic_clock *clock);

/* A trial begins: compare it. 0 or -errno. */
int nic_clock_begin(struct nic_clock *clock);
/* Hand the offset over, now and until the end, from another thread; 0 or -errno. */
int nic_clock_follow(struct nic_clock *clock, void (*use)(void *context, int64_t offset_ns), void *context);
/* Go on no more; as closing does. */
void nic_clock_leave(struct nic_clock *clock);
/* The trial's end: the last comparison. 0 or -errno. */
int nic_clock_end(struct nic_clock *clock);
