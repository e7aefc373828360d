/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "answered_search.h"

#include <errno.h>

#include "classic/phased_private.h"
#include "mlr/sut.h"

#define MIN_FPS     9001.0
#define MAX_FPS     18750000.0
#define HAS_NOTHING ((struct mlr_phased_bounds){ NAN, NAN, NAN, NAN })

/* --- a search, with all that was asked ------------------------------------------------------------------------------ */

static const struct mlr_goal *csit_goals(void)
{
	const struct mlr_goal *goals;

	assert_int_equal(mlr_phased_goals(&goals), 2);
	return goals;
}

static void search_start(struct search *search, const struct mlr_goal *goals, size_t goal_count, double min_fps,
			 double max_fps, const struct mlr_phased_parameters *parameters)
{
	search->input = (struct mlr_controller_input){ min_fps, max_fps, goals, goal_count };
	search->count = 0;
	assert_int_equal(mlr_controller_new_phased(&search->input, parameters, &search->controller), 0);
}

static void search_run(struct search *search, struct answerer *answerer)
{
	while (search_step(search, answerer))
		;
}

static double answer_constant(struct answerer *answerer, const struct mlr_trial_input *input)
{
	(void)input;
	return *answerer->list;
}

/* Forwards but little once it is overloaded. */
static double answer_collapse(struct answerer *answerer, const struct mlr_trial_input *input)
{
	return input->load_fps > answerer->capacity_fps ? 1 - 0.4 * answerer->capacity_fps / input->load_fps : 0;
}

/* Better or worse the longer a trial is. */
static double answer_drift(struct answerer *answerer, const struct mlr_trial_input *input)
{
	double slope = (double)(answerer->random % 21) / 10 - 1;

	return fmax(0, 1 - answerer->capacity_fps * pow(input->duration_s, 0.1 * slope) / input->load_fps);
}

/* The most disappointing sequence: short trials say the opposite of what the long ones say. */
static double answer_reversal(struct answerer *answerer, const struct mlr_trial_input *input)
{
	bool is_long = input->duration_s > 2 && input->duration_s < 20;

	return (input->load_fps > answerer->capacity_fps) != is_long ? 0.5 : 0;
}

/* --- the example run of 5.2 ----------------------------------------------------------------------------------------- */

static const struct {
	double load_fps, duration_s, loss_ratio;
} example[] = {
	{ 18750000.0, 1.0, 0.7089514628479618 },
	{ 5457160.071600716, 1.0, 0.018650817320118702 },
	{ 5348832.933500009, 1.0, 0.00964383362905351 },
	{ 4936605.579021453, 1.0, 0.0 },
	{ 5138587.208637197, 1.0, 0.0 },
	{ 5242656.244044665, 1.0, 0.013523745379347257 },
	{ 5190360.904111567, 5.477225575051661, 0.0023533920869969953 },
	{ 5138587.208637197, 5.477225575051661, 1.2080222912800403e-06 },
	{ 4936605.381062318, 5.477225575051661, 0.0 },
	{ 5036583.888432355, 5.477225575051661, 0.0 },
	{ 5087329.903232804, 5.477225575051661, 0.0 },
	{ 5242656.244044665, 5.477225575051661, 0.0101174866190136 },
	{ 5112894.3238511775, 30.0, 0.0 },
	{ 5138587.208637197, 30.0, 2.030389804256833e-06 },
	{ 5216443.04126728, 30.0, 0.005620871287975237 },
	{ 5190360.904111567, 30.0, 0.0027629971184465604 },
};

static void example_start(struct search *search)
{
	search_start(search, csit_goals(), 2, MIN_FPS, MAX_FPS, NULL);
}

static void example_step(struct search *search, size_t i)
{
	struct answerer answerer = { .loss_ratio = answer_from_list, .list = &example[i].loss_ratio };

	assert_true(search_step(search, &answerer));
	assert_close(search->trials[i].input.load_fps / example[i].load_fps, 1, 1e-12);
	assert_close(search->trials[i].input.duration_s / example[i].duration_s, 1, 1e-12);
}

static void check_result(const struct search *search, size_t goal, double lower_fps, double upper_fps, double loss_ratio)
{
	struct mlr_goal_result result = search_result(search, goal);

	assert_int_equal(result.irregularity, MLR_REGULAR);
	assert_close(result.relevant_lower_bound_fps / lower_fps, 1, 1e-12);
	assert_close(result.relevant_upper_bound_fps / upper_fps, 1, 1e-12);
	assert_close(result.conditional_throughput_fps / lower_fps, 1 - loss_ratio, 1e-12);
}

static void example_run(void **state)
{
	static struct search search;
	struct mlr_decision decision;

	(void)state;
	example_start(&search);
	for (size_t i = 0; i < COUNT_OF(example); i++)
		example_step(&search, i);
	assert_int_equal(mlr_controller_next(search.controller, &decision), 0);
	check_result(&search, 0, 5112894.3238511775, 5138587.208637197, 0);
	check_result(&search, 1, 5190360.904111567, 5216443.04126728, 0.0027629971184465604);
	assert_close(mlr_controller_remaining_s(search.controller), 0, 0);
	mlr_controller_free(search.controller);
}

static void example_rules(void **state)
{
	static const char *const rules[] = {
		"Max Load, for its receive rate",
		"the receive rate at Max Load (MRR)",
		"the receive rate at MRR (MRR2)",
		"external search down",
		"bisection",
		"bisection",
		"bisection of the previous phase's interval",
		"the previous phase's lower bound again",
		"external search down",
		"bisection",
		"bisection",
		"the previous phase's upper bound again",
		"bisection of the previous phase's interval",
		"the previous phase's upper bound again",
		"bisection of the previous phase's interval",
		"the previous phase's lower bound again",
	};
	static const size_t goals[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1 };
	static struct search search;

	(void)state;
	example_start(&search);
	for (size_t i = 0; i < COUNT_OF(example); i++) {
		example_step(&search, i);
		assert_string_equal(search.decisions[i].rule, rules[i]);
		assert_int_equal(search.decisions[i].goal, goals[i]);
		assert_false(search.decisions[i].warmup);
	}
	mlr_controller_free(search.controller);
}

