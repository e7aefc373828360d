/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file tests the machine by /proc and /sys. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpulist.h"
#include "base/files.h"
#include "base/text_stream.h"
#include "port/absent.h"
#include "probe/parts.h"

#define PATH_SIZE       256
#define LINE_SIZE       PROBE_LINE_SIZE
#define CPUS_SIZE       256
#define SAMPLE_NS       (NS_PER_S / 10)
#define BUSY_RATIO      0.3 /* part of a CPU that other processes use, from which it is busy */
#define STEAL_RATIO     0.01
#define BACKLOG_DEFAULT 1000
#define INSTALL_KERNEL  "apt-get install linux-image-$(dpkg --print-architecture) && reboot"

/* --- the kernel ----------------------------------------------------------------------------------------------------- */

static void check_kernel(const char *root, json_t *checks)
{
	unsigned int major = 0, minor = 0;
	char release[LINE_SIZE];

	if (!probe_read_line(root, release, "/proc/sys/kernel/osrelease") || sscanf(release, "%u.%u", &major, &minor) != 2)
		WARN(checks, "kernel", "release cannot be told");
	else if (major < 6 || (major == 6 && minor < 1))
		probe_fix(WARN(checks, "kernel", "%s: older than 6.1, the oldest this is made for", release),
			  INSTALL_KERNEL);
	else
		OK(checks, "kernel", "%s", release);
}

static void check_btf(const char *root, json_t *checks)
{
	if (!access(TEXT_OF(PATH_SIZE, "%s/sys/kernel/btf/vmlinux", root), F_OK))
		OK(checks, "btf", "the kernel describes its types");
	else
		probe_fix(WARN(checks, "btf",
			       "none (CONFIG_DEBUG_INFO_BTF): hardware timestamps of received frames are out of reach"),
			  INSTALL_KERNEL);
}

/* Some of net.core exists in the first network namespace only. */
static bool sees_net_core(const char *root)
{
	char line[LINE_SIZE];

	return probe_read_line(root, line, "/proc/sys/net/core/netdev_max_backlog");
}

static void check_jit(const char *root, json_t *checks)
{
	char value[LINE_SIZE];

	if (!probe_read_line(root, value, "/proc/sys/net/core/bpf_jit_enable")) {
		if (sees_net_core(root))
			WARN(checks, "bpf-jit", "not in this kernel: XDP programs are interpreted, slowly");
		else
			OK(checks, "bpf-jit", "not to be seen in this network namespace");
	} else if (strcmp(value, "0") == 0) {
		probe_fix(WARN(checks, "bpf-jit", "off: XDP programs are interpreted, slowly"),
			  "sysctl -w net.core.bpf_jit_enable=1");
	} else {
		OK(checks, "bpf-jit", "on");
	}
}

static void check_backlog(const char *root, json_t *checks)
{
	char value[LINE_SIZE];

	if (!probe_read_line(root, value, "/proc/sys/net/core/netdev_max_backlog"))
		OK(checks, "backlog", "not to be seen in this network namespace");
	else if (atoi(value) < BACKLOG_DEFAULT)
		probe_fix(WARN(checks, "backlog", "%s frames a CPU: receiving in generic mode may lose some", value),
			  "sysctl -w net.core.netdev_max_backlog=%d", BACKLOG_DEFAULT);
	else
		OK(checks, "backlog", "%s frames a CPU", value);
}

/* --- the clock ------------------------------------------------------------------------------------------------------ */

static void check_clock_source(const char *root, json_t *checks)
{
	static const char directory[] = "/sys/devices/system/clocksource/clocksource0";
	char current[LINE_SIZE], available[LINE_SIZE];
	json_t *check;

	if (!probe_read_line(root, current, "%s/current_clocksource", directory)) {
		WARN(checks, "clock-source", "cannot be told");
		return;
	}
	if (is_one_of(current, "tsc arch_sys_counter timebase riscv_clocksource tod")) {
		OK(checks, "clock-source", "%s", current);
		return;
	}
	probe_read_line(root, available, "%s/available_clocksource", directory);
	check = WARN(checks, "clock-source", "%s: slower, and less even, than the CPU's own counter", current);
	if (is_one_of("tsc", available))
		probe_fix(check, "echo tsc > %s/current_clocksource", directory);
}

/* --- CPUs ----------------------------------------------------------------------------------------------------------- */

static void check_cpus(const char *root, json_t *checks)
{
	cpu_set_t online, allowed;
	char text[CPUS_SIZE];

	probe_read_cpus(root, "/sys/devices/system/cpu/online", &online);
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		allowed = online;
	if (CPU_COUNT(&allowed) < 2)
		WARN(checks, "cpus",
		     "this process may use one only, %s: transmitting, receiving and a SUT on this machine share it",
		     cpulist_format(&allowed, text, sizeof(text)));
	else
		OK(checks, "cpus", "%d online; this process may use %s", CPU_COUNT(&online),
		   cpulist_format(&allowed, text, sizeof(text)));
}

