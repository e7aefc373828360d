/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What probe says of a machine, shown on machines made of files: each fault warns, with the command that mends it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../test.h"
#include "probe/parts.h"
#include "probe/probe.h"

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
	{ CPU "/smt/active", "0" },
	{ CPU "/cpu0/topology/thread_siblings_list", "0,1" },
	{ "/sys/devices/system/node/online", "0" },
	{ "/proc/meminfo", "HugePages_Free: 4\nHugepagesize: 2048 kB" },
	{ "/proc/stat", "cpu 1 2 3 4 5 6 7 8 9 10" },
	{ "/proc/1/comm", "init" },
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

/* The check of this name must be the only one that is not OK, with this fix (NULL: none). */
static void only_warns(const char *name, const char *fix)
{
	json_t *checks = probe_machine(root);
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

static void isolation(void **state)
{
	(void)state;
	put(CPU "/online", "0-7");
	only_warns("isolation", "sed -i 's/^GRUB_CMDLINE_LINUX=\"/&isolcpus=managed_irq,domain,6-7 nohz_full=6-7 /' "
				"/etc/default/grub && update-grub && reboot");
	/* isolated, and this process may use it */
	put(CPU "/isolated", "0-1");
	only_warns(NULL, NULL);
	/* isolated, and it may not */
	put(CPU "/isolated", "1000-1001");
	only_warns("isolation", "taskset -pc 1000-1001 $$");
	take_away(CPU "/isolated");
	put("/sys/fs/cgroup/cpuset.cpus.isolated", "0");
	only_warns(NULL, NULL);
}

static void governor_and_siblings(void **state)
{
	(void)state;
	put(CPU "/cpu1/cpufreq/scaling_governor", "powersave");
	only_warns("governor", "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor");
	put(CPU "/cpu1/cpufreq/scaling_governor", "performance");
	put(CPU "/smt/active", "1");
	only_warns("smt", "echo off > /sys/devices/system/cpu/smt/control");
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
	checks = probe_machine(root);
	assert_true(json_array_size(checks) > 10);
	assert_int_equal(probe_worst(checks), PROBE_WARN);
	json_decref(checks);
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
		TEST(irqbalance),
		TEST(a_machine_that_tells_nothing),
		cmocka_unit_test(ports_of_one_speed),
		cmocka_unit_test(a_port_faster_than_another),
		cmocka_unit_test(ports_without_a_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