static void assert_same(double actual, double expected)
{
	if (isnan(expected))
		assert_true(isnan(actual));
	else
		assert_close(actual / expected, 1, 1e-12);
}

/* A goal is unfinished until the final phase has its bounds, and tells the tightest ones of its duration meanwhile. */
static void example_progress(void **state)
{
	static const struct {
		double lower_fps, upper_fps;
	} ndr[] = {
		{ NAN, 18750000.0 },
		{ NAN, 5457160.071600716 },
		{ NAN, 5348832.933500009 },
		{ 4936605.579021453, 5348832.933500009 },
		{ 5138587.208637197, 5348832.933500009 },
		{ 5138587.208637197, 5242656.244044665 },
		{ NAN, 5190360.904111567 },
		{ NAN, 5138587.208637197 },
		{ 4936605.381062318, 5138587.208637197 },
		{ 5036583.888432355, 5138587.208637197 },
		{ 5087329.903232804, 5138587.208637197 },
		{ 5087329.903232804, 5138587.208637197 },
		{ 5112894.3238511775, NAN },
		{ 5112894.3238511775, 5138587.208637197 },
		{ 5112894.3238511775, 5138587.208637197 },
		{ 5112894.3238511775, 5138587.208637197 },
	};
	static struct search search;
	struct mlr_goal_result result;

	(void)state;
	example_start(&search);
	result = search_result(&search, 0);
	assert_int_equal(result.irregularity, MLR_UNFINISHED);
	assert_true(isnan(result.relevant_lower_bound_fps) && isnan(result.relevant_upper_bound_fps));
	for (size_t i = 0; i < COUNT_OF(example); i++) {
		assert_int_equal(mlr_controller_goal_done(search.controller, 0), i >= 14);
		assert_false(mlr_controller_goal_done(search.controller, 1));
		assert_true(mlr_controller_remaining_s(search.controller) > 0);
		example_step(&search, i);
		result = search_result(&search, 0);
		assert_int_equal(result.irregularity, i >= 13 ? MLR_REGULAR : MLR_UNFINISHED);
		assert_same(result.relevant_lower_bound_fps, ndr[i].lower_fps);
		assert_same(result.relevant_upper_bound_fps, ndr[i].upper_fps);
	}
	assert_true(mlr_controller_goal_done(search.controller, 1));
	mlr_controller_free(search.controller);
}

static void order_of_goals_is_free(void **state)
{
	const struct mlr_goal goals[] = { csit_goals()[1], csit_goals()[0] };
	static struct search search;

	(void)state;
	search_start(&search, goals, 2, MIN_FPS, MAX_FPS, NULL);
	for (size_t i = 0; i < COUNT_OF(example); i++)
		example_step(&search, i);
	check_result(&search, 1, 5112894.3238511775, 5138587.208637197, 0);
	check_result(&search, 0, 5190360.904111567, 5216443.04126728, 0.0027629971184465604);
	mlr_controller_free(search.controller);
}

static void null_means_the_defaults(void **state)
{
	const struct mlr_controller_input input = { MIN_FPS, MAX_FPS, csit_goals(), 2 };
	static struct search search;

	(void)state;
	search.count = 0;
	assert_int_equal(mlr_controller_new_phased(&input, NULL, &search.controller), 0);
	for (size_t i = 0; i < COUNT_OF(example); i++)
		example_step(&search, i);
	mlr_controller_free(search.controller);
}

static void asking_twice_changes_nothing(void **state)
{
	static struct search search;
	struct mlr_decision once, twice;

	(void)state;
	example_start(&search);
	for (size_t i = 0; i < COUNT_OF(example); i++) {
		assert_int_equal(mlr_controller_next(search.controller, &once), 1);
		assert_int_equal(mlr_controller_next(search.controller, &twice), 1);
		assert_memory_equal(&once.input, &twice.input, sizeof(once.input));
		example_step(&search, i);
	}
	mlr_controller_free(search.controller);
}

/* --- the choice of a load, with a width goal of 1 and loads that are powers of e ------------------------------------ */

static void check_choice(struct mlr_phased_bounds current, struct mlr_phased_bounds previous, double log_load,
			 const char *rule)
{
	struct mlr_phased_question question = {
		.min_load_fps = 1,
		.max_load_fps = exp(40),
		.width = 1,
		.expansion = 4,
		.current = { exp(current.lower_fps), exp(current.upper_fps), exp(current.second_lower_fps),
			     exp(current.second_upper_fps) },
		.previous = { exp(previous.lower_fps), exp(previous.upper_fps), exp(previous.second_lower_fps),
			      exp(previous.second_upper_fps) },
	};
	const char *got_rule = NULL;
	double load_fps = mlr_phased_select(&question, &got_rule);

	if (isnan(log_load)) {
		assert_true(isnan(load_fps));
		return;
	}
	assert_close(log(load_fps), log_load, 1e-12);
	assert_string_equal(got_rule, rule);
}

static void splits(void **state)
{
	(void)state;
	check_choice((struct mlr_phased_bounds){ 2, 5, NAN, 20 }, HAS_NOTHING, 4, "bisection"); /* the example of 2.5.3.7 */
	check_choice((struct mlr_phased_bounds){ 2, 3, NAN, 20 }, HAS_NOTHING, NAN, NULL);
	check_choice((struct mlr_phased_bounds){ 2, 3 + 1e-10, NAN, 20 }, HAS_NOTHING, NAN, NULL);
	check_choice((struct mlr_phased_bounds){ 2, 3.1, NAN, 20 }, HAS_NOTHING, 2.55, "bisection");
	check_choice((struct mlr_phased_bounds){ 2, 3.8, NAN, 20 }, HAS_NOTHING, 2.9, "bisection");
	check_choice((struct mlr_phased_bounds){ 2, 4, NAN, 20 }, HAS_NOTHING, 3, "bisection");
	check_choice((struct mlr_phased_bounds){ 2, 4 + 1e-9, NAN, 20 }, HAS_NOTHING, 3 + 5e-10, "bisection");
	check_choice((struct mlr_phased_bounds){ 2, 4.1, NAN, 20 }, HAS_NOTHING, 4, "bisection");
	check_choice((struct mlr_phased_bounds){ 2, 6 - 4e-6, NAN, 20 }, HAS_NOTHING, 4 - 2e-6, "bisection");
	check_choice((struct mlr_phased_bounds){ 2, 6 + 1e-9, NAN, 20 }, HAS_NOTHING, 4 + 5e-10, "bisection");
	check_choice((struct mlr_phased_bounds){ 2, 7, NAN, 30 }, HAS_NOTHING, 5, "bisection");
	check_choice((struct mlr_phased_bounds){ 2, 10.3, NAN, 40 }, HAS_NOTHING, 7, "bisection");
}

