/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CLOCK_MONOTONIC is the only clock of the program; bpf_ktime_get_ns() reads the same one. Nobody owns it. Times are ns
 * since an unspecified start, and may be compared until the next boot. */
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

/* Return the seconds since a time. */
static inline double clock_since_s(uint64_t monotonic_ns)
{
	return (double)(clock_ns() - monotonic_ns) / (double)NS_PER_S;
}

/* Return a time or a duration in the form of system calls. */
static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };
}

/* Return a duration in ns. */
static inline uint64_t clock_ns_of(double seconds)
{
	return (uint64_t)(seconds * (double)NS_PER_S);
}
