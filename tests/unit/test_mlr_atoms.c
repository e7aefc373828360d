/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capacities that come again, as a model of one goal sees them. Positions in steps, ten of them a Goal Width. */
#include "mlrsearch/mlr_private.h"
#include "unit.h"

#define UNIT 10.0

static struct mlr_atoms no_atoms(void)
{
	return (struct mlr_atoms){ .unit = UNIT };
}

static struct mlr_observation good(double position)
{
	return (struct mlr_observation){ .position = position, .forwarded = position, .frame = 1e-5 };
}

static struct mlr_observation bad(double position, double capacity)
{
	return (struct mlr_observation){
		.position = position,
		.forwarded = capacity,
		.frame = 1e-5,
		.lost = 1000 * (position - capacity),
		.is_bad = true,
	};
}

static void add(struct mlr_atoms *atoms, struct mlr_observation seen)
{
	mlr_atoms_add(atoms, &seen);
}

static bool has_met(const struct mlr_atoms *atoms, struct mlr_observation seen)
{
	return mlr_atoms_has_met(atoms, &seen);
}

static void a_capacity_is_met_again_at_another_load(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	assert_false(has_met(&atoms, bad(120, 90)));
	add(&atoms, bad(120, 90));
	assert_false(has_met(&atoms, good(120)));
	assert_true(has_met(&atoms, bad(130, 90.001)));
}

static void another_capacity_is_not_the_same(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	add(&atoms, bad(120, 90));
	assert_false(has_met(&atoms, bad(120, 90.1)));
}

static void few_frames_come_again_by_chance(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	add(&atoms, bad(100.02, 100)); /* 20 frames */
	assert_false(has_met(&atoms, bad(100.01, 100)));
}

/* At one load any loss without noise repeats. */
static void a_mode_is_met_at_different_loads(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	add(&atoms, bad(120, 90));
	add(&atoms, bad(120, 90));
	add(&atoms, bad(130, 91));
	add(&atoms, good(90));
	assert_false(atoms.has_mode);
	add(&atoms, bad(130, 90));
	assert_true(atoms.has_mode);
}

static void assert_sample(const struct mlr_atoms *atoms, double position, double trials, double below_probability)
{
	struct mlr_sample sample = mlr_atoms_sample(atoms, position);

	assert_close(sample.trials, trials, 1e-9);
	assert_close(sample.below_probability, below_probability, 1e-9);
}

/* Six trials, added in no order. Of those good at 95 it is not known whether their capacity lies below 98. */
static void good_trials_are_censored(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	assert_sample(&atoms, 100, 0, 0);
	add(&atoms, bad(110, 97));
	add(&atoms, good(95));
	add(&atoms, bad(110, 105));
	add(&atoms, bad(100, 90));
	add(&atoms, good(95));
	add(&atoms, good(100));
	assert_sample(&atoms, 90, 6, 0);
	assert_sample(&atoms, 95, 6, 1.0 / 6);
	assert_sample(&atoms, 98, 4, 1 - 5.0 / 6 * 2 / 3);
	assert_sample(&atoms, 106, 3, 1);
}

/* More trials than are kept change nothing. */
static void trials_beyond_the_room_are_left_out(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	for (size_t i = 0; i <= MLR_ATOMS_SEEN_MAX; i++)
		add(&atoms, bad(120, 90));
	assert_int_equal(atoms.count, MLR_ATOMS_SEEN_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_capacity_is_met_again_at_another_load),
		cmocka_unit_test(another_capacity_is_not_the_same),
		cmocka_unit_test(few_frames_come_again_by_chance),
		cmocka_unit_test(a_mode_is_met_at_different_loads),
		cmocka_unit_test(good_trials_are_censored),
		cmocka_unit_test(trials_beyond_the_room_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
