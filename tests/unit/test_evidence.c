/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evidence that a SUT became slower: against figures of Student's distribution, and how often it is wrong over kinds of noise. */
#include "mlr/evidence.h"
#include "unit.h"

#define PAIRS 4000

static const struct mlr_spread unknown = { NAN, 1 };

static struct mlr_comparison comparison_of(struct mlr_spread spread)
{
	return (struct mlr_comparison){ .tolerance_ratio = 0.01, .significance = 0.01, .spread = spread };
}

static struct mlr_evidence compare(const double *a, size_t a_count, const double *b, size_t b_count,
				   const struct mlr_comparison *comparison)
{
	struct mlr_sample samples[] = { mlr_sample_of(a, a_count), mlr_sample_of(b, b_count) };

	return mlr_evidence_of(&samples[0], &samples[1], comparison);
}

static void single_searches_show_large_falls_only(void **state)
{
	struct mlr_comparison comparison = comparison_of(unknown);
	struct mlr_evidence evidence = compare((double[]){ 1000 }, 1, (double[]){ 900 }, 1, &comparison);

	(void)state;
	assert_int_equal(evidence.source, MLR_SPREAD_ASSUMED);
	assert_close(evidence.change_ratio, -0.1, 1e-12);
	assert_close(evidence.t_slower, 0.09 / (MLR_SPREAD_ASSUMED_RATIO * sqrt(2)), 1e-12);
	assert_close(evidence.p_slower, mlr_student_above(evidence.t_slower, 2), 1e-15);
	/* the quantile of Student's distribution with two degrees of freedom at 1 % is 6.9646 */
	assert_close(evidence.detectable_ratio, 0.01 + 6.96456 * 0.03 * sqrt(2), 1e-5);
	assert_true(evidence.p_slower > 0.01);
	assert_true(compare((double[]){ 1000 }, 1, (double[]){ 690 }, 1, &comparison).p_slower < 0.01);
	assert_true(compare((double[]){ 1000 }, 1, (double[]){ 710 }, 1, &comparison).p_slower > 0.01);
	/* a larger change than this would seldom look like none */
	assert_close(compare((double[]){ 1000 }, 1, (double[]){ 1000 }, 1, &comparison).within_ratio,
		     6.96456 * 0.03 * sqrt(2), 1e-5);
	/* the error of a single search makes it tell less */
	comparison.error_ratio[1] = 0.3;
	assert_true(compare((double[]){ 1000 }, 1, (double[]){ 600 }, 1, &comparison).p_slower > 0.01);
}

static void a_spread_that_is_known_counts(void **state)
{
	struct mlr_comparison comparison = comparison_of((struct mlr_spread){ 0.005, INFINITY });
	struct mlr_evidence evidence = compare((double[]){ 1000 }, 1, (double[]){ 970 }, 1, &comparison);

	(void)state;
	assert_int_equal(evidence.source, MLR_SPREAD_GIVEN);
	assert_close(evidence.p_slower, erfc(0.02 / 0.005 / sqrt(2) / sqrt(2)) / 2, 1e-12);
	/* not where the samples scatter more than it says */
	evidence = compare((double[]){ 1000, 1100, 900 }, 3, (double[]){ 970, 1070, 870 }, 3, &comparison);
	assert_int_equal(evidence.source, MLR_SPREAD_MEASURED);
	assert_true(evidence.p_slower > 0.1);
}

static void repeats_show_their_own_spread(void **state)
{
	static const double a[] = { 1000, 1004, 998, 1001, 997 }, b[] = { 970, 965, 976, 971, 968 };
	struct mlr_comparison comparison = comparison_of(unknown);
	struct mlr_evidence evidence = compare(a, 5, b, 5, &comparison), back = compare(b, 5, a, 5, &comparison);
	double of_a = 7.5 / 1e6 / 5, of_b = 16.5 / (970.0 * 970) / 5;

	(void)state;
	assert_int_equal(evidence.source, MLR_SPREAD_MEASURED);
	assert_close(evidence.t_slower, 0.02 / sqrt(of_a + of_b), 1e-9);
	assert_close(evidence.degrees_of_freedom, pow(of_a + of_b, 2) / (of_a * of_a / 4 + of_b * of_b / 4), 1e-9);
	assert_true(evidence.p_slower < 0.01 && evidence.p_faster > 0.99);
	assert_true(back.p_faster < 0.01 && back.p_slower > 0.99);
	/* one search beside five scatters like those */
	evidence = compare(a, 5, b, 1, &comparison);
	assert_close(evidence.degrees_of_freedom, 4, 0);
	assert_close(evidence.t_slower, 0.02 / sqrt(7.5 / 1e6 * 1.2), 1e-9);
}

