/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far losses are from what a fitting function foresees, against sums over the Poisson distribution. */
#include "unit.h"

#include "plrsearch/plr_private.h"

#define TRIALS 6

static const struct mlr_plr_parameters parameters = { .min_load_fps = 1e3, .max_load_fps = 1e7, .target_loss_ratio = 1e-3 };
static const struct plr_summary densest = { .log_mrr = 13.8, .log_spread = 11.5 };

/* A trial in which so many frames were lost of a mean of so many. */
static struct plr_datum trial_of(double mean, double lost)
{
	struct plr_shape shape = plr_shape_make(MLR_PLR_STRETCH, densest.log_mrr, densest.log_spread);
	struct plr_datum trial = {
		.load_fps = 8e5, .log_load = log(8e5), .lost_frames = lost, .log_lost = lost > 0 ? log(lost) : 0
	};

	trial.log_frames_per_fps = log(mean) - fmin(plr_shape_log_rate(&shape, trial.load_fps), trial.log_load);
	return trial;
}

static struct plr_misfit misfit_of(const struct plr_datum *trials, size_t count)
{
	const struct plr_data data = { &parameters, trials, count };

	return plr_misfit(MLR_PLR_STRETCH, &densest, &data);
}

static double deviance(double lost, double mean)
{
	return 2 * (lost > 0 ? lost * log(lost / mean) + mean - lost : mean);
}

/* Mean and variance of the deviance, by the logarithm of each probability. */
static void sum_up(double mean, double *ret_mean, double *ret_variance)
{
	double sum = 0, squares = 0;

	for (int lost = 0; lost < 400; lost++) {
		double probability = exp(lost * log(mean) - mean - lgamma(lost + 1));

		sum += probability * deviance(lost, mean);
		squares += probability * deviance(lost, mean) * deviance(lost, mean);
	}
	*ret_mean = sum;
	*ret_variance = squares - sum * sum;
}

static void one_trial_is_off_by_its_deviance(void **state)
{
	static const double means[] = { 0.01, 0.3, 1, 2.5, 7, 15, 19.9 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(means); i++) {
		double mean, variance;

		sum_up(means[i], &mean, &variance);
		for (double lost = 0; lost < 60; lost += 3) {
			struct plr_datum trial = trial_of(means[i], lost);
			struct plr_misfit misfit = misfit_of(&trial, 1);
			double chi_square = (lost - means[i]) * (lost - means[i]) / fmax(means[i], 1);

			assert_close(misfit.score, (deviance(lost, means[i]) - mean) / sqrt(variance),
				     1e-6 * (1 + fabs(misfit.score)));
			assert_close(misfit.dispersion, fmax(deviance(lost, means[i]) / mean, chi_square),
				     1e-6 * (1 + misfit.dispersion));
			assert_close(misfit.repeating, 0, 0);
		}
	}
}

/* The deviance of large counts is that of Gaussian ones: chi-square of one degree of freedom, and a little more. */
static void large_counts_are_gaussian(void **state)
{
	(void)state;
	for (double mean = 20.5; mean < 1e6; mean *= 2.7) {
		struct plr_datum trial = trial_of(mean, round(mean + 2 * sqrt(mean)));
		double seen = deviance(trial.lost_frames, mean), foreseen = 1 + 1 / (6 * mean), exact, variance;

		assert_close(misfit_of(&trial, 1).score, (seen - foreseen) / sqrt(2), 1e-6);
		if (mean > 100)
			continue;
		sum_up(mean, &exact, &variance);
		assert_close(foreseen, exact, 0.002);
		assert_close(variance, 2, 0.1);
	}
}

/* Trials that are all off to one side are correlated, as far as that goes; such that alternate are not. */
static void trials_in_a_row_off_to_one_side_repeat(void **state)
{
	struct plr_datum same[TRIALS], turns[TRIALS];

	(void)state;
	for (size_t i = 0; i < TRIALS; i++) {
		same[i] = trial_of(100, 150);
		turns[i] = trial_of(100, i % 2 ? 150 : 60);
	}
	assert_close(misfit_of(same, TRIALS).repeating, (TRIALS - 1.0) / TRIALS, 1e-9);
	assert_close(misfit_of(same, 2).repeating, 0.5, 1e-9);
	assert_close(misfit_of(turns, TRIALS).repeating, 0, 0);
	/* scores of independent trials add up as those do */
	assert_close(misfit_of(same, 4).score, 2 * misfit_of(same, 1).score, 1e-6);
	assert_close(misfit_of(same, 4).dispersion, misfit_of(same, 1).dispersion, 1e-6);
	assert_close(misfit_of(same, 0).score, 0, 0);
	assert_close(misfit_of(same, 0).dispersion, 1, 0);
	assert_close(misfit_of(same, 0).repeating, 0, 0);
	/* one that lost what is foreseen is off to neither side */
	same[0] = trial_of(100, 100);
	assert_close(misfit_of(same, 3).repeating, 0.5, 1e-6);
	/* however little they are off */
	same[0] = same[1] = trial_of(100, 103);
	assert_close(misfit_of(same, 2).repeating, 0.5, 1e-9);
}

static void correlation_has_a_bound(void **state)
{
	struct plr_datum trials[100];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(trials); i++)
		trials[i] = trial_of(100, 150);
	assert_close(misfit_of(trials, COUNT_OF(trials)).repeating, 0.9, 0);
}

static void a_dispersed_trial_tells_less(void **state)
{
	struct plr_datum trial = trial_of(100, 150), less = plr_datum_dispersed(&trial, 3), nothing = trial_of(100, 0);
	struct plr_datum one = trial_of(100, 1);

	(void)state;
	assert_close(less.lost_frames, 50, 1e-9);
	assert_close(less.log_lost, log(50), 1e-9);
	assert_close(less.log_frames_per_fps, trial.log_frames_per_fps - log(3), 1e-9);
	assert_close(less.load_fps, trial.load_fps, 0);
	assert_close(plr_datum_dispersed(&nothing, 3).log_lost, 0, 0);
	assert_close(plr_datum_dispersed(&one, 3).log_lost, -log(3), 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_trial_is_off_by_its_deviance),       cmocka_unit_test(large_counts_are_gaussian),
		cmocka_unit_test(trials_in_a_row_off_to_one_side_repeat), cmocka_unit_test(correlation_has_a_bound),
		cmocka_unit_test(a_dispersed_trial_tells_less),
	};

	return cmocka_run_group_tests_name("plr_robust", tests, NULL, NULL);
}
