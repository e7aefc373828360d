/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include <errno.h>

#include "mlr/grid.h"
#include "mlr/results.h"

static struct mlr_grid make_grid(double min_fps, double max_fps, double width_ratio)
{
	struct mlr_grid grid;

	assert_int_equal(mlr_grid_init(&grid, min_fps, max_fps, width_ratio), 0);
	return grid;
}

static void csit_grid(void **state)
{
	struct mlr_grid grid = make_grid(9001, 14880952, 0.005);

	(void)state;
	assert_true(mlr_grid_load_fps(&grid, 0) == 9001);
	assert_true(mlr_grid_load_fps(&grid, grid.last) == 14880952);
	assert_int_equal(grid.last, (int64_t)ceil(log(14880952 / 9001.0) / -log(0.995)));
}

/* Ends exact, loads strictly rising, every neighbour within the width, and no step more than needed. */
static void check_grid(const struct mlr_grid *grid, double min_fps, double max_fps, double width_ratio)
{
	struct mlr_goal goal = make_goal(0, 0.5, 1, 21);
	int64_t stride = 1 + grid->last / 1000;

	goal.width_ratio = width_ratio;
	assert_true(mlr_grid_load_fps(grid, 0) == min_fps);
	assert_true(mlr_grid_load_fps(grid, grid->last) == max_fps);
	for (int64_t i = 0; i < grid->last; i += stride) {
		double load_fps = mlr_grid_load_fps(grid, i), next_fps = mlr_grid_load_fps(grid, i + 1);

		if (!(load_fps < next_fps))
			fail_msg("load %lld of width %g is not below the next", (long long)i, width_ratio);
		if (!mlr_width_met(&goal, load_fps, next_fps))
			fail_msg("step %lld is wider than %g", (long long)i, width_ratio);
		if (mlr_grid_floor(grid, load_fps) != i || mlr_grid_ceil(grid, load_fps) != i)
			fail_msg("load %lld of width %g is not found again", (long long)i, width_ratio);
	}
	assert_true((double)(grid->last - 1) * -log1p(-width_ratio) < log(max_fps / min_fps) * (1 + 1e-5));
}

static void random_grids(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		uint64_t random = seed;
		double min_fps = exp(40 * random_unit(&random) - 10);
		double max_fps = min_fps * (1 + exp(24 * random_unit(&random) - 14));
		double width_ratio = fmin(0.999, exp(-14 * random_unit(&random)));
		struct mlr_grid grid = make_grid(min_fps, max_fps, width_ratio);

		check_grid(&grid, min_fps, max_fps, width_ratio);
	}
}

static void one_step(void **state)
{
	struct mlr_grid grid = make_grid(995, 1000, 0.005);

	(void)state;
	assert_int_equal(grid.last, 1);
	check_grid(&grid, 995, 1000, 0.005);
	assert_int_equal(make_grid(994, 1000, 0.005).last, 2);
	assert_int_equal(make_grid(999, 1000, 0.005).last, 1);
	assert_int_equal(make_grid(1, 1e6, 0.9999999).last, 1);
	assert_int_equal(make_grid(1000, nextafter(1000, 2000), 0.005).last, 1);
}

/* A range of exactly n widths takes n steps, whatever the rounding. */
static void whole_number_of_widths(void **state)
{
	(void)state;
	for (int n = 1; n <= 500; n++)
		assert_int_equal(make_grid(1e6 * pow(0.995, n), 1e6, 0.005).last, n);
}

static void extremes(void **state)
{
	struct mlr_grid grid = make_grid(1e-300, 1e300, 0.005), fine = make_grid(9001, 14880952, MLR_GRID_WIDTH_MIN);

	(void)state;
	check_grid(&grid, 1e-300, 1e300, 0.005);
	assert_true(fine.last > 7000000000);
	assert_true(mlr_grid_load_fps(&fine, fine.last / 2) < mlr_grid_load_fps(&fine, fine.last / 2 + 1));
}

static void refuses_nonsense(void **state)
{
	struct mlr_grid grid = { .last = 7 };

	(void)state;
	assert_int_equal(mlr_grid_init(&grid, 0, 1, 0.005), -EINVAL);
	assert_int_equal(mlr_grid_init(&grid, -1, 1, 0.005), -EINVAL);
	assert_int_equal(mlr_grid_init(&grid, 1, 1, 0.005), -EINVAL);
	assert_int_equal(mlr_grid_init(&grid, 2, 1, 0.005), -EINVAL);
	assert_int_equal(mlr_grid_init(&grid, 1, INFINITY, 0.005), -EINVAL);
	assert_int_equal(mlr_grid_init(&grid, NAN, 1, 0.005), -EINVAL);
	assert_int_equal(mlr_grid_init(&grid, 1, NAN, 0.005), -EINVAL);
	assert_int_equal(mlr_grid_init(&grid, 1, 2, 0), -EINVAL);
	assert_int_equal(mlr_grid_init(&grid, 1, 2, 1), -EINVAL);
	assert_int_equal(mlr_grid_init(&grid, 1, 2, NAN), -EINVAL);
	assert_int_equal(mlr_grid_init(&grid, 1, 2, MLR_GRID_WIDTH_MIN / 2), -EINVAL);
	assert_int_equal(grid.last, 7);
}

static void floor_and_ceil(void **state)
{
	struct mlr_grid grid = make_grid(1000, 2000, 0.005);
	double fps = mlr_grid_load_fps(&grid, 10);

	(void)state;
	assert_int_equal(mlr_grid_floor(&grid, nextafter(fps, 0)), 9);
	assert_int_equal(mlr_grid_floor(&grid, nextafter(fps, 1e9)), 10);
	assert_int_equal(mlr_grid_ceil(&grid, nextafter(fps, 0)), 10);
	assert_int_equal(mlr_grid_ceil(&grid, nextafter(fps, 1e9)), 11);
	assert_int_equal(mlr_grid_floor(&grid, 1), 0);
	assert_int_equal(mlr_grid_ceil(&grid, 1), 0);
	assert_int_equal(mlr_grid_floor(&grid, 1e9), grid.last);
	assert_int_equal(mlr_grid_ceil(&grid, 1e9), grid.last);
	assert_true(mlr_grid_load_fps(&grid, -1) == 1000);
	assert_true(mlr_grid_load_fps(&grid, grid.last + 1) == 2000);
	assert_close(mlr_grid_position(&grid, fps), 10, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csit_grid),      cmocka_unit_test(random_grids),
		cmocka_unit_test(one_step),       cmocka_unit_test(whole_number_of_widths),
		cmocka_unit_test(extremes),       cmocka_unit_test(refuses_nonsense),
		cmocka_unit_test(floor_and_ceil),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
