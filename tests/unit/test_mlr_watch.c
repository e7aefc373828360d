/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a goal notices that its SUT changes with time. */
#include "mlrsearch/mlr_private.h"
#include "unit.h"

static const struct mlr_goal goal = { "goal", 0, 0.5, 1, 1, 21, 0.005 };

/* Whether it is noticed in so many trials that a model foretells by this probability, at loads one width apart in turn. */
static bool sees_change(size_t count, size_t loads, double probability, bool (*is_bad)(size_t i, void *context),
			void *context)
{
	struct mlr_watch watch = { 0 };
	struct mlr_results *results;
	bool seen = false;

	assert_int_equal(mlr_results_new(&goal, 1, &results), 0);
	for (size_t i = 0; i < count && !seen; i++) {
		double load_fps = 1e6 * pow(1 - goal.width_ratio, (double)(i % loads));
		struct mlr_trial_result trial = make_trial(load_fps, 1, is_bad(i, context) ? 0.01 : 0);
		struct mlr_decision decision = { .input = trial.input, .exceed_probability = probability };

		mlr_watch_note(&watch, results, &decision, &trial);
		assert_int_equal(mlr_results_add(results, &trial), 0);
		seen = mlr_watch_change(&watch) > 100;
	}
	mlr_results_free(results);
	return seen;
}

static bool tens_in_turn(size_t i, void *context)
{
	(void)context;
	return i / 10 % 2 == 0;
}

static bool each_second_time(size_t i, void *context)
{
	(void)context;
	return i % 2 == 0;
}

static bool by_chance(size_t i, void *random)
{
	(void)i;
	return random_unit(random) < 0.5;
}

static bool mostly(size_t i, void *context)
{
	(void)context;
	return i % 10 != 9;
}

static void good_and_bad_by_turns_are_a_change(void **state)
{
	(void)state;
	assert_true(sees_change(40, 1, 0.5, tens_in_turn, NULL));
	assert_true(sees_change(40, 3, 0.5, tens_in_turn, NULL));
	assert_false(sees_change(400, 1, 0.5, each_second_time, NULL));
}

/* The loads nearby tell as much as the last trials. */
static void a_model_that_is_wrong_is_none(void **state)
{
	(void)state;
	assert_false(sees_change(400, 1, 0.3, mostly, NULL));
}

static void chance_is_taken_for_a_change_in_one_search_of_a_hundred_at_most(void **state)
{
	uint64_t random = 1;
	int taken = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		taken += sees_change(200, 2, 0.5, by_chance, &random);
	assert_in_range(taken, 0, 10);
}

/* A capacity that goes up and down within a minute: once that is seen, a load that was begun is stayed at. */
static void a_load_is_stayed_at_while_the_sut_changes(void **state)
{
	struct mlr_controller_input input = { .min_load_fps = 1e4, .max_load_fps = 1e7, .goals = &goal, .goal_count = 1 };
	struct mlr_controller *controller;
	struct mlr_decision decision;
	int trials = 0, stays = 0;

	(void)state;
	assert_int_equal(mlr_controller_new_mlr(&input, &controller), 0);
	while (mlr_controller_next(controller, &decision) > 0) {
		double capacity_fps = 1e6 * (1 + 0.05 * sin(2 * M_PI * trials++ / 60.0));
		struct mlr_trial_result trial =
			make_trial(decision.input.load_fps, 1, fmax(0, 1 - capacity_fps / decision.input.load_fps));

		stays += !strncmp(decision.rule, "staying", 7);
		assert_int_equal(mlr_controller_add(controller, &trial), 0);
	}
	assert_true(stays > 0);
	mlr_controller_free(controller);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_and_bad_by_turns_are_a_change),
		cmocka_unit_test(a_model_that_is_wrong_is_none),
		cmocka_unit_test(chance_is_taken_for_a_change_in_one_search_of_a_hundred_at_most),
		cmocka_unit_test(a_load_is_stayed_at_while_the_sut_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
