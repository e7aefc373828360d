/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What probe says of a machine, shown on machines made of files: each fault warns, with the command that mends it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../test.h"
#include "base/cpulist.h"
#include "port/absent.h"
#include "probe/parts.h"
#include "probe/probe.h"
#include "probe/stalls.h"
#include "probe_check.h"

#define CPU            "/sys/devices/system/cpu"
#define INSTALL_KERNEL "apt-get install linux-image-$(dpkg --print-architecture) && reboot"
#define CLOCK          "/sys/devices/system/clocksource/clocksource0"

/* A machine without a fault. */
static const struct file {
	const char *path, *text;
} machine[] = {
	{ "/proc/sys/kernel/osrelease", "6.12.1-amd64" },
	{ "/sys/kernel/btf/vmlinux", "" },
	{ "/proc/sys/net/core/bpf_jit_enable", "1" },
	{ "/proc/sys/net/core/netdev_max_backlog", "1000" },
	{ CLOCK "/current_clocksource", "tsc" },
	{ CLOCK "/available_clocksource", "tsc hpet acpi_pm" },
	{ CPU "/online", "0-1" },
	{ CPU "/cpu0/cpufreq/scaling_governor", "performance" },
	{ CPU "/cpu1/cpufreq/scaling_governor", "performance" },
	{ CPU "/isolated", "" },
	{ CPU "/nohz_full", "" },
	{ CPU "/cpuidle/current_driver", "intel_idle" },
	{ CPU "/cpu0/cpuidle/state0/name", "POLL" },
	{ CPU "/cpu0/cpuidle/state0/latency", "0" },
	{ CPU "/cpu0/cpuidle/state0/disable", "0" },
	{ CPU "/cpu1/cpuidle/state1/name", "C1" },
	{ CPU "/cpu1/cpuidle/state1/latency", "2" },
	{ CPU "/cpu1/cpuidle/state1/disable", "0" },
	{ CPU "/smt/active", "0" },
	{ CPU "/cpu0/topology/thread_siblings_list", "0,1" },
	{ "/sys/devices/system/node/online", "0" },
	{ "/proc/meminfo", "HugePages_Free: 4\nHugepagesize: 2048 kB" },
	{ "/proc/stat", "cpu 1 2 3 4 5 6 7 0 9 10" },
	{ "/proc/1/comm", "init" },
	{ "/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet" },
	{ "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme hypervisors tsc" },
	{ "/proc/sys/kernel/sched_autogroup_enabled", "1" },
	{ "/proc/sys/kernel/sched_rt_runtime_us", "950000" },
	{ "/proc/sys/kernel/sched_rt_period_us", "1000000" },
	{ "/sys/kernel/debug/sched/preempt", "none voluntary (full) lazy" },
};

static char root[] = "/tmp/mlr-probe-XXXXXX";

