/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "answered_search.h"

#include <errno.h>

#include "mlr/sut.h"

/* --- a search --------------------------------------------------------------------------------------------------------- */

/* max_r 0: no verification. */
static void search_start(struct search *search, const struct mlr_goal *goals, size_t goal_count, double min_fps,
			 double max_fps, unsigned int max_r)
{
	search->input = (struct mlr_controller_input){ min_fps, max_fps, goals, goal_count };
	search->count = 0;
	if (max_r)
		assert_int_equal(mlr_controller_new_tst009(&search->input, max_r, &search->controller), 0);
	else
		assert_int_equal(mlr_controller_new_binary(&search->input, &search->controller), 0);
}

/* --- searches by hand ----------------------------------------------------------------------------------------------- */

struct step {
	double load_fps, loss_ratio;
	const char *rule;
};

static const char first[] = "Max Load first";
static const char middle[] = "middle of the bounds";
static const char last[] = "Min Load, not measured yet";
static const char again[] = "again, until the load is classified";
static const char verify[] = "again, to verify the loss";

/* Between Min Load 100 and Max Load 1000: exactly these steps, then the end. */
static void check_steps(const struct mlr_goal *goal, unsigned int max_r, const struct step *steps, size_t count,
			struct mlr_goal_result expected)
{
	static struct search search;
	struct mlr_goal_result result;
	struct mlr_decision decision;

	search_start(&search, goal, 1, 100, 1000, max_r);
	for (size_t i = 0; i < count; i++) {
		struct answerer answerer = { .loss_ratio = answer_from_list, .list = &steps[i].loss_ratio };

		assert_false(mlr_controller_goal_done(search.controller, 0));
		assert_true(mlr_controller_remaining_s(search.controller) > 0);
		assert_true(search_step(&search, &answerer));
		assert_close(search.decisions[i].input.load_fps, steps[i].load_fps, 0);
		assert_close(search.decisions[i].input.duration_s, goal->final_trial_duration_s, 0);
		assert_string_equal(search.decisions[i].rule, steps[i].rule);
		assert_false(search.decisions[i].warmup);
	}
	assert_int_equal(mlr_controller_next(search.controller, &decision), 0);
	assert_true(mlr_controller_goal_done(search.controller, 0));
	assert_close(mlr_controller_remaining_s(search.controller), 0, 0);
	result = search_result(&search, 0);
	assert_int_equal(result.irregularity, expected.irregularity);
	assert_true(isnan(expected.relevant_lower_bound_fps)
			    ? isnan(result.relevant_lower_bound_fps)
			    : result.relevant_lower_bound_fps == expected.relevant_lower_bound_fps);
	assert_true(isnan(expected.relevant_upper_bound_fps)
			    ? isnan(result.relevant_upper_bound_fps)
			    : result.relevant_upper_bound_fps == expected.relevant_upper_bound_fps);
	mlr_controller_free(search.controller);
}

static struct mlr_goal preset(const char *name)
{
	const struct mlr_goal *goals;
	struct mlr_goal goal;

	assert_true(mlr_goal_preset(name, &goals) > 0);
	goal = goals[0];
	goal.width_ratio = 0.1;
	return goal;
}

static void binary_by_hand(void **state)
{
	static const struct step steps[] = {
		{ 1000, 0.3, first }, { 550, 0, middle },       { 775, 1e-9, middle },
		{ 662.5, 0, middle }, { 718.75, 0.01, middle },
	};
	const struct mlr_goal goal = preset("rfc2544");

	(void)state;
	check_steps(&goal, 0, steps, COUNT_OF(steps), (struct mlr_goal_result){ MLR_REGULAR, 662.5, 718.75, NAN });
}

