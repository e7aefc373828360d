/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include <float.h>

static struct mlr_trial_verdict judge(double load_fps, unsigned int transmitters, uint64_t intended, uint64_t sent,
				      uint64_t received)
{
	struct mlr_trial_counts counts = { .intended = intended, .sent = sent, .received = received };

	return mlr_trial_judge(load_fps, transmitters, &counts);
}

static uint64_t intended(double load_fps, double duration_s)
{
	struct mlr_trial_input input = { duration_s, load_fps };

	return mlr_trial_intended(&input);
}

static void intended_is_load_times_duration(void **state)
{
	(void)state;
	assert_int_equal(intended(1000, 2), 2000);
	assert_int_equal(intended(1000.4, 1), 1000);
	assert_int_equal(intended(1000.6, 1), 1001);
	assert_int_equal(intended(1.6, 1), 2);
	assert_int_equal(intended(14880952, 60), 892857120);
	assert_int_equal(intended(148809523.8, 86400), 12857142856320);
}

static void intended_is_at_least_one(void **state)
{
	(void)state;
	assert_int_equal(intended(0.01, 1), 1);
	assert_int_equal(intended(1e-300, 1e-300), 1);
}

static void intended_refuses_nonsense(void **state)
{
	(void)state;
	assert_int_equal(intended(0, 1), 0);
	assert_int_equal(intended(1, 0), 0);
	assert_int_equal(intended(-1, -1), 0);
	assert_int_equal(intended(NAN, 1), 0);
	assert_int_equal(intended(1, NAN), 0);
	assert_int_equal(intended(INFINITY, 1), 0);
	assert_int_equal(intended(1, INFINITY), 0);
	assert_int_equal(intended(DBL_MAX, DBL_MAX), 0);
	assert_int_equal(intended(0x1p63, 1), 0);
	assert_int_equal(intended(0x1p62, 1), (uint64_t)1 << 62);
}

static void plain_loss(void **state)
{
	struct mlr_trial_verdict verdict = judge(1000, 1, 1000, 1000, 990);

	(void)state;
	assert_int_equal(verdict.unsent, 0);
	assert_int_equal(verdict.lost, 10);
	assert_close(verdict.loss_ratio, 0.01, 0);
	assert_false(verdict.tester_limited);
	assert_false(verdict.negative_loss);
}

/* 10 microseconds of 1 Mfps are 10 frames. */
static void unsent_within_tolerance_is_no_loss(void **state)
{
	struct mlr_trial_verdict verdict = judge(1e6, 1, 1000000, 999990, 999990);

	(void)state;
	assert_int_equal(verdict.unsent, 10);
	assert_false(verdict.tester_limited);
	assert_close(verdict.loss_ratio, 0, 0);
	assert_int_equal(verdict.lost, 0);
}

static void unsent_beyond_tolerance_is_loss(void **state)
{
	struct mlr_trial_verdict verdict = judge(1e6, 1, 1000000, 999989, 999989);

	(void)state;
	assert_int_equal(verdict.unsent, 11);
	assert_true(verdict.tester_limited);
	assert_close(verdict.loss_ratio, 11e-6, 0);
	assert_int_equal(verdict.lost, 0);
}

static void tolerance_counts_every_transmitter(void **state)
{
	(void)state;
	assert_false(judge(1e6, 2, 2000000, 1999980, 1999980).tester_limited);
	assert_true(judge(1e6, 2, 2000000, 1999979, 1999979).tester_limited);
	assert_true(judge(9001, 1, 9001, 9000, 9000).tester_limited);
	assert_false(judge(1e5, 1, 100000, 99999, 99999).tester_limited);
}

static void negative_loss_is_clamped_and_flagged(void **state)
{
	struct mlr_trial_verdict verdict = judge(1000, 1, 1000, 1000, 1003);

	(void)state;
	assert_int_equal(verdict.lost, -3);
	assert_close(verdict.loss_ratio, 0, 0);
	assert_true(verdict.negative_loss);
}

/* More came back than went out, but less than was intended: the unsent frames are lost, the ratio is not negative. */
static void excess_does_not_hide_unsent(void **state)
{
	struct mlr_trial_verdict verdict = judge(1000, 1, 1000, 500, 600);

	(void)state;
	assert_true(verdict.tester_limited);
	assert_int_equal(verdict.lost, -100);
	assert_close(verdict.loss_ratio, 0.4, 0);
	assert_false(verdict.negative_loss);
}

