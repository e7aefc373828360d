/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include <errno.h>

#include "mlr/sut.h"

static struct mlr_sut *make_sut(const char *specification)
{
	struct mlr_sut *sut;
	char error[256] = "";

	if (mlr_sut_new(specification, &sut, error, sizeof(error)))
		fail_msg("%s: %s", specification, error);
	return sut;
}

/* Mean loss of many trials; *ret_lossless gets the part without loss. */
static double mean_lost(const char *specification, double load_fps, double duration_s, int trials, double *ret_lossless)
{
	struct mlr_sut *sut = make_sut(specification);
	struct mlr_trial_input input = { duration_s, load_fps };
	double sum = 0, lossless = 0;
	uint64_t sent, lost;

	for (int i = 0; i < trials; i++) {
		mlr_sut_trial(sut, &input, &sent, &lost);
		assert_true(lost <= sent);
		sum += (double)lost;
		lossless += lost == 0;
	}
	mlr_sut_free(sut);
	if (ret_lossless)
		*ret_lossless = lossless / trials;
	return sum / trials;
}

static void check_trial(const char *specification, double load_fps, double duration_s, uint64_t sent, uint64_t lost)
{
	struct mlr_sut *sut = make_sut(specification);
	struct mlr_trial_input input = { duration_s, load_fps };
	uint64_t actual_sent, actual_lost;

	mlr_sut_trial(sut, &input, &actual_sent, &actual_lost);
	assert_int_equal(actual_sent, sent);
	assert_int_equal(actual_lost, lost);
	mlr_sut_free(sut);
}

static void hard(void **state)
{
	(void)state;
	check_trial("hard,capacity=1000", 1000, 1, 1000, 0);
	check_trial("hard,capacity=1000", 1001, 1, 1001, 1);
	check_trial("hard,capacity=1000", 1000.5, 1, 1001, 0); /* half a frame is none */
	check_trial("hard,capacity=1000", 2000, 60, 120000, 60000);
	check_trial("hard,capacity=0.001", 1000, 1, 1000, 999);
	check_trial("hard", 2e6, 1, 2000000, 1000000); /* the default capacity */
	check_trial("hard", 1e-3, 1, 1, 0);            /* one frame at least */
}

static void buffered(void **state)
{
	(void)state;
	check_trial("buffered,capacity=1000,buffer=100", 1100, 1, 1100, 0);
	check_trial("buffered,capacity=1000,buffer=100", 1100, 2, 2200, 100);
	check_trial("buffered,capacity=1000", 1020, 1, 1020, 0);
	check_trial("buffered,capacity=1000", 1021, 1, 1021, 1);
}

/* The mean rate at the capacity is spread * ln 2, far above it the overload. */
static void stretch(void **state)
{
	double lossless, lost = mean_lost("stretch,capacity=1e6,spread=10", 1e6, 1, 20000, &lossless);

	(void)state;
	assert_close(lost, 10 * M_LN2, 0.1);
	assert_close(lossless, exp(-10 * M_LN2), 0.004);
	assert_close(mean_lost("stretch,capacity=1e6,spread=10", 1000500, 1, 5000, NULL), 500, 2);
	assert_close(mean_lost("stretch,capacity=1e6,spread=10", 999970, 1, 20000, NULL), 10 * log1p(exp(-3)), 0.05);
}

static void erf_model(void **state)
{
	(void)state;
	assert_close(mean_lost("erf,capacity=1e6,spread=10", 1e6, 1, 20000, NULL), 5 / sqrt(M_PI), 0.1);
	assert_close(mean_lost("erf,capacity=1e6,spread=10", 1000100, 2, 5000, NULL), 200, 2);
	assert_close(mean_lost("erf,capacity=1e6,spread=10", 999900, 1, 1000, NULL), 0, 0);
}

/* Stalls come as a Poisson process; one is felt if it is longer than the buffer. */
static void spikes(void **state)
{
	double lossless, felt = exp(-256 / (1e6 * 0.0005));

	(void)state;
	mean_lost("spikes,capacity=2e6", 1e6, 1, 20000, &lossless);
	assert_close(lossless, exp(-felt), 0.015);
	mean_lost("spikes,capacity=2e6,per_s=0.05", 1e6, 60, 20000, &lossless);
	assert_close(lossless, exp(-3 * felt), 0.015);
	assert_close(mean_lost("spikes,capacity=2e6,buffer=0,per_s=3,stall=0.001", 1e6, 1, 20000, NULL), 3000, 60);
	assert_close(mean_lost("spikes,capacity=1e6,per_s=0", 1000010, 1, 10, NULL), 10, 0);
}

