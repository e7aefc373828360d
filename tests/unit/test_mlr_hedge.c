/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mlr controller against a plain model-free way: from the warm-up's hint, doubling away from the only
 * bound, then halving between two, each load stayed at until it is classified, one goal after another. On the same answers a
 * search never takes more than 1.1 times as long as that way, plus a constant; whatever the SUT does. And the searches of
 * SUTs of one kind take no more than 1.25 times as long in sum. With goals at random the factor is 1.25, and the constant is what
 * may be spent before the model is no longer asked.
 */
#include "unit.h"

#include "mlr/controller.h"
#include "mlr/grid.h"
#include "mlr/results.h"

#define MIN_LOAD_FPS 9001.0
#define MAX_LOAD_FPS 14880952.0
#define STEP_MOST    (1 << 30)

/* The constant, in Goal Duration Sums a goal. */
#define MODEL_SUMS 5
#define SUM_MOST   1.25

/* The same with goals at random. */
#define RANDOM_FACTOR 1.25
#define RANDOM_SUMS   20
#define RANDOM_SEEDS  450
#define GOALS_MOST    4

/* A SUT whose n-th answer at a load is always the same, whoever asks and when. */
struct oracle {
	uint64_t seed;
	enum { JITTER, FLAT, COIN, STICKY, BIMODAL, STAIRS, LATE, PAUSES, NONMONOTONE, ORACLES } kind;
	double capacity_fps, sigma;
};

static double oracle_random(const struct oracle *oracle, double load_fps, size_t n, uint64_t salt)
{
	uint64_t state = oracle->seed * 7919 + (uint64_t)(load_fps * 16) * 104729 + n * 15485863 + salt;

	random_bits(&state);
	return random_unit(&state);
}

static double oracle_loss(const struct oracle *oracle, double load_fps, size_t n)
{
	double u = oracle_random(oracle, load_fps, oracle->kind == PAUSES ? 0 : n, 0),
	       v = oracle_random(oracle, load_fps, n, 1), capacity_fps;
	double x = load_fps / oracle->capacity_fps;

	switch (oracle->kind) {
	case JITTER:
		capacity_fps = oracle->capacity_fps * exp(oracle->sigma * sqrt(-2 * log(u + 1e-12)) * cos(2 * M_PI * v));
		break;
	case FLAT: /* lost at any load, with a probability that hardly changes */
		return x > 1 ? 1 - 1 / x : u < 0.3 + 0.4 * x ? 1e-4 * v : 0;
	case COIN:
		return u < 0.5 ? pow(v, 4) : 0;
	case STICKY: /* a coin for each load, always the same */
		return oracle_random(oracle, load_fps, 0, 2) < 0.5 ? 0.3 : 0;
	case BIMODAL:
		capacity_fps = oracle->capacity_fps * (u < 0.45 ? 1 - oracle->sigma : 1);
		break;
	case STAIRS: /* bad with a probability that climbs in steps, far apart */
		return u < fmin(1, floor(8 * x) / 10) ? 0.01 * v : 0;
	case LATE: /* good at first, bad later on, at every load near the capacity */
		capacity_fps = oracle->capacity_fps * (n < 5 ? 1.2 : 1);
		break;
	case PAUSES: /* a pause every so many frames, that loses some */
		if (x < 1)
			return floor(u + 0.6 * x * (double)(n + 1)) > floor(u + 0.6 * x * (double)n) ? 0.003 + 0.004 * v : 0;
		capacity_fps = oracle->capacity_fps;
		break;
	default:
		return fmod(load_fps, 0.02 * oracle->capacity_fps) < 0.01 * oracle->capacity_fps * (x > 1 ? 2 : x) ? 0.02
														   : 0;
	}
	return load_fps > capacity_fps ? 1 - capacity_fps / load_fps : 0;
}

static struct mlr_trial_result answer(const struct oracle *oracle, const struct mlr_results *results,
				      const struct mlr_trial_input *input)
{
	size_t load = mlr_results_find(results, input->load_fps), n = 0;

	if (load != MLR_NO_LOAD)
		mlr_results_trials(results, load, &n);
	return make_trial(input->load_fps, input->duration_s, oracle_loss(oracle, input->load_fps, n));
}

/* --- the model-free way --- */

