/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load Classification and Conditional Throughput: appendices A and B of draft-ietf-bmwg-mlrsearch-15, as pure functions.
 */
#ifndef MLR_CLASSIFY_H
#define MLR_CLASSIFY_H

#include <stddef.h>

#include "mlr/goal.h"
#include "mlr/trial.h"

/* Sums of Trial Effective Duration of the trials at one load, by Trial Classification (4.7.1) against one goal, seconds. */
struct mlr_duration_sums {
	double full_length_low_loss_s;
	double full_length_high_loss_s;
	double short_low_loss_s;
	double short_high_loss_s;
};

/* Load Classification (4.7.2). */
enum mlr_load_class {
	MLR_LOAD_UNDECIDED,
	MLR_LOAD_LOWER_BOUND,
	MLR_LOAD_UPPER_BOUND,
};

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