static void put(const char *path, const char *text)
{
	char whole[256];
	FILE *stream;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	for (char *slash = strchr(whole + sizeof(root), '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(whole, 0700);
		*slash = '/';
	}
	stream = fopen(whole, "w");
	assert_non_null(stream);
	fprintf(stream, "%s\n", text);
	fclose(stream);
}

static void put_octets(const char *path, const void *octets, size_t count)
{
	char whole[256];
	FILE *stream;

	put(path, "");
	snprintf(whole, sizeof(whole), "%s%s", root, path);
	stream = fopen(whole, "w");
	assert_non_null(stream);
	assert_int_equal(fwrite(octets, 1, count, stream), count);
	fclose(stream);
}

static void take_away(const char *path)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	assert_int_equal(unlink(whole), 0);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(root + sizeof(root) - 7, "XXXXXX");
	if (!mkdtemp(root))
		return -1;
	for (size_t i = 0; i < sizeof(machine) / sizeof(*machine); i++)
		put(machine[i].path, machine[i].text);
	return 0;
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

/* The CPUs of transmit threads. */
static const char *transmit = "0-1";

/* All checks of the machine. */
static json_t *all_checks(void)
{
	json_t *checks = probe_machine(root), *others;
	cpu_set_t cpus;

	assert_true(cpulist_parse(transmit, &cpus));
	others = probe_transmit_cpus(root, &cpus);
	json_array_extend(checks, others);
	json_decref(others);
	return checks;
}

/* The check of this name must be the only one that is not OK, with this fix (NULL: none). */
static void only_warns(const char *name, const char *fix)
{
	json_t *checks = all_checks();
	bool found = false;

	for (size_t i = 0; i < json_array_size(checks); i++) {
		const json_t *check = json_array_get(checks, i);
		const char *its_name = json_string_value(json_object_get(check, "name"));
		const char *its_fix = json_string_value(json_object_get(check, "fix"));

		/* the CPUs that this process may use are those of the machine it runs on */
		if (strcmp(its_name, "cpus") == 0)
			continue;
		if (!name || strcmp(its_name, name)) {
			assert_string_equal(json_string_value(json_object_get(check, "state")), "OK");
			continue;
		}
		found = true;
		assert_string_equal(json_string_value(json_object_get(check, "state")), "WARN");
		if (fix)
			assert_string_equal(its_fix, fix);
		else
			assert_null(its_fix);
	}
	assert_true(found || !name);
	json_decref(checks);
}

/* The check of this name has this state and this fix (NULL: none), and these words are in its value. */
static void says(const char *name, const char *state, const char *words, const char *fix)
{
	json_t *checks = all_checks();
	bool found = false;

	for (size_t i = 0; i < json_array_size(checks); i++) {
		const json_t *check = json_array_get(checks, i);

		if (strcmp(json_string_value(json_object_get(check, "name")), name) != 0)
			continue;
		found = true;
		assert_check(check, state, words, fix);
	}
	assert_true(found);
	json_decref(checks);
}

static void a_machine_without_a_fault(void **state)
{
	(void)state;
	only_warns(NULL, NULL);
}

static void the_kernel(void **state)
{
	(void)state;
	put("/proc/sys/kernel/osrelease", "5.15.0-91-generic");
	only_warns("kernel", INSTALL_KERNEL);
	put("/proc/sys/kernel/osrelease", "6.1.0-18-amd64");
	only_warns(NULL, NULL);
	put("/proc/sys/kernel/osrelease", "10.0.1");
	only_warns(NULL, NULL);
	take_away("/sys/kernel/btf/vmlinux");
	only_warns("btf", INSTALL_KERNEL);
}

static void the_jit(void **state)
{
	(void)state;
	put("/proc/sys/net/core/bpf_jit_enable", "0");
	only_warns("bpf-jit", "sysctl -w net.core.bpf_jit_enable=1");
	take_away("/proc/sys/net/core/bpf_jit_enable");
	only_warns("bpf-jit", NULL);
	/* in another network namespace neither is to be seen, and nothing follows from it */
	take_away("/proc/sys/net/core/netdev_max_backlog");
	only_warns(NULL, NULL);
}

static void the_backlog(void **state)
{
	(void)state;
	put("/proc/sys/net/core/netdev_max_backlog", "300");
	only_warns("backlog", "sysctl -w net.core.netdev_max_backlog=1000");
}

static void the_clock(void **state)
{
	(void)state;
	put(CLOCK "/current_clocksource", "hpet");
	only_warns("clock-source", "echo tsc > " CLOCK "/current_clocksource");
	put(CLOCK "/available_clocksource", "hpet tsc-early acpi_pm");
	only_warns("clock-source", NULL);
}

#define BOOT(parameters) "sed -i 's/^GRUB_CMDLINE_LINUX=\"/&" parameters " /' /etc/default/grub && update-grub && reboot"

static void isolation(void **state)
{
	static const char all[] = BOOT("isolcpus=managed_irq,domain,6-7 nohz_full=6-7 rcu_nocbs=6-7");

	(void)state;
	/* nothing to spare */
	says("isolation", "OK", "too few CPUs", NULL);
	says("tick", "OK", "too few CPUs", NULL);
	says("rcu-callbacks", "OK", "too few CPUs", NULL);
	put(CPU "/online", "0-7");
	says("isolation", "WARN", "none", all);
	says("tick", "WARN", "on", all);
	says("rcu-callbacks", "WARN", "not kept off", all);
	/* isolated, but transmit threads would run elsewhere, or not all there */
	put(CPU "/isolated", "6-7");
	says("isolation", "WARN", "CPUs 6-7", "taskset -pc 6-7 $$");
	put(CPU "/isolated", "1");
	says("isolation", "WARN", "CPUs 1", "taskset -pc 1 $$");
	/* isolated, and transmit threads run there */
	put(CPU "/isolated", "0-1");
	says("isolation", "OK", "CPUs 0-1", NULL);
	says("tick", "WARN", "on", BOOT("nohz_full=0-1 rcu_nocbs=0-1"));
	take_away(CPU "/isolated");
	put("/sys/fs/cgroup/cpuset.cpus.isolated", "0-3");
	says("isolation", "OK", "CPUs 0-3", NULL);
	put(CPU "/nohz_full", "(null)");
	says("tick", "WARN", "on", BOOT("nohz_full=0-3 rcu_nocbs=0-3"));
	/* what has no tick has no callbacks either */
	put(CPU "/nohz_full", "1,0");
	only_warns(NULL, NULL);
	says("tick", "OK", "off", NULL);
	put(CPU "/nohz_full", "1");
	says("rcu-callbacks", "WARN", "not kept off", BOOT("nohz_full=0-3 rcu_nocbs=0-3"));
	/* where a thread may run on any CPU, no set is enough */
	transmit = "";
	says("isolation", "WARN", "CPUs 0-3", "taskset -pc 0-3 $$");
	says("transmit-cpus", "WARN", "one CPU only", NULL);
	transmit = "0-1";
}

static void callbacks_by_the_command_line(void **state)
{
	(void)state;
	put(CPU "/online", "0-7");
	put("/proc/cmdline", "quiet rcu_nocbs=0-1 xrcu_nocbs=7");
	says("rcu-callbacks", "OK", "kept off", NULL);
	put("/proc/cmdline", "rcu_nocbs=all");
	says("rcu-callbacks", "OK", "kept off", NULL);
	put("/proc/cmdline", "rcu_nocbs=1-N");
	says("rcu-callbacks", "WARN", "not known: the kernel was told rcu_nocbs=1-N", NULL);
	put("/proc/cmdline", "rcu_nocbs rcu_nocbs_poll");
	says("rcu-callbacks", "WARN", "not kept off", BOOT("isolcpus=managed_irq,domain,6-7 nohz_full=6-7 rcu_nocbs=6-7"));
	take_away("/proc/cmdline");
	says("rcu-callbacks", "WARN", "not known", NULL);
}

static void what_no_file_tells_is_not_known(void **state)
{
	(void)state;
	take_away(CPU "/isolated");
	says("isolation", "WARN", "not known", NULL);
	take_away(CPU "/nohz_full");
	says("tick", "OK", "not known", NULL);
	put(CPU "/isolated", "");
	take_away(CPU "/online");
	says("isolation", "WARN", "how many CPUs are online is not known", NULL);
	take_away(CPU "/smt/active");
	says("smt", "OK", "not known", NULL);
	take_away("/proc/sys/kernel/sched_autogroup_enabled");
	says("sessions", "OK", "not known", NULL);
	take_away("/proc/sys/kernel/sched_rt_period_us");
	says("real-time", "OK", "not known", NULL);
	take_away("/sys/kernel/debug/sched/preempt");
	says("preemption", "OK", "not known", NULL);
	take_away(CPU "/cpuidle/current_driver");
	says("idle-states", "OK", "not known", NULL);
	take_away("/proc/stat");
	says("steal", "WARN", "not known", NULL);
	says("load", "WARN", "not known", NULL);
	take_away("/proc/cpuinfo");
	says("hypervisor", "OK", "not known", NULL);
}

static void how_the_kernel_schedules(void **state)
{
	(void)state;
	put("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	only_warns("real-time", "sysctl -w kernel.sched_rt_runtime_us=950000");
	put("/proc/sys/kernel/sched_rt_runtime_us", "950000");
	says("real-time", "OK", "950 of 1000 ms", NULL);
	put("/proc/sys/kernel/sched_autogroup_enabled", "0");
	only_warns("sessions", "sysctl -w kernel.sched_autogroup_enabled=1");
	put("/proc/sys/kernel/sched_autogroup_enabled", "1");
	says("sessions", "OK", "each gets its share", NULL);
	put("/sys/kernel/debug/sched/preempt", "none (voluntary) full");
	only_warns("preemption", "echo full > /sys/kernel/debug/sched/preempt");
	put("/sys/kernel/debug/sched/preempt", "full (lazy)");
	says("preemption", "OK", "lazy", NULL);
	take_away("/sys/kernel/debug/sched/preempt");
	put("/sys/kernel/realtime", "1");
	says("preemption", "OK", "a real-time kernel", NULL);
}

static void idle_states(void **state)
{
	static const char fix[] =
		"for s in /sys/devices/system/cpu/cpu[0-9]*/cpuidle/state[0-9]*; do [ $(cat $s/latency) -le 20 ] || "
		"echo 1 > $s/disable; done";
	const uint32_t wanted_us[] = { 2000000000, 20, 0 };

	(void)state;
	says("idle-states", "OK", "intel_idle: waking takes 2 us at most", NULL);
	put(CPU "/cpu1/cpuidle/state2/name", "C6");
	put(CPU "/cpu1/cpuidle/state2/latency", "133");
	put(CPU "/cpu1/cpuidle/state2/disable", "0");
	only_warns("idle-states", fix);
	says("idle-states", "WARN", "waking from C6 takes 133 us", fix);
	/* the file is four octets; a program keeps it open while it wants it */
	put_octets("/dev/cpu_dma_latency", &wanted_us[0], 4);
	says("idle-states", "WARN", "133 us", fix);
	put_octets("/dev/cpu_dma_latency", &wanted_us[1], 4);
	says("idle-states", "OK", "/dev/cpu_dma_latency keeps waking below 20 us", NULL);
	put_octets("/dev/cpu_dma_latency", &wanted_us[2], 2);
	says("idle-states", "WARN", "133 us", fix);
	/* the state that is disabled does not count */
	put(CPU "/cpu1/cpuidle/state2/disable", "1");
	says("idle-states", "OK", "2 us", NULL);
}

static void hypervisors(void **state)
{
	(void)state;
	says("hypervisor", "OK", "none", NULL);
	put("/proc/cpuinfo", "flags\t\t: fpu tsc hypervisor lahf_lm");
	only_warns("hypervisor", NULL);
	put("/sys/class/dmi/id/sys_vendor", "QEMU");
	put("/sys/class/dmi/id/product_name", "Standard PC");
	says("hypervisor", "WARN", "a virtual machine, QEMU Standard PC:", NULL);
	/* an arm64 machine has no such flag */
	put("/proc/cpuinfo", "Features\t: fp asimd");
	says("hypervisor", "OK", "not known", NULL);
	put("/proc/device-tree/hypervisor/compatible", "linux,kvm");
	says("hypervisor", "WARN", "a virtual machine", NULL);
}

static void steal(void **state)
{
	(void)state;
	put("/proc/stat", "cpu 100 0 0 100 0 0 0 4 0 0");
	only_warns("steal", NULL);
	says("steal", "WARN", "1.96 %", NULL);
	put("/proc/stat", "cpu 100 0 0 900 0 0 0 4 0 0");
	says("steal", "OK", "0.40 %", NULL);
}

static void governor_and_siblings(void **state)
{
	(void)state;
	put(CPU "/cpu1/cpufreq/scaling_governor", "powersave");
	only_warns("governor", "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor");
	put(CPU "/cpu1/cpufreq/scaling_governor", "performance");
	put(CPU "/smt/active", "1");
	only_warns("smt", "echo off > /sys/devices/system/cpu/smt/control");
	transmit = "1";
	put(CPU "/cpu1/topology/thread_siblings_list", "1,3");
	says("smt", "WARN", "CPUs 3", "echo off > /sys/devices/system/cpu/smt/control");
	put(CPU "/cpu1/topology/thread_siblings_list", "1");
	says("smt", "OK", "cores of their own", NULL);
	take_away(CPU "/cpu1/topology/thread_siblings_list");
	says("smt", "WARN", "not known", "echo off > /sys/devices/system/cpu/smt/control");
	transmit = "0-1";
}

static void irqbalance(void **state)
{
	(void)state;
	put("/proc/77/comm", "irqbalance");
	only_warns("irqbalance", "systemctl stop irqbalance");
}

static void a_machine_that_tells_nothing(void **state)
{
	json_t *checks;

	(void)state;
	for (size_t i = 0; i < sizeof(machine) / sizeof(*machine); i++)
		take_away(machine[i].path);
	checks = all_checks();
	assert_true(json_array_size(checks) > 20);
	assert_int_equal(probe_worst(checks), PROBE_WARN);
	json_decref(checks);
}

/* --- interrupts of a port --------------------------------------------------------------------------------------------- */

#define DEVICE "/sys/bus/pci/devices/0000:01:00.0"

static void interrupts_say(const char *device, const char *cpus, const char *state, const char *words, const char *fix)
{
	json_t *checks = json_array();
	cpu_set_t set;

	assert_true(cpulist_parse(cpus, &set));
	probe_interrupts(checks, root, device, &set);
	assert_check(json_array_get(checks, 0), state, words, fix);
	json_decref(checks);
}

static void interrupts_of_a_port(void **state)
{
	(void)state;
	interrupts_say(NULL, "0", "OK", "none of its own", NULL);
	interrupts_say(DEVICE, "0", "OK", "none of its own", NULL);
	put(DEVICE "/msi_irqs/30", "msix");
	put(DEVICE "/msi_irqs/31", "msix");
	interrupts_say(DEVICE, "0", "OK", "2; on which CPUs is not known", NULL);
	put(CPU "/online", "0-7");
	put("/proc/irq/30/smp_affinity_list", "0-7");
	put("/proc/irq/31/smp_affinity_list", "5");
	interrupts_say(DEVICE, "0-1", "WARN", "2, on CPUs 0-7: 1 may interrupt a transmit thread on CPUs 0-1",
		       "for irq in $(ls " DEVICE "/msi_irqs); do echo 2-7 > /proc/irq/$irq/smp_affinity_list; done");
	/* where an interrupt goes counts, not where it may go */
	put("/proc/irq/30/effective_affinity_list", "3");
	interrupts_say(DEVICE, "0-1", "OK", "2, on CPUs 3,5", NULL);
	/* there is no other CPU */
	interrupts_say(DEVICE, "0-7", "WARN", "2 may interrupt", NULL);
}

/* --- stalls ----------------------------------------------------------------------------------------------------------- */

static void stalls_are_long_gaps(void **state)
{
	struct stalls stalls = { .cpu = 0 };

	(void)state;
	stalls_add(&stalls, 30);
	stalls_add(&stalls, STALL_NS);
	assert_int_equal(stalls.count, 0);
	assert_int_equal(stalls.longest_ns, 0);
	stalls_add(&stalls, STALL_NS + 1);
	stalls_add(&stalls, 4000000);
	stalls_add(&stalls, 200000);
	assert_int_equal(stalls.count, 3);
	assert_int_equal(stalls.longest_ns, 4000000);
	assert_int_equal(stalls.sum_ns, STALL_NS + 1 + 4000000 + 200000);
	assert_int_equal(stalls.spun_ns, 30 + STALL_NS + STALL_NS + 1 + 4000000 + 200000);
}

/* How long and how many they are is the machine's business. */
static void stalls_are_measured_on_a_cpu(void **state)
{
	struct stalls stalls = { .cpu = -2 };
	cpu_set_t allowed, now;
	int cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	while (!CPU_ISSET(cpu, &allowed))
		cpu++;
	assert_int_equal(stalls_measure(cpu, 20000000, &stalls), 0);
	assert_int_equal(stalls.cpu, cpu);
	assert_true(stalls.spun_ns >= 20000000);
	assert_true(stalls.sum_ns <= stalls.spun_ns);
	assert_true(stalls.longest_ns <= stalls.sum_ns && stalls.sum_ns <= stalls.count * stalls.longest_ns);
	assert_true(!stalls.count == !stalls.longest_ns);
	assert_int_equal(stalls_measure(-1, 1000000, &stalls), 0);
	assert_int_equal(stalls.cpu, -1);
	assert_false(stalls.stolen_known);
	/* a CPU that is not there, and outputs are untouched */
	assert_int_equal(stalls_measure(CPU_SETSIZE - 1, 1000000, &stalls), -EINVAL);
	assert_int_equal(stalls.cpu, -1);
	/* the thread was pinned, not this process */
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&now, &allowed));
}