/* A load that is the same as a bound but for a rounding is that bound. */
static void the_same_load(void **state)
{
	const double near = MLR_PHASED_SAME / 2, far = MLR_PHASED_SAME * 2;
	struct mlr_phased_question two_goals = {
		.min_load_fps = 1,
		.max_load_fps = exp(40),
		.width = 0.005,
		.expansion = 4,
		.current = { exp(2), exp(2.01 + near), NAN, exp(20) },
		.previous = HAS_NOTHING,
	};
	const char *rule;

	(void)state;
	assert_close(log(mlr_phased_select(&two_goals, &rule)), 2.005, 1e-12);
	two_goals.current.upper_fps = exp(2.01 + far);
	assert_close(log(mlr_phased_select(&two_goals, &rule)), 2.01, 1e-12);
	check_choice((struct mlr_phased_bounds){ 10, 11, NAN, NAN },
		     (struct mlr_phased_bounds){ 10 + near, 11 - near, NAN, NAN }, NAN, NULL);
	check_choice((struct mlr_phased_bounds){ 10, 11, NAN, NAN },
		     (struct mlr_phased_bounds){ 10 + far, 11 - near, NAN, NAN }, 10 + far,
		     "the previous phase's lower bound again");
	check_choice((struct mlr_phased_bounds){ 10, 11, NAN, NAN },
		     (struct mlr_phased_bounds){ 10 + near, 11 - far, NAN, NAN }, 11 - far,
		     "the previous phase's upper bound again");
	/* Min Load and Max Load */
	check_choice((struct mlr_phased_bounds){ NAN, 4 * MLR_PHASED_ROUNDING + near, NAN, NAN }, HAS_NOTHING, 0,
		     "external search down");
	check_choice((struct mlr_phased_bounds){ 40 - 4 * MLR_PHASED_ROUNDING - near, NAN, NAN, NAN }, HAS_NOTHING, 40,
		     "external search up");
}

static void external_search(void **state)
{
	const double k = MLR_PHASED_ROUNDING;

	(void)state;
	/* down: four goals, four times the last step, no less than four goals, the previous bound if that is nearer, Min
	 * Load */
	check_choice((struct mlr_phased_bounds){ NAN, 30, NAN, NAN }, HAS_NOTHING, 30 - 4 * k, "external search down");
	check_choice((struct mlr_phased_bounds){ NAN, 30, NAN, 32 }, HAS_NOTHING, 30 - 8 * k, "external search down");
	check_choice((struct mlr_phased_bounds){ NAN, 30, NAN, 30.5 }, HAS_NOTHING, 30 - 4 * k, "external search down");
	check_choice((struct mlr_phased_bounds){ NAN, 20, NAN, 24 }, (struct mlr_phased_bounds){ NAN, 22, NAN, NAN },
		     20 - 8 * k, "external search down");
	check_choice((struct mlr_phased_bounds){ NAN, 20, NAN, 24 }, (struct mlr_phased_bounds){ NAN, 25, NAN, NAN },
		     20 - 16 * k, "external search down");
	check_choice((struct mlr_phased_bounds){ NAN, 20, NAN, 30 }, HAS_NOTHING, 0, "external search down");
	check_choice((struct mlr_phased_bounds){ NAN, 0, NAN, 30 }, HAS_NOTHING, NAN, NULL);
	/* up: likewise */
	check_choice((struct mlr_phased_bounds){ 10, NAN, NAN, NAN }, HAS_NOTHING, 10 + 4 * k, "external search up");
	check_choice((struct mlr_phased_bounds){ 10, NAN, 8, NAN }, HAS_NOTHING, 10 + 8 * k, "external search up");
	check_choice((struct mlr_phased_bounds){ 10, NAN, 9.5, NAN }, HAS_NOTHING, 10 + 4 * k, "external search up");
	check_choice((struct mlr_phased_bounds){ 20, NAN, 16, NAN }, (struct mlr_phased_bounds){ 18, NAN, NAN, NAN },
		     20 + 8 * k, "external search up");
	check_choice((struct mlr_phased_bounds){ 20, NAN, 10, NAN }, HAS_NOTHING, 40, "external search up");
	check_choice((struct mlr_phased_bounds){ 40, NAN, 10, NAN }, HAS_NOTHING, NAN, NULL);
}

/* Of an extension downwards and a bisection the larger load is measured. */
static void extension_against_bisection(void **state)
{
	const double k = MLR_PHASED_ROUNDING;

	(void)state;
	check_choice((struct mlr_phased_bounds){ 2, 30, NAN, 31 }, HAS_NOTHING, 30 - 4 * k, "external search down");
	check_choice((struct mlr_phased_bounds){ 2, 30, NAN, 33 }, HAS_NOTHING, 30 - 12 * k, "external search down");
	check_choice((struct mlr_phased_bounds){ 2, 30, NAN, 34 }, HAS_NOTHING, 16, "bisection");
	check_choice((struct mlr_phased_bounds){ 2, 30, NAN, NAN }, HAS_NOTHING, 30 - 4 * k, "external search down");
	check_choice((struct mlr_phased_bounds){ 29.5, 30, NAN, 31 }, HAS_NOTHING, NAN, NULL);
}

