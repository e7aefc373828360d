/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grid is the discrete set of loads that a search may use. The caller owns it. It is initialised once for a search, and
 * only read after that.
 *
 * The grid is geometric, and Min Load and Max Load are exactly on it. Loads have integer indices, so that "the same load"
 * and "the next load" are exact. The step is at most the asked width, so two neighbours are always within that width.
 */
#ifndef MLR_GRID_H
#define MLR_GRID_H

#include <stdint.h>

#define MLR_GRID_WIDTH_MIN 1e-9 /* smaller steps are lost in the rounding of a double */

struct mlr_grid {
	double min_fps;
	double max_fps;
	double log_step; /* the natural logarithm of the ratio of two neighbours */
	int64_t last;    /* the index of Max Load; Min Load has the index 0 */
};

/* Initialise a grid. Returns 0, or -EINVAL unless 0 < min_fps < max_fps, both are finite, and MLR_GRID_WIDTH_MIN <=
 * width_ratio < 1. */
int mlr_grid_init(struct mlr_grid *ret_grid, double min_fps, double max_fps, double width_ratio);

/* Return the load of an index. The index is clamped to 0 .. last. */
double mlr_grid_load_fps(const struct mlr_grid *grid, int64_t index);

/* Return the largest index whose load is at most `load_fps`, or the smallest whose load is at least that. Both are clamped
 * to 0 .. last. */
int64_t mlr_grid_floor(const struct mlr_grid *grid, double load_fps);
int64_t mlr_grid_ceil(const struct mlr_grid *grid, double load_fps);

/* Return where a load lies on the grid, as a real number of steps from Min Load. It is not clamped. load_fps is above 0. */
double mlr_grid_position(const struct mlr_grid *grid, double load_fps);

#endif