static void stalls_say(json_t *measured, const char *state, const char *value, const char *fix)
{
	json_t *checks = json_array();

	probe_say_stalls(checks, measured);
	assert_check(json_array_get(checks, 0), state, "", fix);
	assert_string_equal(json_string_value(json_object_get(json_array_get(checks, 0), "value")), value);
	json_decref(checks);
	json_decref(measured);
}

static json_t *measured(int count, int longest_ns, int sum_ns, json_t *others_ns, json_t *stolen_ns, bool raised)
{
	return json_pack("{s:i, s:f, s:i, s:i, s:i, s:i, s:o, s:o, s:b}", "cpu", 0, "duration_s", 0.2, "threshold_ns",
			 STALL_NS, "count", count, "longest_ns", longest_ns, "sum_ns", sum_ns, "others_ns", others_ns,
			 "stolen_ns", stolen_ns, "raised", (int)raised);
}

static void what_is_said_of_stalls(void **state)
{
	static const char top[] = "top -b -n1 -o %CPU | head -20";

	(void)state;
	stalls_say(json_pack("[o]", measured(0, 0, 0, json_integer(5), json_integer(0), true)), "OK",
		   "none above 0.1 ms in 0.2 s", NULL);
	stalls_say(json_pack("[o, o]", measured(3, 4100000, 5000000, json_integer(4000000), json_integer(0), true),
			     measured(1, 200000, 200000, json_integer(500000), json_integer(10000000), true)),
		   "WARN",
		   "4 above 0.1 ms in 0.4 s, the longest 4.10 ms (410 frames at 100 kfps); 4.5 ms went to other processes, "
		   "10.0 ms to "
		   "the hypervisor",
		   top);
	/* not by other processes: no command of this machine helps */
	stalls_say(json_pack("[o]", measured(1, 200000, 200000, json_integer(0), json_null(), false)), "WARN",
		   "1 above 0.1 ms in 0.2 s without the priority of a run, the longest 0.20 ms (20 frames at 100 kfps); 0.0 "
		   "ms went "
		   "to other processes",
		   NULL);
	stalls_say(json_pack("[o]", measured(1, 200000, 200000, json_null(), json_null(), true)), "WARN",
		   "1 above 0.1 ms in 0.2 s, the longest 0.20 ms (20 frames at 100 kfps)", NULL);
	stalls_say(json_null(), "OK", "not known: measuring them would stop the transmit threads of a run that goes on",
		   NULL);
	stalls_say(json_array(), "WARN", "not known: no thread could be started that measures them", NULL);
}

