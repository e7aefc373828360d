/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file tests where the interrupts of a port's device go. On the CPU of a transmit thread they take time from
 * sending. */
#include <glob.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/files.h"
#include "base/text_stream.h"
#include "probe/parts.h"

#define PATH_SIZE 256
#define CPUS_SIZE 256

struct interrupts {
	size_t count, known, in_the_way;
	cpu_set_t cpus; /* CPUs of the interrupts that are known */
};

/* Get the CPUs that an interrupt goes to, or else those that it may go to. */
static bool read_target(const char *root, const char *number, cpu_set_t *ret)
{
	return (probe_read_cpus(root, TEXT_OF(PATH_SIZE, "/proc/irq/%s/effective_affinity_list", number), ret) &&
		CPU_COUNT(ret)) ||
	       (probe_read_cpus(root, TEXT_OF(PATH_SIZE, "/proc/irq/%s/smp_affinity_list", number), ret) && CPU_COUNT(ret));
}

static struct interrupts read_interrupts(const char *root, const char *device, const cpu_set_t *transmit)
{
	struct interrupts all = { 0 };
	glob_t files = { 0 };

	glob(TEXT_OF(PATH_SIZE, "%s%s/msi_irqs/*", root, device), 0, NULL, &files);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		cpu_set_t target, both;

		all.count++;
		if (!read_target(root, strrchr(files.gl_pathv[i], '/') + 1, &target))
			continue;
		all.known++;
		CPU_OR(&all.cpus, &all.cpus, &target);
		CPU_AND(&both, &target, transmit);
		all.in_the_way += CPU_COUNT(&both) > 0;
	}
	globfree(&files);
	return all;
}

/* Suggest to move the interrupts to all other CPUs, if there are any. */
static void suggest_others(json_t *check, const char *root, const char *device, const cpu_set_t *transmit)
{
	cpu_set_t online, others;
	char text[CPUS_SIZE];

	if (!probe_read_cpus(root, "/sys/devices/system/cpu/online", &online))
		return;
	others = cpulist_without(&online, transmit);
	if (CPU_COUNT(&others))
		probe_fix(check, "for irq in $(ls %s/msi_irqs); do echo %s > /proc/irq/$irq/smp_affinity_list; done", device,
			  cpulist_format(&others, text, sizeof(text)));
}

void probe_interrupts(json_t *checks, const char *root, const char *device, const cpu_set_t *transmit)
{
	struct interrupts all = { 0 };
	char text[CPUS_SIZE], busy[CPUS_SIZE];

	if (device)
		all = read_interrupts(root, device, transmit);
	cpulist_format(&all.cpus, text, sizeof(text));
	if (!all.count)
		OK(checks, "interrupts", "none of its own");
	else if (!all.known)
		OK(checks, "interrupts", "%zu; on which CPUs is not known", all.count);
	else if (all.in_the_way)
		suggest_others(WARN(checks, "interrupts", "%zu, on CPUs %s: %zu may interrupt a transmit thread on CPUs %s",
				    all.count, text, all.in_the_way, cpulist_format(transmit, busy, sizeof(busy))),
			       root, device, transmit);
	else
		OK(checks, "interrupts", "%zu, on CPUs %s", all.count, text);
}