static void binary_passes_up_to_the_goal_loss_ratio(void **state)
{
	static const struct step steps[] = {
		{ 1000, 0.3, first },      { 550, 0.005, middle },    { 775, 0.005, middle },
		{ 887.5, 0.0051, middle }, { 831.25, 0.004, middle },
	};
	struct mlr_goal goal = preset("rfc2544");

	(void)state;
	goal.loss_ratio = 0.005;
	check_steps(&goal, 0, steps, COUNT_OF(steps), (struct mlr_goal_result){ MLR_REGULAR, 831.25, 887.5, NAN });
}

static void max_load_may_pass(void **state)
{
	const struct mlr_goal goal = preset("rfc2544");

	(void)state;
	check_steps(&goal, 0, (struct step[]){ { 1000, 0, first } }, 1,
		    (struct mlr_goal_result){ MLR_MAX_LOAD_IS_LOWER_BOUND, 1000, NAN, NAN });
}

/* Min Load is taken for good until nothing else is left. */
static void min_load_is_measured_last(void **state)
{
	struct step steps[] = {
		{ 1000, 1, first },      { 550, 1, middle },       { 325, 1, middle },
		{ 212.5, 1, middle },    { 156.25, 1, middle },    { 128.125, 1, middle },
		{ 114.0625, 1, middle }, { 107.03125, 1, middle }, { 100, 1, last },
	};
	const struct mlr_goal goal = preset("rfc2544");

	(void)state;
	check_steps(&goal, 0, steps, COUNT_OF(steps),
		    (struct mlr_goal_result){ MLR_MIN_LOAD_IS_UPPER_BOUND, NAN, 100, NAN });
	steps[8].loss_ratio = 0;
	check_steps(&goal, 0, steps, COUNT_OF(steps), (struct mlr_goal_result){ MLR_REGULAR, 100, 107.03125, NAN });
}

static void verification_by_hand(void **state)
{
	static const struct step steps[] = {
		{ 1000, 0.3, first },    { 1000, 0.3, verify },    { 550, 0, middle },
		{ 775, 0.01, middle },   { 775, 0, verify },       { 887.5, 0.1, middle },
		{ 887.5, 0.01, verify }, { 831.25, 0.01, middle }, { 831.25, 0.02, verify },
	};
	const struct mlr_goal goal = preset("tst009");

	(void)state;
	check_steps(&goal, 2, steps, COUNT_OF(steps), (struct mlr_goal_result){ MLR_REGULAR, 775, 831.25, NAN });
}

static void verification_three_times(void **state)
{
	static const struct step steps[] = {
		{ 1000, 0.3, first }, { 1000, 0.3, verify },   { 1000, 0.3, verify },   { 550, 0.1, middle },
		{ 550, 0.1, verify }, { 550, 0, verify },      { 775, 0, middle },      { 887.5, 0.1, middle },
		{ 887.5, 0, verify }, { 943.75, 0.1, middle }, { 943.75, 0.1, verify }, { 943.75, 0.1, verify },
	};
	struct mlr_goal goal = preset("tst009");

	(void)state;
	assert_false(mlr_tst009_serves(&goal, 3));
	mlr_tst009_goal(&goal, 3);
	check_steps(&goal, 3, steps, COUNT_OF(steps), (struct mlr_goal_result){ MLR_REGULAR, 887.5, 943.75, NAN });
}

/* Where a goal needs more trials at a load than one, they are made. */
static void trials_go_on_until_classified(void **state)
{
	static const struct step steps[] = {
		{ 1000, 1, first },  { 1000, 0, again },  { 1000, 1, again }, /* 2 of 3 are bad */
		{ 550, 0, middle },  { 550, 0, again },   { 775, 1, middle },    { 775, 1, again },    { 662.5, 0, middle },
		{ 662.5, 1, again }, { 662.5, 0, again }, { 718.75, 0, middle }, { 718.75, 0, again },
	};
	struct mlr_goal goal = make_goal(0, 0.5, 1, 3);

	(void)state;
	goal.width_ratio = 0.1;
	check_steps(&goal, 0, steps, COUNT_OF(steps), (struct mlr_goal_result){ MLR_REGULAR, 718.75, 775, NAN });
}

