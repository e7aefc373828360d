/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mlr controller with SUTs and configurations of unusual kinds: none is slow, and none is measured wrong. */
#include "answered_search.h"
#include "unit.h"

#define MAX_LOAD_FPS 14880952.0

static struct search search; /* too large for the stack */

/* A SUT with a state of its own. */
struct sut {
	struct answerer answerer; /* the first */
	double clock_s, down_s;
	bool is_odd;
};

static void run(struct sut *sut, const struct mlr_goal *goals, size_t goal_count)
{
	search.input = (struct mlr_controller_input){
		.min_load_fps = 9001,
		.max_load_fps = MAX_LOAD_FPS,
		.goals = goals,
		.goal_count = goal_count,
	};
	search.count = 0;
	assert_int_equal(mlr_controller_new_mlr(&search.input, &search.controller), 0);
	while (search_step(&search, &sut->answerer))
		;
}

static void run_preset(struct sut *sut, const char *preset)
{
	const struct mlr_goal *goals;
	size_t count = mlr_goal_preset(preset, &goals);

	run(sut, goals, count);
}

static double seconds(void)
{
	double sum_s = 0;

	for (size_t i = 0; i < search.count; i++)
		sum_s += search.trials[i].output.effective_duration_s;
	return sum_s;
}

/* Far overloaded, it loses all for 3 s after the trial. */
static double answer_watchdog(struct answerer *answerer, const struct mlr_trial_input *input)
{
	struct sut *sut = (struct sut *)answerer;
	double dead_s = fmin(input->duration_s, sut->down_s), part = dead_s / input->duration_s;

	sut->down_s = input->load_fps > 1.05 * answerer->capacity_fps ? 3 : fmax(0, sut->down_s - input->duration_s);
	return part + (1 - part) * answer_hard(answerer, input);
}

static void a_stunned_sut_is_given_a_rest(void **state)
{
	static const char *const presets[] = { "csit", "tst009" };

	(void)state;
	for (size_t preset = 0; preset < COUNT_OF(presets); preset++) {
		for (int i = 0; i < 12; i++) {
			struct sut sut = { .answerer = { answer_watchdog, .capacity_fps = 1e5 * exp(0.37 * i) } };
			struct mlr_goal_result result;

			run_preset(&sut, presets[preset]);
			result = search_result(&search, 0);
			assert_true(result.relevant_lower_bound_fps > 0.99 * sut.answerer.capacity_fps);
			assert_true(seconds() < 250);
			mlr_controller_free(search.controller);
		}
	}
}

/* Its capacity climbs over a minute. */
static double answer_warming(struct answerer *answerer, const struct mlr_trial_input *input)
{
	struct sut *sut = (struct sut *)answerer;
	double capacity_fps = answerer->capacity_fps * (1 - 0.08 * exp(-sut->clock_s / 40));

	sut->clock_s += input->duration_s;
	return fmax(0, 1 - capacity_fps / input->load_fps);
}

static void warming_up_is_no_memory(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++) {
		struct sut sut = { .answerer = { answer_warming, .capacity_fps = 1e5 * exp(0.37 * i) } };

		run_preset(&sut, "csit");
		assert_false(mlr_controller_sut_remembers(search.controller));
		assert_true(search.count < 155);
		mlr_controller_free(search.controller);
	}
}

/* Every other trial meets a slow queue. */
static double answer_in_turns(struct answerer *answerer, const struct mlr_trial_input *input)
{
	struct sut *sut = (struct sut *)answerer;

	sut->is_odd = !sut->is_odd;
	return fmax(0, 1 - answerer->capacity_fps * (sut->is_odd ? 0.8 : 1) / input->load_fps);
}

static void walks_of_long_trials_are_noticed(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++) {
		struct sut sut = { .answerer = { answer_in_turns, .capacity_fps = 1e5 * exp(0.37 * i) } };

		run_preset(&sut, "tst009");
		assert_true(seconds() < 1200);
		mlr_controller_free(search.controller);
	}
}

/* A wide goal beside a narrow one: loads less than a width below Max Load are no way to its end. */
static void max_load_is_measured_for_each_goal(void **state)
{
	const struct mlr_goal goals[] = {
		{ "a", .exceed_ratio = 0.5, .initial_trial_duration_s = 1, .final_trial_duration_s = 1, .duration_sum_s = 2,
		  .width_ratio = 0.005 },
		{ "b", .loss_ratio = 0.01, .exceed_ratio = 0.5, .initial_trial_duration_s = 1, .final_trial_duration_s = 1,
		  .duration_sum_s = 120, .width_ratio = 0.05 },
	};
	struct sut sut = { .answerer = { answer_hard, .capacity_fps = 2 * MAX_LOAD_FPS } };

	(void)state;
	run(&sut, goals, COUNT_OF(goals));
	assert_true(search.count <= 62);
	mlr_controller_free(search.controller);
}

