/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Welch's test, against closed forms of Student's distribution and figures computed by numerical integration. */
#include "mlr/welch.h"
#include "unit.h"

#define PI 3.14159265358979323846

static void a_sample_has_its_moments(void **state)
{
	static const double values[] = { 4, 2, 9 };
	struct mlr_sample sample = mlr_sample_of(values, 3);

	(void)state;
	assert_int_equal(sample.count, 3);
	assert_close(sample.mean, 5, 1e-12);
	assert_close(sample.stdev, sqrt(13), 1e-12);
	assert_close(sample.least, 2, 0);
	assert_close(sample.most, 9, 0);
	sample = mlr_sample_of(values, 1);
	assert_close(sample.mean, 4, 0);
	assert_true(isnan(sample.stdev));
	assert_true(isnan(mlr_sample_of(values, 0).mean));
}

static void student_agrees_with_its_closed_forms(void **state)
{
	(void)state;
	for (double t = -60; t <= 60; t += 0.37) {
		assert_close(mlr_student_above(t, 1), 0.5 - atan(t) / PI, 1e-13);
		assert_close(mlr_student_above(t, 2), 0.5 - t / (2 * sqrt(2 + t * t)), 1e-13);
		assert_close(mlr_student_above(t, INFINITY), erfc(t / sqrt(2)) / 2, 1e-15);
	}
	assert_close(mlr_student_above(2.228138852, 10), 0.025, 1e-10);
	assert_close(mlr_student_above(3.364929999, 5), 0.01, 1e-10);
	/* many degrees of freedom: continuous with the normal distribution */
	assert_close(mlr_student_above(1.7, 0.99e6), mlr_student_above(1.7, INFINITY), 1e-6);
}

static void tails_that_are_small_keep_their_digits(void **state)
{
	(void)state;
	/* v = 2: 1 / (2 t^2) for large t */
	assert_close(mlr_student_above(1e6, 2) / 0.5e-12, 1, 1e-9);
	assert_true(mlr_student_above(40, 1e5) < 1e-100);
}

static void tails_end_at_infinity(void **state)
{
	(void)state;
	for (double dof = 0.5; dof < 1e5; dof *= 3) {
		assert_close(mlr_student_above(INFINITY, dof), 0, 0);
		assert_close(mlr_student_above(-INFINITY, dof), 1, 0);
		assert_close(mlr_student_above(0, dof), 0.5, 1e-12);
	}
}

/* What is known of two samples does not depend on the unit that they are in. */
static void units_do_not_matter(void **state)
{
	static const double a[] = { 1000, 1004, 998, 1001, 997 }, b[] = { 990, 985, 996 };

	(void)state;
	for (double unit = 1e-9; unit < 1e10; unit *= 10) {
		double scaled_a[COUNT_OF(a)], scaled_b[COUNT_OF(b)];
		struct mlr_sample first, second;
		struct mlr_welch welch;

		for (size_t i = 0; i < COUNT_OF(a); i++)
			scaled_a[i] = unit * a[i];
		for (size_t i = 0; i < COUNT_OF(b); i++)
			scaled_b[i] = unit * b[i];
		first = mlr_sample_of(scaled_a, COUNT_OF(a));
		second = mlr_sample_of(scaled_b, COUNT_OF(b));
		welch = mlr_welch_below(&first, &second, 5 * unit, 4 * unit * unit);
		assert_close(welch.t, 1.1811087137068643, 1e-9);
		assert_close(welch.degrees_of_freedom, 4.715708377502725, 1e-9);
		assert_close(welch.p_value, 0.14683964781119277, 1e-9);
	}
}

