/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the unit tests of libmlr share: cmocka in the order it wants, short cuts for trials and goals, seeded randomness, and
 * appendices A and B of the draft, transcribed word by word: slow, and independent of the library.
 */
#ifndef MLR_UNIT_H
#define MLR_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlr/classify.h"
#include "mlr/goal.h"
#include "mlr/trial.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* cmocka compares no doubles: say both where they differ. */
#define assert_close(actual, expected, tolerance)                                                                           \
	do {                                                                                                                \
		double actual_ = (actual), expected_ = (expected);                                                          \
                                                                                                                            \
		if (!(fabs(actual_ - expected_) <= (tolerance)))                                                            \
			fail_msg("%s is %.17g, not %.17g", #actual, actual_, expected_);                                    \
	} while (0)

static inline struct mlr_trial_result make_trial(double load_fps, double duration_s, double loss_ratio)
{
	struct mlr_trial_input input = { .duration_s = duration_s, .load_fps = load_fps };

	return (struct mlr_trial_result){ input, mlr_trial_output(&input, loss_ratio, duration_s) };
}

static inline struct mlr_goal make_goal(double loss_ratio, double exceed_ratio, double final_s, double sum_s)
{
	return (struct mlr_goal){
		.name = "test",
		.loss_ratio = loss_ratio,
		.exceed_ratio = exceed_ratio,
		.initial_trial_duration_s = final_s,
		.final_trial_duration_s = final_s,
		.duration_sum_s = sum_s,
		.width_ratio = 0.005,
	};
}

/* --- seeded randomness --- */

static inline uint64_t random_bits(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Uniform from 0 (inclusive) to 1. */
static inline double random_unit(uint64_t *state)
{
	return (double)(random_bits(state) >> 11) * 0x1p-53;
}

static inline uint64_t random_below(uint64_t *state, uint64_t end)
{
	return random_bits(state) % end;
}

/* --- Appendix A --- */

struct appendix_a {
	double full_length_high_loss_s, full_length_low_loss_s, short_high_loss_s, short_low_loss_s;
	double balancing_s, excess_s, positive_excess_s, effect_high_loss_s, effect_full_length_s, effect_whole_s, missing_s;
	double pessimistic_high_loss_s, optimistic_ratio, pessimistic_ratio;
	enum mlr_load_class class;
};

static inline struct appendix_a appendix_a(const struct mlr_goal *goal, const struct mlr_trial_result *trials, size_t count)
{
	struct appendix_a a = { 0 };
	bool pessimistic_is_lower, optimistic_is_lower;

	for (size_t i = 0; i < count; i++) {
		double effective_s = trials[i].output.effective_duration_s;

		if (trials[i].input.duration_s >= goal->final_trial_duration_s) {
			if (trials[i].output.loss_ratio > goal->loss_ratio)
				a.full_length_high_loss_s += effective_s;
			else
				a.full_length_low_loss_s += effective_s;
		} else {
			if (trials[i].output.loss_ratio > goal->loss_ratio)
				a.short_high_loss_s += effective_s;
			else
				a.short_low_loss_s += effective_s;
		}
	}
	a.balancing_s = a.short_low_loss_s * (goal->exceed_ratio / (1.0 - goal->exceed_ratio));
	a.excess_s = a.short_high_loss_s - a.balancing_s;
	a.positive_excess_s = a.excess_s > 0.0 ? a.excess_s : 0.0;
	a.effect_high_loss_s = a.full_length_high_loss_s + a.positive_excess_s;
	a.effect_full_length_s = a.full_length_low_loss_s + a.effect_high_loss_s;
	a.effect_whole_s = a.effect_full_length_s > goal->duration_sum_s ? a.effect_full_length_s : goal->duration_sum_s;
	a.missing_s = a.effect_whole_s - a.effect_full_length_s;
	a.pessimistic_high_loss_s = a.effect_whole_s - a.full_length_low_loss_s;
	a.optimistic_ratio = a.effect_high_loss_s / a.effect_whole_s;
	a.pessimistic_ratio = a.pessimistic_high_loss_s / a.effect_whole_s;
	pessimistic_is_lower = a.pessimistic_high_loss_s <= a.effect_whole_s * goal->exceed_ratio;
	optimistic_is_lower = a.effect_high_loss_s <= a.effect_whole_s * goal->exceed_ratio;
	if (pessimistic_is_lower && optimistic_is_lower)
		a.class = MLR_LOAD_LOWER_BOUND;
	else if (!pessimistic_is_lower && !optimistic_is_lower)
		a.class = MLR_LOAD_UPPER_BOUND;
	return a;
}

/* --- Appendix B, the trials sorted by repeated search for the next larger loss --- */

static inline double appendix_b(const struct mlr_goal *goal, const struct mlr_trial_result *trials, size_t count)
{
	bool *used = calloc(count + 1, sizeof(*used));
	double full_length_s = 0.0, remaining_s, quantile_loss_ratio = NAN, whole_s;
	bool broke = false;

	for (size_t i = 0; i < count; i++) {
		used[i] = trials[i].input.duration_s < goal->final_trial_duration_s;
		full_length_s += used[i] ? 0.0 : trials[i].output.effective_duration_s;
	}
	whole_s = full_length_s > goal->duration_sum_s ? full_length_s : goal->duration_sum_s;
	remaining_s = whole_s * (1.0 - goal->exceed_ratio);
	for (;;) {
		size_t next = count;

		for (size_t i = 0; i < count; i++) {
			if (!used[i] && (next == count || trials[i].output.loss_ratio < trials[next].output.loss_ratio))
				next = i;
		}
		if (next == count)
			break;
		used[next] = true;
		if (!isnan(quantile_loss_ratio) && !(remaining_s > 0.0)) {
			broke = true;
			break;
		}
		quantile_loss_ratio = trials[next].output.loss_ratio;
		remaining_s -= trials[next].output.effective_duration_s;
	}
	if (!broke && remaining_s > 0.0)
		quantile_loss_ratio = 1.0;
	free(used);
	return trials[0].input.load_fps * (1.0 - quantile_loss_ratio);
}

#endif