/* A quota by ticks: what a trial meets of it is the less random the longer the trial. Short trials surpass long ones. */
static double answer_quota(struct answerer *answerer, const struct mlr_trial_input *input)
{
	double tick_s = 0.05, quota = answerer->capacity_fps * tick_s, phase_s = tick_s * random_unit(&answerer->random);
	double left = quota * random_unit(&answerer->random), frames = input->load_fps * input->duration_s;

	return fmax(0, frames - left - quota * floor((phase_s + input->duration_s) / tick_s)) / frames;
}

static void long_trials_that_agree_are_believed(void **state)
{
	double sum_s = 0;

	(void)state;
	for (int i = 0; i < 40; i++) {
		struct sut sut = { .answerer = { answer_quota, .capacity_fps = 1e5 * exp(0.1 * i), .random = (uint64_t)i } };

		run_preset(&sut, "tst009");
		sum_s += seconds();
		mlr_controller_free(search.controller);
	}
	print_message("%g s a search\n", sum_s / 40);
	assert_true(sum_s / 40 < 300);
}

/* With an Exceed Ratio near 0, the critical load is far below the one that half of the trials exceed. */
static void a_lopsided_goal_is_sought_where_its_load_is(void **state)
{
	const struct mlr_goal goal = { "rare",
				       .exceed_ratio = 0.05,
				       .initial_trial_duration_s = 1,
				       .final_trial_duration_s = 1,
				       .duration_sum_s = 21,
				       .width_ratio = 0.0005 };
	double sum_s = 0;

	(void)state;
	for (uint64_t i = 0; i < 60; i++) {
		struct sut sut = { .answerer = { answer_jitter, .capacity_fps = 1e6, .random = i } };

		run(&sut, &goal, 1);
		sum_s += seconds();
		mlr_controller_free(search.controller);
	}
	print_message("%g s a search\n", sum_s / 60);
	assert_true(sum_s / 60 < 87);
}

/* Three long trials at Max Load decide it for the goal with shorter ones, too. */
static void long_trials_serve_goals_with_shorter_ones(void **state)
{
	const struct mlr_goal goals[] = {
		{ "a", .exceed_ratio = 0.05, .initial_trial_duration_s = 5, .final_trial_duration_s = 5,
		  .duration_sum_s = 50, .width_ratio = 0.01 },
		{ "b", .loss_ratio = 0.001, .exceed_ratio = 0.05, .initial_trial_duration_s = 60,
		  .final_trial_duration_s = 60, .duration_sum_s = 180, .width_ratio = 0.005 },
	};
	struct sut sut = { .answerer = { answer_hard, .capacity_fps = 2 * MAX_LOAD_FPS } };

	(void)state;
	run(&sut, goals, COUNT_OF(goals));
	assert_true(seconds() == 1 + 3 * 60);
	mlr_controller_free(search.controller);
}

/* How many trials of a search were shorter than 1 s. */
static size_t count_short(double initial_trial_duration_s)
{
	const struct mlr_goal goal = { "a",
				       .exceed_ratio = 0.5,
				       .initial_trial_duration_s = initial_trial_duration_s,
				       .final_trial_duration_s = 1,
				       .duration_sum_s = 5,
				       .width_ratio = 0.005 };
	struct sut sut = { .answerer = { answer_jitter, .capacity_fps = 1e6, .random = 1 } };
	size_t count = 0;

	run(&sut, &goal, 1);
	for (size_t i = 0; i < search.count; i++)
		count += search.trials[i].input.duration_s < 1;
	mlr_controller_free(search.controller);
	return count;
}

static void short_trials_are_much_shorter_than_long_ones(void **state)
{
	(void)state;
	assert_int_equal(count_short(0.5), 0);
	assert_in_range(count_short(0.25), 1, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stunned_sut_is_given_a_rest),
		cmocka_unit_test(warming_up_is_no_memory),
		cmocka_unit_test(walks_of_long_trials_are_noticed),
		cmocka_unit_test(max_load_is_measured_for_each_goal),
		cmocka_unit_test(long_trials_that_agree_are_believed),
		cmocka_unit_test(a_lopsided_goal_is_sought_where_its_load_is),
		cmocka_unit_test(long_trials_serve_goals_with_shorter_ones),
		cmocka_unit_test(short_trials_are_much_shorter_than_long_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
