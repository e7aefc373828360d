/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CLOCK_MONOTONIC, the one clock of the program: bpf_ktime_get_ns() reads the same. */
#pragma once

#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000ull

static inline uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}
