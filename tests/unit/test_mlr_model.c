/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a model makes of trials. One step of the grid is a Goal Width. */
#include "mlrsearch/mlr_private.h"
#include "unit.h"

static const struct mlr_goal goal = { "goal", 0, 0.5, 1, 1, 21, 0.005 };

static double critical_load(struct mlr_model *model)
{
	const struct mlr_hypothesis *hypotheses;
	size_t count = mlr_model_hypotheses(model, &hypotheses);
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += hypotheses[i].weight * hypotheses[i].critical;
	return sum;
}

/* The mean probability that a trial at a position is bad. */
static double bad_probability(struct mlr_model *model, double position)
{
	const struct mlr_hypothesis *hypotheses;
	size_t count = mlr_model_hypotheses(model, &hypotheses);
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += hypotheses[i].weight * mlr_level_probability(mlr_hypothesis_level(&hypotheses[i], position));
	return sum;
}

/* A software router that is held up: three trials at each of twelve loads lose some percent, at the lowest as at the highest. So the
 * losses are no capacities that lie around the lowest load; the next one will hardly be better. */
static void losses_that_do_not_fall_with_the_load_are_no_capacities(void **state)
{
	static const double shares[] = { 0.02, 0.06, 0.01 };
	struct mlr_root root = { .position = 0, .uncertainty = 4, .is_final = true };
	struct mlr_model *model;

	(void)state;
	assert_int_equal(mlr_model_new(&root, 1, &goal, &model), 0);
	for (int i = 0; i < 36; i++) {
		double position = -(i / 3), share = shares[i % 3];
		struct mlr_observation seen = { .position = position,
						.forwarded = position + log1p(-share) / -log1p(-goal.width_ratio),
						.lost = 1e6 * share,
						.frame = 2e-4,
						.length = 1,
						.good = 1,
						.is_bad = true };

		mlr_model_learn(model, &seen, 1);
	}
	assert_true(bad_probability(model, -12) > 0.75);
	mlr_model_free(model);
}

/* A link that loses one frame in so many: each load e times as high loses e times as many. The trials are far above the load that
 * loses a frame every second time, at 0, and their counts tell where that is. */
static void a_lossy_link_is_seen_from_afar(void **state)
{
	double load_a_step = -log1p(-goal.width_ratio);
	struct mlr_root root = { .position = 300, .uncertainty = 50, .is_final = true };
	struct mlr_model *model;

	(void)state;
	assert_int_equal(mlr_model_new(&root, 1, &goal, &model), 0);
	for (int i = 0; i < 8; i++) {
		double position = 500 - 50 * i, lost = round(M_LN2 * exp(load_a_step * position));
		struct mlr_observation seen = { .position = position,
						.forwarded = position,
						.lost = lost,
						.frame = 1e-5,
						.length = 1,
						.good = 1,
						.is_bad = true };

		mlr_model_learn(model, &seen, 1);
	}
	assert_close(critical_load(model), 0, 60);
	mlr_model_free(model);
}

/* A trial at a position that met this capacity. */
static void meet(struct mlr_model *model, double position, double capacity)
{
	struct mlr_observation seen = { .position = position, .forwarded = position, .frame = 1e-5, .length = 1, .good = 1 };

	if (capacity < position) {
		seen.is_bad = true;
		seen.forwarded = capacity;
		seen.lost = 1e4 * (position - capacity);
	}
	mlr_model_learn(model, &seen, 1);
}

/* Of two clocks the slow one, 0, is met in one trial of three: a load below the fast one, 20, is bad as often, wherever it is, and one
 * above it always, whatever a curve says. */
static void the_sample_of_capacities_corrects_the_curves(void **state)
{
	struct mlr_root root = { .position = 10, .uncertainty = 4, .is_final = true };
	unsigned char levels[MLR_LEVELS];
	struct mlr_model *model;

	(void)state;
	assert_int_equal(mlr_model_new(&root, 1, &goal, &model), 0);
	mlr_model_use_sample(model, true);
	meet(model, 30, 20);
	meet(model, 18, 0);
	assert_false(mlr_model_correct(model, 10, levels)); /* no capacity came again */
	meet(model, 25, 20);
	for (int i = 0; i < 8; i++)
		meet(model, 15 + i % 4, i % 3 ? 20 : 0);
	mlr_model_use_sample(model, false);
	assert_false(mlr_model_correct(model, 5, levels));
	mlr_model_use_sample(model, true);
	assert_true(mlr_model_correct(model, 5, levels));
	assert_close(mlr_level_probability(levels[0]), 0.3, 0.05);
	assert_close(mlr_level_probability(levels[MLR_LEVELS - 1]), 0.47, 0.1);
	assert_true(mlr_model_correct(model, 21, levels));
	assert_true(mlr_level_probability(levels[0]) > 0.6);
	mlr_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lossy_link_is_seen_from_afar),
		cmocka_unit_test(the_sample_of_capacities_corrects_the_curves),
		cmocka_unit_test(losses_that_do_not_fall_with_the_load_are_no_capacities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