static void repeats_that_would_decide_are_told(void **state)
{
	static const double a[] = { 1000, 1030, 970 }, b[] = { 960, 990, 930 };
	struct mlr_comparison comparison = comparison_of(unknown);
	struct mlr_evidence evidence = compare(a, 3, b, 3, &comparison);
	double deviation;

	(void)state;
	assert_true(evidence.p_slower > 0.01 && evidence.repeats > 3);
	deviation = sqrt(2 * evidence.stdev_ratio * evidence.stdev_ratio / (double)evidence.repeats);
	assert_true(mlr_student_above(0.03 / deviation, 2.0 * (double)evidence.repeats - 2) <= 0.01);
	/* what is within the tolerance needs none */
	assert_int_equal(compare(a, 3, a, 3, &comparison).repeats, 0);
	/* what no number of searches shows: the width of the search is larger */
	comparison.resolution_ratio = 0.1;
	assert_int_equal(compare(a, 3, b, 3, &comparison).repeats, 0);
}

static void spreads_are_pooled(void **state)
{
	const struct mlr_sample samples[] = {
		mlr_sample_of((double[]){ 99, 101 }, 2),
		mlr_sample_of((double[]){ 5 }, 1),
		mlr_sample_of((double[]){ 980, 1000, 1020 }, 3),
	};
	struct mlr_spread spread = mlr_spread_of(samples, 3);

	(void)state;
	assert_close(spread.degrees_of_freedom, 3, 0);
	assert_close(spread.stdev_ratio, sqrt((2e-4 + 2 * 4e-4) / 3), 1e-12);
	assert_true(isnan(mlr_spread_of(samples + 1, 1).stdev_ratio));
}

static void discoveries_are_limited(void **state)
{
	static const double p[] = { 0.001, 0.2, 0.004, 0.0059, 0.5 };
	bool is_significant[5];

	(void)state;
	mlr_false_discovery(p, 5, 0.01, is_significant);
	/* 0.0059 is below 3/5 of 0.01, so all up to it are */
	assert_true(is_significant[0] && is_significant[2] && is_significant[3] && !is_significant[1] && !is_significant[4]);
	mlr_false_discovery(p, 5, 0.009, is_significant);
	assert_true(is_significant[0] && !is_significant[2] && !is_significant[3]);
	mlr_false_discovery((double[]){ 0.009 }, 1, 0.01, is_significant);
	assert_true(is_significant[0]);
	mlr_false_discovery(p, 0, 0.01, is_significant);
}

/* --- how often it is wrong ------------------------------------------------------------------------------------------ */

static double normal(uint64_t *random)
{
	return sqrt(-2 * log(random_unit(random))) * cos(6.283185307179586 * random_unit(random));
}

/* Results of one unchanged SUT, as parts of its throughput. */
static double draw(uint64_t *random, int kind)
{
	static const double places[] = { 1, 0.9, 0.8, 0.7 };

	switch (kind) {
	case 0: /* each search is a little off */
		return 1 + 0.005 * normal(random);
	case 1: /* builds, placements: each run has a state of its own */
		return 1 + 0.03 * normal(random);
	case 2: /* far apart, and as likely one as the other */
		return places[(int)(4 * random_unit(random)) % 4];
	case 3: /* heavy tails */
		return exp(0.01 * normal(random) / fmax(0.2, fabs(normal(random))));
	default: /* one run in ten has bad luck */
		return random_unit(random) < 0.1 ? 0.85 : 1;
	}
}

static double share_of_alarms(uint64_t *random, int kind, size_t searches)
{
	struct mlr_comparison comparison = comparison_of(unknown);
	unsigned int alarms = 0;

	comparison.resolution_ratio = 0.002;
	for (int i = 0; i < PAIRS; i++) {
		double a[5], b[5];

		for (size_t j = 0; j < searches; j++) {
			a[j] = draw(random, kind);
			b[j] = draw(random, kind);
		}
		alarms += compare(a, searches, b, searches, &comparison).p_slower < comparison.significance;
	}
	return (double)alarms / PAIRS;
}

static void unchanged_suts_are_called_slower_once_in_a_hundred_at_most(void **state)
{
	uint64_t random = 2026;

	(void)state;
	for (int kind = 0; kind < 5; kind++) {
		double single = share_of_alarms(&random, kind, 1), five = share_of_alarms(&random, kind, 5);

		print_message("seed 2026, kind %d: %.4f of single searches, %.4f of five\n", kind, single, five);
		assert_true(single < 0.012);
		assert_true(five < 0.012);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_searches_show_large_falls_only),
		cmocka_unit_test(a_spread_that_is_known_counts),
		cmocka_unit_test(repeats_show_their_own_spread),
		cmocka_unit_test(repeats_that_would_decide_are_told),
		cmocka_unit_test(spreads_are_pooled),
		cmocka_unit_test(discoveries_are_limited),
		cmocka_unit_test(unchanged_suts_are_called_slower_once_in_a_hundred_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
