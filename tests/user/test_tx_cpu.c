/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPU a transmit thread gets. */

#include "../test.h"
#include "base/cpulist.h"
#include "base/tx_cpu.h"

static int choose(const char *allowed, const char *near, const char *taken)
{
	cpu_set_t sets[3];

	assert_true(cpulist_parse(allowed, &sets[0]));
	assert_true(cpulist_parse(near, &sets[1]));
	assert_true(cpulist_parse(taken, &sets[2]));
	return tx_cpu_choose(&sets[0], &sets[1], &sets[2]);
}

static void one_near_the_port_comes_first(void **state)
{
	(void)state;
	assert_int_equal(choose("0-7", "4-7", ""), 4);
	assert_int_equal(choose("0-7", "4-7", "4,5"), 6);
	assert_int_equal(choose("0-3,6", "4-7", ""), 6);
}

static void then_any_that_is_free(void **state)
{
	(void)state;
	assert_int_equal(choose("0-7", "4-7", "4-7"), 0);
	assert_int_equal(choose("2-3", "", "2"), 3);
	assert_int_equal(choose("2-3", "8-9", ""), 2);
}

static void is_better(const char *allowed, const char *near, const char *taken, const char *poor, const char *better)
{
	cpu_set_t sets[5], found;

	assert_true(cpulist_parse(allowed, &sets[0]));
	assert_true(cpulist_parse(near, &sets[1]));
	assert_true(cpulist_parse(taken, &sets[2]));
	assert_true(cpulist_parse(poor, &sets[3]));
	assert_true(cpulist_parse(better, &sets[4]));
	found = tx_cpu_better(&sets[0], &sets[1], &sets[2], &sets[3]);
	assert_true(CPU_EQUAL(&found, &sets[4]));
}

/* CPU 0 and the other half of a core in use are left out while there are others, but not for a CPU far from the port. */
static void poor_cpus_come_last(void **state)
{
	(void)state;
	is_better("0-7", "", "", "0", "1-7");
	is_better("0-7", "0-3", "1", "0,1,5", "2-4,6-7");
	is_better("0-3", "0", "1-3", "0", "0-3");
	is_better("0-7", "0,1", "1", "0,1", "0-7"); /* CPU 0 is near */
	is_better("0-1", "", "", "0", "0-1");       /* there are few */
}

static void a_single_cpu_is_left_alone(void **state)
{
	(void)state;
	assert_int_equal(choose("3", "3", ""), -1);
}

/* More threads than CPUs: each gets as many as any other, or one more. */
static void many_threads_go_round(void **state)
{
	unsigned int count[CPU_SETSIZE] = { 0 }, least = UINT32_MAX, most = 0;
	cpu_set_t taken, allowed;
	int cpus;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	cpus = CPU_COUNT(&allowed);
	if (cpus < 2)
		skip();
	CPU_ZERO(&taken);
	for (int i = 0; i < 3 * cpus; i++)
		count[tx_cpu_take("lo", false, &taken)]++;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		least = count[cpu] < least ? count[cpu] : least;
		most = count[cpu] > most ? count[cpu] : most;
	}
	assert_int_equal(least, 3);
	assert_int_equal(most, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_near_the_port_comes_first), cmocka_unit_test(then_any_that_is_free),
		cmocka_unit_test(poor_cpus_come_last),           cmocka_unit_test(a_single_cpu_is_left_alone),
		cmocka_unit_test(many_threads_go_round),
	};

	return cmocka_run_group_tests_name("tx_cpu", tests, NULL, NULL);
}