static void previous_bounds(void **state)
{
	const struct mlr_phased_bounds wide = { 10, 12, NAN, NAN }, narrow = { 10, 10.9, NAN, NAN };

	(void)state;
	check_choice(HAS_NOTHING, wide, 11, "bisection of the previous phase's interval");
	check_choice(HAS_NOTHING, narrow, 10, "the previous phase's lower bound again");
	check_choice((struct mlr_phased_bounds){ 11, NAN, NAN, NAN }, wide, 12, "the previous phase's upper bound again");
	check_choice((struct mlr_phased_bounds){ NAN, 11, NAN, NAN }, wide, 10, "the previous phase's lower bound again");
	/* not strictly inside: it does not count */
	check_choice((struct mlr_phased_bounds){ 10, NAN, NAN, NAN }, narrow, 10.9,
		     "the previous phase's upper bound again");
	check_choice((struct mlr_phased_bounds){ 10, 10.9, NAN, NAN }, narrow, NAN, NULL);
	check_choice((struct mlr_phased_bounds){ 10, 12, NAN, 14 }, wide, 11, "bisection");
}

/* --- bounds by effective loss ratio --------------------------------------------------------------------------------- */

static void check_bounds(const struct mlr_phased_level *level, double loss_ratio, const double expected[4])
{
	const struct mlr_phased_bounds bounds = mlr_phased_bounds(level, loss_ratio);
	const double got[4] = { bounds.second_lower_fps, bounds.lower_fps, bounds.upper_fps, bounds.second_upper_fps };

	for (size_t i = 0; i < 4; i++) {
		if (isnan(expected[i]))
			assert_true(isnan(got[i]));
		else
			assert_close(got[i], expected[i], 0);
	}
}

static void effective_loss_ratios(void **state)
{
	static const double losses[] = { 0, 0.004, 0, 0.02, 0.001 }; /* at 10, 20, 30, 40, 50 */
	struct mlr_results *results;
	struct mlr_phased_level level = { .duration_s = 1 };

	(void)state;
	assert_int_equal(mlr_results_new(csit_goals(), 2, &results), 0);
	for (size_t i = COUNT_OF(losses); i-- > 0;) {
		const struct mlr_trial_result same = make_trial(10.0 * (double)(i + 1), 1, losses[i]);
		const struct mlr_trial_result other = make_trial(10.0 * (double)(i + 1), 2, 1);

		assert_int_equal(mlr_results_add(results, &other), 0);
		assert_int_equal(mlr_results_add(results, &same), 0);
	}
	level.results = results;
	check_bounds(&level, 0, (double[]){ NAN, 10, 20, 30 });
	check_bounds(&level, 0.005, (double[]){ 20, 30, 40, 50 });
	check_bounds(&level, 0.5, (double[]){ 40, 50, NAN, NAN });
	level.forgotten_fps = 20;
	check_bounds(&level, 0, (double[]){ 10, 30, 40, 50 });
	level.duration_s = 2;
	level.forgotten_fps = 0;
	check_bounds(&level, 0, (double[]){ NAN, NAN, 10, 20 });
	level.duration_s = 3;
	check_bounds(&level, 0, (double[]){ NAN, NAN, NAN, NAN });
	mlr_results_free(results);
}

/* --- the initial phase, and whole searches by hand ------------------------------------------------------------------ */

static double wide_goal(void)
{
	return exp(log(0.995) * 4 * MLR_PHASED_ROUNDING * MLR_PHASED_ROUNDING);
}

static void check_initial(double min_fps, const double losses[3], const double loads_fps[3])
{
	struct answerer answerer = { .loss_ratio = answer_from_list, .list = losses };
	static struct search search;

	search_start(&search, csit_goals(), 2, min_fps, 1e6, NULL);
	for (size_t i = 0; i < 3; i++) {
		assert_true(search_step(&search, &answerer));
		assert_close(search.trials[i].input.load_fps / loads_fps[i], 1, 1e-12);
	}
	mlr_controller_free(search.controller);
}

static void initial_phase(void **state)
{
	const double w = wide_goal();

	(void)state;
	check_initial(1e3, (double[]){ 0.5, 0.1, 0 }, (double[]){ 1e6, 5e5, 4.5e5 });
	check_initial(1e3, (double[]){ 0.5, 0.001, 0 }, (double[]){ 1e6, 5e5, 5e5 * w });
	check_initial(1e3, (double[]){ 0.5, 0, 0 }, (double[]){ 1e6, 5e5, 5e5 / w });
	check_initial(1e3, (double[]){ 0.001, 0.1, 0 }, (double[]){ 1e6, 1e6 * w, 0.9e6 * w });
	check_initial(1e3, (double[]){ 0.5, 0.999, 0 }, (double[]){ 1e6, 5e5, 1e3 });
	check_initial(1e3, (double[]){ 1, 0, 0 }, (double[]){ 1e6, 1e3, 1e3 / w });
	/* MRR2 was measured already: the first intermediate phase goes on */
	check_initial(1e3, (double[]){ 0.001, 0, 0 }, (double[]){ 1e6, 1e6 * w, 1e6 * sqrt(w) /* 5.48 s */ });
	/* Min Load is too high: the same again in each phase, a trial each */
	check_initial(1e3, (double[]){ 1, 1, 1 }, (double[]){ 1e6, 1e3, 1e3 });
}

static void no_loss_at_all(void **state)
{
	struct answerer answerer = { .loss_ratio = answer_constant, .list = (double[]){ 0 } };
	static struct search search;
	const double durations_s[] = { 1, 1, sqrt(30), 30 };

	(void)state;
	search_start(&search, csit_goals(), 2, MIN_FPS, MAX_FPS, NULL);
	while (search_step(&search, &answerer))
		assert_int_equal(search_result(&search, 0).irregularity == MLR_MAX_LOAD_IS_LOWER_BOUND, search.count == 4);
	assert_int_equal(search.count, COUNT_OF(durations_s));
	for (size_t i = 0; i < search.count; i++) {
		assert_close(search.trials[i].input.load_fps, i == 1 ? MAX_FPS * wide_goal() : MAX_FPS, 1e-3);
		assert_close(search.trials[i].input.duration_s, durations_s[i], 1e-12);
	}
	for (size_t goal = 0; goal < 2; goal++) {
		assert_int_equal(search_result(&search, goal).irregularity, MLR_MAX_LOAD_IS_LOWER_BOUND);
		assert_close(search_result(&search, goal).relevant_lower_bound_fps, MAX_FPS, 0);
		assert_true(isnan(search_result(&search, goal).relevant_upper_bound_fps));
		assert_close(search_result(&search, goal).conditional_throughput_fps, MAX_FPS, 0);
		assert_true(mlr_controller_goal_done(search.controller, goal));
	}
	mlr_controller_free(search.controller);
}

