/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Levels of a series: where they begin, and how often there is one too many. */
#include "mlr/segments.h"
#include "unit.h"

#define LENGTH 24
#define SERIES 3000

static double normal(uint64_t *random)
{
	return sqrt(-2 * log(random_unit(random))) * cos(6.283185307179586 * random_unit(random));
}

/* How many levels a series has. */
static size_t levels(const double *values, size_t count, double least)
{
	size_t firsts[LENGTH], number = 0;

	assert_int_equal(mlr_segments_find(values, count, least, 0.01, firsts), 0);
	for (size_t i = 0; i < count; i++)
		number += firsts[i] == i;
	return number;
}

static void levels_begin_where_the_mean_changes(void **state)
{
	static const double values[] = { 100, 101, 100, 99, 100, 101, 90, 91, 89, 90, 90, 91, 100, 101, 100, 99 };
	size_t firsts[COUNT_OF(values)];

	(void)state;
	assert_int_equal(mlr_segments_find(values, COUNT_OF(values), 0.1, 0.01, firsts), 0);
	for (size_t i = 0; i < COUNT_OF(values); i++)
		assert_int_equal(firsts[i], i < 6 ? 0 : i < 12 ? 6 : 12);
}

static void one_value_off_is_no_level_unless_it_is_the_last(void **state)
{
	double values[] = { 100, 101, 100, 99, 100, 60, 101, 100, 99, 100, 101, 100 };

	(void)state;
	assert_int_equal(levels(values, COUNT_OF(values), 0.1), 1);
	values[5] = 100;
	values[COUNT_OF(values) - 1] = 60;
	assert_int_equal(levels(values, COUNT_OF(values), 0.1), 2);
}

static void few_values_have_one_level(void **state)
{
	static const double values[] = { 100, 60 };

	(void)state;
	assert_int_equal(levels(values, 0, 0.1), 0);
	assert_int_equal(levels(values, 1, 0.1), 1);
	assert_int_equal(levels(values, 2, 0.1), 1);
}

static void noise_is_that_of_neighbours(void **state)
{
	uint64_t random = 7;
	double values[LENGTH], sum = 0;

	(void)state;
	for (int series = 0; series < SERIES; series++) {
		for (int i = 0; i < LENGTH; i++)
			values[i] = normal(&random) * 3 + (i < 12 ? 0 : 1000);
		sum += mlr_series_noise(values, LENGTH, 0.1) / SERIES;
	}
	assert_close(sum, 3, 0.3); /* a change of level hardly adds to it */
	assert_close(mlr_series_noise((double[]){ 5, 5, 5 }, 3, 0.1), 0.1, 0);
}

static void a_slow_fall_is_seen_as_a_whole(void **state)
{
	double values[LENGTH];
	size_t firsts[LENGTH];
	uint64_t random = 3;

	(void)state;
	for (int i = 0; i < LENGTH; i++)
		values[i] = -0.077 * i / (LENGTH - 1) + 0.002 * normal(&random);
	assert_int_equal(mlr_segments_find(values, LENGTH, 0.001, 0.01, firsts), 0);
	assert_true(levels(values, LENGTH, 0.001) >= 3);
	assert_true(firsts[LENGTH - 1] > LENGTH / 2);
}

static void small_steps_are_seen(void **state)
{
	uint64_t random = 11;
	size_t found = 0;

	(void)state;
	for (int series = 0; series < 100; series++) {
		double values[LENGTH];

		for (int i = 0; i < LENGTH; i++)
			values[i] = (i < 12 ? 0 : -0.008) + 0.0015 * normal(&random);
		found += levels(values, LENGTH, 0.001) == 2;
	}
	assert_true(found >= 98);
}

/* Normal noise, and noise with heavy tails. */
static void a_series_without_change_has_one_level(void **state)
{
	uint64_t random = 2026;

	(void)state;
	for (int heavy = 0; heavy < 2; heavy++) {
		size_t alarms = 0;

		for (int series = 0; series < SERIES; series++) {
			double values[LENGTH];

			for (int i = 0; i < LENGTH; i++)
				values[i] = normal(&random) / (heavy ? fmax(0.3, fabs(normal(&random))) : 1);
			alarms += levels(values, LENGTH, 0.01) > 1;
		}
		print_message("%s: %zu of %d\n", heavy ? "heavy tails" : "normal", alarms, SERIES);
		assert_true((double)alarms <= 0.012 * SERIES * (heavy ? 3 : 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_begin_where_the_mean_changes),
		cmocka_unit_test(one_value_off_is_no_level_unless_it_is_the_last),
		cmocka_unit_test(few_values_have_one_level),
		cmocka_unit_test(noise_is_that_of_neighbours),
		cmocka_unit_test(a_slow_fall_is_seen_as_a_whole),
		cmocka_unit_test(small_steps_are_seen),
		cmocka_unit_test(a_series_without_change_has_one_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