static void verification_is_of_losses_only(void **state)
{
	static const struct step steps[] = {
		{ 1000, 1, first },   { 1000, 0, verify },  { 1000, 1, again },    { 550, 0, middle },
		{ 550, 0, again },    { 775, 0, middle },   { 775, 1, again },     { 775, 0, again },
		{ 887.5, 1, middle }, { 887.5, 1, verify }, { 831.25, 0, middle }, { 831.25, 0, again },
	};
	struct mlr_goal goal = make_goal(0, 0.5, 1, 3);

	(void)state;
	goal.width_ratio = 0.1;
	check_steps(&goal, 2, steps, COUNT_OF(steps), (struct mlr_goal_result){ MLR_REGULAR, 831.25, 887.5, NAN });
}

/* A short trial does not stand for a long one. */
static void goals_of_different_durations(void **state)
{
	struct mlr_goal goals[2] = { make_goal(0, 0, 1, 1), make_goal(0, 0, 60, 60) };
	struct answerer answerer = { .loss_ratio = answer_hard, .capacity_fps = 2000 };
	static struct search search;

	(void)state;
	search_start(&search, goals, 2, 100, 1000, 0);
	while (search_step(&search, &answerer))
		assert_string_equal(search.decisions[search.count - 1].rule, first);
	assert_int_equal(search.count, 2);
	assert_close(search.trials[1].input.duration_s, 60, 0);
	for (size_t goal = 0; goal < 2; goal++)
		assert_int_equal(search_result(&search, goal).irregularity, MLR_MAX_LOAD_IS_LOWER_BOUND);
	mlr_controller_free(search.controller);
}

/* With two goals, what the first one measured is not measured again for the second. */
static void goals_share_results(void **state)
{
	static const double losses[] = { 0.3, 0.1, 0.001, 0, 0, /* for 0.005: between 325 and 550 */ 0.001, 0.004 };
	static const double loads_fps[] = { 1000, 550, 325, 212.5, 268.75, 437.5, 493.75 };
	static const size_t in_focus[] = { 0, 0, 0, 0, 0, 1, 1 };
	struct mlr_goal goals[2] = { make_goal(0, 0, 60, 60), make_goal(0.005, 0, 60, 60) };
	struct answerer answerer = { .loss_ratio = answer_from_list, .list = losses };
	static struct search search;

	(void)state;
	goals[0].width_ratio = 0.2;
	goals[1].width_ratio = 0.12;
	search_start(&search, goals, 2, 100, 1000, 0);
	for (size_t i = 0; i < COUNT_OF(losses); i++) {
		assert_true(search_step(&search, &answerer));
		assert_close(search.decisions[i].input.load_fps, loads_fps[i], 0);
		assert_int_equal(search.decisions[i].goal, in_focus[i]);
	}
	assert_false(mlr_controller_next(search.controller, &search.decisions[7]));
	assert_close(search_result(&search, 0).relevant_lower_bound_fps, 268.75, 0);
	assert_close(search_result(&search, 0).relevant_upper_bound_fps, 325, 0);
	assert_close(search_result(&search, 1).relevant_lower_bound_fps, 493.75, 0);
	assert_close(search_result(&search, 1).relevant_upper_bound_fps, 550, 0);
	mlr_controller_free(search.controller);
}

/* --- presets on simulated SUTs -------------------------------------------------------------------------------------- */

static void run_sut(struct search *search, const char *specification)
{
	struct mlr_decision decision;
	struct mlr_sut *sut;
	char error[256];
	uint64_t sent, lost;

	assert_int_equal(mlr_sut_new(specification, &sut, error, sizeof(error)), 0);
	while (mlr_controller_next(search->controller, &decision)) {
		struct mlr_trial_result trial;

		mlr_sut_trial(sut, &decision.input, &sent, &lost);
		trial = make_trial(decision.input.load_fps, decision.input.duration_s, (double)lost / (double)sent);
		assert_int_equal(mlr_controller_add(search->controller, &trial), 0);
		search->count++;
	}
	mlr_sut_free(sut);
}