static void nothing_gets_through(void **state)
{
	struct answerer answerer = { .loss_ratio = answer_constant, .list = (double[]){ 1 } };
	static struct search search;

	(void)state;
	search_start(&search, csit_goals(), 2, MIN_FPS, MAX_FPS, NULL);
	search_run(&search, &answerer);
	assert_int_equal(search.count, 4); /* Max Load, and Min Load with each duration */
	for (size_t goal = 0; goal < 2; goal++) {
		assert_int_equal(search_result(&search, goal).irregularity, MLR_MIN_LOAD_IS_UPPER_BOUND);
		assert_close(search_result(&search, goal).relevant_upper_bound_fps, MIN_FPS, 0);
		assert_true(isnan(search_result(&search, goal).relevant_lower_bound_fps));
		assert_true(isnan(search_result(&search, goal).conditional_throughput_fps));
	}
	mlr_controller_free(search.controller);
}

/* A little loss at every load: NDR ends each phase at Min Load, and PDR is never looked at. So 2.3.2 wants it. */
static void min_load_too_high_ends_the_phase(void **state)
{
	struct answerer answerer = { .loss_ratio = answer_constant, .list = (double[]){ 0.001 } };
	static struct search search;

	(void)state;
	search_start(&search, csit_goals(), 2, MIN_FPS, MAX_FPS, NULL);
	search_run(&search, &answerer);
	assert_int_equal(search_result(&search, 0).irregularity, MLR_MIN_LOAD_IS_UPPER_BOUND);
	assert_int_equal(search_result(&search, 1).irregularity, MLR_UNFINISHED);
	assert_true(mlr_controller_goal_done(search.controller, 1));
	mlr_controller_free(search.controller);
}

/* Overload costs more than its excess, so that the search has to climb; on its way it measures Max Load, which it forgot. */
static void forgotten_max_load_is_measured_again(void **state)
{
	static const double losses[] = { 0.9, 0, 0, 0, 0, 0, 0, 0 };
	struct answerer answerer = { .loss_ratio = answer_from_list, .list = losses };
	static struct search search;
	const double log_w = -log(wide_goal()), k = 4 * MLR_PHASED_ROUNDING;

	(void)state;
	search_start(&search, csit_goals(), 2, 1e3, 1e6, NULL);
	for (size_t i = 0; i < COUNT_OF(losses); i++)
		assert_true(search_step(&search, &answerer));
	assert_close(search.trials[1].input.load_fps, 1e5, 1e-6);
	assert_close(search.trials[2].input.load_fps, 1e5 * exp(log_w), 1e-6);
	assert_close(search.trials[3].input.load_fps, 1e5 * exp(log_w * (1 + k)), 1e-6);
	assert_close(search.trials[4].input.load_fps, 1e5 * exp(log_w * (1 + k + k * k)), 1e-6);
	assert_close(search.trials[5].input.load_fps, 1e5 * exp(log_w * (1 + k + k * k + k * k * k)), 1e-6);
	assert_close(search.trials[6].input.load_fps, 1e6, 0);
	assert_close(search.trials[6].input.duration_s, 1, 0);
	assert_close(search.trials[7].input.load_fps, 1e6, 0);
	assert_close(search.trials[7].input.duration_s, sqrt(30), 1e-12);
	mlr_controller_free(search.controller);
}

static void check_durations(unsigned int phases, double initial_s, double final_s)
{
	struct mlr_goal goal = make_goal(0, 0, final_s, final_s);
	struct answerer answerer = { .loss_ratio = answer_hard, .capacity_fps = 3.3e5 };
	static struct search search;
	unsigned int phase = 0;

	goal.initial_trial_duration_s = initial_s;
	search_start(&search, &goal, 1, 1e3, 1e6, &(struct mlr_phased_parameters){ phases, 4 });
	search_run(&search, &answerer);
	for (size_t i = 3; i < search.count; i++) {
		while (fabs(search.trials[i].input.duration_s -
			    initial_s * pow(final_s / initial_s, phases ? (double)phase / phases : 1)) > 1e-9) {
			assert_true(phase < phases);
			phase++;
		}
	}
	assert_int_equal(phase, phases);
	assert_close(search.trials[search.count - 1].input.duration_s, final_s, 0);
	assert_int_equal(search_result(&search, 0).irregularity, MLR_REGULAR);
	mlr_controller_free(search.controller);
}

static void durations_are_geometric(void **state)
{
	(void)state;
	for (unsigned int phases = 0; phases <= MLR_PHASED_INTERMEDIATE_PHASES_MAX; phases++)
		check_durations(phases, 1, 30);
	check_durations(2, 0.5, 60);
	check_durations(0, 1, 1);
}

/* Where all trials are of one duration, the phases share their trials and none is repeated. */
static void one_duration_for_all_phases(void **state)
{
	struct mlr_goal goal = make_goal(0, 0, 1, 1);
	struct answerer answerer = { .loss_ratio = answer_hard, .capacity_fps = 3.3e5 };
	static struct search search;
	struct mlr_goal_result result;

	(void)state;
	search_start(&search, &goal, 1, 1e3, 1e6, NULL);
	search_run(&search, &answerer);
	result = search_result(&search, 0);
	assert_int_equal(result.irregularity, MLR_REGULAR);
	assert_true(result.relevant_lower_bound_fps <= 3.3e5 && 3.3e5 < result.relevant_upper_bound_fps);
	assert_true(search.count <= 6); /* the initial phase, then two halvings */
	mlr_controller_free(search.controller);
}

