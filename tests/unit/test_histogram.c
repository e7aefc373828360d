/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mlr/histogram.h"

/* Every value lies in its bucket, and a bucket is at most 1/256 of its values wide: around every power of two. */
static void check_bucket(uint64_t value_ns)
{
	uint32_t bucket = mlr_histogram_bucket(value_ns);
	uint64_t start_ns = mlr_histogram_bucket_start_ns(bucket), end_ns = mlr_histogram_bucket_start_ns(bucket + 1);

	assert_in_range(bucket, 0, MLR_HISTOGRAM_BUCKETS - 1);
	assert_in_range(value_ns, start_ns, end_ns - 1);
	assert_true(value_ns < 256 ? end_ns - start_ns == 1 : (end_ns - start_ns) * 256 <= start_ns);
}

static void values_lie_in_their_buckets(void **state)
{
	(void)state;
	for (uint64_t value_ns = 0; value_ns < 100000; value_ns++)
		check_bucket(value_ns);
	for (unsigned int bit = 16; bit <= MLR_HISTOGRAM_TOP_BIT; bit++) {
		for (int offset = -3; offset <= 3; offset++)
			check_bucket((1ull << bit) + (uint64_t)offset);
		check_bucket((1ull << bit) + (1ull << bit) / 3);
	}
	assert_int_equal(mlr_histogram_bucket(1ull << (MLR_HISTOGRAM_TOP_BIT + 1)), MLR_HISTOGRAM_BUCKETS - 1);
	assert_int_equal(mlr_histogram_bucket(UINT64_MAX), MLR_HISTOGRAM_BUCKETS - 1);
}

static void quantiles_of_known_data(void **state)
{
	struct mlr_histogram histogram = { 0 };

	(void)state;
	for (uint64_t value_ns = 1; value_ns <= 100000; value_ns++)
		mlr_histogram_add(&histogram, value_ns);
	assert_int_equal(histogram.count, 100000);
	assert_int_equal(mlr_histogram_min_ns(&histogram), 1);
	assert_int_equal(histogram.max_ns, 100000);
	assert_true(fabs(mlr_histogram_mean_ns(&histogram) - 50000.5) < 1e-6);
	for (double quantile = 0.01; quantile < 1.0; quantile += 0.01)
		assert_true(fabs(mlr_histogram_quantile_ns(&histogram, quantile) / (quantile * 1e5) - 1.0) < 0.002);
	assert_true(mlr_histogram_quantile_ns(&histogram, 0.0) >= 1.0);
	assert_true(mlr_histogram_quantile_ns(&histogram, 1.0) == 100000.0);
}

static void many_of_a_value_are_as_many_single_ones(void **state)
{
	struct mlr_histogram single = { 0 }, many = { 0 };

	(void)state;
	for (int i = 0; i < 31; i++)
		mlr_histogram_add(&single, 777);
	mlr_histogram_add_many(&many, 777, 31);
	mlr_histogram_add_many(&many, 5, 0); /* none: neither its minimum nor its bucket */
	assert_memory_equal(&many, &single, sizeof(many));
}

static void a_single_value_is_all_its_quantiles(void **state)
{
	struct mlr_histogram histogram = { 0 };

	(void)state;
	mlr_histogram_add(&histogram, 1234567);
	assert_true(mlr_histogram_quantile_ns(&histogram, 0.0) == 1234567.0);
	assert_true(mlr_histogram_quantile_ns(&histogram, 0.5) == 1234567.0);
	assert_true(mlr_histogram_quantile_ns(&histogram, 0.9999) == 1234567.0);
}

static void an_empty_histogram_is_all_zero(void **state)
{
	struct mlr_histogram histogram = { 0 };

	(void)state;
	assert_int_equal(mlr_histogram_min_ns(&histogram), 0);
	assert_true(mlr_histogram_mean_ns(&histogram) == 0.0);
	assert_true(mlr_histogram_quantile_ns(&histogram, 0.5) == 0.0);
}

static void merging_is_adding_all(void **state)
{
	struct mlr_histogram one = { 0 }, two = { 0 }, all = { 0 }, empty = { 0 };
	uint64_t sum_ns;

	(void)state;
	for (uint64_t value_ns = 0; value_ns < 5000; value_ns++) {
		mlr_histogram_add(value_ns % 3 ? &one : &two, value_ns * value_ns);
		mlr_histogram_add(&all, value_ns * value_ns);
	}
	mlr_histogram_merge(&one, &empty);
	mlr_histogram_merge(&empty, &two);
	mlr_histogram_merge(&one, &empty);
	assert_memory_equal(&one, &all, sizeof(all));
	sum_ns = two.sum_ns;
	mlr_histogram_merge(&two, &all);
	assert_int_equal(two.sum_ns, sum_ns + all.sum_ns);
}

