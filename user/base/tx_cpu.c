/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/tx_cpu.h"

#include "base/cpulist.h"
#include "base/files.h"
#include "base/text_stream.h"

#define PATH_SIZE 128
#define LIST_SIZE 1024

#define CPUS_TO_CHOOSE 4 /* least CPUs to choose among; with fewer, every CPU is needed */

/* Get the CPUs of the node of the port's device. There are none for a virtual port, or one whose node is not known. */
static void near_port(const char *port, cpu_set_t *ret)
{
	char list[LIST_SIZE];
	const char *path = TEXT_OF(PATH_SIZE, "/sys/class/net/%s/device/local_cpulist", port);

	if (file_read_line(path, list, sizeof(list)) || !cpulist_parse(list, ret))
		CPU_ZERO(ret);
}

/* Return the lowest CPU of a set; -1 of an empty one. */
static int lowest(const cpu_set_t *cpus)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus))
			return cpu;
	return -1;
}

int tx_cpu_choose(const cpu_set_t *allowed, const cpu_set_t *near, const cpu_set_t *taken)
{
	cpu_set_t free_cpus = cpulist_without(allowed, taken), near_and_free;

	if (CPU_COUNT(allowed) < 2)
		return -1;
	CPU_AND(&near_and_free, near, &free_cpus);
	return CPU_COUNT(&near_and_free) ? lowest(&near_and_free) : lowest(&free_cpus);
}

/* Return the poor CPUs: CPU 0, where the kernel does its own work, and those that share a core with one that is taken. */
static cpu_set_t poor_ones(const cpu_set_t *taken)
{
	cpu_set_t poor, siblings;
	char list[LIST_SIZE];

	CPU_ZERO(&poor);
	CPU_SET(0, &poor);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		const char *path = TEXT_OF(PATH_SIZE, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);

		if (CPU_ISSET(cpu, taken) && !file_read_line(path, list, sizeof(list)) && cpulist_parse(list, &siblings))
			CPU_OR(&poor, &poor, &siblings);
	}
	return poor;
}

cpu_set_t tx_cpu_better(const cpu_set_t *allowed, const cpu_set_t *near, const cpu_set_t *taken, const cpu_set_t *poor)
{
	cpu_set_t free_cpus = cpulist_without(allowed, taken), good = cpulist_without(&free_cpus, poor), near_and_free,
		  near_and_good;

	CPU_AND(&near_and_free, near, &free_cpus);
	CPU_AND(&near_and_good, near, &good);
	if (CPU_COUNT(allowed) < CPUS_TO_CHOOSE || !CPU_COUNT(&good) ||
	    (CPU_COUNT(&near_and_free) && !CPU_COUNT(&near_and_good)))
		return *allowed;
	return cpulist_without(allowed, poor);
}

int tx_cpu_take(const char *port, bool any, cpu_set_t *taken)
{
	cpu_set_t allowed, near, allowed_and_taken, poor, better;
	int cpu;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	near_port(port, &near);
	CPU_AND(&allowed_and_taken, &allowed, taken);
	if (CPU_EQUAL(&allowed_and_taken, &allowed))
		CPU_ZERO(taken); /* There are more threads than CPUs: begin again. */
	poor = poor_ones(taken);
	better = any ? allowed : tx_cpu_better(&allowed, &near, taken, &poor);
	cpu = tx_cpu_choose(CPU_COUNT(&better) > 1 ? &better : &allowed, &near, taken);
	if (cpu >= 0)
		CPU_SET(cpu, taken);
	return cpu;
}
