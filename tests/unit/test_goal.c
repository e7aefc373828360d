/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

/* A field of a good goal, set to a value, must give this fault. */
#define check(field, value, fault)                                                                                          \
	do {                                                                                                                \
		struct mlr_goal goal = good_goal();                                                                         \
                                                                                                                            \
		goal.field = (value);                                                                                       \
		assert_int_equal(mlr_goal_check(&goal), fault);                                                             \
	} while (0)

static struct mlr_goal good_goal(void)
{
	return make_goal(0.005, 0.5, 1, 21);
}

static void good_goals_pass(void **state)
{
	(void)state;
	check(loss_ratio, 0, MLR_GOAL_OK);
	check(loss_ratio, 1 - 1e-16, MLR_GOAL_OK);
	check(exceed_ratio, 0, MLR_GOAL_OK);
	check(exceed_ratio, 0.999, MLR_GOAL_OK);
	check(initial_trial_duration_s, 1e-9, MLR_GOAL_OK);
	check(initial_trial_duration_s, 1, MLR_GOAL_OK);
	check(final_trial_duration_s, 1e9, MLR_GOAL_OK);
	check(duration_sum_s, 1e-9, MLR_GOAL_OK);
	check(width_ratio, 0.999, MLR_GOAL_OK);
}

static void ranges_are_kept(void **state)
{
	static const double never[] = { NAN, INFINITY, -INFINITY, -1e-300 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(never); i++) {
		check(loss_ratio, never[i], MLR_GOAL_BAD_LOSS_RATIO);
		check(exceed_ratio, never[i], MLR_GOAL_BAD_EXCEED_RATIO);
		check(initial_trial_duration_s, never[i], MLR_GOAL_BAD_INITIAL_DURATION);
		check(final_trial_duration_s, never[i], MLR_GOAL_BAD_FINAL_DURATION);
		check(duration_sum_s, never[i], MLR_GOAL_BAD_DURATION_SUM);
		check(width_ratio, never[i], MLR_GOAL_BAD_WIDTH);
	}
	check(loss_ratio, 1, MLR_GOAL_BAD_LOSS_RATIO);
	check(exceed_ratio, 1, MLR_GOAL_BAD_EXCEED_RATIO);
	check(initial_trial_duration_s, 0, MLR_GOAL_BAD_INITIAL_DURATION);
	check(final_trial_duration_s, 0, MLR_GOAL_BAD_FINAL_DURATION);
	check(duration_sum_s, 0, MLR_GOAL_BAD_DURATION_SUM);
	check(width_ratio, 0, MLR_GOAL_BAD_WIDTH);
	check(width_ratio, 1, MLR_GOAL_BAD_WIDTH);
}

static void initial_is_at_most_final(void **state)
{
	(void)state;
	check(initial_trial_duration_s, 1.0000001, MLR_GOAL_BAD_INITIAL_DURATION);
	check(final_trial_duration_s, 0.5, MLR_GOAL_BAD_INITIAL_DURATION);
}

static void names(void **state)
{
	struct mlr_goal goal = good_goal();

	(void)state;
	goal.name[0] = '\0';
	assert_int_equal(mlr_goal_check(&goal), MLR_GOAL_BAD_NAME);
	memset(goal.name, 'x', sizeof(goal.name));
	assert_int_equal(mlr_goal_check(&goal), MLR_GOAL_BAD_NAME);
	goal.name[sizeof(goal.name) - 1] = '\0';
	assert_int_equal(mlr_goal_check(&goal), MLR_GOAL_OK);
}

static void every_fault_has_its_rule(void **state)
{
	(void)state;
	for (int a = MLR_GOAL_OK; a <= MLR_GOAL_BAD_WIDTH; a++) {
		assert_non_null(mlr_goal_rule((enum mlr_goal_fault)a));
		for (int b = MLR_GOAL_OK; b < a; b++)
			assert_string_not_equal(mlr_goal_rule((enum mlr_goal_fault)a),
						mlr_goal_rule((enum mlr_goal_fault)b));
	}
	assert_string_equal(mlr_goal_rule(MLR_GOAL_BAD_LOSS_RATIO), "the Goal Loss Ratio must be at least 0 and below 1");
	assert_non_null(mlr_goal_rule((enum mlr_goal_fault)99));
}

static void check_goal(const struct mlr_goal *goal, const char *name, const double values[6])
{
	assert_int_equal(mlr_goal_check(goal), MLR_GOAL_OK);
	assert_string_equal(goal->name, name);
	assert_close(goal->loss_ratio, values[0], 0);
	assert_close(goal->exceed_ratio, values[1], 0);
	assert_close(goal->initial_trial_duration_s, values[2], 0);
	assert_close(goal->final_trial_duration_s, values[3], 0);
	assert_close(goal->duration_sum_s, values[4], 0);
	assert_close(goal->width_ratio, values[5], 0);
}

static void presets(void **state)
{
	const struct mlr_goal *goals = NULL;

	(void)state;
	assert_int_equal(mlr_goal_preset("csit", &goals), 2);
	check_goal(&goals[0], "ndr", (double[]){ 0, 0.5, 1, 1, 21, 0.005 });
	check_goal(&goals[1], "pdr", (double[]){ 0.005, 0.5, 1, 1, 21, 0.005 });
	assert_int_equal(mlr_goal_preset("rfc2544", &goals), 1);
	check_goal(&goals[0], "rfc2544", (double[]){ 0, 0, 1, 60, 60, 0.005 });
	assert_int_equal(mlr_goal_preset("tst009", &goals), 1);
	check_goal(&goals[0], "tst009", (double[]){ 0, 0.5, 1, 60, 120, 0.005 });
}

static void unknown_preset_leaves_the_output_alone(void **state)
{
	const struct mlr_goal *goals = NULL;

	(void)state;
	assert_int_equal(mlr_goal_preset("csi", &goals), 0);
	assert_int_equal(mlr_goal_preset("", &goals), 0);
	assert_null(goals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_goals_pass),
		cmocka_unit_test(ranges_are_kept),
		cmocka_unit_test(initial_is_at_most_final),
		cmocka_unit_test(names),
		cmocka_unit_test(every_fault_has_its_rule),
		cmocka_unit_test(presets),
		cmocka_unit_test(unknown_preset_leaves_the_output_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