static void check_preset(const char *name, unsigned int max_r, const char *specification, size_t trials_a_load)
{
	static struct search search;
	const struct mlr_goal *goals;
	size_t goal_count = mlr_goal_preset(name, &goals);

	search_start(&search, goals, goal_count, 9001, 1e7, max_r);
	run_sut(&search, specification);
	for (size_t goal = 0; goal < goal_count; goal++) {
		struct mlr_goal_result result = search_result(&search, goal);

		assert_int_equal(result.irregularity, MLR_REGULAR);
		assert_true(result.relevant_lower_bound_fps <= 3.1e6);
		assert_true(result.relevant_upper_bound_fps >= 2.9e6);
		assert_true(mlr_width_met(&goals[goal], result.relevant_lower_bound_fps, result.relevant_upper_bound_fps));
	}
	assert_true(search.count <= 14 * trials_a_load * goal_count);
	mlr_controller_free(search.controller);
}

static void presets(void **state)
{
	static const char *const specifications[] = { "hard,capacity=3e6", "jitter,capacity=3e6,sigma=0.003,seed=5",
						      "stretch,capacity=3e6,spread=1000", "buffered,capacity=3e6" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(specifications); i++) {
		check_preset("rfc2544", 0, specifications[i], 1);
		check_preset("tst009", 2, specifications[i], 2);
		check_preset("tst009", 0, specifications[i], 2);
		check_preset("csit", 0, specifications[i], 21);
		check_preset("csit", 2, specifications[i], 21);
	}
}

/* --- max(r) --------------------------------------------------------------------------------------------------------- */

static enum mlr_load_class class_after(const struct mlr_goal *goal, unsigned int high_loss, unsigned int low_loss)
{
	struct mlr_trial_result trials[MLR_TST009_MAX_R + 1];

	for (unsigned int i = 0; i < high_loss + low_loss; i++)
		trials[i] = make_trial(1000, goal->final_trial_duration_s, i < high_loss ? 1 : 0);
	return appendix_a(goal, trials, high_loss + low_loss).class;
}

/* Under the equivalent goal, Appendix A says what loss verification says, after any number of trials. */
static void equivalent_goals(void **state)
{
	static const double durations_s[] = { 60, 1, 0.1, 7.3, 1e-3, 12345.678 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(durations_s); i++) {
		for (unsigned int max_r = 1; max_r <= MLR_TST009_MAX_R; max_r++) {
			struct mlr_goal goal = make_goal(0, 0.9, durations_s[i], 1);

			mlr_tst009_goal(&goal, max_r);
			assert_int_equal(mlr_goal_check(&goal), MLR_GOAL_OK);
			assert_close(goal.exceed_ratio, (max_r - 1.0) / max_r, 1e-12);
			assert_true(mlr_tst009_serves(&goal, max_r));
			for (unsigned int high_loss = 0; high_loss < max_r; high_loss++) {
				assert_int_equal(class_after(&goal, high_loss, 0), MLR_LOAD_UNDECIDED);
				assert_int_equal(class_after(&goal, high_loss, 1), MLR_LOAD_LOWER_BOUND);
			}
			assert_int_equal(class_after(&goal, max_r, 0), MLR_LOAD_UPPER_BOUND);
		}
	}
}

static void equivalent_of_2_is_the_preset(void **state)
{
	const struct mlr_goal *goals;
	struct mlr_goal goal;

	(void)state;
	assert_int_equal(mlr_goal_preset("tst009", &goals), 1);
	goal = goals[0];
	goal.exceed_ratio = 0;
	goal.duration_sum_s = 1;
	mlr_tst009_goal(&goal, MLR_TST009_MAX_R_DEFAULT);
	assert_memory_equal(&goal, &goals[0], sizeof(goal));
	assert_int_equal(mlr_goal_preset("rfc2544", &goals), 1);
	goal = goals[0];
	mlr_tst009_goal(&goal, 1);
	assert_close(goal.exceed_ratio, 0, 0);
	assert_close(goal.duration_sum_s, 60, 0);
}