/* --- devices without a port ------------------------------------------------------------------------------------------ */

/* A network device of PCI; its driver's name, NULL without one. */
static void put_device(const char *address, const char *class, const char *driver)
{
	char path[256], target[64];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/class", address);
	put(path, class);
	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s/driver", root, address);
	snprintf(target, sizeof(target), "../../../bus/pci/drivers/%s", driver ? driver : "");
	if (driver)
		assert_int_equal(symlink(target, path), 0);
}

static void explains(const char *name, const char *text)
{
	char buffer[ABSENT_TEXT_SIZE];

	assert_string_equal(absent_explain(root, name, buffer, sizeof(buffer)), text);
}

static void a_device_that_is_no_port_is_found(void **state)
{
	static const char vfio[] =
		"0000:03:00.1 belongs to vfio-pci; 'cd /sys/bus/pci && echo 0000:03:00.1 > drivers/vfio-pci/unbind && echo "
		"> "
		"devices/0000:03:00.1/driver_override && echo 0000:03:00.1 > drivers_probe' gives it to the kernel";
	static const char none[] =
		"0000:81:1f.0 has no driver; 'echo 0000:81:1f.0 > /sys/bus/pci/drivers_probe' gives it to the kernel";

	(void)state;
	explains("eth7", "");
	put_device("0000:02:00.0", "0x020000", "igb");
	put("/sys/bus/pci/devices/0000:02:00.0/net/enp2s0/address", "");
	put_device("0000:02:01.0", "0x020000", "virtio-pci");
	put("/sys/bus/pci/devices/0000:02:01.0/virtio0/net/eth0/address", "");
	put_device("0000:05:00.0", "0x010802", "vfio-pci"); /* no NIC */
	explains("eth7", "");
	put_device("0000:03:00.1", "0x020000", "vfio-pci");
	explains("eth7", vfio);
	put_device("0000:81:1f.0", "0x020700", NULL);
	explains("eth7", "0000:03:00.1 belongs to vfio-pci, 0000:81:1f.0 has no driver");
	/* by its address, or by its place, which udev's names have in decimal digits */
	explains("0000:03:00.1", vfio);
	explains("03:00.1", vfio);
	explains("enp3s0f1", vfio);
	explains("enp3s0f1np1", vfio);
	explains("enp129s31", none);
	explains("enp3s0f0", "0000:03:00.1 belongs to vfio-pci, 0000:81:1f.0 has no driver");
	put_device("0000:04:00.0", "0x020000", "ice");
	explains("0000:04:00.0", "0000:04:00.0 (driver ice) has no port in this network namespace");
	put_device("0000:06:00.0", "0x020000", "igb_uio");
	explains("", "0000:03:00.1 belongs to vfio-pci, 0000:04:00.0 (driver ice) has no port in this network namespace, "
		     "0000:06:00.0 belongs to igb_uio and 1 more");
}