/* --- properties ----------------------------------------------------------------------------------------------------- */

/* One random search; a failing check names it. */
struct random_search {
	struct mlr_goal goals[MLR_GOALS_MAX];
	struct search search;
	struct answerer answerer;
	struct mlr_phased_parameters parameters;
	uint64_t seed;
};

#define check(random_search, condition)                                                                                     \
	do {                                                                                                                \
		if (!(condition))                                                                                           \
			fail_msg("seed %llu, after %zu trials: %s", (unsigned long long)(random_search)->seed,              \
				 (random_search)->search.count, #condition);                                                \
	} while (0)

static void random_goals(struct random_search *random_search, size_t count, uint64_t *state)
{
	static const double losses[] = { 0, 0, 0.001, 0.005, 0.05, 0.3 };
	double final_s = random_below(state, 3) ? 30 : 1;
	double width_ratio = exp(-random_unit(state) * 9);

	for (size_t i = 0; i < count; i++) {
		struct mlr_goal *goal = &random_search->goals[i];

		*goal = make_goal(losses[random_below(state, COUNT_OF(losses))], 0.5, final_s, final_s);
		goal->initial_trial_duration_s = 1;
		goal->width_ratio = random_below(state, 4) ? fmin(width_ratio, 0.9) : 0.005;
	}
}

static void random_start(struct random_search *random_search, uint64_t seed)
{
	static double (*const answers[])(struct answerer *, const struct mlr_trial_input *) = {
		answer_hard, answer_collapse, answer_jitter, answer_drift, answer_nonsense, answer_nonsense, answer_reversal,
	};
	uint64_t state = seed;
	size_t goal_count = 1 + random_below(&state, seed % 50 ? 3 : MLR_GOALS_MAX);
	double max_fps = exp(random_unit(&state) * 20), min_fps = max_fps * exp(-0.001 - random_unit(&state) * 12);

	random_search->seed = seed;
	random_goals(random_search, goal_count, &state);
	random_search->answerer = (struct answerer){
		.loss_ratio = answers[random_below(&state, COUNT_OF(answers))],
		.capacity_fps = min_fps * pow(max_fps / min_fps, 1.2 * random_unit(&state) - 0.1),
		.random = random_bits(&state),
	};
	random_search->parameters = (struct mlr_phased_parameters){
		.intermediate_phases = (unsigned int)random_below(&state, 5),
		.expansion_coefficient = random_below(&state, 2) ? 4 : 2 + random_unit(&state),
	};
	search_start(&random_search->search, random_search->goals, goal_count, min_fps, max_fps, &random_search->parameters);
}

/* "Never repeated with both duration and offered load being the same" (2.5 of the draft); and loads that are the same but for a
 * rounding are the same. */
static void check_new(const struct random_search *random_search, size_t i)
{
	const struct search *search = &random_search->search;
	const struct mlr_trial_input *input = &search->trials[i].input;
	double width_ratio = 1;

	for (size_t goal = 0; goal < search->input.goal_count; goal++)
		width_ratio = fmin(width_ratio, search->input.goals[goal].width_ratio);
	for (size_t j = 1; j < i; j++) {
		const struct mlr_trial_input *before = &search->trials[j].input;

		check(random_search,
		      before->duration_s != input->duration_s ||
			      fabs(log(before->load_fps / input->load_fps)) > fmin(0.99e-5, 0.49 * width_ratio));
	}
}

static void check_trial(const struct random_search *random_search, size_t i)
{
	const struct search *search = &random_search->search;
	const struct mlr_trial_input *input = &search->trials[i].input;

	check(random_search, input->load_fps >= search->input.min_load_fps);
	check(random_search, input->load_fps <= search->input.max_load_fps);
	check(random_search, i == 0 || input->duration_s >= search->trials[i - 1].input.duration_s);
	check(random_search, input->duration_s <= search->input.goals[0].final_trial_duration_s);
	check_new(random_search, i);
}

/* Whether a load is a lower bound by effective loss ratio at the final duration, computed from the list of trials. */
static bool is_lower(const struct random_search *random_search, const struct mlr_goal *goal, double load_fps)
{
	const struct search *search = &random_search->search;
	bool forgets = search->count > 2 && strstr(search->decisions[2].rule, "(MRR2)") != NULL;

	for (size_t i = forgets; i < search->count; i++) {
		if (search->trials[i].input.duration_s == goal->final_trial_duration_s &&
		    search->trials[i].input.load_fps <= load_fps && search->trials[i].output.loss_ratio > goal->loss_ratio)
			return false;
	}
	return true;
}

/* The Relevant Upper Bound of draft-15 with a Goal Exceed Ratio of 0: any trial that lost too much makes one. */
static double smallest_upper_bound(const struct search *search, const struct mlr_goal *goal)
{
	double least_fps = INFINITY;

	for (size_t i = 0; i < search->count; i++)
		if (search->trials[i].output.loss_ratio > goal->loss_ratio)
			least_fps = fmin(least_fps, search->trials[i].input.load_fps);
	return least_fps;
}

static void check_goal(const struct random_search *random_search, size_t goal)
{
	const struct search *search = &random_search->search;
	const struct mlr_goal *g = &search->input.goals[goal];
	struct mlr_goal_result result = search_result(search, goal);
	double lower_fps = result.relevant_lower_bound_fps, upper_fps = result.relevant_upper_bound_fps;

	check(random_search, mlr_controller_goal_done(search->controller, goal));
	check(random_search, !(lower_fps >= upper_fps));
	check(random_search, isnan(lower_fps) || is_lower(random_search, g, lower_fps));
	check(random_search,
	      isnan(upper_fps) || result.irregularity == MLR_REGULAR || !is_lower(random_search, g, upper_fps));
	check(random_search, result.irregularity != MLR_REGULAR || upper_fps == smallest_upper_bound(search, g));
	check(random_search, result.irregularity != MLR_CONTRADICTED || smallest_upper_bound(search, g) <= lower_fps);
	check(random_search, !isnan(lower_fps) || !isnan(upper_fps));
	if (result.irregularity == MLR_REGULAR)
		check(random_search, log(upper_fps / lower_fps) <= -log1p(-g->width_ratio) * (1 + 1e-8));
	if (result.irregularity == MLR_MAX_LOAD_IS_LOWER_BOUND)
		check(random_search, lower_fps == search->input.max_load_fps && isnan(upper_fps));
	if (result.irregularity == MLR_MIN_LOAD_IS_UPPER_BOUND)
		check(random_search, upper_fps == search->input.min_load_fps && isnan(lower_fps));
}

/* What short trials lost counts in Appendix A, and a lower bound at or above it is none. */
static void short_trials_contradict(void **state)
{
	static const struct mlr_goal goal = { "x", 0, 0.5, 1, 30, 60, 0.005 };
	static const double answers[] = { 0.5, 0.5, 0 };
	static struct search search;
	struct answerer answerer = { .loss_ratio = answer_from_list, .list = answers };
	struct mlr_goal_result result;

	(void)state;
	search_start(&search, &goal, 1, 1000, 1e6, &(struct mlr_phased_parameters){ 0, 4 });
	for (size_t i = 0; i < COUNT_OF(answers); i++)
		assert_true(search_step(&search, &answerer));
	/* the initial phase lost at 500 kfps; now long trials lose above 600 kfps only */
	answerer = (struct answerer){ .loss_ratio = answer_hard, .capacity_fps = 6e5 };
	search_run(&search, &answerer);
	result = search_result(&search, 0);
	assert_true(result.relevant_lower_bound_fps > 5.9e5 && result.relevant_upper_bound_fps < 6.1e5);
	assert_int_equal(result.irregularity, MLR_CONTRADICTED);
	/* whatever the goal says, one trial of the final duration judges */
	assert_close(mlr_results_goal(mlr_controller_results(search.controller), 0)->exceed_ratio, 0, 0);
	assert_close(mlr_results_goal(mlr_controller_results(search.controller), 0)->duration_sum_s, 30, 0);
	mlr_controller_free(search.controller);
}

/* Only where Min Load is too high for the smallest loss ratio may another goal stay unfinished. */
static void check_unfinished(const struct random_search *random_search)
{
	size_t goal_count = random_search->search.input.goal_count;
	bool has_unfinished = false, is_too_high = false;

	for (size_t goal = 0; goal < goal_count; goal++) {
		enum mlr_irregularity irregularity = search_result(&random_search->search, goal).irregularity;

		has_unfinished = has_unfinished || irregularity == MLR_UNFINISHED;
		is_too_high = is_too_high || irregularity == MLR_MIN_LOAD_IS_UPPER_BOUND;
	}
	check(random_search, !has_unfinished || is_too_high);
}

/* The results of random behaviours: every search ends by itself, within the bound, with results that follow from its trials.
 */
static void any_behaviour(void **state)
{
	static struct random_search random_search;

	(void)state;
	for (uint64_t seed = 1; seed <= 20000; seed++) {
		struct search *search = &random_search.search;
		double limit;

		random_start(&random_search, seed);
		limit = mlr_controller_phased_trial_limit(&search->input, &random_search.parameters);
		while (search_step(search, &random_search.answerer)) {
			check_trial(&random_search, search->count - 1);
			check(&random_search, (double)search->count < limit);
			check(&random_search, mlr_controller_remaining_s(search->controller) >= 0);
		}
		for (size_t goal = 0; goal < search->input.goal_count; goal++)
			check_goal(&random_search, goal);
		check_unfinished(&random_search);
		mlr_controller_free(search->controller);
	}
}

/* Good and bad in an irregular pattern of load and duration, half a percent wide. */
static double answer_pattern(struct answerer *answerer, const struct mlr_trial_input *input)
{
	unsigned int stripe = (unsigned int)fabs(floor(input->duration_s * 7 + log(input->load_fps) * 200));

	return (double)(answerer->random >> stripe % 64 & 1) * 0.5;
}

/* The same, of patterns that repeat exactly. */
static void striped_behaviours(void **state)
{
	static struct random_search random_search;

	(void)state;
	for (uint64_t seed = 100001; seed <= 105000; seed++) {
		struct search *search = &random_search.search;

		random_start(&random_search, seed);
		random_search.answerer.loss_ratio = answer_pattern;
		search_run(search, &random_search.answerer);
		check(&random_search,
		      (double)search->count < mlr_controller_phased_trial_limit(&search->input, &random_search.parameters));
		check_unfinished(&random_search);
		mlr_controller_free(search->controller);
	}
}

static void simulated_suts(void **state)
{
	static const char *const specifications[] = {
		"hard,capacity=3.21e6",         "jitter,capacity=3e6,sigma=0.001,seed=4", "stretch,capacity=3e6,spread=3000",
		"buffered,capacity=3e6,seed=9", "spikes,capacity=5e6,per_s=0.05,seed=2",
	};
	static struct search search;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(specifications); i++) {
		struct mlr_decision decision;
		struct mlr_sut *sut;
		char error[256];
		uint64_t sent, lost;

		assert_int_equal(mlr_sut_new(specifications[i], &sut, error, sizeof(error)), 0);
		search_start(&search, csit_goals(), 2, MIN_FPS, MAX_FPS, NULL);
		while (mlr_controller_next(search.controller, &decision)) {
			struct mlr_trial_result trial;

			mlr_sut_trial(sut, &decision.input, &sent, &lost);
			trial = make_trial(decision.input.load_fps, decision.input.duration_s, (double)lost / (double)sent);
			assert_int_equal(mlr_controller_add(search.controller, &trial), 0);
		}
		assert_int_equal(search_result(&search, 0).irregularity, MLR_REGULAR);
		assert_int_equal(search_result(&search, 1).irregularity, MLR_REGULAR);
		mlr_controller_free(search.controller);
		mlr_sut_free(sut);
	}
}

