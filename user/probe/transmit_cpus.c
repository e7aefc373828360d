/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file tests the CPUs that transmit threads run on, by /proc and /sys: what may stop a thread there, so that frames
 * leave late. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "base/files.h"
#include "base/text_stream.h"
#include "probe/parts.h"

#define PATH_SIZE          256
#define LINE_SIZE          PROBE_LINE_SIZE
#define CPUS_SIZE          256
#define LONG_LINE_SIZE     8192 /* the flags of a CPU, the kernel's command line */
#define ISOLATION_CPUS_MIN 4    /* least CPUs of a machine with a CPU to isolate */
#define CPUS_SPARED        2
#define WAKE_LONG_US       20
#define CPU_DIRECTORY      "/sys/devices/system/cpu"
#define RT_RUNTIME         "/proc/sys/kernel/sched_rt_runtime_us"
#define RT_PERIOD          "/proc/sys/kernel/sched_rt_period_us"
#define RT_RUNTIME_USUAL   950000
#define PREEMPTION         "/sys/kernel/debug/sched/preempt"

/* The facts of the machine that the checks here need. */
struct place {
	const char *root;
	const cpu_set_t *transmit;
	cpu_set_t online, isolated, tickless;
	bool online_known, isolated_known, tickless_known;
};

static struct place read_place(const char *root, const cpu_set_t *transmit)
{
	struct place place = { .root = root, .transmit = transmit };
	bool partition_known;
	cpu_set_t partition;

	place.online_known = probe_read_cpus(root, CPU_DIRECTORY "/online", &place.online);
	place.isolated_known = probe_read_cpus(root, CPU_DIRECTORY "/isolated", &place.isolated);
	partition_known = probe_read_cpus(root, "/sys/fs/cgroup/cpuset.cpus.isolated", &partition);
	CPU_OR(&place.isolated, &place.isolated, &partition);
	place.isolated_known |= partition_known;
	place.tickless_known = probe_read_cpus(root, CPU_DIRECTORY "/nohz_full", &place.tickless);
	return place;
}

/* Whether a set has all CPUs of transmit threads. Where they may run on any, none has. */
static bool covers(const cpu_set_t *cpus, const cpu_set_t *transmit)
{
	cpu_set_t both;

	CPU_AND(&both, cpus, transmit);
	return CPU_COUNT(transmit) && CPU_EQUAL(&both, transmit);
}

/* --- what else runs there ------------------------------------------------------------------------------------------- */

static void check_transmit_cpus(const struct place *place, json_t *checks)
{
	char text[CPUS_SIZE];

	if (CPU_COUNT(place->transmit))
		OK(checks, "transmit-cpus", "%s, with one transmit thread a port",
		   cpulist_format(place->transmit, text, sizeof(text)));
	else
		WARN(checks, "transmit-cpus", "none of their own: this process may use one CPU only");
}

/* Get the last CPUs of the machine, to suggest them. */
static cpu_set_t last_cpus(const cpu_set_t *online, int count)
{
	cpu_set_t last;

	CPU_ZERO(&last);
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && CPU_COUNT(&last) < count; cpu--)
		if (CPU_ISSET(cpu, online))
			CPU_SET(cpu, &last);
	return last;
}

/* Write a kernel command line that keeps the kernel's own work off the isolated CPUs. If there are none, it isolates the
 * last ones. */
static void suggest_boot(const struct place *place, json_t *check)
{
	bool some = CPU_COUNT(&place->isolated) > 0;
	cpu_set_t cpus = some ? place->isolated : last_cpus(&place->online, CPUS_SPARED);
	char text[CPUS_SIZE];

	cpulist_format(&cpus, text, sizeof(text));
	probe_fix(check,
		  "sed -i 's/^GRUB_CMDLINE_LINUX=\"/&%snohz_full=%s rcu_nocbs=%s /' /etc/default/grub && update-grub && "
		  "reboot",
		  some ? "" : TEXT_OF(CPUS_SIZE, "isolcpus=managed_irq,domain,%s ", text), text, text);
}

/* Warn of work that a machine with CPUs to spare keeps off some of them, and this one does not. */
static void say_not_kept_off(const struct place *place, json_t *checks, const char *name, const char *now, const char *harm)
{
	if (!place->online_known)
		WARN(checks, name, "%s; how many CPUs are online is not known", now);
	else if (CPU_COUNT(&place->online) < ISOLATION_CPUS_MIN)
		OK(checks, name, "%s, and too few CPUs to spare any", now);
	else
		suggest_boot(place, WARN(checks, name, "%s: %s", now, harm));
}

