/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/classify.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A duration times a number of units, which is below 2^62 ns times 2^40. */
typedef __int128 weighted;

#define NS_PER_S 1e9

int64_t mlr_duration_ns(double duration_s)
{
	if (!(duration_s * NS_PER_S < (double)MLR_DURATION_MAX_NS))
		return MLR_DURATION_MAX_NS;
	return duration_s * NS_PER_S > 1 ? llround(duration_s * NS_PER_S) : 1;
}

double mlr_duration_s(int64_t duration_ns)
{
	return (double)duration_ns / NS_PER_S;
}

/* Return the Goal Exceed Ratio in units. A ratio below 1 stays below 1. */
static int64_t exceed_units(const struct mlr_goal *goal)
{
	int64_t units = llround(goal->exceed_ratio * MLR_EXCEED_UNITS);

	return units < MLR_EXCEED_UNITS ? units : MLR_EXCEED_UNITS - 1;
}

static void add_ns(int64_t *sum_ns, int64_t more_ns)
{
	*sum_ns = *sum_ns + more_ns < MLR_DURATION_MAX_NS ? *sum_ns + more_ns : MLR_DURATION_MAX_NS;
}

static bool is_full_length(const struct mlr_goal *goal, const struct mlr_trial_result *trial)
{
	return trial->input.duration_s >= goal->final_trial_duration_s;
}

void mlr_duration_sums_add(struct mlr_duration_sums *sums, const struct mlr_goal *goal, const struct mlr_trial_result *trial)
{
	bool is_high_loss = trial->output.loss_ratio > goal->loss_ratio;
	int64_t *sum_ns;

	if (is_full_length(goal, trial))
		sum_ns = is_high_loss ? &sums->full_length_high_loss_ns : &sums->full_length_low_loss_ns;
	else
		sum_ns = is_high_loss ? &sums->short_high_loss_ns : &sums->short_low_loss_ns;
	add_ns(sum_ns, mlr_duration_ns(trial->output.effective_duration_s));
}

static weighted larger(weighted a, weighted b)
{
	return a > b ? a : b;
}

/* Return the quantile duration, rounded down: whole * exceed / MLR_EXCEED_UNITS. The direct product would overflow. */
static weighted exceeding(weighted whole, int64_t exceed)
{
	weighted quotient = whole / MLR_EXCEED_UNITS, rest = whole % MLR_EXCEED_UNITS;

	return quotient * exceed + rest * exceed / MLR_EXCEED_UNITS;
}

/* This is Appendix A with its own names. Every sum is multiplied by 1 - Goal Exceed Ratio (`kept`), so that nothing is
 * divided. The pessimistic condition is the one of the listing, with full_length_low_loss_s on the other side. */
enum mlr_load_class mlr_classify(const struct mlr_goal *goal, const struct mlr_duration_sums *sums)
{
	int64_t exceed = exceed_units(goal), kept = MLR_EXCEED_UNITS - exceed;
	weighted balancing = (weighted)sums->short_low_loss_ns * exceed;
	weighted positive_excess = larger(0, (weighted)sums->short_high_loss_ns * kept - balancing);
	weighted effect_high_loss = (weighted)sums->full_length_high_loss_ns * kept + positive_excess;
	weighted effect_full_length = (weighted)sums->full_length_low_loss_ns * kept + effect_high_loss;
	weighted effect_whole = larger(effect_full_length, (weighted)mlr_duration_ns(goal->duration_sum_s) * kept);
	bool pessimistic_is_lower = effect_whole <= (weighted)sums->full_length_low_loss_ns * MLR_EXCEED_UNITS;
	bool optimistic_is_lower = effect_high_loss <= exceeding(effect_whole, exceed);

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

/* Copy the outputs of the full-length trials, sorted by Trial Loss Ratio. *ret_full_length_ns is the sum of their
 * durations. */
static size_t sort_full_length(const struct mlr_goal *goal, const struct mlr_trial_result *trials, size_t trial_count,
			       struct mlr_trial_output *sorted, int64_t *ret_full_length_ns)
{
	size_t count = 0;

	*ret_full_length_ns = 0;
	for (size_t i = 0; i < trial_count; i++) {
		if (!is_full_length(goal, &trials[i]))
			continue;
		sorted[count++] = trials[i].output;
		add_ns(ret_full_length_ns, mlr_duration_ns(trials[i].output.effective_duration_s));
	}
	qsort(sorted, count, sizeof(*sorted), compare_loss_ratio);
	return count;
}

/* This is Appendix B for the sorted full-length trials. Return the loss ratio at the quantile. */
static double quantile_loss_ratio(const struct mlr_trial_output *sorted, size_t count, weighted remaining)
{
	double loss_ratio = 1;

	for (size_t i = 0; i < count && remaining > 0; i++) {
		loss_ratio = sorted[i].loss_ratio;
		remaining -= (weighted)mlr_duration_ns(sorted[i].effective_duration_s) * MLR_EXCEED_UNITS;
	}
	return remaining > 0 ? 1 : loss_ratio;
}

int mlr_conditional_throughput(const struct mlr_goal *goal, const struct mlr_trial_result *trials, size_t trial_count,
			       double *ret_fps)
{
	struct mlr_trial_output *sorted;
	int64_t full_length_ns;
	weighted whole, remaining;
	size_t count;

	if (!trial_count) {
		*ret_fps = 0;
		return 0;
	}
	sorted = calloc(trial_count, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	count = sort_full_length(goal, trials, trial_count, sorted, &full_length_ns);
	whole = larger(mlr_duration_ns(goal->duration_sum_s), full_length_ns);
	remaining = whole * (MLR_EXCEED_UNITS - exceed_units(goal));
	*ret_fps = trials->input.load_fps * (1 - quantile_loss_ratio(sorted, count, remaining));
	free(sorted);
	return 0;
}
