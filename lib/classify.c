/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/classify.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Sums stop growing here, far from overflow, so that no hostile duration makes Appendix A compute with infinities. */
#define SUM_MAX_S 1e300

void mlr_duration_sums_add(struct mlr_duration_sums *sums, const struct mlr_goal *goal, const struct mlr_trial_result *trial)
{
	bool is_full_length = trial->input.duration_s >= goal->final_trial_duration_s;
	bool is_high_loss = trial->output.loss_ratio > goal->loss_ratio;
	double *sum_s;

	if (is_full_length)
		sum_s = is_high_loss ? &sums->full_length_high_loss_s : &sums->full_length_low_loss_s;
	else
		sum_s = is_high_loss ? &sums->short_high_loss_s : &sums->short_low_loss_s;
	*sum_s = fmin(*sum_s + trial->output.effective_duration_s, SUM_MAX_S);
}

/* Appendix A, under its own names. */
enum mlr_load_class mlr_classify(const struct mlr_goal *goal, const struct mlr_duration_sums *sums)
{
	double exceed_coefficient = goal->exceed_ratio / (1 - goal->exceed_ratio);
	double balancing_s = sums->short_low_loss_s * exceed_coefficient;
	double positive_excess_s = fmax(0, sums->short_high_loss_s - balancing_s);
	double effect_high_loss_s = sums->full_length_high_loss_s + positive_excess_s;
	double effect_full_length_s = sums->full_length_low_loss_s + effect_high_loss_s;
	double effect_whole_s = fmax(effect_full_length_s, goal->duration_sum_s);
	double quantile_duration_s = effect_whole_s * goal->exceed_ratio;
	double pessimistic_high_loss_s = effect_whole_s - sums->full_length_low_loss_s;
	bool pessimistic_is_lower = pessimistic_high_loss_s <= quantile_duration_s;
	bool optimistic_is_lower = effect_high_loss_s <= quantile_duration_s;

	if (pessimistic_is_lower && optimistic_is_lower)
		return MLR_LOAD_LOWER_BOUND;
	if (!pessimistic_is_lower && !optimistic_is_lower)
		return MLR_LOAD_UPPER_BOUND;
	return MLR_LOAD_UNDECIDED;
}

static int compare_loss_ratio(const void *left, const void *right)
{
	const struct mlr_trial_output *a = left, *b = right;

	return (a->loss_ratio > b->loss_ratio) - (a->loss_ratio < b->loss_ratio);
}

/* Copy the outputs of the full-length trials, sorted by Trial Loss Ratio; their sum of durations goes to *ret_full_length_s.
 */
static size_t sort_full_length(const struct mlr_goal *goal, const struct mlr_trial_result *trials, size_t trial_count,
			       struct mlr_trial_output *sorted, double *ret_full_length_s)
{
	size_t count = 0;

	*ret_full_length_s = 0;
	for (size_t i = 0; i < trial_count; i++) {
		if (trials[i].input.duration_s < goal->final_trial_duration_s)
			continue;
		sorted[count++] = trials[i].output;
		*ret_full_length_s = fmin(*ret_full_length_s + trials[i].output.effective_duration_s, SUM_MAX_S);
	}
	qsort(sorted, count, sizeof(*sorted), compare_loss_ratio);
	return count;
}

/* Appendix B, given the sorted full-length trials: the loss ratio at the quantile. */
static double quantile_loss_ratio(const struct mlr_trial_output *sorted, size_t count, double remaining_s)
{
	double loss_ratio = 1;

	for (size_t i = 0; i < count && (i == 0 || remaining_s > 0); i++) {
		loss_ratio = sorted[i].loss_ratio;
		remaining_s -= sorted[i].effective_duration_s;
	}
	return remaining_s > 0 ? 1 : loss_ratio;
}

int mlr_conditional_throughput(const struct mlr_goal *goal, const struct mlr_trial_result *trials, size_t trial_count,
			       double *ret_fps)
{
	struct mlr_trial_output *sorted;
	double full_length_s, whole_s;
	size_t count;

	if (!trial_count) {
		*ret_fps = 0;
		return 0;
	}
	sorted = calloc(trial_count, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	count = sort_full_length(goal, trials, trial_count, sorted, &full_length_s);
	whole_s = fmax(goal->duration_sum_s, full_length_s);
	*ret_fps = trials->input.load_fps * (1 - quantile_loss_ratio(sorted, count, whole_s * (1 - goal->exceed_ratio)));
	free(sorted);
	return 0;
}