/* --- ports beside each other ----------------------------------------------------------------------------------------- */

static json_t *a_port(const char *name, double link_bps)
{
	return json_pack("{s:s, s:o, s:[]}", "name", name, "link_bps", link_bps > 0 ? json_real(link_bps) : json_null(),
			 "checks");
}

/* The only check of a port, or NULL without one. */
static const char *speeds_of(const json_t *ports, size_t port, const char *member)
{
	const json_t *checks = json_object_get(json_array_get(ports, port), "checks");

	assert_in_range(json_array_size(checks), 0, 1);
	return json_string_value(json_object_get(json_array_get(checks, 0), member));
}

static void ports_of_one_speed(void **state)
{
	json_t *ports = json_pack("[o, o, o]", a_port("a", 1e10), a_port("b", 0), a_port("c", 1e10));

	(void)state;
	probe_compare_speeds(ports);
	assert_string_equal(speeds_of(ports, 0, "state"), "OK");
	assert_null(speeds_of(ports, 1, "state"));
	assert_string_equal(speeds_of(ports, 2, "state"), "OK");
	json_decref(ports);
}

static void a_port_faster_than_another(void **state)
{
	json_t *ports = json_pack("[o, o]", a_port("eth1", 2.5e9), a_port("eth2", 1e9));

	(void)state;
	probe_compare_speeds(ports);
	assert_string_equal(speeds_of(ports, 0, "name"), "speeds");
	assert_string_equal(speeds_of(ports, 0, "state"), "WARN");
	assert_string_equal(speeds_of(ports, 0, "fix"), "ethtool -s eth1 speed 1000 duplex full");
	assert_non_null(strstr(speeds_of(ports, 0, "value"), "2500 Mbit/s here, 1000 Mbit/s on port eth2"));
	assert_string_equal(speeds_of(ports, 1, "state"), "OK");
	json_decref(ports);
}