static void nothing_sent_is_all_lost(void **state)
{
	(void)state;
	assert_close(judge(1000, 1, 0, 0, 0).loss_ratio, 1, 0);
	assert_close(judge(1000, 1, 1000, 0, 0).loss_ratio, 1, 0);
	assert_close(judge(1000, 1, 1000, 1000, 0).loss_ratio, 1, 0);
}

static void more_sent_than_intended_is_not_unsent(void **state)
{
	struct mlr_trial_verdict verdict = judge(1000, 1, 1000, 1001, 1001);

	(void)state;
	assert_int_equal(verdict.unsent, 0);
	assert_false(verdict.tester_limited);
	assert_close(verdict.loss_ratio, 0, 0);
}

static void huge_counts(void **state)
{
	uint64_t sent = (uint64_t)1 << 62;

	(void)state;
	assert_close(judge(1e12, 1, sent, sent, sent / 2).loss_ratio, 0.5, 0);
	assert_int_equal(judge(1e12, 1, sent, sent, sent - 1).lost, 1);
	assert_true(judge(1e12, 1, sent, sent, sent - 1).loss_ratio > 0);
}

static void output_derives_forwarding_rate(void **state)
{
	struct mlr_trial_input input = { 2, 1000 };
	struct mlr_trial_output output = mlr_trial_output(&input, 0.25, 2.5);

	(void)state;
	assert_close(output.loss_ratio, 0.25, 0);
	assert_close(output.effective_duration_s, 2.5, 0);
	assert_close(output.forwarding_rate_fps, 750, 0);
}

static void result_ranges(void **state)
{
	static const double bad_positive[] = { 0, -1, NAN, INFINITY, -INFINITY };
	static const double bad_ratio[] = { -1e-9, 1 + 1e-9, NAN, INFINITY, -INFINITY };
	struct mlr_trial_result good = make_trial(1000, 1, 0.5), result;

	(void)state;
	assert_true(mlr_trial_result_valid(&good));
	for (size_t i = 0; i < COUNT_OF(bad_positive); i++) {
		result = good;
		result.input.load_fps = bad_positive[i];
		assert_false(mlr_trial_result_valid(&result));
		result = good;
		result.input.duration_s = bad_positive[i];
		assert_false(mlr_trial_result_valid(&result));
		result = good;
		result.output.effective_duration_s = bad_positive[i];
		assert_false(mlr_trial_result_valid(&result));
		result = good;
		result.output.loss_ratio = bad_ratio[i];
		assert_false(mlr_trial_result_valid(&result));
	}
	result = good;
	result.output.forwarding_rate_fps = NAN;
	assert_false(mlr_trial_result_valid(&result));
	result.output.forwarding_rate_fps = -1;
	assert_false(mlr_trial_result_valid(&result));
	result = make_trial(1000, 1, 0);
	assert_true(mlr_trial_result_valid(&result));
	result = make_trial(1000, 1, 1);
	assert_true(mlr_trial_result_valid(&result));
}

/* Every counter there is, each with a number of its own. */
static void counts_add_up(void **state)
{
	enum { COUNTERS = sizeof(struct mlr_trial_counts) / sizeof(uint64_t) };
	union {
		struct mlr_trial_counts counts;
		uint64_t fields[COUNTERS];
	} sum, more;

	(void)state;
	for (uint64_t i = 0; i < COUNTERS; i++) {
		sum.fields[i] = i + 1;
		more.fields[i] = 1000 * (i + 1);
	}
	mlr_trial_counts_add(&sum.counts, &more.counts);
	for (uint64_t i = 0; i < COUNTERS; i++) {
		assert_int_equal(sum.fields[i], 1001 * (i + 1));
		assert_int_equal(more.fields[i], 1000 * (i + 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intended_is_load_times_duration),
		cmocka_unit_test(intended_is_at_least_one),
		cmocka_unit_test(intended_refuses_nonsense),
		cmocka_unit_test(plain_loss),
		cmocka_unit_test(unsent_within_tolerance_is_no_loss),
		cmocka_unit_test(unsent_beyond_tolerance_is_loss),
		cmocka_unit_test(tolerance_counts_every_transmitter),
		cmocka_unit_test(negative_loss_is_clamped_and_flagged),
		cmocka_unit_test(excess_does_not_hide_unsent),
		cmocka_unit_test(nothing_sent_is_all_lost),
		cmocka_unit_test(more_sent_than_intended_is_not_unsent),
		cmocka_unit_test(huge_counts),
		cmocka_unit_test(counts_add_up),
		cmocka_unit_test(output_derives_forwarding_rate),
		cmocka_unit_test(result_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
