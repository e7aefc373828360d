/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every Trial Result of a search, by Trial Load, and what follows from them: the current Relevant Bounds (section 4.8.1,
 * 4.8.2, loss inversion included) and the Goal Results (4.8.4) of any goal.
 *
 * Two loads are the same load if and only if they are the same double: controllers choose loads from a discrete set.
 */
#ifndef MLR_RESULTS_H
#define MLR_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "mlr/classify.h"
#include "mlr/goal.h"
#include "mlr/trial.h"

struct mlr_results;

#define MLR_NO_LOAD ((size_t)-1) /* index of a bound that does not exist */

/* The current Relevant Bounds of a goal, as indices of loads. */
struct mlr_bounds {
	size_t lower; /* the largest Lower Bound below `upper` (below infinity if there is no upper), or MLR_NO_LOAD */
	size_t upper; /* the smallest Upper Bound, or MLR_NO_LOAD */
};

/* Why a Goal Result is irregular. */
enum mlr_irregularity {
	MLR_REGULAR,
	MLR_MAX_LOAD_IS_LOWER_BOUND, /* the SUT is not the limit (4.8.4.2) */
	MLR_MIN_LOAD_IS_UPPER_BOUND, /* fails at every load (4.6.8.2) */
	MLR_UNFINISHED,              /* the search ended before the bounds were within the Goal Width */
	MLR_CONTRADICTED,            /* by Load Classification of all trials, the algorithm's lower bound is none */
};

/* Goal Result (4.8.4.3). What does not exist is NAN. */
struct mlr_goal_result {
	enum mlr_irregularity irregularity;
	double relevant_lower_bound_fps;
	double relevant_upper_bound_fps;
	double conditional_throughput_fps;
};

/* A store for a search with these goals, which are copied. 0 or -ENOMEM, -EINVAL (a goal count of 0 or too many).
 * The caller frees it. */
int mlr_results_new(const struct mlr_goal *goals, size_t goal_count, struct mlr_results **ret);
void mlr_results_free(struct mlr_results *results);

/* Add one Trial Result. 0, -ENOMEM, or -EINVAL if it breaks the ranges of section 4.5. */
int mlr_results_add(struct mlr_results *results, const struct mlr_trial_result *trial);

size_t mlr_results_goal_count(const struct mlr_results *results);
const struct mlr_goal *mlr_results_goal(const struct mlr_results *results, size_t goal);

/* Measured loads, smallest first. Indices shift when a new load is added. */
size_t mlr_results_load_count(const struct mlr_results *results);
double mlr_results_load_fps(const struct mlr_results *results, size_t load);
/* Index of a measured load, or MLR_NO_LOAD. */
size_t mlr_results_find(const struct mlr_results *results, double load_fps);
/* The trials at one load, in the order they were added; valid until the next add. */
const struct mlr_trial_result *mlr_results_trials(const struct mlr_results *results, size_t load, size_t *ret_count);
/* The duration sums and the class of one load for one goal. */
const struct mlr_duration_sums *mlr_results_sums(const struct mlr_results *results, size_t load, size_t goal);
enum mlr_load_class mlr_results_class(const struct mlr_results *results, size_t load, size_t goal);

struct mlr_bounds mlr_results_bounds(const struct mlr_results *results, size_t goal);

/* Goal Width of a pair of loads (4.6.5): (upper - lower) / upper. */
double mlr_width_ratio(double lower_fps, double upper_fps);
/* Whether a pair of loads is within a goal's width, with a tolerance of 1e-9 of the width for rounding. */
bool mlr_width_met(const struct mlr_goal *goal, double lower_fps, double upper_fps);

/* The Goal Result of a goal as it stands now, for a search between these loads. 0 or -ENOMEM. */
int mlr_results_goal_result(const struct mlr_results *results, size_t goal, double min_load_fps, double max_load_fps,
			    struct mlr_goal_result *ret);

#endif