static void check_isolation(const struct place *place, json_t *checks)
{
	char text[CPUS_SIZE];

	cpulist_format(&place->isolated, text, sizeof(text));
	if (!place->isolated_known)
		WARN(checks, "isolation", "not known: the kernel does not list isolated CPUs");
	else if (covers(&place->isolated, place->transmit))
		OK(checks, "isolation", "CPUs %s, and transmit threads use no other", text);
	else if (*text)
		probe_fix(WARN(checks, "isolation", "CPUs %s, but transmit threads would use others", text),
			  "taskset -pc %s $$", text);
	else
		say_not_kept_off(place, checks, "isolation", "none", "other processes may interrupt a transmit thread");
}

static void check_tick(const struct place *place, json_t *checks)
{
	if (!place->tickless_known)
		OK(checks, "tick", "not known: this kernel does not list CPUs without tick (CONFIG_NO_HZ_FULL)");
	else if (covers(&place->tickless, place->transmit))
		OK(checks, "tick", "off while a transmit thread is alone on its CPU");
	else
		say_not_kept_off(place, checks, "tick", "on", "each one interrupts the transmit threads");
}

/* Get the list behind a parameter of the kernel's command line, "" if it is not there. Returns false if the command line
 * cannot be read. */
static bool find_parameter(const char *root, const char *name, char list[CPUS_SIZE])
{
	char line[LONG_LINE_SIZE], *rest = line, *word;
	size_t length = strlen(name);

	*list = '\0';
	if (file_read_line(TEXT_OF(PATH_SIZE, "%s/proc/cmdline", root), line, sizeof(line)))
		return false;
	while ((word = strsep(&rest, " ")))
		if (!strncmp(word, name, length) && word[length] == '=')
			text_print(list, CPUS_SIZE, "%s", word + length + 1);
	return true;
}

/* nohz_full= implies it, too. */
static void check_callbacks(const struct place *place, json_t *checks)
{
	char list[CPUS_SIZE];
	cpu_set_t free_cpus;
	bool known = find_parameter(place->root, "rcu_nocbs", list);

	if (strcmp(list, "all") == 0)
		free_cpus = *place->transmit;
	else
		known = known && cpulist_parse(list, &free_cpus);
	if (!known)
		CPU_ZERO(&free_cpus);
	CPU_OR(&free_cpus, &free_cpus, &place->tickless);
	if (covers(&free_cpus, place->transmit))
		OK(checks, "rcu-callbacks", "kept off the transmit threads' CPUs");
	else if (!known)
		WARN(checks, "rcu-callbacks", "not known: %s%s",
		     *list ? "the kernel was told rcu_nocbs=" : "no /proc/cmdline", list);
	else
		say_not_kept_off(place, checks, "rcu-callbacks", "not kept off by the kernel's command line",
				 "they may interrupt a transmit thread");
}

/* Get the online CPUs that share a core with one of a transmit thread, without that one. */
static bool read_siblings(const struct place *place, cpu_set_t *ret)
{
	bool known = false;

	CPU_ZERO(ret);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		cpu_set_t siblings;

		if (!CPU_ISSET(cpu, place->transmit) ||
		    !probe_read_cpus(place->root,
				     TEXT_OF(PATH_SIZE, CPU_DIRECTORY "/cpu%d/topology/thread_siblings_list", cpu),
				     &siblings))
			continue;
		CPU_CLR(cpu, &siblings);
		CPU_OR(ret, ret, &siblings);
		known = true;
	}
	return known;
}

static void check_smt(const struct place *place, json_t *checks)
{
	char active[LINE_SIZE], text[CPUS_SIZE];
	cpu_set_t siblings;

	if (!probe_read_line(place->root, active, CPU_DIRECTORY "/smt/active"))
		OK(checks, "smt", "not known: the kernel does not tell");
	else if (strcmp(active, "1"))
		OK(checks, "smt", "off: no CPU shares a core with another");
	else if (!read_siblings(place, &siblings))
		probe_fix(WARN(checks, "smt",
			       "on: what runs on a sibling slows a transmit thread down; which one is not known"),
			  "echo off > " CPU_DIRECTORY "/smt/control");
	else if (CPU_COUNT(&siblings))
		probe_fix(WARN(checks, "smt",
			       "on: what runs on CPUs %s shares a core with a transmit thread, and slows it down",
			       cpulist_format(&siblings, text, sizeof(text))),
			  "echo off > " CPU_DIRECTORY "/smt/control");
	else
		OK(checks, "smt", "on, but the transmit threads' CPUs have cores of their own");
}

