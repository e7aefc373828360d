/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/stalls.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/text_stream.h"
#include "base/thread.h"

#define NICENESS  (-20) /* niceness of transmit threads */
#define LINE_SIZE 256

struct spin {
	uint64_t duration_ns;
	struct stalls stalls;
	int error;
};

void stalls_add(struct stalls *stalls, uint64_t gap_ns)
{
	stalls->spun_ns += gap_ns;
	if (gap_ns <= STALL_NS)
		return;
	stalls->count++;
	stalls->sum_ns += gap_ns;
	if (gap_ns > stalls->longest_ns)
		stalls->longest_ns = gap_ns;
}

/* Read a time that the kernel counts. It is not known if the kernel does not tell it. */
struct counted {
	bool known;
	uint64_t ns;
};

static struct counted difference(struct counted after, struct counted before)
{
	return (struct counted){ after.known && before.known, after.ns - before.ns };
}

/* Read how long this thread has waited for a CPU that another one had. A kernel that does not count it says that the thread
 * never ran. */
static struct counted read_waited(void)
{
	unsigned long long ran_ns, waited_ns;
	char line[LINE_SIZE];

	if (file_read_line("/proc/thread-self/schedstat", line, sizeof(line)) ||
	    sscanf(line, "%llu %llu", &ran_ns, &waited_ns) != 2 || !ran_ns)
		return (struct counted){ 0 };
	return (struct counted){ true, waited_ns };
}

/* Read how much of this CPU's time the hypervisor has taken. */
static struct counted read_stolen(int cpu)
{
	unsigned long long steal_ticks;
	long ticks_per_s = sysconf(_SC_CLK_TCK);
	char line[LINE_SIZE];

	if (cpu < 0 || ticks_per_s <= 0 || file_find_line("/proc/stat", TEXT_OF(16, "cpu%d ", cpu), line, sizeof(line)) ||
	    sscanf(line, "%*s %*u %*u %*u %*u %*u %*u %*u %llu", &steal_ticks) != 1)
		return (struct counted){ 0 };
	return (struct counted){ true, steal_ticks * (NS_PER_S / (uint64_t)ticks_per_s) };
}

static int pin(int cpu)
{
	cpu_set_t cpus;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
}

static void spin_for(uint64_t duration_ns, struct stalls *stalls)
{
	uint64_t start_ns = clock_ns(), last_ns = start_ns;

	while (last_ns - start_ns < duration_ns) {
		uint64_t now_ns = clock_ns();

		stalls_add(stalls, now_ns - last_ns);
		last_ns = now_ns;
	}
}

static void *run(void *argument)
{
	struct spin *spin = argument;
	struct stalls *stalls = &spin->stalls;
	struct counted waited, stolen;

	spin->error = -pin(stalls->cpu);
	if (spin->error)
		return NULL;
	stalls->is_raised = !setpriority(PRIO_PROCESS, 0, NICENESS); /* Linux sets it for this thread alone. */
	/* Let the kernel count this thread once. */
	sched_yield();
	waited = read_waited();
	stolen = read_stolen(stalls->cpu);
	spin_for(spin->duration_ns, stalls);
	stolen = difference(read_stolen(stalls->cpu), stolen);
	waited = difference(read_waited(), waited);
	stalls->others_known = waited.known;
	stalls->others_ns = waited.ns;
	stalls->stolen_known = stolen.known;
	stalls->stolen_ns = stolen.ns;
	return NULL;
}

int stalls_measure(int cpu, uint64_t duration_ns, struct stalls *ret)
{
	struct spin spin = { .duration_ns = duration_ns, .stalls = { .cpu = cpu } };
	pthread_t thread;
	int error = thread_start(&thread, -1, run, &spin);

	if (error)
		return error;
	pthread_join(thread, NULL);
	if (!spin.error)
		*ret = spin.stalls;
	return spin.error;
}