/* What is above the last bucket's beginning may be anywhere up to the maximum. */
static void the_last_bucket_has_no_end(void **state)
{
	static struct mlr_histogram histogram;
	const uint64_t values_ns[] = { 1, (uint64_t)1 << 62, (uint64_t)1 << 62, (uint64_t)1 << 63 };

	(void)state;
	for (size_t i = 0; i < sizeof(values_ns) / sizeof(*values_ns); i++)
		mlr_histogram_add(&histogram, values_ns[i]);
	assert_true(mlr_histogram_quantile_ns(&histogram, 0.5) + mlr_histogram_quantile_error_ns(&histogram, 0.5) == 0x1p63);
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Every quantile against the sorted list of the same samples: within 0.2 %, and within the error that it states. */
static void check_quantiles(uint64_t *values, size_t count)
{
	static struct mlr_histogram histogram;

	memset(&histogram, 0, sizeof(histogram));
	for (size_t i = 0; i < count; i++)
		mlr_histogram_add(&histogram, values[i]);
	qsort(values, count, sizeof(*values), compare);
	assert_int_equal(mlr_histogram_min_ns(&histogram), values[0]);
	assert_int_equal(histogram.max_ns, values[count - 1]);
	for (unsigned int per_mille = 0; per_mille <= 1000; per_mille++) {
		size_t rank = (count * per_mille + 999) / 1000;
		double exact_ns = (double)values[rank ? rank - 1 : 0], quantile = per_mille / 1000.0;
		double off_ns = fabs(mlr_histogram_quantile_ns(&histogram, quantile) - exact_ns);

		assert_true(off_ns <= exact_ns * 0.002);
		assert_true(off_ns <= mlr_histogram_quantile_error_ns(&histogram, quantile));
		assert_true(mlr_histogram_quantile_error_ns(&histogram, quantile) <= exact_ns * 0.002);
	}
}

static double random_unit(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (double)(*state >> 11) * 0x1p-53;
}

static void quantiles_are_those_of_the_sorted_list(void **state)
{
	static uint64_t values[20000];
	uint64_t random = 20261122;

	(void)state;
	for (unsigned int spread = 0; spread < 60; spread++) {
		double middle_ns = exp(random_unit(&random) * 25), width = exp(-random_unit(&random) * 9);
		size_t count = 1 + (size_t)(random_unit(&random) * (sizeof(values) / sizeof(*values) - 1));

		for (size_t i = 0; i < count; i++)
			values[i] = (uint64_t)(middle_ns * exp(width * (random_unit(&random) - random_unit(&random))));
		check_quantiles(values, count);
	}
}

/* A late frame among many of one latency moves the maximum, not the median; and ten thousand have exact ranks. */
static void one_late_frame_moves_no_median(void **state)
{
	static uint64_t values[10000];
	size_t count = 0;

	(void)state;
	for (; count < 3000; count++)
		values[count] = 705000000;
	values[count++] = 718000000;
	check_quantiles(values, count);
	for (count = 0; count < 10000; count++)
		values[count] = count < 9999 ? 5003000 : 6003000;
	check_quantiles(values, count);
}

/* Short values have buckets of a ns each, and are taken for the end of theirs. Where all may lie above, nothing is cut. */
static void a_cut_leaves_as_much_above_as_is_allowed(void **state)
{
	static const uint64_t values_ns[] = { 3, 10, 20, 20, 100, 200 };
	struct mlr_histogram histogram = { 0 };

	(void)state;
	assert_int_equal(mlr_histogram_cut_ns(&histogram, 0), 0);
	for (size_t i = 0; i < sizeof(values_ns) / sizeof(*values_ns); i++)
		mlr_histogram_add(&histogram, values_ns[i]);
	for (double most_ns = 0; most_ns < 400; most_ns += 0.5) {
		uint64_t expected_ns = 0;

		for (double above_ns = most_ns + 1; above_ns > most_ns; expected_ns++) {
			above_ns = 0;
			for (size_t i = 0; i < sizeof(values_ns) / sizeof(*values_ns); i++)
				above_ns += values_ns[i] + 1 > expected_ns ? (double)(values_ns[i] + 1 - expected_ns) : 0;
		}
		expected_ns = expected_ns - 1 < 200 ? expected_ns - 1 : 200;
		assert_int_equal(mlr_histogram_cut_ns(&histogram, most_ns), expected_ns);
	}
	/* a bucket of many ns */
	histogram = (struct mlr_histogram){ 0 };
	mlr_histogram_add_many(&histogram, 1000000, 10);
	assert_in_range(mlr_histogram_cut_ns(&histogram, 10 * 400000.0), 600000 * 0.99, 600000 * 1.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_lie_in_their_buckets),
		cmocka_unit_test(the_last_bucket_has_no_end),
		cmocka_unit_test(a_cut_leaves_as_much_above_as_is_allowed),
		cmocka_unit_test(quantiles_of_known_data),
		cmocka_unit_test(many_of_a_value_are_as_many_single_ones),
		cmocka_unit_test(a_single_value_is_all_its_quantiles),
		cmocka_unit_test(an_empty_histogram_is_all_zero),
		cmocka_unit_test(merging_is_adding_all),
		cmocka_unit_test(quantiles_are_those_of_the_sorted_list),
		cmocka_unit_test(one_late_frame_moves_no_median),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