/* --- properties ----------------------------------------------------------------------------------------------------- */

struct random_search {
	struct mlr_goal goals[4];
	struct search search;
	struct answerer answerer;
	uint64_t seed;
};

#define check(random_search, condition)                                                                                     \
	do {                                                                                                                \
		if (!(condition))                                                                                           \
			fail_msg("seed %llu, after %zu trials: %s", (unsigned long long)(random_search)->seed,              \
				 (random_search)->search.count, #condition);                                                \
	} while (0)

static struct mlr_goal random_goal(uint64_t *state)
{
	static const double losses[] = { 0, 0.001, 0.005, 0.3 }, exceeds[] = { 0, 0, 0.5, 0.5, 0.9 };
	static const double durations_s[] = { 1, 1, 60, 0.3 }, sums[] = { 1, 1, 2, 5, 21, 0.1, 2.5 };
	struct mlr_goal goal =
		make_goal(losses[random_below(state, COUNT_OF(losses))], exceeds[random_below(state, COUNT_OF(exceeds))],
			  durations_s[random_below(state, COUNT_OF(durations_s))], 1);

	goal.duration_sum_s = goal.final_trial_duration_s * sums[random_below(state, COUNT_OF(sums))];
	goal.width_ratio = random_below(state, 4) ? 0.005 : exp(-0.1 - 12 * random_unit(state));
	return goal;
}

static void random_start(struct random_search *random_search, uint64_t seed)
{
	static double (*const answers[])(struct answerer *, const struct mlr_trial_input *) = { answer_hard, answer_jitter,
												answer_nonsense };
	static const double effective_ratios[] = { 1, 1, 1, 1.1, 0.99, 0.7, 30, 1e-9 };
	uint64_t state = seed;
	size_t goal_count = 1 + random_below(&state, COUNT_OF(random_search->goals));
	double max_fps = exp(random_unit(&state) * 20), min_fps = max_fps * exp(-0.001 - random_unit(&state) * 12);
	unsigned int max_r = (unsigned int)random_below(&state, 4);

	random_search->seed = seed;
	for (size_t i = 0; i < goal_count; i++) {
		random_search->goals[i] = random_goal(&state);
		if (max_r && !mlr_tst009_serves(&random_search->goals[i], max_r))
			mlr_tst009_goal(&random_search->goals[i], max_r);
	}
	random_search->answerer = (struct answerer){
		.loss_ratio = answers[random_below(&state, COUNT_OF(answers))],
		.capacity_fps = min_fps * pow(max_fps / min_fps, 1.2 * random_unit(&state) - 0.1),
		.effective_ratio = effective_ratios[random_below(&state, COUNT_OF(effective_ratios))],
		.random = random_bits(&state),
	};
	search_start(&random_search->search, random_search->goals, goal_count, min_fps, max_fps, max_r);
}

/* All trials so far at one load. */
static const struct mlr_trial_result *trials_at(const struct search *search, double load_fps, size_t *ret_count)
{
	static struct mlr_trial_result trials[TRIALS_MAX];

	*ret_count = 0;
	for (size_t i = 0; i < search->count; i++) {
		if (search->trials[i].input.load_fps == load_fps)
			trials[(*ret_count)++] = search->trials[i];
	}
	return trials;
}

/* The class of a load, by the transcription of Appendix A. */
static enum mlr_load_class class_of(const struct search *search, const struct mlr_goal *goal, double load_fps)
{
	size_t count;
	const struct mlr_trial_result *trials = trials_at(search, load_fps, &count);

	return appendix_a(goal, trials, count).class;
}

/* Only an undecided load is ever asked for, between Min Load and Max Load, in trials as long as the goal wants. */
static void check_decision(const struct random_search *random_search)
{
	const struct search *search = &random_search->search;
	struct mlr_decision decision;
	const struct mlr_goal *goal;
	size_t count;

	if (!mlr_controller_next(search->controller, &decision))
		return;
	goal = &search->input.goals[decision.goal];
	check(random_search, class_of(search, goal, decision.input.load_fps) == MLR_LOAD_UNDECIDED);
	check(random_search, decision.input.load_fps >= search->input.min_load_fps);
	check(random_search, decision.input.load_fps <= search->input.max_load_fps);
	check(random_search, decision.input.duration_s == goal->final_trial_duration_s);
	check(random_search, mlr_controller_remaining_s(search->controller) >= 0);
	trials_at(search, decision.input.load_fps, &count);
	check(random_search,
	      search->input.goal_count > 1 ||
		      (double)count < 4 * ceil(fmax(1, goal->duration_sum_s / goal->final_trial_duration_s)) + 16);
}

/* The bound on loads that a single goal has. */
static void check_loads(const struct random_search *random_search)
{
	const struct search *search = &random_search->search;
	double min_fps = search->input.min_load_fps, max_fps = search->input.max_load_fps;
	double halvings = ceil(log2((max_fps - min_fps) / (min_fps * search->input.goals[0].width_ratio)));
	size_t loads = mlr_results_load_count(mlr_controller_results(search->controller));

	if (search->input.goal_count == 1)
		check(random_search, (double)loads <= 3 + fmax(0, halvings));
}

static void check_goal(const struct random_search *random_search, size_t goal)
{
	const struct search *search = &random_search->search;
	const struct mlr_goal *g = &search->input.goals[goal];
	struct mlr_goal_result result = search_result(search, goal);
	double lower_fps = result.relevant_lower_bound_fps, upper_fps = result.relevant_upper_bound_fps;

	check(random_search, mlr_controller_goal_done(search->controller, goal));
	check(random_search, !(lower_fps >= upper_fps));
	check(random_search, isnan(lower_fps) || class_of(search, g, lower_fps) == MLR_LOAD_LOWER_BOUND);
	check(random_search, isnan(upper_fps) || class_of(search, g, upper_fps) == MLR_LOAD_UPPER_BOUND);
	if (result.irregularity == MLR_REGULAR)
		check(random_search, (upper_fps - lower_fps) / upper_fps <= g->width_ratio * (1 + 1e-8));
	/* trials as long as they say leave nothing unfinished, unless another goal's trials of another length interfere */
	if (random_search->answerer.effective_ratio >= 1 && search->input.goal_count == 1)
		check(random_search, result.irregularity != MLR_UNFINISHED);
}

static void any_behaviour(void **state)
{
	static struct random_search random_search;

	(void)state;
	for (uint64_t seed = 1; seed <= 12000; seed++) {
		struct search *search = &random_search.search;
		double limit;

		random_start(&random_search, seed);
		limit = mlr_controller_binary_trial_limit(&search->input);
		do {
			check_decision(&random_search);
			check(&random_search, (double)search->count <= limit);
		} while (search_step(search, &random_search.answerer));
		for (size_t goal = 0; goal < search->input.goal_count; goal++)
			check_goal(&random_search, goal);
		check_loads(&random_search);
		mlr_controller_free(search->controller);
	}
}

/* --- bad input ------------------------------------------------------------------------------------------------------ */

static void check_refused(struct mlr_goal goal, double min_fps, double max_fps, unsigned int max_r)
{
	const struct mlr_controller_input input = { min_fps, max_fps, &goal, 1 };
	struct mlr_controller *controller = NULL;

	assert_int_equal(mlr_controller_new_tst009(&input, max_r, &controller), -EINVAL);
	assert_null(controller);
}

static void refusals(void **state)
{
	const struct mlr_goal good = preset("tst009");
	struct mlr_goal bad = good;
	struct mlr_controller_input input = { 1e-300, 1e300, &good, 1 };
	struct mlr_controller *controller = NULL;

	(void)state;
	check_refused(good, 100, 1000, 0);
	check_refused(good, 100, 1000, 3);
	check_refused(preset("rfc2544"), 100, 1000, 2);
	check_refused(good, 1000, 1000, 2);
	bad.exceed_ratio = 0.999;
	bad.duration_sum_s = 1e6;
	check_refused(bad, 100, 1000, MLR_TST009_MAX_R + 1);
	bad.width_ratio = 0.9e-9;
	check_refused(bad, 100, 1000, 2);
	assert_int_equal(mlr_controller_new_binary(&input, &controller), -EINVAL);
	input = (struct mlr_controller_input){ 100, 1000, &good, 0 };
	assert_int_equal(mlr_controller_new_binary(&input, &controller), -EINVAL);
	assert_null(controller);
}

static void bad_results_change_nothing(void **state)
{
	const struct mlr_goal goal = preset("rfc2544");
	const struct mlr_trial_result bad[] = {
		make_trial(1001, 60, 0),
		make_trial(99, 60, 0),
		make_trial(1000, 60, NAN),
		make_trial(1000, 60, -0.1),
	};
	static struct search search;
	struct mlr_decision decision;

	(void)state;
	search_start(&search, &goal, 1, 100, 1000, 0);
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_int_equal(mlr_controller_next(search.controller, &decision), 1);
		assert_close(decision.input.load_fps, 1000, 0);
		assert_int_equal(mlr_controller_add(search.controller, &bad[i]), -EINVAL);
	}
	assert_int_equal(mlr_results_load_count(mlr_controller_results(search.controller)), 0);
	mlr_controller_free(search.controller);
}