static void check_numa(const char *root, json_t *checks)
{
	cpu_set_t nodes;

	probe_read_cpus(root, "/sys/devices/system/node/online", &nodes);
	if (CPU_COUNT(&nodes) > 1)
		OK(checks, "numa", "%d nodes; each port says which is its own", CPU_COUNT(&nodes));
	else
		OK(checks, "numa", "one node");
}

/* --- memory and load ------------------------------------------------------------------------------------------------ */

static unsigned long meminfo(const char *root, const char *name)
{
	char line[LINE_SIZE];

	file_find_line(TEXT_OF(PATH_SIZE, "%s/proc/meminfo", root), name, line, sizeof(line));
	return *line ? strtoul(line + strlen(name), NULL, 10) : 0;
}

static void check_hugepages(const char *root, json_t *checks)
{
	unsigned long free_pages = meminfo(root, "HugePages_Free:"), size_kib = meminfo(root, "Hugepagesize:");

	if (free_pages)
		OK(checks, "hugepages", "%lu of %lu KiB free", free_pages, size_kib);
	else
		OK(checks, "hugepages", "none free; they help with many queues only");
}

/* Ticks of all CPUs since boot, by what they were spent on. */
struct cpu_ticks {
	unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;
};

static struct cpu_ticks read_ticks(const char *root)
{
	struct cpu_ticks ticks = { 0 };
	char line[LINE_SIZE];

	probe_read_line(root, line, "/proc/stat");
	if (sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks.user, &ticks.nice, &ticks.system, &ticks.idle,
		   &ticks.iowait, &ticks.irq, &ticks.softirq, &ticks.steal) != 8)
		return (struct cpu_ticks){ 0 };
	return ticks;
}

static double busy_ticks(const struct cpu_ticks *ticks)
{
	return (double)(ticks->user + ticks->nice + ticks->system + ticks->irq + ticks->softirq);
}

static double all_ticks(const struct cpu_ticks *ticks)
{
	return busy_ticks(ticks) + (double)(ticks->idle + ticks->iowait + ticks->steal);
}

static void say_steal(json_t *checks, double since_boot_ratio, double now_ratio)
{
	bool much = since_boot_ratio > STEAL_RATIO || now_ratio > STEAL_RATIO;

	probe_say(checks, much ? PROBE_WARN : PROBE_OK, "steal",
		  "the hypervisor has taken %.2f %% of the CPUs' time since boot, and takes %.0f %% now%s",
		  since_boot_ratio * 100, now_ratio * 100, much ? ": give this VM CPUs of its own" : "");
}

static void check_load(const char *root, json_t *checks)
{
	const struct timespec sample = { .tv_nsec = SAMPLE_NS };
	struct cpu_ticks before = read_ticks(root), after;
	double cpus = sysconf(_SC_NPROCESSORS_ONLN), all, busy;

	if (!(all_ticks(&before) > 0)) {
		WARN(checks, "load", "not known: /proc/stat tells nothing");
		WARN(checks, "steal", "not known: /proc/stat tells nothing");
		return;
	}
	nanosleep(&sample, NULL);
	after = read_ticks(root);
	all = all_ticks(&after) - all_ticks(&before);
	busy = all > 0 ? (busy_ticks(&after) - busy_ticks(&before)) / all * cpus : 0;
	if (busy > BUSY_RATIO)
		probe_fix(WARN(checks, "load", "other processes take %.1f of %.0f CPUs", busy, cpus),
			  "top -b -n1 -o %%CPU | head -20");
	else
		OK(checks, "load", "other processes take %.1f of %.0f CPUs", busy, cpus);
	say_steal(checks, (double)after.steal / all_ticks(&after), all > 0 ? (double)(after.steal - before.steal) / all : 0);
}

static void check_irqbalance(const char *root, json_t *checks)
{
	char name[LINE_SIZE];
	glob_t found = { 0 };
	bool runs = false;

	glob(TEXT_OF(PATH_SIZE, "%s/proc/[0-9]*/comm", root), 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && !runs; i++)
		runs = probe_read_line("", name, "%s", found.gl_pathv[i]) && strcmp(name, "irqbalance") == 0;
	globfree(&found);
	if (runs)
		probe_fix(WARN(checks, "irqbalance", "runs: it may move interrupts onto transmit threads' CPUs"),
			  "systemctl stop irqbalance");
	else
		OK(checks, "irqbalance", "does not run");
}

/* The name asks for no device in particular. */
static void check_nics(const char *root, json_t *checks)
{
	const char *absent = absent_explain(root, "", ROOM(ABSENT_TEXT_SIZE), ABSENT_TEXT_SIZE);

	OK(checks, "nics", "%s", *absent ? absent : "each has a port");
}

json_t *probe_machine(const char *root)
{
	static void (*const parts[])(const char *root, json_t *checks) = {
		check_kernel,    check_btf,  check_jit,        check_clock_source, check_cpus, check_numa,
		check_hugepages, check_load, check_irqbalance, check_backlog,      check_nics,
	};
	json_t *checks = json_array();

	for (size_t i = 0; i < COUNT(parts); i++)
		parts[i](root, checks);
	return checks;
}