static int64_t doubled_step(const struct mlr_results *results, size_t goal, int64_t unit, enum mlr_load_class class)
{
	int64_t step = unit;
	bool is_first = true;

	for (size_t load = 0; load < mlr_results_load_count(results); load++) {
		if (mlr_results_class(results, load, goal) != class)
			continue;
		if (!is_first && step < STEP_MOST)
			step *= 2;
		is_first = false;
	}
	return step;
}

/* Where the goal's next trial is to be; false once it is done. */
static bool free_index(const struct mlr_results *results, size_t goal, const struct mlr_grid *grid, int64_t hint,
		       int64_t *ret_index)
{
	double width = -log1p(-mlr_results_goal(results, goal)->width_ratio);
	int64_t unit = (int64_t)fmax(1, floor(width / grid->log_step * (1 + 1e-9)));
	struct mlr_bounds bounds = mlr_results_bounds(results, goal);
	int64_t lower = -1, upper = grid->last + 1, index = hint;

	if (bounds.lower != MLR_NO_LOAD)
		lower = mlr_grid_floor(grid, mlr_results_load_fps(results, bounds.lower));
	if (bounds.upper != MLR_NO_LOAD)
		upper = mlr_grid_ceil(grid, mlr_results_load_fps(results, bounds.upper));
	if (lower == grid->last || upper == 0 || (lower >= 0 && upper <= grid->last && upper - lower <= unit))
		return false;
	if (lower >= 0 && upper <= grid->last)
		index = lower + (upper - lower) / 2;
	else if (lower >= 0)
		index = lower + doubled_step(results, goal, unit, MLR_LOAD_LOWER_BOUND);
	else if (upper <= grid->last)
		index = upper - doubled_step(results, goal, unit, MLR_LOAD_UPPER_BOUND);
	*ret_index = index <= lower ? lower + 1 : index >= upper ? upper - 1 : index;
	return true;
}

static double free_s(const struct oracle *oracle, const struct mlr_controller_input *input, double warmup_loss)
{
	double hint_fps = fmax(MIN_LOAD_FPS, MAX_LOAD_FPS * (1 - warmup_loss)), spent_s = 1;
	struct mlr_results *results;
	double width_ratio = 1;
	struct mlr_grid grid;
	bool is_done = false;

	for (size_t goal = 0; goal < input->goal_count; goal++)
		width_ratio = fmin(width_ratio, input->goals[goal].width_ratio);
	assert_int_equal(mlr_results_new(input->goals, input->goal_count, &results), 0);
	assert_int_equal(mlr_grid_init(&grid, MIN_LOAD_FPS, MAX_LOAD_FPS, width_ratio), 0);
	while (!is_done) {
		is_done = true;
		for (size_t goal = 0; goal < input->goal_count && is_done; goal++) {
			struct mlr_trial_input trial = { .duration_s = input->goals[goal].final_trial_duration_s };
			struct mlr_trial_result result;
			int64_t index;

			if (!free_index(results, goal, &grid, mlr_grid_floor(&grid, hint_fps), &index))
				continue;
			trial.load_fps = mlr_grid_load_fps(&grid, index);
			result = answer(oracle, results, &trial);
			assert_int_equal(mlr_results_add(results, &result), 0);
			spent_s += trial.duration_s;
			is_done = false;
		}
	}
	mlr_results_free(results);
	return spent_s;
}

static double guided_s(const struct oracle *oracle, const struct mlr_controller_input *input, double warmup_loss)
{
	struct mlr_controller *controller;
	struct mlr_decision decision;
	double spent_s = 0;

	assert_int_equal(mlr_controller_new_mlr(input, &controller), 0);
	while (mlr_controller_next(controller, &decision) > 0) {
		struct mlr_trial_result result = answer(oracle, mlr_controller_results(controller), &decision.input);

		if (decision.warmup)
			result = make_trial(decision.input.load_fps, decision.input.duration_s, warmup_loss);
		assert_int_equal(mlr_controller_add(controller, &result), 0);
		spent_s += decision.input.duration_s;
	}
	mlr_controller_free(controller);
	return spent_s;
}

