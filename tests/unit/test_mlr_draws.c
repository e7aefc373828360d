/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What short trials tell of long ones, as a goal of 60-s trials sees it. */
#include "mlrsearch/mlr_private.h"
#include "unit.h"

#include "mlr/results.h"

static const struct mlr_goal goal = { "goal", 0, 0.5, 1, 60, 120, 0.005 };

struct told {
	bool is_drawn, is_buffered;
	int repeats, contradictions;
};

/* What two trials tell. */
static struct told look_at(const struct mlr_trial_input inputs[2], const double loss[2])
{
	struct mlr_digest digest = { 0 };
	struct mlr_situation now = { .digests = &digest };
	struct mlr_results *results;
	struct mlr_view view;
	struct told told;

	assert_int_equal(mlr_results_new(&goal, 1, &results), 0);
	assert_int_equal(mlr_grid_init(&now.grid, 1000, 1e7, goal.width_ratio), 0);
	now.results = results;
	for (size_t i = 0; i < 2; i++) {
		struct mlr_trial_result trial = { inputs[i], mlr_trial_output(&inputs[i], loss[i], inputs[i].duration_s) };

		assert_int_equal(mlr_results_add(results, &trial), 0);
		assert_int_equal(mlr_digest_note(&now, 0, inputs[i].load_fps), 0);
	}
	assert_int_equal(mlr_view_new(&now, 0, goal.final_trial_duration_s, &view), 0);
	told = (struct told){ view.whole_s < goal.final_trial_duration_s, view.is_buffered, view.repeats,
			      view.contradictions };
	mlr_view_free(&view);
	mlr_digest_free(&digest);
	mlr_results_free(results);
	return told;
}

/* What one bad and one good trial tell. */
static struct told look(double bad_fps, double bad_s, double bad_loss, double good_fps, double good_s)
{
	return look_at((const struct mlr_trial_input[]){ { bad_s, bad_fps }, { good_s, good_fps } },
		       (const double[]){ bad_loss, 0 });
}

static void assert_told(struct told told, bool is_drawn, bool is_buffered)
{
	assert_int_equal(told.is_drawn, is_drawn);
	assert_int_equal(told.is_buffered, is_buffered);
}

static void a_capacity_that_no_shorter_trial_surpassed_is_drawn(void **state)
{
	(void)state;
	assert_told(look(1e6, 1, 0.03, 1e6, 1), true, false);
	assert_told(look(1e6, 1, 0.03, 0.98e6, 60), true, false);
	assert_told(look(1e6, 60, 0.03, 1.1e6, 60), true, false);
}

static void a_capacity_that_a_shorter_trial_surpassed_is_hidden(void **state)
{
	(void)state;
	assert_told(look(1e6, 8, 0.03, 1e6, 1), false, true);
	assert_told(look(1e6, 60, 0.03, 0.98e6, 8), false, true);
}

static void a_limit_tells_neither(void **state)
{
	(void)state;
	assert_told(look(1e6, 1, 0.03, 0.97e6, 60), false, false);
	assert_told(look(1e6, 60, 0.03, 0.97e6, 1), false, false);
}

/* A stall, or frames lost one by one: capacity is not what lacks. */
static void few_frames_tell_neither(void **state)
{
	(void)state;
	assert_told(look(1e6, 1, 0.001, 1.1e6, 60), false, false);
	assert_told(look(1e6, 60, 0.001, 1.1e6, 1), false, false);
}

static void trials_of_other_lengths_repeat_but_do_not_contradict(void **state)
{
	static const struct mlr_trial_input inputs[] = { { 1, 1e6 }, { 60, 1e6 } };
	struct told same = look_at(inputs, (const double[]){ 0.01, 0.0100005 });
	struct told other = look_at(inputs, (const double[]){ 0.01, 0.011 });

	(void)state;
	assert_int_equal(same.repeats, 1);
	assert_int_equal(other.repeats, 0);
	assert_int_equal(same.contradictions + other.contradictions, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_capacity_that_no_shorter_trial_surpassed_is_drawn),
		cmocka_unit_test(a_capacity_that_a_shorter_trial_surpassed_is_hidden),
		cmocka_unit_test(a_limit_tells_neither),
		cmocka_unit_test(few_frames_tell_neither),
		cmocka_unit_test(trials_of_other_lengths_repeat_but_do_not_contradict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
