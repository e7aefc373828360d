/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a digest counts trial by trial is what all trials of its loads say together. */
#include "mlrsearch/mlr_private.h"
#include "unit.h"

#include "mlr/results.h"

#define TRIALS 400
#define LOADS  7

static const struct mlr_goal goals[] = {
	{ "short", 0, 0.5, 1, 1, 21, 0.005 },
	{ "long", 0.01, 0.25, 1, 60, 120, 0.02 },
};

static bool is_bad(const struct mlr_goal *goal, const struct mlr_trial_result *trial)
{
	return trial->output.loss_ratio > goal->loss_ratio;
}

/* The changes between good and bad that the runs test misses at a load. */
static struct mlr_excess missing_changes(const struct mlr_goal *goal, const struct mlr_trial_result *trials, size_t count)
{
	double good = 0, bad = 0, changes = 0, mean;
	bool is_worse = false;

	for (size_t i = 0; i < count; i++) {
		*(is_bad(goal, &trials[i]) ? &bad : &good) += 1;
		changes += i > 0 && is_bad(goal, &trials[i]) != is_bad(goal, &trials[i - 1]);
		is_worse |= i > 0 && is_bad(goal, &trials[i]) && !is_bad(goal, &trials[i - 1]);
	}
	mean = 2 * good * bad / (good + bad);
	return is_worse ? (struct mlr_excess){ mean - changes, mean * (mean - 1) / ((double)count - 1) }
			: (struct mlr_excess){ 0 };
}

static void assert_stages(const struct mlr_goal *goal, const struct mlr_load_digest *load,
			  const struct mlr_trial_result *trials, size_t count)
{
	for (int stage = 0; stage < MLR_STAGES - 1; stage++) {
		struct mlr_goal stage_goal = mlr_free_stage_goal(goal, stage);
		struct mlr_duration_sums sums = { 0 };

		for (size_t i = 0; i < count; i++)
			mlr_duration_sums_add(&sums, &stage_goal, &trials[i]);
		assert_memory_equal(&load->stages[stage], &sums, sizeof(sums));
	}
}

static void assert_digest(const struct mlr_situation *now, size_t goal)
{
	const struct mlr_digest *digest = &now->digests[goal];
	struct mlr_excess missing = { 0 };

	assert_int_equal(digest->count, mlr_results_load_count(now->results));
	for (size_t load = 0; load < digest->count; load++) {
		size_t count;
		const struct mlr_trial_result *trials = mlr_results_trials(now->results, load, &count);
		struct mlr_excess here = missing_changes(&goals[goal], trials, count);

		assert_true(digest->loads[load].load_fps == mlr_results_load_fps(now->results, load));
		assert_true(digest->loads[load].counted == (double)count);
		assert_stages(&goals[goal], &digest->loads[load], trials, count);
		missing.sum += here.sum;
		missing.variance += here.variance;
	}
	assert_true(fabs(digest->missing_changes.sum - missing.sum) < 1e-9);
	assert_true(fabs(digest->missing_changes.variance - missing.variance) < 1e-9);
}

static void a_digest_says_what_all_trials_say(void **state)
{
	static const double durations_s[] = { 1, 5, 60 }, losses[] = { 0, 0.005, 0.02 };
	struct mlr_digest digests[COUNT_OF(goals)] = { 0 };
	struct mlr_situation now = { .digests = digests };
	struct mlr_results *results;
	uint64_t random = 1;

	(void)state;
	assert_int_equal(mlr_results_new(goals, COUNT_OF(goals), &results), 0);
	assert_int_equal(mlr_grid_init(&now.grid, 1000, 1e7, 0.005), 0);
	now.results = results;
	for (size_t i = 0; i < TRIALS; i++) {
		double load_fps = 1e6 * (1 + (double)random_below(&random, LOADS));
		struct mlr_trial_result trial =
			make_trial(load_fps, durations_s[random_below(&random, COUNT_OF(durations_s))],
				   losses[random_below(&random, COUNT_OF(losses))]);

		assert_int_equal(mlr_results_add(results, &trial), 0);
		for (size_t goal = 0; goal < COUNT_OF(goals); goal++) {
			assert_int_equal(mlr_digest_note(&now, goal, load_fps), 0);
			assert_digest(&now, goal);
		}
	}
	for (size_t goal = 0; goal < COUNT_OF(goals); goal++)
		mlr_digest_free(&digests[goal]);
	mlr_results_free(results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_digest_says_what_all_trials_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
