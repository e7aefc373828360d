/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The discrete set of loads a search may use: a geometric grid from Min Load to Max Load, both exactly on it.
 *
 * Loads go by integer index, so that "the same load" and "the next load" are exact; the step is at most the width asked for,
 * so that two neighbours always are within that width.
 */
#ifndef MLR_GRID_H
#define MLR_GRID_H

#include <stdint.h>

#define MLR_GRID_WIDTH_MIN 1e-9 /* finer steps drown in the rounding of a double */

struct mlr_grid {
	double min_fps;
	double max_fps;
	double log_step; /* natural logarithm of the ratio of two neighbours */
	int64_t last;    /* index of Max Load; that of Min Load is 0 */
};

/* 0, or -EINVAL unless 0 < min_fps < max_fps, both finite, and MLR_GRID_WIDTH_MIN <= width_ratio < 1. */
int mlr_grid_init(struct mlr_grid *ret_grid, double min_fps, double max_fps, double width_ratio);

/* The load of an index, which is clamped to 0 .. last. */
double mlr_grid_load_fps(const struct mlr_grid *grid, int64_t index);

/* The largest index whose load is at most `load_fps`, and the smallest whose load is at least that; clamped to 0 .. last. */
int64_t mlr_grid_floor(const struct mlr_grid *grid, double load_fps);
int64_t mlr_grid_ceil(const struct mlr_grid *grid, double load_fps);

/* Where a load lies on the grid, in steps from Min Load, as a real number; not clamped. load_fps > 0. */
double mlr_grid_position(const struct mlr_grid *grid, double load_fps);

#endif
