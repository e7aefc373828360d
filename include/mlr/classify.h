/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load Classification and Conditional Throughput: appendices A and B of draft-ietf-bmwg-mlrsearch-15, as pure functions.
 *
 * Both count in integers: durations in ns (rounded to the nearest, at least 1, at most MLR_DURATION_MAX_NS), the Goal Exceed
 * Ratio in units of 1 / MLR_EXCEED_UNITS. So what a user writes in decimals is exact, no sum depends on the order of its
 * trials, and a Lower Bound always has a Conditional Throughput: its low-loss trials cover what Appendix B looks for. The
 * draft's listings, taken as floating-point code, do not keep that promise (docs/search.md, "Sums are exact").
 */
#ifndef MLR_CLASSIFY_H
#define MLR_CLASSIFY_H

#include <stddef.h>
#include <stdint.h>

#include "mlr/goal.h"
#include "mlr/trial.h"

#define MLR_DURATION_MAX_NS (INT64_C(1) << 60) /* 36 years: what a duration counts at most, and where a sum stops growing */
#define MLR_EXCEED_UNITS    INT64_C(1000000000000)

/* Sums of Trial Effective Duration of the trials at one load, by Trial Classification (4.7.1) against one goal, ns. */
struct mlr_duration_sums {
	int64_t full_length_low_loss_ns;
	int64_t full_length_high_loss_ns;
	int64_t short_low_loss_ns;
	int64_t short_high_loss_ns;
};

/* Load Classification (4.7.2). */
enum mlr_load_class {
	MLR_LOAD_UNDECIDED,
	MLR_LOAD_LOWER_BOUND,
	MLR_LOAD_UPPER_BOUND,
};

/* A positive duration as the sums count it, and back. */
int64_t mlr_duration_ns(double duration_s);
double mlr_duration_s(int64_t duration_ns);

/* Add one trial to the sums of its load. */
void mlr_duration_sums_add(struct mlr_duration_sums *sums, const struct mlr_goal *goal,
			   const struct mlr_trial_result *trial);

/* Appendix A. */
enum mlr_load_class mlr_classify(const struct mlr_goal *goal, const struct mlr_duration_sums *sums);

/* Appendix B over the trials at one load (in any order; short trials are passed over), frames/s.
 * A load without any full-length trial has the Conditional Throughput 0.
 * Returns 0 and sets *ret_fps, or -ENOMEM. */
int mlr_conditional_throughput(const struct mlr_goal *goal, const struct mlr_trial_result *trials, size_t trial_count,
			       double *ret_fps);

#endif
