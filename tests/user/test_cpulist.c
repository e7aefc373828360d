/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs, as the kernel writes them. */

#include "../test.h"
#include "base/cpulist.h"

static void lists_survive_a_round_trip(void **state)
{
	static const char *const lists[] = { "", "0", "0-3", "1,3,5", "0-3,8,10-1023" };
	char text[64];
	cpu_set_t cpus;

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		assert_true(cpulist_parse(lists[i], &cpus));
		assert_string_equal(cpulist_format(&cpus, text, sizeof(text)), lists[i]);
	}
}

static void what_is_no_list_is_refused(void **state)
{
	static const char *const texts[] = { "a", "1-", "3-1", "1;2", "-1", "0-99999", "1,x" };
	cpu_set_t cpus;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(cpulist_parse(texts[i], &cpus));
}

static void lines_of_the_kernel_are_read(void **state)
{
	cpu_set_t cpus;

	(void)state;
	assert_true(cpulist_parse("0-1,4\n", &cpus));
	assert_int_equal(CPU_COUNT(&cpus), 3);
	assert_true(CPU_ISSET(4, &cpus));
	assert_true(cpulist_parse("\n", &cpus));
	assert_int_equal(CPU_COUNT(&cpus), 0);
}

static void taking_away(void **state)
{
	cpu_set_t cpus, taken, rest;
	char text[64];

	(void)state;
	assert_true(cpulist_parse("0-7", &cpus));
	assert_true(cpulist_parse("2,6-9", &taken));
	rest = cpulist_without(&cpus, &taken);
	assert_string_equal(cpulist_format(&rest, text, sizeof(text)), "0-1,3-5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_survive_a_round_trip),
		cmocka_unit_test(what_is_no_list_is_refused),
		cmocka_unit_test(lines_of_the_kernel_are_read),
		cmocka_unit_test(taking_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