static void welch_agrees_with_numerical_integration(void **state)
{
	static const double a[] = { 1000, 1004, 998, 1001, 997 }, b[] = { 990, 985, 996 };
	static const struct {
		double margin, known, t, dof, p;
	} rows[] = {
		{ 0, 0, 2.8368727306581962, 2.6087164250414325, 0.03873583632593888 },
		{ 5, 0, 1.3695247665246406, 2.6087164250414325, 0.1383988347755723 },
		{ 5, 4, 1.1811087137068643, 4.715708377502725, 0.14683964781119277 },
	};
	struct mlr_sample first = mlr_sample_of(a, COUNT_OF(a)), second = mlr_sample_of(b, COUNT_OF(b));

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct mlr_welch welch = mlr_welch_below(&first, &second, rows[i].margin, rows[i].known);

		assert_close(welch.t, rows[i].t, 1e-9);
		assert_close(welch.degrees_of_freedom, rows[i].dof, 1e-9);
		assert_close(welch.p_value, rows[i].p, 1e-7);
	}
}

static void samples_without_spread_are_told_apart_by_what_is_known(void **state)
{
	static const double a[] = { 100, 100 }, b[] = { 97, 97 };
	struct mlr_sample first = mlr_sample_of(a, 2), second = mlr_sample_of(b, 2);

	(void)state;
	assert_close(mlr_welch_below(&first, &second, 1, 0).p_value, 0, 0);
	assert_close(mlr_welch_below(&second, &first, 1, 0).p_value, 1, 0);
	assert_close(mlr_welch_below(&first, &second, 3, 0).p_value, 0.5, 0);
	/* an error of stdev 1 in the difference: the normal distribution */
	assert_close(mlr_welch_below(&first, &second, 1, 1).p_value, erfc(2 / sqrt(2)) / 2, 1e-15);
	assert_close(mlr_welch_below(&first, &second, 2.5, 0).p_value, 0, 0);
	assert_close(mlr_welch_below(&first, &second, 3.5, 0).p_value, 1, 0);
	/* two values have a spread: of variance 2 here, and one degree of freedom */
	first = mlr_sample_of((const double[]){ 100, 102 }, 2);
	assert_close(mlr_welch_below(&first, &second, 0, 0).t, 4, 1e-12);
	assert_close(mlr_welch_below(&first, &second, 0, 0).degrees_of_freedom, 1, 1e-12);
	/* one value a side has no spread of its own, and is no reason to fail */
	first = mlr_sample_of(a, 1);
	second = mlr_sample_of(b, 1);
	assert_close(mlr_welch_below(&first, &second, 1, 1).p_value, erfc(2 / sqrt(2)) / 2, 1e-15);
}

/* Two samples of one distribution: the test errs as often as its p-value says, and no more often. */
static void the_p_value_is_what_it_says(void **state)
{
	uint64_t seed = 4711;
	unsigned int below = 0, runs = 20000;

	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	for (unsigned int run = 0; run < runs; run++) {
		double values[2][5];
		struct mlr_sample samples[2];

		for (int side = 0; side < 2; side++) {
			for (int i = 0; i < 5; i++) {
				double sum = 0;

				for (int k = 0; k < 12; k++)
					sum += random_unit(&seed);
				values[side][i] = 100 + (side ? 2 : 1) * (sum - 6);
			}
			samples[side] = mlr_sample_of(values[side], 5);
		}
		below += mlr_welch_below(&samples[0], &samples[1], 0, 0).p_value < 0.05;
	}
	assert_true(below > 0.045 * runs && below < 0.055 * runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_has_its_moments),
		cmocka_unit_test(student_agrees_with_its_closed_forms),
		cmocka_unit_test(tails_that_are_small_keep_their_digits),
		cmocka_unit_test(tails_end_at_infinity),
		cmocka_unit_test(units_do_not_matter),
		cmocka_unit_test(welch_agrees_with_numerical_integration),
		cmocka_unit_test(samples_without_spread_are_told_apart_by_what_is_known),
		cmocka_unit_test(the_p_value_is_what_it_says),
	};

	return cmocka_run_group_tests_name("welch", tests, NULL, NULL);
}
