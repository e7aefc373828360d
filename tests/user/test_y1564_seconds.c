/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames by second, from looks at the counters that may come early, late or never. */
#include "../test.h"
#include "benchmark/y1564_seconds.h"

#define START_NS 5000000000ull
#define MS       1000000ull
#define LOAD     1000.0

static struct load_steps steps;
static struct seconds seconds;

static int set_up(void **state)
{
	(void)state;
	steps = (struct load_steps){ .load_fps = LOAD, .ret_start_ns = START_NS };
	return seconds_init(&seconds, &steps, LOAD, 4.5);
}

static int tear_down(void **state)
{
	(void)state;
	seconds_free(&seconds);
	return 0;
}

static void look_at(uint64_t ms, uint64_t received)
{
	steps.watch(steps.context, START_NS + ms * MS, received, 0);
}

static void check(uint64_t first, uint64_t second, uint64_t third, uint64_t fourth)
{
	assert_int_equal(seconds.count, 4);
	assert_int_equal(seconds.received[0], first);
	assert_int_equal(seconds.received[1], second);
	assert_int_equal(seconds.received[2], third);
	assert_int_equal(seconds.received[3], fourth);
}

static void each_second_has_its_frames(void **state)
{
	(void)state;
	for (uint64_t ms = 0; ms <= 4500; ms++)
		look_at(ms, ms);
	seconds_end(&seconds, 4500);
	check(1000, 1000, 1000, 1000);
}

static void what_the_sut_holds_back_is_not_lost(void **state)
{
	(void)state;
	for (uint64_t ms = 0; ms <= 4000; ms++)
		look_at(ms, ms > 700 ? ms - 700 : 0);
	seconds_end(&seconds, 4000);
	check(1000, 1000, 1000, 1000);
}

static void an_outage_is_in_its_seconds(void **state)
{
	(void)state;
	for (uint64_t ms = 0; ms <= 4500; ms++)
		look_at(ms, ms < 1000 ? ms : ms < 2500 ? 1000 : ms - 1500);
	seconds_end(&seconds, 3000);
	check(1000, 0, 500, 1000);
}

static void a_late_look_shares_out_what_came_meanwhile(void **state)
{
	(void)state;
	for (uint64_t ms = 0; ms <= 500; ms++)
		look_at(ms, ms);
	look_at(3500, 3500);
	look_at(4500, 4500);
	seconds_end(&seconds, 4500);
	check(1000, 1000, 1000, 1000);
}

static void nothing_at_first_and_nothing_at_all(void **state)
{
	(void)state;
	for (uint64_t ms = 0; ms <= 4500; ms++)
		look_at(ms, ms < 2000 ? 0 : ms - 2000);
	seconds_end(&seconds, 2500);
	check(0, 0, 1000, 1000);
	steps.again(steps.context);
	for (uint64_t ms = 0; ms <= 4500; ms++)
		look_at(ms, 0);
	seconds_end(&seconds, 0);
	check(0, 0, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_second_has_its_frames, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_the_sut_holds_back_is_not_lost, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_outage_is_in_its_seconds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_late_look_shares_out_what_came_meanwhile, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_at_first_and_nothing_at_all, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("y1564_seconds", tests, NULL, NULL);
}
