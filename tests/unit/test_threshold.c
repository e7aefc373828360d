/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thresholds from trials: between the bounds of a sharp SUT, in the middle of a gradual one, and within their own errors. */
#include "mlr/threshold.h"
#include "mlr/welch.h"
#include "unit.h"

#define SEARCHES 200
#define TRIALS   60

static struct mlr_threshold find(const struct mlr_outcome *trials, size_t count)
{
	struct mlr_outcomes search = { trials, count };
	struct mlr_threshold threshold;

	assert_int_equal(mlr_thresholds_find(&search, 1, &threshold), 0);
	return threshold;
}

static void one_side_is_a_limit(void **state)
{
	static const struct mlr_outcome good[] = { { 90, false }, { 100, false } },
					failed[] = { { 110, true }, { 120, true } };

	(void)state;
	assert_int_equal(find(NULL, 0).kind, MLR_THRESHOLD_NONE);
	assert_int_equal(find(good, 2).kind, MLR_THRESHOLD_LEAST);
	assert_close(find(good, 2).load_fps, 100, 1e-9);
	assert_int_equal(find(failed, 2).kind, MLR_THRESHOLD_MOST);
	assert_close(find(failed, 2).load_fps, 110, 1e-9);
}

static void a_sharp_threshold_lies_anywhere_between_the_bounds(void **state)
{
	static const struct mlr_outcome trials[] = { { 800, false }, { 1000, false }, { 1000, false },
						     { 1005, true }, { 1005, true },  { 1300, true } };
	struct mlr_threshold threshold = find(trials, COUNT_OF(trials));

	(void)state;
	assert_int_equal(threshold.kind, MLR_THRESHOLD_FOUND);
	assert_close(threshold.load_fps, 1002.5, 0.1);
	assert_true(threshold.error_ratio > 0.9 * 0.005 / sqrt(12) && threshold.error_ratio < 0.002);
}

static void trials_that_contradict_one_another_make_it_uncertain(void **state)
{
	static const struct mlr_outcome trials[] = { { 900, false },  { 950, true },  { 980, false }, { 1000, true },
						     { 1030, false }, { 1050, true }, { 1100, true } };
	struct mlr_threshold threshold = find(trials, COUNT_OF(trials));

	(void)state;
	assert_close(threshold.load_fps, 980, 20);
	assert_true(threshold.error_ratio > 0.005 && threshold.error_ratio < 0.1);
}

/* What one search learns of the width helps the other. */
static void searches_share_their_width(void **state)
{
	static const struct mlr_outcome noisy[] = { { 900, false },  { 950, true },  { 980, false }, { 1000, true },
						    { 1030, false }, { 1050, true }, { 1100, true } };
	static const struct mlr_outcome lucky[] = { { 970, false }, { 1000, false }, { 1000, false },
						    { 1005, true }, { 1005, true },  { 1030, true } };
	struct mlr_outcomes searches[] = { { noisy, COUNT_OF(noisy) }, { lucky, COUNT_OF(lucky) } };
	struct mlr_threshold both[2];

	(void)state;
	assert_int_equal(mlr_thresholds_find(searches, 2, both), 0);
	assert_true(find(lucky, COUNT_OF(lucky)).error_ratio < 0.005);
	assert_true(both[1].error_ratio > 0.008);
}

static double normal(uint64_t *random)
{
	return sqrt(-2 * log(random_unit(random))) * cos(6.283185307179586 * random_unit(random));
}

/* Thresholds lie around the truth about as their errors say: 95 % of normal ones would be within two. */
static void errors_are_about_as_large_as_stated(void **state)
{
	uint64_t random = 2026;
	unsigned int within = 0, within_half = 0;

	(void)state;
	for (int i = 0; i < SEARCHES; i++) {
		struct mlr_outcome trials[TRIALS];
		struct mlr_threshold threshold;
		double error;

		for (int j = 0; j < TRIALS; j++) {
			trials[j].load_fps = 1e6 * exp(0.2 * (random_unit(&random) - 0.5));
			trials[j].failed = trials[j].load_fps > 1e6 * exp(0.03 * normal(&random));
		}
		threshold = find(trials, TRIALS);
		error = fabs(log(threshold.load_fps / 1e6)) / threshold.error_ratio;
		within += error < 2;
		within_half += error < 0.5;
	}
	print_message("seed 2026: %u of %d within two errors, %u within half of one\n", within, SEARCHES, within_half);
	assert_true(within > 0.85 * SEARCHES);
	assert_true(within_half < 0.6 * SEARCHES);
}

static void limits_raise_a_sample_only_from_above(void **state)
{
	struct mlr_sample sample = mlr_sample_censored((double[]){ 960, 955, 965, 800 }, 3, 1), raised;

	(void)state;
	assert_int_equal(sample.count, 3);
	assert_close(sample.mean, 960, 1e-9);
	raised = mlr_sample_censored((double[]){ 960, 955, 965, 1000 }, 3, 1);
	assert_int_equal(raised.count, 4);
	assert_true(raised.mean > 970 && raised.mean < 980);
	assert_true(raised.stdev > sample.stdev);
	/* where nothing is known, the limits stand for the values */
	assert_close(mlr_sample_censored((double[]){ 960, 970 }, 0, 2).mean, 965, 1e-9);
	assert_int_equal(mlr_sample_censored(NULL, 0, 0).count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_side_is_a_limit),
		cmocka_unit_test(a_sharp_threshold_lies_anywhere_between_the_bounds),
		cmocka_unit_test(trials_that_contradict_one_another_make_it_uncertain),
		cmocka_unit_test(searches_share_their_width),
		cmocka_unit_test(errors_are_about_as_large_as_stated),
		cmocka_unit_test(limits_raise_a_sample_only_from_above),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
