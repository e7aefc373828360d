/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the unit tests of libmlr share: short cuts for trials and goals, seeded randomness, and
 * appendices A and B of the draft, transcribed word by word in rational numbers: slow, exact, and independent of the
 * library.
 */
#ifndef MLR_UNIT_H
#define MLR_UNIT_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
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

/* --- rational numbers, always reduced; the denominator is positive --- */

struct rational {
	__int128 n, d;
};

static inline __int128 greatest_divisor(__int128 a, __int128 b)
{
	uint64_t small_a, small_b;

	a = a < 0 ? -a : a;
	while (b > UINT64_MAX || (b && a > UINT64_MAX)) {
		__int128 rest = a % b;

		a = b;
		b = rest;
	}
	if (!b)
		return a;
	for (small_a = (uint64_t)a, small_b = (uint64_t)b; small_b;) {
		uint64_t rest = small_a % small_b;

		small_a = small_b;
		small_b = rest;
	}
	return small_a;
}

static inline struct rational rational(__int128 n, __int128 d)
{
	__int128 divisor = greatest_divisor(n, d);

	return (struct rational){ n / divisor, d / divisor };
}

/* A ratio as the decimal number that it was written as, to twelve places; a duration as it counts, in ns. */
static inline struct rational rational_ratio(double ratio)
{
	return rational(llround(ratio * 1e12), 1000000000000);
}

static inline struct rational rational_duration_s(double duration_s)
{
	return rational(mlr_duration_ns(duration_s), 1000000000);
}

static inline struct rational rational_add(struct rational a, struct rational b)
{
	return rational(a.n * b.d + b.n * a.d, a.d * b.d);
}

static inline struct rational rational_subtract(struct rational a, struct rational b)
{
	return rational(a.n * b.d - b.n * a.d, a.d * b.d);
}

static inline struct rational rational_multiply(struct rational a, struct rational b)
{
	struct rational left = rational(a.n, b.d), right = rational(b.n, a.d);

	return (struct rational){ left.n * right.n, left.d * right.d };
}

/* By a positive number. */
static inline struct rational rational_divide(struct rational a, struct rational b)
{
	return rational_multiply(a, (struct rational){ b.d, b.n });
}

/* Of numbers that are not negative: by their continued fractions, so that nothing overflows. */
static inline bool rational_is_above(struct rational a, struct rational b)
{
	for (bool swapped = false;; swapped = !swapped) {
		__int128 whole_a = a.n / a.d, whole_b = b.n / b.d;
		struct rational rest_a = { a.d, a.n % a.d }, rest_b = { b.d, b.n % b.d };

		if (whole_a != whole_b)
			return (whole_a > whole_b) != swapped;
		if (!rest_a.d || !rest_b.d)
			return swapped ? !rest_a.d && rest_b.d : rest_a.d && !rest_b.d;
		a = rest_a;
		b = rest_b;
	}
}

static inline struct rational rational_max(struct rational a, struct rational b)
{
	return rational_is_above(a, b) ? a : b;
}

static inline double rational_value(struct rational a)
{
	return (double)((long double)a.n / (long double)a.d);
}

/* --- Appendix A --- */

struct appendix_a {
	struct rational full_length_high_loss_s, full_length_low_loss_s, short_high_loss_s, short_low_loss_s;
	struct rational balancing_s, excess_s, positive_excess_s, effect_high_loss_s, effect_full_length_s, effect_whole_s,
		missing_s;
	struct rational pessimistic_high_loss_s;
	enum mlr_load_class class;
};

static inline struct rational sum_of(const struct mlr_goal *goal, const struct mlr_trial_result *trials, size_t count,
				     bool is_full_length, bool is_high_loss)
{
	int64_t sum_ns = 0;

	for (size_t i = 0; i < count; i++) {
		if ((trials[i].input.duration_s >= goal->final_trial_duration_s) == is_full_length &&
		    (trials[i].output.loss_ratio > goal->loss_ratio) == is_high_loss)
			sum_ns += mlr_duration_ns(trials[i].output.effective_duration_s);
		if (sum_ns > MLR_DURATION_MAX_NS)
			sum_ns = MLR_DURATION_MAX_NS;
	}
	return rational(sum_ns, 1000000000);
}