/* --- how the kernel schedules --------------------------------------------------------------------------------------- */

/* Read the number in a file below the root. */
static bool read_number_of(const struct place *place, const char *path, long *ret)
{
	char line[LINE_SIZE], *end;

	if (!probe_read_line(place->root, line, "%s", path))
		return false;
	*ret = strtol(line, &end, 10);
	return end != line;
}

static void check_sessions(const struct place *place, json_t *checks)
{
	long enabled;

	if (!read_number_of(place, "/proc/sys/kernel/sched_autogroup_enabled", &enabled))
		OK(checks, "sessions", "not known: the kernel does not tell (sched_autogroup_enabled)");
	else if (enabled)
		OK(checks, "sessions", "each gets its share of the CPUs; a run raises its own meanwhile");
	else
		probe_fix(WARN(checks, "sessions",
			       "have no share of their own: a SUT that spins on a transmit thread's CPU shares it by "
			       "niceness alone, as an equal where both have -20"),
			  "sysctl -w kernel.sched_autogroup_enabled=1");
}

static void check_real_time(const struct place *place, json_t *checks)
{
	long runtime_us, period_us;

	if (!read_number_of(place, RT_RUNTIME, &runtime_us) || !read_number_of(place, RT_PERIOD, &period_us) ||
	    period_us <= 0)
		OK(checks, "real-time", "not known: the kernel does not tell (sched_rt_runtime_us)");
	else if (runtime_us < 0)
		probe_fix(WARN(checks, "real-time",
			       "not throttled: a real-time process that spins stops a transmit thread for good"),
			  "sysctl -w kernel.sched_rt_runtime_us=%d", RT_RUNTIME_USUAL);
	else
		OK(checks, "real-time", "throttled to %ld of %ld ms; transmit threads are no real-time threads",
		   runtime_us / 1000, period_us / 1000);
}

/* The file has the modes, with the one in force in parentheses: "none voluntary (full)". Only root can read it, where
 * debugfs is mounted. */
static void check_preemption(const struct place *place, json_t *checks)
{
	char modes[LINE_SIZE], mode[16], real_time[LINE_SIZE];
	const char *now;

	probe_read_line(place->root, real_time, "/sys/kernel/realtime");
	probe_read_line(place->root, modes, PREEMPTION);
	now = strchr(modes, '(');
	if (strcmp(real_time, "1") == 0)
		OK(checks, "preemption", "full: a real-time kernel");
	else if (!now || sscanf(now, "(%15[a-z])", mode) != 1)
		OK(checks, "preemption", "not known: no " PREEMPTION " to be read");
	else if (is_one_of(mode, "none voluntary"))
		probe_fix(WARN(checks, "preemption",
			       "%s: a system call of another process may keep a transmit thread waiting", mode),
			  "echo full > " PREEMPTION);
	else
		OK(checks, "preemption", "%s", mode);
}

/* --- power ---------------------------------------------------------------------------------------------------------- */

static void check_governor(const struct place *place, json_t *checks)
{
	char pattern[PATH_SIZE], governor[LINE_SIZE], other[LINE_SIZE] = "";
	size_t slow = 0;
	glob_t found = { 0 };

	snprintf(pattern, sizeof(pattern), "%s/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor", place->root);
	glob(pattern, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		if (!probe_read_line("", governor, "%s", found.gl_pathv[i]) || strcmp(governor, "performance") == 0)
			continue;
		memcpy(other, governor, sizeof(other));
		slow++;
	}
	if (!found.gl_pathc)
		OK(checks, "governor", "no frequency scaling to be seen");
	else if (!slow)
		OK(checks, "governor", "performance");
	else
		probe_fix(WARN(checks, "governor", "%s on %zu of %zu CPUs: rates and latency vary with it", other, slow,
			       found.gl_pathc),
			  "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor");
	globfree(&found);
}

/* Get the longest time, over all CPUs, that waking from an enabled idle state takes. Returns false if there are no such
 * states. */
