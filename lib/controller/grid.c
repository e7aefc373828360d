/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/grid.h"

#include <errno.h>
#include <math.h>

/*
 * Return a width as the logarithm of a ratio. Rounding must not add a step where the range is an integer number of widths;
 * so half of the tolerance of mlr_width_met() is added. It must not make a tiny step wider than the width either; so 4e-15
 * is subtracted.
 */
static double log_width(double width_ratio)
{
	return -log1p(-width_ratio) * (1 + 0.5e-9) - 4e-15;
}

int mlr_grid_init(struct mlr_grid *ret_grid, double min_fps, double max_fps, double width_ratio)
{
	double log_range = log(max_fps) - log(min_fps);
	double steps;

	if (!(min_fps > 0) || !(max_fps > min_fps) || !isfinite(max_fps))
		return -EINVAL;
	if (!(width_ratio >= MLR_GRID_WIDTH_MIN) || !(width_ratio < 1))
		return -EINVAL;
	steps = fmax(1, ceil(log_range / log_width(width_ratio)));
	*ret_grid = (struct mlr_grid){
		.min_fps = min_fps,
		.max_fps = max_fps,
		.log_step = log_range / steps,
		.last = (int64_t)steps,
	};
	return 0;
}

/* The load is computed in two halves, because the ratio of the extremes may be beyond a double. */
double mlr_grid_load_fps(const struct mlr_grid *grid, int64_t index)
{
	double half = exp((double)index * grid->log_step / 2);

	if (index <= 0)
		return grid->min_fps;
	if (index >= grid->last)
		return grid->max_fps;
	return grid->min_fps * half * half;
}

double mlr_grid_position(const struct mlr_grid *grid, double load_fps)
{
	return (log(load_fps) - log(grid->min_fps)) / grid->log_step;
}

int64_t mlr_grid_floor(const struct mlr_grid *grid, double load_fps)
{
	int64_t index;

	if (!(load_fps > grid->min_fps))
		return 0;
	if (load_fps >= grid->max_fps)
		return grid->last;
	index = (int64_t)mlr_grid_position(grid, load_fps);
	while (index > 0 && mlr_grid_load_fps(grid, index) > load_fps)
		index--;
	while (index < grid->last && mlr_grid_load_fps(grid, index + 1) <= load_fps)
		index++;
	return index;
}

int64_t mlr_grid_ceil(const struct mlr_grid *grid, double load_fps)
{
	int64_t index = mlr_grid_floor(grid, load_fps);

	return index < grid->last && mlr_grid_load_fps(grid, index) < load_fps ? index + 1 : index;
}