static inline struct appendix_a appendix_a(const struct mlr_goal *goal, const struct mlr_trial_result *trials, size_t count)
{
	struct rational exceed_ratio = rational_ratio(goal->exceed_ratio), one = { 1, 1 }, none = { 0, 1 };
	struct rational exceed_coefficient = rational_divide(exceed_ratio, rational_subtract(one, exceed_ratio));
	struct rational quantile_duration_s;
	struct appendix_a a = {
		.full_length_high_loss_s = sum_of(goal, trials, count, true, true),
		.full_length_low_loss_s = sum_of(goal, trials, count, true, false),
		.short_high_loss_s = sum_of(goal, trials, count, false, true),
		.short_low_loss_s = sum_of(goal, trials, count, false, false),
	};
	bool pessimistic_is_lower, optimistic_is_lower;

	a.balancing_s = rational_multiply(a.short_low_loss_s, exceed_coefficient);
	a.excess_s = rational_subtract(a.short_high_loss_s, a.balancing_s);
	a.positive_excess_s = a.excess_s.n > 0 ? a.excess_s : none;
	a.effect_high_loss_s = rational_add(a.full_length_high_loss_s, a.positive_excess_s);
	a.effect_full_length_s = rational_add(a.full_length_low_loss_s, a.effect_high_loss_s);
	a.effect_whole_s = rational_max(a.effect_full_length_s, rational_duration_s(goal->duration_sum_s));
	a.missing_s = rational_subtract(a.effect_whole_s, a.effect_full_length_s);
	quantile_duration_s = rational_multiply(a.effect_whole_s, exceed_ratio);
	a.pessimistic_high_loss_s = rational_subtract(a.effect_whole_s, a.full_length_low_loss_s);
	pessimistic_is_lower = !rational_is_above(a.pessimistic_high_loss_s, quantile_duration_s);
	optimistic_is_lower = !rational_is_above(a.effect_high_loss_s, quantile_duration_s);
	if (pessimistic_is_lower && optimistic_is_lower)
		a.class = MLR_LOAD_LOWER_BOUND;
	else if (!pessimistic_is_lower && !optimistic_is_lower)
		a.class = MLR_LOAD_UPPER_BOUND;
	return a;
}

/* --- Appendix B, the trials sorted by repeated search for the next larger loss --- */

static inline double appendix_b(const struct mlr_goal *goal, const struct mlr_trial_result *trials, size_t count)
{
	struct rational full_length_s =
		rational_add(sum_of(goal, trials, count, true, false), sum_of(goal, trials, count, true, true));
	struct rational whole_s = rational_max(full_length_s, rational_duration_s(goal->duration_sum_s));
	struct rational remaining_s =
		rational_multiply(whole_s, rational_subtract((struct rational){ 1, 1 }, rational_ratio(goal->exceed_ratio)));
	bool *used = calloc(count + 1, sizeof(*used)), broke = false;
	double quantile_loss_ratio = NAN;

	for (size_t i = 0; i < count; i++)
		used[i] = trials[i].input.duration_s < goal->final_trial_duration_s;
	for (;;) {
		size_t next = count;

		for (size_t i = 0; i < count; i++) {
			if (!used[i] && (next == count || trials[i].output.loss_ratio < trials[next].output.loss_ratio))
				next = i;
		}
		if (next == count)
			break;
		used[next] = true;
		if (!isnan(quantile_loss_ratio) && remaining_s.n <= 0) {
			broke = true;
			break;
		}
		quantile_loss_ratio = trials[next].output.loss_ratio;
		remaining_s = rational_subtract(remaining_s, rational_duration_s(trials[next].output.effective_duration_s));
	}
	if (!broke && remaining_s.n > 0)
		quantile_loss_ratio = 1.0;
	free(used);
	return trials[0].input.load_fps * (1.0 - quantile_loss_ratio);
}

#endif
