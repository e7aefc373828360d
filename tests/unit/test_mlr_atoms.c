/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capacities that come again, as a model of one goal sees them. Positions in steps, ten of them a Goal Width. */
#include "../../lib/mlr_private.h"
#include "unit.h"

#define UNIT 10.0

static struct mlr_atoms no_atoms(void)
{
	return (struct mlr_atoms){ .unit = UNIT };
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

static void a_capacity_is_met_again_at_another_load(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	add_bad(&atoms, 120, 90);
	add_good(&atoms, 120);
	add_bad(&atoms, 130, 90.001);
	assert_false(mlr_atoms_has_met(&atoms, &atoms.seen[0])); /* it looks back only */
	assert_false(mlr_atoms_has_met(&atoms, &atoms.seen[1]));
	assert_true(mlr_atoms_has_met(&atoms, &atoms.seen[2]));
}

static void another_capacity_is_not_the_same(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	add_bad(&atoms, 120, 90);
	add_bad(&atoms, 120, 90.1);
	assert_false(mlr_atoms_has_met(&atoms, &atoms.seen[1]));
}

static void few_frames_come_again_by_chance(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	add_bad(&atoms, 100.02, 100); /* 20 frames */
	add_bad(&atoms, 100.01, 100);
	assert_false(mlr_atoms_has_met(&atoms, &atoms.seen[1]));
}

/* More trials than are kept change nothing. */
static void trials_beyond_the_room_are_left_out(void **state)
{
	struct mlr_atoms atoms = no_atoms();

	(void)state;
	for (size_t i = 0; i <= MLR_ATOMS_SEEN_MAX; i++)
		add_bad(&atoms, 120, 90);
	assert_int_equal(atoms.count, MLR_ATOMS_SEEN_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_capacity_is_met_again_at_another_load),
		cmocka_unit_test(another_capacity_is_not_the_same),
		cmocka_unit_test(few_frames_come_again_by_chance),
		cmocka_unit_test(trials_beyond_the_room_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