/* --- bad input ------------------------------------------------------------------------------------------------------ */

static void check_refused(const struct mlr_goal *goals, double min_fps, double max_fps,
			  struct mlr_phased_parameters parameters)
{
	const struct mlr_controller_input input = { min_fps, max_fps, goals, 2 };
	struct mlr_controller *controller = NULL;

	assert_int_equal(mlr_controller_new_phased(&input, &parameters, &controller), -EINVAL);
	assert_null(controller);
}

static void refusals(void **state)
{
	struct mlr_goal goals[2] = { csit_goals()[0], csit_goals()[1] };

	(void)state;
	check_refused(goals, 0, 1e6, MLR_PHASED_DEFAULTS);
	check_refused(goals, 1e6, 1e6, MLR_PHASED_DEFAULTS);
	check_refused(goals, 1e-300, 1e300, MLR_PHASED_DEFAULTS);
	check_refused(goals, 1e3, 1e6, (struct mlr_phased_parameters){ 17, 4 });
	check_refused(goals, 1e3, 1e6, (struct mlr_phased_parameters){ 2, 1.999 });
	check_refused(goals, 1e3, 1e6, (struct mlr_phased_parameters){ 2, 1.1e6 });
	check_refused(goals, 1e3, 1e6, (struct mlr_phased_parameters){ 2, NAN });
	goals[1].final_trial_duration_s = 31;
	check_refused(goals, 1e3, 1e6, MLR_PHASED_DEFAULTS);
	goals[1] = csit_goals()[1];
	goals[1].initial_trial_duration_s = 2;
	check_refused(goals, 1e3, 1e6, MLR_PHASED_DEFAULTS);
	goals[1] = csit_goals()[1];
	goals[1].width_ratio = 0.9e-9;
	check_refused(goals, 1e3, 1e6, MLR_PHASED_DEFAULTS);
	goals[1].width_ratio = 1;
	check_refused(goals, 1e3, 1e6, MLR_PHASED_DEFAULTS);
}