/* Trials that were not asked for are no part of the bound. */
static void unasked_trials_are_free(void **state)
{
	const struct mlr_goal goal = preset("rfc2544");
	const struct mlr_trial_result other = make_trial(555, 0.5, 0);
	struct answerer answerer = { .loss_ratio = answer_hard, .capacity_fps = 700 };
	static struct search search;

	(void)state;
	search_start(&search, &goal, 1, 100, 1000, 0);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(mlr_controller_add(search.controller, &other), 0);
	while (search_step(&search, &answerer))
		;
	assert_int_equal(search_result(&search, 0).irregularity, MLR_REGULAR);
	mlr_controller_free(search.controller);
}

/* A measurer that never measures what was asked: the search ends all the same, and says that it is unfinished. */
static void unanswered_questions_end(void **state)
{
	const struct mlr_goal goal = preset("rfc2544");
	const struct mlr_trial_result other = make_trial(555, 0.5, 0);
	static struct search search;
	struct mlr_decision decision;
	double asked = 0;

	(void)state;
	search_start(&search, &goal, 1, 100, 1000, 0);
	while (mlr_controller_next(search.controller, &decision)) {
		assert_int_equal(mlr_controller_add(search.controller, &other), 0);
		asked++;
	}
	assert_close(asked, mlr_controller_binary_trial_limit(&search.input), 0);
	assert_int_equal(search_result(&search, 0).irregularity, MLR_UNFINISHED);
	mlr_controller_free(search.controller);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(binary_by_hand),
		cmocka_unit_test(binary_passes_up_to_the_goal_loss_ratio),
		cmocka_unit_test(max_load_may_pass),
		cmocka_unit_test(min_load_is_measured_last),
		cmocka_unit_test(verification_by_hand),
		cmocka_unit_test(verification_three_times),
		cmocka_unit_test(trials_go_on_until_classified),
		cmocka_unit_test(verification_is_of_losses_only),
		cmocka_unit_test(goals_of_different_durations),
		cmocka_unit_test(goals_share_results),
		cmocka_unit_test(presets),
		cmocka_unit_test(equivalent_goals),
		cmocka_unit_test(equivalent_of_2_is_the_preset),
		cmocka_unit_test(any_behaviour),
		cmocka_unit_test(refusals),
		cmocka_unit_test(bad_results_change_nothing),
		cmocka_unit_test(unasked_trials_are_free),
		cmocka_unit_test(unanswered_questions_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