static void ports_without_a_speed(void **state)
{
	json_t *ports = json_pack("[o, o]", a_port("a", 0), a_port("b", 0));

	(void)state;
	probe_compare_speeds(ports);
	assert_null(speeds_of(ports, 0, "state"));
	assert_null(speeds_of(ports, 1, "state"));
	json_decref(ports);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_machine_without_a_fault),
		TEST(the_kernel),
		TEST(the_jit),
		TEST(the_backlog),
		TEST(the_clock),
		TEST(isolation),
		TEST(governor_and_siblings),
		TEST(callbacks_by_the_command_line),
		TEST(what_no_file_tells_is_not_known),
		TEST(how_the_kernel_schedules),
		TEST(idle_states),
		TEST(hypervisors),
		TEST(steal),
		TEST(interrupts_of_a_port),
		TEST(irqbalance),
		TEST(a_machine_that_tells_nothing),
		cmocka_unit_test(stalls_are_long_gaps),
		cmocka_unit_test(stalls_are_measured_on_a_cpu),
		cmocka_unit_test(what_is_said_of_stalls),
		cmocka_unit_test_setup_teardown(a_device_that_is_no_port_is_found, set_up, tear_down),
		cmocka_unit_test(ports_of_one_speed),
		cmocka_unit_test(a_port_faster_than_another),
		cmocka_unit_test(ports_without_a_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
