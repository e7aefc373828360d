/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header has Load Classification and Conditional Throughput, which are appendices A and B of RFC 9971. The caller owns
 * the sums and the trials; the functions keep nothing. Sums start as zeros, take one trial after another, and can be
 * classified at any time.
 *
 * All sums are integers. Durations are in ns, rounded to the nearest, at least 1 and at most MLR_DURATION_MAX_NS. The Goal
 * Exceed Ratio is in units of 1 / MLR_EXCEED_UNITS. So decimals that a user writes are exact, and no sum depends on the
 * order of its trials. A Lower Bound always has a Conditional Throughput, because its low-loss trials cover what Appendix B
 * looks for. The draft's listings do not keep that promise in floating-point numbers (docs/internals/search.md, "Sums are
 * exact").
 */
#ifndef MLR_CLASSIFY_H
#define MLR_CLASSIFY_H

#include <stddef.h>
#include <stdint.h>

#include "mlr/goal.h"
#include "mlr/trial.h"

#define MLR_DURATION_MAX_NS (INT64_C(1) << 60) /* 36 years: a longer duration counts as this, and sums stop growing here */
#define MLR_EXCEED_UNITS    INT64_C(1000000000000)

/* Sums of the Trial Effective Durations in ns of the trials at one load, by Trial Classification (4.7.1) against one
 * goal. */
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

/* Convert a positive duration to the ns that sums count, and back. */
int64_t mlr_duration_ns(double duration_s);
double mlr_duration_s(int64_t duration_ns);

/* Add one trial to the sums of its load. */
void mlr_duration_sums_add(struct mlr_duration_sums *sums, const struct mlr_goal *goal,
			   const struct mlr_trial_result *trial);

/* Classify a load by its sums (Appendix A). */
enum mlr_load_class mlr_classify(const struct mlr_goal *goal, const struct mlr_duration_sums *sums);

/* Return the Conditional Throughput (Appendix B) in frames/s of the trials at one load. Their order does not matter, and
 * short trials are ignored. A load without a full-length trial has the Conditional Throughput 0. Returns 0 and sets
 * *ret_fps, or -ENOMEM. */
int mlr_conditional_throughput(const struct mlr_goal *goal, const struct mlr_trial_result *trials, size_t trial_count,
			       double *ret_fps);

#endif
