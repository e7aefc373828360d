/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capacities that come again, as a model of one goal sees them. Positions in steps, ten of them a Goal Width. */
#include "../../lib/mlr_private.h"
#include "unit.h"

#define UNIT 10.0

static struct mlr_atoms no_atoms(void)
{
	return (struct mlr_atoms){ .unit = UNIT, .highest_good = NAN };
}

static void add_good(struct mlr_atoms *atoms, double position)
{
	mlr_atoms_add(atoms, &(struct mlr_observation){ .position = position, .forwarded = position, .frame = 1e-5 });
}

static void add_bad(struct mlr_atoms *atoms, double position, double capacity)
{
	mlr_atoms_add(atoms, &(struct mlr_observation){
				     .position = position,
				     .forwarded = capacity,
				     .frame = 1e-5,
				     .lost = 1000 * (position - capacity),
				     .is_bad = true,
			     });
}

/* Met at two loads, and surpassed by a good trial. */
static void a_mode_is_an_atom(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	add_bad(&atoms, 120, 100);
	add_good(&atoms, 120);
	assert_true(isnan(mlr_atoms_find(&atoms)));
	add_bad(&atoms, 130, 100.001);
	assert_close(mlr_atoms_find(&atoms), 100, 0.01);
}

static void a_limit_is_no_atom(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	add_good(&atoms, 90);
	for (int i = 0; i < 10; i++)
		add_bad(&atoms, 110 + i, 100); /* nothing good above */
	assert_true(isnan(mlr_atoms_find(&atoms)));
}

/* What repeats at one load alone may belong to that load: a queue that fills up, say. */
static void one_load_shows_no_atom(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	add_good(&atoms, 140);
	for (int i = 0; i < 10; i++)
		add_bad(&atoms, 120, 100);
	assert_true(isnan(mlr_atoms_find(&atoms)));
}

static void few_frames_come_again_by_chance(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	add_good(&atoms, 140);
	add_bad(&atoms, 100.02, 100); /* 20 frames */
	add_bad(&atoms, 100.01, 100);
	assert_true(isnan(mlr_atoms_find(&atoms)));
}

static void the_mode_met_most_often_is_the_atom(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	add_good(&atoms, 150);
	add_bad(&atoms, 120, 90);
	add_bad(&atoms, 130, 90);
	assert_close(mlr_atoms_find(&atoms), 90, 0.01);
	for (int i = 0; i < 3; i++)
		add_bad(&atoms, 120 + i, 100);
	assert_close(mlr_atoms_find(&atoms), 100, 0.01);
}

/* More trials than are kept change nothing. */
static void trials_beyond_the_room_are_left_out(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	for (size_t i = 0; i < MLR_ATOMS_SEEN_MAX; i++)
		add_good(&atoms, 150);
	add_bad(&atoms, 120, 90);
	add_bad(&atoms, 130, 90);
	assert_int_equal(atoms.count, MLR_ATOMS_SEEN_MAX);
	assert_true(isnan(mlr_atoms_find(&atoms)));
}

static void has_met_looks_back_only(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	add_bad(&atoms, 120, 90);
	add_bad(&atoms, 130, 90);
	assert_false(mlr_atoms_has_met(&atoms, &atoms.seen[0]));
	assert_true(mlr_atoms_has_met(&atoms, &atoms.seen[1]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mode_is_an_atom),
		cmocka_unit_test(a_limit_is_no_atom),
		cmocka_unit_test(one_load_shows_no_atom),
		cmocka_unit_test(few_frames_come_again_by_chance),
		cmocka_unit_test(the_mode_met_most_often_is_the_atom),
		cmocka_unit_test(trials_beyond_the_room_are_left_out),
		cmocka_unit_test(has_met_looks_back_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