static bool read_wake_us(const char *root, long *ret_us, char state[LINE_SIZE])
{
	glob_t found = { 0 };
	bool any = false;

	glob(TEXT_OF(PATH_SIZE, "%s" CPU_DIRECTORY "/cpu[0-9]*/cpuidle/state[0-9]*", root), 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char latency[LINE_SIZE], disabled[LINE_SIZE];

		if (!probe_read_line("", latency, "%s/latency", found.gl_pathv[i]))
			continue;
		probe_read_line("", disabled, "%s/disable", found.gl_pathv[i]);
		if (*disabled && strcmp(disabled, "0"))
			continue;
		if (!any || atol(latency) > *ret_us) {
			*ret_us = atol(latency);
			probe_read_line("", state, "%s/name", found.gl_pathv[i]);
		}
		any = true;
	}
	globfree(&found);
	return any;
}

/* Read the latency that processes ask for together, a binary number. Returns false if it cannot be read. */
static bool read_wanted_us(const char *root, int32_t *ret_us)
{
	closing FILE *stream = fopen(TEXT_OF(PATH_SIZE, "%s/dev/cpu_dma_latency", root), "re");

	return stream && fread(ret_us, sizeof(*ret_us), 1, stream) == 1;
}

static void check_idle_states(const struct place *place, json_t *checks)
{
	char driver[LINE_SIZE], state[LINE_SIZE] = "";
	int32_t wanted_us;
	long wake_us = 0;

	if (!probe_read_line(place->root, driver, CPU_DIRECTORY "/cpuidle/current_driver") ||
	    !read_wake_us(place->root, &wake_us, state))
		OK(checks, "idle-states", "not known: the kernel shows none");
	else if (wake_us <= WAKE_LONG_US)
		OK(checks, "idle-states", "%s: waking takes %ld us at most", driver, wake_us);
	else if (read_wanted_us(place->root, &wanted_us) && wanted_us >= 0 && wanted_us <= WAKE_LONG_US)
		OK(checks, "idle-states", "%s: /dev/cpu_dma_latency keeps waking below %d us", driver, (int)wanted_us);
	else
		probe_fix(WARN(checks, "idle-states", "%s: waking from %s takes %ld us, in which frames wait to be received",
			       driver, *state ? state : "the deepest", wake_us),
			  "for s in " CPU_DIRECTORY
			  "/cpu[0-9]*/cpuidle/state[0-9]*; do [ $(cat $s/latency) -le %d ] || echo 1 > "
			  "$s/disable; done",
			  WAKE_LONG_US);
}

/* --- the hypervisor ------------------------------------------------------------------------------------------------- */

/* Get the machine's own name, by which some virtual machines are known; "" without a name. */
static void name_machine(const char *root, char name[LINE_SIZE])
{
	char product[LINE_SIZE];

	if (probe_read_line(root, name, "/sys/hypervisor/type"))
		return;
	probe_read_line(root, name, "/sys/class/dmi/id/sys_vendor");
	if (probe_read_line(root, product, "/sys/class/dmi/id/product_name"))
		text_join(name, LINE_SIZE, " ", "%.64s", product);
}

/* 1: virtual, 0: not, -1: nothing tells. The CPUs of amd64 have a flag for it; others have a node in the device tree. */
static int is_virtual(const char *root)
{
	char flags[LONG_LINE_SIZE], line[LINE_SIZE];

	file_find_line(TEXT_OF(PATH_SIZE, "%s/proc/cpuinfo", root), "flags", flags, sizeof(flags));
	if (*flags)
		return is_one_of("hypervisor", flags);
	return probe_read_line(root, line, "/sys/hypervisor/type") ||
			       !access(TEXT_OF(PATH_SIZE, "%s/proc/device-tree/hypervisor/compatible", root), F_OK)
		       ? 1
		       : -1;
}

static void check_hypervisor(const struct place *place, json_t *checks)
{
	int answer = is_virtual(place->root);
	char name[LINE_SIZE];

	name_machine(place->root, name);
	if (answer > 0)
		WARN(checks, "hypervisor", "a virtual machine%s%s: its host may take a CPU away at any time",
		     *name ? ", " : "", name);
	else if (answer < 0)
		OK(checks, "hypervisor", "not known: neither the CPU nor firmware tells%s%s", *name ? " of " : "", name);
	else
		OK(checks, "hypervisor", "none");
}

json_t *probe_transmit_cpus(const char *root, const cpu_set_t *transmit)
{
	static void (*const parts[])(const struct place *place, json_t *checks) = {
		check_transmit_cpus, check_isolation,  check_tick,     check_callbacks,   check_smt,        check_sessions,
		check_real_time,     check_preemption, check_governor, check_idle_states, check_hypervisor,
	};
	struct place place = read_place(root, transmit);
	json_t *checks = json_array();

	for (size_t i = 0; i < COUNT(parts); i++)
		parts[i](&place, checks);
	return checks;
}
