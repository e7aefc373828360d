/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "unit.h"

#include "mlr/sweep.h"

static void loads_are_evenly_spaced_and_both_ends_are_exact(void **state)
{
	(void)state;
	for (size_t count = 2; count < 200; count++) {
		double before = 0;

		assert_true(mlr_sweep_load(0.1, 0.7, count, 0) == 0.1);
		assert_true(mlr_sweep_load(0.1, 0.7, count, count - 1) == 0.7);
		for (size_t i = 0; i < count; i++) {
			double load = mlr_sweep_load(0.1, 0.7, count, i);

			assert_true(load > before);
			assert_true(fabs(load - (0.1 + 0.6 * (double)i / (double)(count - 1))) < 1e-12);
			before = load;
		}
	}
	for (size_t i = 0; i < 15; i++)
		assert_true(mlr_sweep_load(100000, 1500000, 15, i) == 100000.0 * (double)(i + 1));
	assert_true(mlr_sweep_load(900, 100, 3, 1) == 500);
	assert_true(mlr_sweep_load(5, 0, 1, 0) == 5);
}

#define TRIAL(load, ratio)                                                                                                  \
	{                                                                                                                   \
		{ 1, load },                                                                                                \
		{                                                                                                           \
			ratio, 1, (load) * (1 - (ratio))                                                                    \
		}                                                                                                           \
	}

static void figures_are_those_of_the_curve(void **state)
{
	/* out of order; 300 loses once of twice, so 400 is not below the first loss */
	const struct mlr_trial_result trials[] = {
		TRIAL(600, 0.5),  TRIAL(100, 0), TRIAL(200, 0),           TRIAL(300, 0),
		TRIAL(300, 0.01), TRIAL(400, 0), TRIAL(500, 0.2 - 1e-15), TRIAL(600, 0.6)
	};
	struct mlr_sweep_figures figures = mlr_sweep_figures(trials, sizeof(trials) / sizeof(*trials));

	(void)state;
	assert_true(figures.lossless_load_fps == 200);
	assert_true(figures.first_loss_load_fps == 300);
	assert_true(figures.most_rate_fps == 400 && figures.most_rate_load_fps == 400); /* and not 500, of the same rate */
	assert_true(figures.last_rate_fps == 240);
}

/* The order of trials changes nothing. A rate that differs by rounding is the same one, and one that differs by more is not. */
static void figures_do_not_depend_on_the_order(void **state)
{
	struct mlr_trial_result trials[] = { TRIAL(100, 0),     TRIAL(400, 0),           TRIAL(800, 0.5 + 1e-12),
					     TRIAL(800, 0.525), TRIAL(500, 0.2 + 1e-12), TRIAL(500, 0.21) };
	const size_t count = sizeof(trials) / sizeof(*trials);

	(void)state;
	for (size_t turn = 0; turn < 2 * count; turn++) {
		struct mlr_trial_result first = trials[0];
		struct mlr_sweep_figures figures;

		memmove(trials, trials + 1, sizeof(trials) - sizeof(*trials));
		trials[count - 1] = first;
		if (turn == count) /* and from above to below */
			for (size_t i = 0; i < count / 2; i++) {
				first = trials[i];
				trials[i] = trials[count - 1 - i];
				trials[count - 1 - i] = first;
			}
		figures = mlr_sweep_figures(trials, count);
		assert_true(figures.most_rate_load_fps == 400 && fabs(figures.most_rate_fps - 400) < 1e-6);
		assert_true(figures.last_rate_fps == 800 * (1 - 0.525));
		assert_true(figures.lossless_load_fps == 400 && figures.first_loss_load_fps == 500);
	}
	/* a smaller load of a smaller rate is not taken for it */
	trials[0] = (struct mlr_trial_result)TRIAL(1000, 0.5);
	trials[1] = (struct mlr_trial_result)TRIAL(500, 0.001);
	assert_true(mlr_sweep_figures(trials, 2).most_rate_load_fps == 1000);
	assert_true(mlr_sweep_figures(trials, 2).last_rate_fps == 500);
	assert_true(mlr_sweep_figures(trials, 1).most_rate_load_fps == 1000);
	/* of one trial without loss */
	trials[0] = (struct mlr_trial_result)TRIAL(50, 0);
	assert_true(mlr_sweep_figures(trials, 1).lossless_load_fps == 50);
	assert_true(mlr_sweep_figures(trials, 2).lossless_load_fps == 50);
}

static void what_does_not_exist_is_no_number(void **state)
{
	const struct mlr_trial_result lossless[] = { TRIAL(100, 0), TRIAL(200, 0) }, lossy[] = { TRIAL(100, 1) };
	struct mlr_sweep_figures figures = mlr_sweep_figures(lossless, 2);

	(void)state;
	assert_true(figures.lossless_load_fps == 200 && isnan(figures.first_loss_load_fps));
	figures = mlr_sweep_figures(lossy, 1);
	assert_true(isnan(figures.lossless_load_fps) && figures.first_loss_load_fps == 100 && figures.most_rate_fps == 0);
	figures = mlr_sweep_figures(NULL, 0);
	assert_true(isnan(figures.lossless_load_fps) && isnan(figures.first_loss_load_fps) && isnan(figures.most_rate_fps) &&
		    isnan(figures.most_rate_load_fps) && isnan(figures.last_rate_fps));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_are_evenly_spaced_and_both_ends_are_exact),
		cmocka_unit_test(figures_are_those_of_the_curve),
		cmocka_unit_test(figures_do_not_depend_on_the_order),
		cmocka_unit_test(what_does_not_exist_is_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