static void jitter(void **state)
{
	double lossless;

	(void)state;
	mean_lost("jitter,capacity=1e6,sigma=0.05", 1e6, 1, 20000, &lossless);
	assert_close(lossless, 0.5, 0.015);
	mean_lost("jitter,capacity=1e6,sigma=0.05", 1e6 * exp(0.05), 60, 20000, &lossless);
	assert_close(lossless, 0.1587, 0.012);
}

static void residual(void **state)
{
	double lossless;

	(void)state;
	mean_lost("residual,capacity=1e6,ratio=1e-5", 1e5, 1, 20000, &lossless);
	assert_close(lossless, exp(-1), 0.015);
	assert_close(mean_lost("residual,capacity=1e6,ratio=0.001", 1e5, 1, 20000, NULL), 100, 0.5);
	assert_close(mean_lost("residual,capacity=1e6,ratio=0", 1000100, 1, 10, NULL), 100, 0);
}

static void inversion(void **state)
{
	(void)state;
	assert_close(mean_lost("inversion,capacity=1e6", 450000, 1, 20000, NULL), 45, 0.3);
	assert_close(mean_lost("inversion,capacity=1e6", 390000, 1, 100, NULL), 0, 0);
	assert_close(mean_lost("inversion,capacity=1e6", 510000, 1, 100, NULL), 0, 0);
	assert_close(mean_lost("inversion,capacity=1e6", 1000100, 1, 100, NULL), 100, 0);
}

/* Four queues with 28, 26, 24 and 22 %: the second is full at 28/26 of the capacity. */
static void unbalanced(void **state)
{
	(void)state;
	check_trial("unbalanced,capacity=1e6", 1e6, 1, 1000000, 0);
	assert_close(mean_lost("unbalanced,capacity=1e6", 1050000, 1, 1, NULL), 14000, 1);
	assert_close(mean_lost("unbalanced,capacity=1e6", 1100000, 2, 1, NULL), 2 * (28000 + 6000), 1);
	assert_close(mean_lost("unbalanced,capacity=1e6,queues=1,skew=0.5", 1100000, 1, 1, NULL), 100000, 1);
	assert_close(mean_lost("unbalanced,capacity=1e6,queues=2,skew=0", 1100000, 1, 1, NULL), 100000, 1);
}

static void clocks(void **state)
{
	double lossless;

	(void)state;
	mean_lost("clocks,capacity=1e6", 980000, 1, 20000, &lossless);
	assert_close(lossless, 0.75, 0.015);
	assert_close(mean_lost("clocks,capacity=1e6,p=1", 980000, 1, 10, NULL), 10000, 0);
	assert_close(mean_lost("clocks,capacity=1e6", 970000, 1, 100, NULL), 0, 0);
}

static void turbo(void **state)
{
	double lossless;

	(void)state;
	mean_lost("turbo,capacity=1e6", 980000, 1, 20000, &lossless);
	assert_close(lossless, 1 - 4 * 0.08, 0.015);
	assert_close(mean_lost("turbo,capacity=1e6", 1200000, 1, 10, NULL), 250000, 0);
	assert_close(mean_lost("turbo,capacity=1e6", 940000, 1, 1000, NULL), 0, 0);
}

static void early(void **state)
{
	(void)state;
	assert_close(mean_lost("early,capacity=1e6", 850000, 1, 100, NULL), 0, 0);
	assert_close(mean_lost("early,capacity=1e6", 900000, 1, 5000, NULL), 1000, 2);
	assert_close(mean_lost("early,capacity=1e6", 1100000, 1, 5000, NULL), 103000, 4);
}

/* Four overloaded seconds cost 1.6 %, eight of rest give that back. */
static void overheating(void **state)
{
	struct mlr_sut *sut = make_sut("overheating,capacity=1e6");
	struct mlr_trial_input over = { 4, 1010000 }, rest = { 8, 900000 };
	uint64_t sent, lost;

	(void)state;
	for (int i = 0; i < 2; i++) {
		mlr_sut_trial(sut, &over, &sent, &lost);
		assert_int_equal(lost, 40000);
		mlr_sut_trial(sut, &over, &sent, &lost);
		assert_in_range(lost, 40000 + 63999, 40000 + 64000);
		mlr_sut_trial(sut, &rest, &sent, &lost);
		assert_int_equal(lost, 0);
		mlr_sut_trial(sut, &rest, &sent, &lost);
		assert_int_equal(lost, 0);
	}
	mlr_sut_free(sut);
}