static void a_search_is_hedged(void **state)
{
	struct mlr_controller_input input = { .min_load_fps = MIN_LOAD_FPS, .max_load_fps = MAX_LOAD_FPS };
	double constant = 0, sums[ORACLES] = { 0 }, free_sums[ORACLES] = { 0 };

	(void)state;
	input.goal_count = mlr_goal_preset("csit", &input.goals);
	for (size_t goal = 0; goal < input.goal_count; goal++)
		constant += MODEL_SUMS * input.goals[goal].duration_sum_s;
	for (uint64_t seed = 0; seed < 40 * ORACLES; seed++) {
		struct oracle oracle = { .seed = seed, .kind = seed % ORACLES };
		double warmup_loss, guided, free_way;
		uint64_t random = seed;

		oracle.capacity_fps = 2e4 * pow(500, random_unit(&random));
		oracle.sigma = 0.3 * random_unit(&random);
		warmup_loss = oracle_loss(&oracle, MAX_LOAD_FPS, 0);
		guided = guided_s(&oracle, &input, warmup_loss);
		free_way = free_s(&oracle, &input, warmup_loss);
		if (guided > 1.1 * free_way + constant)
			fail_msg("oracle %d, seed %llu: %g s, where the model-free way takes %g s", oracle.kind,
				 (unsigned long long)seed, guided, free_way);
		sums[oracle.kind] += guided;
		free_sums[oracle.kind] += free_way;
	}
	for (int kind = 0; kind < ORACLES; kind++)
		if (sums[kind] > SUM_MOST * free_sums[kind])
			fail_msg("oracles %d: %g s, where the model-free way takes %g s", kind, sums[kind], free_sums[kind]);
}

/* --- goals at random --- */

static double one_of(uint64_t *random, const double *values, size_t count)
{
	return values[random_below(random, count)];
}

static struct mlr_goal random_goal(uint64_t *random, size_t number)
{
	static const double losses[] = { 0, 0, 1e-4, 0.005, 0.03 }, exceeds[] = { 0, 0.05, 0.25, 0.5, 0.5, 0.75, 0.95 },
			    finals[] = { 0.1, 1, 1, 5, 60 }, initials[] = { 1, 1, 0.5, 0.1, 1 / 30.0 },
			    sums[] = { 1, 1.5, 3, 10, 21 };
	struct mlr_goal goal = {
		.loss_ratio = one_of(random, losses, COUNT_OF(losses)),
		.exceed_ratio = one_of(random, exceeds, COUNT_OF(exceeds)),
		.final_trial_duration_s = one_of(random, finals, COUNT_OF(finals)),
		.width_ratio = 0.002 * pow(50, random_unit(random)),
	};

	goal.initial_trial_duration_s = goal.final_trial_duration_s * one_of(random, initials, COUNT_OF(initials));
	goal.duration_sum_s = goal.final_trial_duration_s * one_of(random, sums, COUNT_OF(sums));
	snprintf(goal.name, sizeof(goal.name), "goal %zu", number);
	return goal;
}

static void searches_with_goals_at_random_are_hedged(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < RANDOM_SEEDS; seed++) {
		struct mlr_goal goals[GOALS_MOST];
		struct mlr_controller_input input = { .min_load_fps = MIN_LOAD_FPS,
						      .max_load_fps = MAX_LOAD_FPS,
						      .goals = goals };
		struct oracle oracle = { .seed = seed, .kind = seed % ORACLES };
		uint64_t random = seed + 7777;
		double warmup_loss, constant_s = 0, guided, free_way;

		input.goal_count = 1 + random_below(&random, GOALS_MOST);
		for (size_t goal = 0; goal < input.goal_count; goal++) {
			goals[goal] = random_goal(&random, goal);
			constant_s += RANDOM_SUMS * goals[goal].duration_sum_s;
		}
		oracle.capacity_fps = 2e4 * pow(500, random_unit(&random));
		oracle.sigma = 0.3 * random_unit(&random);
		warmup_loss = oracle_loss(&oracle, MAX_LOAD_FPS, 0);
		guided = guided_s(&oracle, &input, warmup_loss);
		free_way = free_s(&oracle, &input, warmup_loss);
		if (guided > RANDOM_FACTOR * free_way + constant_s)
			fail_msg("oracle %d, seed %llu: %g s, where the model-free way takes %g s", oracle.kind,
				 (unsigned long long)seed, guided, free_way);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_search_is_hedged),
		cmocka_unit_test(searches_with_goals_at_random_are_hedged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