static void bad_results_change_nothing(void **state)
{
	static struct search search;
	const struct mlr_trial_result bad[] = {
		make_trial(MAX_FPS * 1.01, 1, 0), make_trial(MIN_FPS * 0.99, 1, 0), make_trial(MAX_FPS, 1, NAN),
		make_trial(MAX_FPS, 1, 1.1),      make_trial(MAX_FPS, 0, 0.5),
	};

	(void)state;
	example_start(&search);
	for (size_t i = 0; i < COUNT_OF(example); i++) {
		for (size_t j = 0; j < COUNT_OF(bad); j++)
			assert_int_equal(mlr_controller_add(search.controller, &bad[j]), -EINVAL);
		example_step(&search, i);
	}
	mlr_controller_free(search.controller);
}

/* A measurer that never measures what was asked: the search ends all the same, and says that it is unfinished. */
static void unanswered_questions_end(void **state)
{
	static struct search search;
	struct mlr_decision decision;
	const struct mlr_trial_result other = make_trial(12345, 0.5, 0);
	double asked = 0;

	(void)state;
	example_start(&search);
	while (mlr_controller_next(search.controller, &decision)) {
		assert_int_equal(mlr_controller_add(search.controller, &other), 0);
		asked++;
	}
	assert_close(asked, ceil(mlr_controller_phased_trial_limit(&search.input, NULL)), 0);
	assert_int_equal(search_result(&search, 0).irregularity, MLR_UNFINISHED);
	mlr_controller_free(search.controller);
}

/* Trials that were not asked for are no part of the bound. */
static void unasked_trials_are_free(void **state)
{
	static struct search search;
	const struct mlr_trial_result other = make_trial(12345, 0.5, 0);

	(void)state;
	example_start(&search);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(mlr_controller_add(search.controller, &other), 0);
	for (size_t i = 0; i < COUNT_OF(example); i++)
		example_step(&search, i);
	mlr_controller_free(search.controller);
}

/* Stored results, added without being asked for, lead to where the search that stored them was. */
static void stored_results_resume(void **state)
{
	static struct search search;

	(void)state;
	for (size_t stored = 0; stored < COUNT_OF(example); stored++) {
		static struct search first;

		example_start(&first);
		example_start(&search);
		for (size_t i = 0; i < stored; i++) {
			example_step(&first, i);
			search.trials[i] = first.trials[i];
			assert_int_equal(mlr_controller_add(search.controller, &first.trials[i]), 0);
		}
		search.count = stored;
		for (size_t i = stored; i < COUNT_OF(example); i++)
			example_step(&search, i);
		check_result(&search, 0, 5112894.3238511775, 5138587.208637197, 0);
		mlr_controller_free(first.controller);
		mlr_controller_free(search.controller);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(example_run),
		cmocka_unit_test(example_rules),
		cmocka_unit_test(example_progress),
		cmocka_unit_test(order_of_goals_is_free),
		cmocka_unit_test(null_means_the_defaults),
		cmocka_unit_test(asking_twice_changes_nothing),
		cmocka_unit_test(splits),
		cmocka_unit_test(external_search),
		cmocka_unit_test(the_same_load),
		cmocka_unit_test(extension_against_bisection),
		cmocka_unit_test(previous_bounds),
		cmocka_unit_test(effective_loss_ratios),
		cmocka_unit_test(initial_phase),
		cmocka_unit_test(no_loss_at_all),
		cmocka_unit_test(nothing_gets_through),
		cmocka_unit_test(min_load_too_high_ends_the_phase),
		cmocka_unit_test(forgotten_max_load_is_measured_again),
		cmocka_unit_test(durations_are_geometric),
		cmocka_unit_test(one_duration_for_all_phases),
		cmocka_unit_test(short_trials_contradict),
		cmocka_unit_test(any_behaviour),
		cmocka_unit_test(striped_behaviours),
		cmocka_unit_test(simulated_suts),
		cmocka_unit_test(refusals),
		cmocka_unit_test(bad_results_change_nothing),
		cmocka_unit_test(unanswered_questions_end),
		cmocka_unit_test(unasked_trials_are_free),
		cmocka_unit_test(stored_results_resume),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
