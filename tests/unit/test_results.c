/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include <errno.h>

#include "mlr/results.h"

static struct mlr_results *make_results(const struct mlr_goal *goals, size_t goal_count)
{
	struct mlr_results *results;

	assert_int_equal(mlr_results_new(goals, goal_count, &results), 0);
	return results;
}

static void add(struct mlr_results *results, double load_fps, double loss_ratio, int count)
{
	struct mlr_trial_result trial = make_trial(load_fps, 1, loss_ratio);

	while (count-- > 0)
		assert_int_equal(mlr_results_add(results, &trial), 0);
}

static void check_bounds(const struct mlr_results *results, double lower_fps, double upper_fps)
{
	struct mlr_bounds bounds = mlr_results_bounds(results, 0);

	if (isnan(lower_fps))
		assert_true(bounds.lower == MLR_NO_LOAD);
	else
		assert_close(mlr_results_load_fps(results, bounds.lower), lower_fps, 0);
	if (isnan(upper_fps))
		assert_true(bounds.upper == MLR_NO_LOAD);
	else
		assert_close(mlr_results_load_fps(results, bounds.upper), upper_fps, 0);
}

static void check_result(const struct mlr_results *results, enum mlr_irregularity irregularity, double conditional_fps)
{
	struct mlr_goal_result result;

	assert_int_equal(mlr_results_goal_result(results, 0, 1000, 2000, &result), 0);
	assert_int_equal(result.irregularity, irregularity);
	if (isnan(conditional_fps))
		assert_true(isnan(result.conditional_throughput_fps));
	else
		assert_close(result.conditional_throughput_fps, conditional_fps, 1e-9);
}

static void goal_counts(void **state)
{
	struct mlr_goal goals[MLR_GOALS_MAX + 1];
	struct mlr_results *results = NULL;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(goals); i++)
		goals[i] = make_goal(0.01 * (double)i, 0.5, 1, 21);
	assert_int_equal(mlr_results_new(goals, 0, &results), -EINVAL);
	assert_int_equal(mlr_results_new(goals, MLR_GOALS_MAX + 1, &results), -EINVAL);
	assert_null(results);
	results = make_results(goals, MLR_GOALS_MAX);
	assert_int_equal(mlr_results_goal_count(results), MLR_GOALS_MAX);
	goals[3].loss_ratio = 0.9; /* a copy was taken */
	assert_close(mlr_results_goal(results, 3)->loss_ratio, 0.03, 0);
	mlr_results_free(results);
	mlr_results_free(NULL);
}

static void loads_stay_sorted(void **state)
{
	struct mlr_goal goal = make_goal(0, 0.5, 1, 21);
	struct mlr_results *results = make_results(&goal, 1);
	const struct mlr_trial_result *trials;
	uint64_t random = 1;
	size_t count;

	(void)state;
	for (int i = 0; i < 500; i++)
		add(results, (double)(1 + random_below(&random, 100)), 0.001 * i, 1);
	assert_true(mlr_results_load_count(results) <= 100);
	for (size_t i = 0; i < mlr_results_load_count(results); i++) {
		double load_fps = mlr_results_load_fps(results, i);

		assert_int_equal(mlr_results_find(results, load_fps), i);
		if (i)
			assert_true(mlr_results_load_fps(results, i - 1) < load_fps);
		trials = mlr_results_trials(results, i, &count);
		for (size_t t = 0; t < count; t++) {
			assert_close(trials[t].input.load_fps, load_fps, 0);
			if (t) /* in the order they were added */
				assert_true(trials[t - 1].output.loss_ratio < trials[t].output.loss_ratio);
		}
	}
	assert_true(mlr_results_find(results, 0.5) == MLR_NO_LOAD);
	assert_true(mlr_results_find(results, 1000) == MLR_NO_LOAD);
	mlr_results_free(results);
}

static void bad_trials_are_refused(void **state)
{
	struct mlr_goal goal = make_goal(0, 0.5, 1, 21);
	struct mlr_results *results = make_results(&goal, 1);
	struct mlr_trial_result trial = make_trial(1000, 1, 2);

	(void)state;
	assert_int_equal(mlr_results_add(results, &trial), -EINVAL);
	trial = make_trial(NAN, 1, 0);
	assert_int_equal(mlr_results_add(results, &trial), -EINVAL);
	assert_int_equal(mlr_results_load_count(results), 0);
	mlr_results_free(results);
}

