/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file tests the privileges of this process, and what its clock costs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "port/privileges.h"
#include "probe/parts.h"

#define UMEM_OCTETS   (64ul << 20) /* UMEM of a run with several queues and large frames */
#define CLOCK_ROUNDS  15
#define CLOCK_READS   1000
#define CLOCK_SLOW_NS 100 /* a system call instead of the vDSO */

static void check_privileges(json_t *checks)
{
	char missing[PRIVILEGES_TEXT_SIZE];

	if (!*privileges_missing(missing))
		OK(checks, "privileges", "all that a run needs");
	else
		probe_fix(WARN(checks, "privileges", "%s missing: a run would be refused, and some of this cannot be told",
			       missing),
			  "sudo xdp-mlr probe");
}

static void check_memory_lock(json_t *checks)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return;
	if (limit.rlim_cur == RLIM_INFINITY)
		OK(checks, "memory-lock", "unlimited");
	else if (!geteuid())
		OK(checks, "memory-lock", "%lu KiB; a run raises it", (unsigned long)limit.rlim_cur >> 10);
	else if (limit.rlim_max >= UMEM_OCTETS)
		OK(checks, "memory-lock", "%lu KiB", (unsigned long)limit.rlim_cur >> 10);
	else
		probe_fix(WARN(checks, "memory-lock", "%lu KiB: the frames of AF_XDP may not fit",
			       (unsigned long)limit.rlim_cur >> 10),
			  "ulimit -l unlimited");
}

static void check_load(json_t *checks)
{
	int error = probe_try_load();

	if (!error)
		OK(checks, "bpf", "an XDP program can be loaded");
	else if (error == -EPERM && geteuid())
		probe_fix(WARN(checks, "bpf", "cannot be told without root"), "sudo xdp-mlr probe");
	else
		probe_say(checks, PROBE_FAIL, "bpf",
			  "the kernel loads no XDP program: %s; a container, kernel lockdown or a kernel without BPF?",
			  strerror(-error));
}

static int compare(const void *a, const void *b)
{
	const uint64_t *first = a, *second = b;

	return (*first > *second) - (*first < *second);
}

/* Return the median over rounds of many reads. */
static uint64_t clock_cost_ns(void)
{
	uint64_t costs[CLOCK_ROUNDS];

	for (size_t i = 0; i < CLOCK_ROUNDS; i++) {
		uint64_t start_ns = clock_ns();

		for (int j = 1; j < CLOCK_READS; j++)
			clock_ns();
		costs[i] = (clock_ns() - start_ns) / CLOCK_READS;
	}
	qsort(costs, CLOCK_ROUNDS, sizeof(*costs), compare);
	return costs[CLOCK_ROUNDS / 2];
}

static void check_clock_cost(json_t *checks)
{
	uint64_t cost_ns = clock_cost_ns();

	if (cost_ns <= CLOCK_SLOW_NS)
		OK(checks, "clock-cost", "%llu ns to read the clock", (unsigned long long)cost_ns);
	else
		WARN(checks, "clock-cost",
		     "%llu ns to read the clock, by a system call: it is read before every burst of frames",
		     (unsigned long long)cost_ns);
}

json_t *probe_process(void)
{
	json_t *checks = json_array();

	check_privileges(checks);
	check_memory_lock(checks);
	check_load(checks);
	check_clock_cost(checks);
	return checks;
}
