/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This store keeps every Trial Result of a search by its Trial Load, and derives bounds and Goal Results from them. The
 * caller owns the store; the store owns copies of goals and results. It lives from mlr_results_new() to mlr_results_free(),
 * takes results, and can be asked at any time.
 *
 * It knows the current Relevant Bounds (sections 4.8.1 and 4.8.2, loss inversion included) and the Goal Result (4.8.4) of
 * each goal. Two loads are the same load if and only if they are the same double, because controllers choose loads from a
 * discrete set.
 */
#ifndef MLR_RESULTS_H
#define MLR_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "mlr/classify.h"
#include "mlr/goal.h"
#include "mlr/trial.h"

struct mlr_results;

#define MLR_NO_LOAD ((size_t)-1) /* the index that stands for a bound which does not exist */

/* The current Relevant Bounds of a goal, as indices of loads. */
struct mlr_bounds {
	size_t lower; /* the largest Lower Bound below `upper`, or the largest of all if there is no upper one, or MLR_NO_LOAD */
	size_t upper; /* the smallest Upper Bound, or MLR_NO_LOAD */
};

/* Why a Goal Result is irregular. */
enum mlr_irregularity {
	MLR_REGULAR,
	MLR_MAX_LOAD_IS_LOWER_BOUND, /* the SUT sustains Max Load, so it is not the limit (4.8.4.2) */
	MLR_MIN_LOAD_IS_UPPER_BOUND, /* the SUT fails at every load (4.6.8.2) */
	MLR_UNFINISHED,              /* the search ended before the bounds were within the Goal Width */
	MLR_CONTRADICTED,            /* Load Classification of all trials does not confirm the algorithm's lower bound */
};

/* A Goal Result (4.8.4.3). A member that does not exist is NAN. */
struct mlr_goal_result {
	enum mlr_irregularity irregularity;
	double relevant_lower_bound_fps;
	double relevant_upper_bound_fps;
	double conditional_throughput_fps;
};

/* Create a store for a search with these goals, which are copied. Returns 0, -ENOMEM, or -EINVAL for a goal count of 0 or
 * too many. The caller frees it. */
int mlr_results_new(const struct mlr_goal *goals, size_t goal_count, struct mlr_results **ret);
void mlr_results_free(struct mlr_results *results);

/* Add one Trial Result. Returns 0, -ENOMEM, or -EINVAL if it breaks the ranges of section 4.5. */
int mlr_results_add(struct mlr_results *results, const struct mlr_trial_result *trial);

size_t mlr_results_goal_count(const struct mlr_results *results);
const struct mlr_goal *mlr_results_goal(const struct mlr_results *results, size_t goal);

/* Count the measured loads, or return one of them. The smallest load comes first. Indices shift when a new load is added. */
size_t mlr_results_load_count(const struct mlr_results *results);
double mlr_results_load_fps(const struct mlr_results *results, size_t load);
/* Return the index of a measured load, or MLR_NO_LOAD. */
size_t mlr_results_find(const struct mlr_results *results, double load_fps);
/* Return the trials at one load, in the order in which they were added. They are valid until the next mlr_results_add(). */
const struct mlr_trial_result *mlr_results_trials(const struct mlr_results *results, size_t load, size_t *ret_count);
/* Return the duration sums of one load for one goal, and its class. */
const struct mlr_duration_sums *mlr_results_sums(const struct mlr_results *results, size_t load, size_t goal);
enum mlr_load_class mlr_results_class(const struct mlr_results *results, size_t load, size_t goal);

struct mlr_bounds mlr_results_bounds(const struct mlr_results *results, size_t goal);

/* Return the Goal Width of a pair of loads (4.6.5): (upper - lower) / upper. */
double mlr_width_ratio(double lower_fps, double upper_fps);
/* Whether a pair of loads is within a goal's width, with a tolerance of 1e-9 of the width for rounding. */
bool mlr_width_met(const struct mlr_goal *goal, double lower_fps, double upper_fps);

/* Get the Goal Result of a goal from the trials so far, for a search between these loads. Returns 0 or -ENOMEM. */
int mlr_results_goal_result(const struct mlr_results *results, size_t goal, double min_load_fps, double max_load_fps,
			    struct mlr_goal_result *ret);

#endif