static void bounds_and_regularity(void **state)
{
	struct mlr_goal goal = make_goal(0, 0.5, 1, 21);
	struct mlr_results *results = make_results(&goal, 1);

	(void)state;
	check_bounds(results, NAN, NAN);
	check_result(results, MLR_UNFINISHED, NAN);
	add(results, 1500, 0, 10);
	check_bounds(results, NAN, NAN);
	add(results, 1500, 0, 1);
	check_bounds(results, 1500, NAN);
	check_result(results, MLR_UNFINISHED, 1500);
	add(results, 1520, 0.1, 11);
	check_bounds(results, 1500, 1520);
	check_result(results, MLR_UNFINISHED, 1500);
	add(results, 1507, 0.1, 11);
	check_bounds(results, 1500, 1507);
	check_result(results, MLR_REGULAR, 1500);
	mlr_results_free(results);
}

/* Loss inversion: a Lower Bound above an Upper Bound is not relevant. */
static void inversion(void **state)
{
	struct mlr_goal goal = make_goal(0, 0.5, 1, 21);
	struct mlr_results *results = make_results(&goal, 1);

	(void)state;
	add(results, 1500, 0, 11);
	add(results, 1400, 0.1, 11);
	check_bounds(results, NAN, 1400);
	add(results, 1395, 0, 11);
	check_bounds(results, 1395, 1400);
	add(results, 1600, 0.1, 11);
	check_bounds(results, 1395, 1400);
	mlr_results_free(results);
}

static void ends_of_the_range(void **state)
{
	struct mlr_goal goal = make_goal(0, 0.5, 1, 21);
	struct mlr_results *high = make_results(&goal, 1), *low = make_results(&goal, 1);

	(void)state;
	add(high, 2000, 0, 11);
	check_result(high, MLR_MAX_LOAD_IS_LOWER_BOUND, 2000);
	add(low, 1000, 0.1, 11);
	check_result(low, MLR_MIN_LOAD_IS_UPPER_BOUND, NAN);
	mlr_results_free(high);
	mlr_results_free(low);
}

/* More trials turn a Lower Bound into an Upper Bound, and the bounds follow. */
static void bounds_follow_a_change_of_class(void **state)
{
	struct mlr_goal goal = make_goal(0, 0.5, 1, 21);
	struct mlr_results *results = make_results(&goal, 1);

	(void)state;
	add(results, 1500, 0, 11);
	check_bounds(results, 1500, NAN);
	add(results, 1500, 0.1, 12);
	check_bounds(results, NAN, 1500);
	mlr_results_free(results);
}

static void widths(void **state)
{
	struct mlr_goal goal = make_goal(0, 0.5, 1, 21);

	(void)state;
	assert_close(mlr_width_ratio(995, 1000), 0.005, 1e-15);
	assert_true(mlr_width_met(&goal, 995, 1000));
	assert_true(mlr_width_met(&goal, 995 - 1e-9, 1000));
	assert_false(mlr_width_met(&goal, 995 - 7.5e-9, 1000));
	assert_false(mlr_width_met(&goal, 995 - 1e-5, 1000));
	assert_true(mlr_width_met(&goal, 999, 1000));
}

/* The same verdicts as the appendices, for several goals at once. */
static void check_random(uint64_t seed)
{
	struct mlr_goal goals[4] = { make_goal(0, 0.5, 1, 21), make_goal(0.005, 0.5, 1, 21), make_goal(0, 0, 2, 4),
				     make_goal(0.01, 0.2, 2, 10) };
	struct mlr_results *results = make_results(goals, COUNT_OF(goals));
	uint64_t random = seed;

	for (int i = 0; i < 300; i++) {
		struct mlr_trial_result trial =
			make_trial((double)(1000 + random_below(&random, 8)), 0.5 * (double)(1 + random_below(&random, 5)),
				   random_below(&random, 2) ? 0 : 0.02 * random_unit(&random));

		assert_int_equal(mlr_results_add(results, &trial), 0);
	}
	for (size_t goal = 0; goal < COUNT_OF(goals); goal++) {
		for (size_t load = 0; load < mlr_results_load_count(results); load++) {
			size_t count;
			const struct mlr_trial_result *trials = mlr_results_trials(results, load, &count);

			if (mlr_results_class(results, load, goal) != appendix_a(&goals[goal], trials, count).class)
				fail_msg("seed %llu: goal %zu, load %zu", (unsigned long long)seed, goal, load);
		}
	}
	mlr_results_free(results);
}

static void agrees_with_appendix_a(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++)
		check_random(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goal_counts),
		cmocka_unit_test(loads_stay_sorted),
		cmocka_unit_test(bad_trials_are_refused),
		cmocka_unit_test(bounds_and_regularity),
		cmocka_unit_test(inversion),
		cmocka_unit_test(ends_of_the_range),
		cmocka_unit_test(bounds_follow_a_change_of_class),
		cmocka_unit_test(widths),
		cmocka_unit_test(agrees_with_appendix_a),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
