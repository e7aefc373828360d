/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header measures how often this machine stops a thread that spins as a transmit thread does: pinned to a CPU, at
 * niceness -20, reading the clock all the time. The caller owns the figures. A stall is a gap of more than STALL_NS between
 * two readings. Frames that are due in it leave late.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define STALL_NS 100000

struct stalls {
	int cpu;          /* -1: whichever the kernel chose */
	bool is_raised;   /* The thread had its niceness. */
	uint64_t spun_ns; /* time from the first reading to the last */
	uint64_t count;   /* number of stalls */
	uint64_t longest_ns, sum_ns;
	bool others_known;
	uint64_t others_ns; /* part of that time in which another thread of this machine had the CPU */
	bool stolen_known;
	uint64_t stolen_ns; /* part of that time in which the hypervisor had the CPU; in whole ticks of the kernel */
};

/* Note a reading of the clock so long after the one before. */
void stalls_add(struct stalls *stalls, uint64_t gap_ns);
/* Spin for so long on this CPU (-1: on any), in a thread that ends with it. Returns 0 or -errno. */
int stalls_measure(int cpu, uint64_t duration_ns, struct stalls *ret);
