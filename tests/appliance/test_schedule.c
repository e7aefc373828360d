/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the rounds of a schedule begin. */

#include "../test.h"
#include "appliance/schedule.h"

#define DAY 86400

static void a_file_without_a_schedule_runs_once(void **state)
{
	const struct schedule_settings once = { .rounds = 1 };
	struct rounds rounds = { .begun = 0 };

	(void)state;
	assert_int_equal(schedule_next(&once, &rounds, 1000), 1000);
	rounds = (struct rounds){ .begun = 1, .first_begun = 1000, .last_begun = 1000, .last_ended = 1100 };
	assert_int_equal(schedule_next(&once, &rounds, 1100), SCHEDULE_OVER);
}

static void a_pause_counts_from_the_end_of_a_round(void **state)
{
	const struct schedule_settings loop = { .rounds = SETTINGS_FOREVER, .pause_s = 600 };
	const struct rounds rounds = { .begun = 7, .first_begun = 1000, .last_begun = 5000, .last_ended = 5100 };

	(void)state;
	assert_int_equal(schedule_next(&loop, &rounds, 5100), 5700);
	assert_int_equal(schedule_next(&loop, &rounds, 9999), 5700); /* long past: now */
}

static void an_interval_counts_from_begin_to_begin_and_leaves_out_what_has_passed(void **state)
{
	const struct schedule_settings hourly = { .rounds = SETTINGS_FOREVER, .every_s = 3600 };
	struct rounds rounds = { .begun = 1, .first_begun = 1000, .last_begun = 1000, .last_ended = 1500 };

	(void)state;
	assert_int_equal(schedule_next(&hourly, &rounds, 1500), 4600);
	/* a round that took 2.5 hours: the next full hour, not one that is gone */
	rounds.last_ended = 10000;
	assert_int_equal(schedule_next(&hourly, &rounds, 10000), 1000 + 3 * 3600);
	/* one that ended at the very moment begins at once, and not a second time in it */
	assert_int_equal(schedule_next(&hourly, &rounds, 4600), 4600);
	rounds.last_begun = 4600;
	assert_int_equal(schedule_next(&hourly, &rounds, 4600), 8200);
}

static void times_of_day_are_those_to_come(void **state)
{
	const struct schedule_settings twice = { .rounds = SETTINGS_FOREVER,
						 .at_minutes = { 14 * 60, 2 * 60 },
						 .at_count = 2 };
	const struct rounds none = { .begun = 0 };
	const time_t midnight = 20000 * (time_t)DAY;

	(void)state;
	assert_int_equal(schedule_next(&twice, &none, midnight), midnight + 2 * 3600);
	assert_int_equal(schedule_next(&twice, &none, midnight + 2 * 3600), midnight + 14 * 3600);
	assert_int_equal(schedule_next(&twice, &none, midnight + 15 * 3600), midnight + DAY + 2 * 3600);
}

static void a_clock_that_is_set_back_a_little_brings_no_time_of_day_again(void **state)
{
	const struct schedule_settings nightly = { .rounds = SETTINGS_FOREVER, .at_minutes = { 2 * 60 }, .at_count = 1 };
	const time_t night = 20000 * (time_t)DAY + 2 * 3600;
	const struct rounds rounds = { .begun = 1, .first_begun = night, .last_begun = night, .last_ended = night - 10 };

	(void)state;
	assert_int_equal(schedule_next(&nightly, &rounds, night - 10), night + DAY);
	/* by hours: the time of day is still to come */
	assert_int_equal(schedule_next(&nightly, &rounds, night - 3600), night);
}

static void rounds_end_after_their_number_at_times_too(void **state)
{
	const struct schedule_settings twice = { .rounds = 2, .at_minutes = { 60 }, .at_count = 1 };
	const struct rounds two = { .begun = 2 };

	(void)state;
	assert_int_equal(schedule_next(&twice, &two, 0), SCHEDULE_OVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_without_a_schedule_runs_once),
		cmocka_unit_test(a_pause_counts_from_the_end_of_a_round),
		cmocka_unit_test(an_interval_counts_from_begin_to_begin_and_leaves_out_what_has_passed),
		cmocka_unit_test(times_of_day_are_those_to_come),
		cmocka_unit_test(a_clock_that_is_set_back_a_little_brings_no_time_of_day_again),
		cmocka_unit_test(rounds_end_after_their_number_at_times_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