static uint64_t lost_at(const char *specification, int trial)
{
	struct mlr_sut *sut = make_sut(specification);
	struct mlr_trial_input input = { 1, 1e6 };
	uint64_t sent, lost = 0;

	for (int i = 0; i <= trial; i++)
		mlr_sut_trial(sut, &input, &sent, &lost);
	mlr_sut_free(sut);
	return lost;
}

static void seeds(void **state)
{
	(void)state;
	for (int trial = 0; trial < 5; trial++) {
		assert_int_equal(lost_at("stretch,seed=5", trial), lost_at("stretch,seed=5", trial));
		assert_int_equal(lost_at("stretch", trial), lost_at("stretch,seed=1", trial));
		assert_int_not_equal(lost_at("stretch,seed=5", trial), lost_at("stretch,seed=6", trial));
	}
	assert_int_equal(lost_at("stretch,seed=18446744073709551615", 0), lost_at("stretch,seed=18446744073709551615", 0));
}

static void check_error(const char *specification, const char *const *words)
{
	struct mlr_sut *sut = NULL;
	char error[512] = "";

	assert_int_equal(mlr_sut_new(specification, &sut, error, sizeof(error)), -EINVAL);
	assert_null(sut);
	for (; *words; words++) {
		if (!strstr(error, *words))
			fail_msg("'%s' is refused with '%s', which lacks '%s'", specification, error, *words);
	}
}

#define check_error(specification, ...) check_error(specification, (const char *const[]){ __VA_ARGS__, NULL })

static void errors_tell_what_is_right(void **state)
{
	(void)state;
	check_error("hart", "'hart'", "hard", "stretch", "spikes", "jitter", "buffered", "erf", "residual", "inversion",
		    "unbalanced", "clocks", "turbo", "early", "overheating");
	check_error("", "''", "hard");
	check_error("stretch,sprad=1", "'sprad'", "did you mean 'spread'", "capacity");
	check_error("hard,spread=1", "'spread'", "capacity");
	check_error("hard,sed=1", "did you mean 'seed'");
	check_error("hard,capacity=abc", "capacity", "'abc'", "0.001 to 1e15");
	check_error("hard,capacity=0", "capacity", "'0'");
	check_error("hard,capacity=nan", "'nan'");
	check_error("hard,capacity=inf", "'inf'");
	check_error("hard,capacity=1x", "'1x'");
	check_error("hard,capacity=", "capacity", "''");
	check_error("hard,capacity", "'capacity'", "KEY=VALUE");
	check_error("hard,=1", "KEY=VALUE");
	check_error("hard,", "KEY=VALUE");
	check_error("hard,seed=-1", "seed", "'-1'", "whole number");
	check_error("hard,seed=1.5", "'1.5'");
	check_error("hard,seed=18446744073709551616", "seed");
	check_error("residual,ratio=1.5", "ratio", "'1.5'", "0 to 1");
	check_error("inversion,low=5,high=4", "low", "high");
	check_error("hard,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1",
		    "KEY=VALUE");
}

static void errors_fit_their_buffer(void **state)
{
	struct mlr_sut *sut;
	char error[8] = "xxxxxxx";

	(void)state;
	assert_int_equal(mlr_sut_new("hart", &sut, error, 4), -EINVAL);
	assert_string_equal(error, "unk");
	assert_int_equal(error[4], 'x');
	assert_int_equal(mlr_sut_new("hart", &sut, NULL, 0), -EINVAL);
	mlr_sut_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hard),
		cmocka_unit_test(buffered),
		cmocka_unit_test(stretch),
		cmocka_unit_test(erf_model),
		cmocka_unit_test(spikes),
		cmocka_unit_test(jitter),
		cmocka_unit_test(residual),
		cmocka_unit_test(inversion),
		cmocka_unit_test(unbalanced),
		cmocka_unit_test(clocks),
		cmocka_unit_test(turbo),
		cmocka_unit_test(early),
		cmocka_unit_test(overheating),
		cmocka_unit_test(seeds),
		cmocka_unit_test(errors_tell_what_is_right),
		cmocka_unit_test(errors_fit_their_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
