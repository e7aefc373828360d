/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Delays against exact latencies: of one receiver and of several, counted by themselves, from bases or by a histogram. */
#include "unit.h"

#include "mlr/delays.h"
#include "mlr/histogram.h"
#include "mlr/profile.h"

#define LATENCIES_MAX 4000
#define FINE_RATIO    (1.0 / (1 << MLR_DELAYS_OCTAVE_BITS))    /* a bucket's width, of its distances */
#define COARSE_RATIO  (1.0 / (1 << MLR_HISTOGRAM_OCTAVE_BITS)) /* likewise of what a CPU counts in */

static struct mlr_delays ports[MLR_PORTS_MAX];
static const struct mlr_delays *all[MLR_PORTS_MAX];
static uint64_t exact_ns[MLR_PORTS_MAX * LATENCIES_MAX];
static size_t exact_count;

static int set_up(void **state)
{
	(void)state;
	exact_count = 0;
	for (size_t i = 0; i < MLR_PORTS_MAX; i++) {
		mlr_delays_clear(&ports[i]);
		all[i] = &ports[i];
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

/* The latency of that rank, less the smallest. */
static double exact_pdv_ns(double quantile)
{
	size_t rank = (size_t)ceil(quantile * (double)exact_count * (1.0 - 1e-12));

	qsort(exact_ns, exact_count, sizeof(*exact_ns), compare);
	return (double)(exact_ns[rank ? rank - 1 : 0] - exact_ns[0]);
}

/* No quantile is further off than it says; *ret_most_ns is the largest error that one says. */
static void check_quantiles(size_t port_count, double *ret_most_ns)
{
	static const double quantiles[] = { 0, 0.001, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1 };

	*ret_most_ns = 0;
	for (size_t i = 0; i < COUNT_OF(quantiles); i++) {
		double error_ns, pdv_ns = mlr_delays_quantile_ns(all, port_count, quantiles[i], &error_ns);

		assert_close(pdv_ns, exact_pdv_ns(quantiles[i]), error_ns + 1e-6 * pdv_ns);
		assert_true(mlr_delays_quantile_ns(all, port_count, quantiles[i], NULL) == pdv_ns);
		*ret_most_ns = fmax(*ret_most_ns, error_ns);
	}
}

/* What is known of a latency where it was counted: so much, at least and at most. */
struct known {
	uint64_t least_ns, most_ns;
};

static struct known known_exactly(uint64_t latency_ns)
{
	return (struct known){ latency_ns, latency_ns };
}

/* By a bucket above a base. */
static struct known known_above(uint64_t base_ns, uint64_t latency_ns)
{
	uint32_t bucket = mlr_histogram_bucket(latency_ns - base_ns);

	return (struct known){ base_ns + mlr_histogram_bucket_start_ns(bucket),
			       base_ns + mlr_histogram_bucket_start_ns(bucket + 1) - 1 };
}

/* All latencies of a port. Their extremes are known before any is added. */
static void add_all(struct mlr_delays *delays, const uint64_t *latencies_ns, const struct known *known, size_t count)
{
	delays->min_ns = UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		delays->min_ns = latencies_ns[i] < delays->min_ns ? latencies_ns[i] : delays->min_ns;
		delays->max_ns = latencies_ns[i] > delays->max_ns ? latencies_ns[i] : delays->max_ns;
		exact_ns[exact_count++] = latencies_ns[i];
	}
	for (size_t i = 0; i < count; i++)
		mlr_delays_add(delays, known[i].least_ns, known[i].most_ns, 1);
}

static void none_have_no_variation(void **state)
{
	double error_ns;

	(void)state;
	assert_true(isnan(mlr_delays_quantile_ns(all, 0, 0.5, &error_ns)));
	assert_true(isnan(mlr_delays_quantile_ns(all, 3, 0.5, NULL)));
	mlr_delays_add(&ports[0], 5, 5, 0);
	assert_int_equal(ports[0].count, 0);
	assert_true(isnan(mlr_delays_quantile_ns(all, 1, 0.5, NULL)));
}

static void short_distances_are_exact(void **state)
{
	static uint64_t latencies_ns[2000];
	static struct known known[2000];
	double most_ns;

	(void)state;
	for (size_t i = 0; i < 2000; i++)
		known[i] = known_exactly(latencies_ns[i] = 900000000 + i * 7919 % 2000);
	add_all(&ports[0], latencies_ns, known, 2000);
	check_quantiles(1, &most_ns);
	assert_true(most_ns == 0);
	assert_true(mlr_delays_quantile_ns(all, 1, 0.5, NULL) == 999);
}

/* A distance that no bucket ends at goes into the last one, which the maximum bounds. */
static void distances_beyond_the_last_bucket_are_bounded(void **state)
{
	const uint64_t latencies_ns[] = { 1000, 2000, 3000 + (UINT64_C(1) << 41), 5000 + (UINT64_C(1) << 42) };
	struct known known[COUNT_OF(latencies_ns)];
	double most_ns;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(latencies_ns); i++)
		known[i] = known_exactly(latencies_ns[i]);
	add_all(&ports[0], latencies_ns, known, COUNT_OF(latencies_ns));
	check_quantiles(1, &most_ns);
	assert_int_equal(ports[0].buckets[MLR_DELAYS_BUCKETS - 1], 2);
}

/* What is known of a latency is cut where no latency was: at the extremes of all. */
static void extremes_bound_what_is_known(void **state)
{
	double error_ns;

	(void)state;
	ports[0].min_ns = 1000;
	ports[0].max_ns = 1100;
	mlr_delays_add(&ports[0], 0, 1050, 1);    /* from 1000 on */
	mlr_delays_add(&ports[0], 1090, 5000, 2); /* to 1100 */
	assert_int_equal(ports[0].count, 3);
	assert_true(mlr_delays_quantile_ns(all, 1, 0.5, &error_ns) == 95 && error_ns == 5);
	assert_true(mlr_delays_quantile_ns(all, 1, 1, &error_ns) == 100 && error_ns == 0);
}

/* The smallest of a port is not the smallest of all: a quantile is of all latencies, above the smallest of all. */
static void ports_are_merged_by_latency(void **state)
{
	const uint64_t near_ns[] = { 100, 110, 120 }, far_ns[] = { 1000, 1010, 1020 };
	double error_ns;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		ports[0].min_ns = 1000, ports[0].max_ns = 1020;
		ports[2].min_ns = 100, ports[2].max_ns = 120;
		mlr_delays_add(&ports[0], far_ns[i], far_ns[i], 1);
		mlr_delays_add(&ports[2], near_ns[i], near_ns[i], 1);
	}
	assert_true(mlr_delays_quantile_ns(all, 3, 0.5, &error_ns) == 20 && error_ns == 0);
	assert_true(mlr_delays_quantile_ns(all, 3, 0.6, &error_ns) == 900 && error_ns == 0);
	assert_true(mlr_delays_quantile_ns(all, 3, 0.8, &error_ns) == 910 && error_ns == 0);
	assert_true(mlr_delays_quantile_ns(all, 3, 1, &error_ns) == 920 && error_ns == 0);
}

/* Where many latencies are hardly known, the rank of one that is known exactly is not. */
static void what_is_known_badly_may_have_another_rank(void **state)
{
	double error_ns;

	(void)state;
	ports[0].max_ns = 1000;
	mlr_delays_add(&ports[0], 0, 0, 1);
	mlr_delays_add(&ports[0], 0, 1000, 10); /* these may all be 1000: then so is the one of rank 17 */
	mlr_delays_add(&ports[0], 600, 600, 10);
	mlr_delays_add(&ports[0], 1000, 1000, 1);
	assert_true(mlr_delays_quantile_ns(all, 1, 17.0 / 22, &error_ns) == 600);
	assert_true(error_ns >= 400 && error_ns <= 410);
}

/* However long latency is: its variation is known to what a base's buckets are wide, and these. */
static void variation_above_a_base_is_relative_to_itself(void **state)
{
	static uint64_t latencies_ns[LATENCIES_MAX];
	static struct known known[LATENCIES_MAX];
	uint64_t random = 4;

	(void)state;
	latencies_ns[0] = 5000000000;
	known[0] = known_exactly(latencies_ns[0]);
	for (size_t i = 1; i < LATENCIES_MAX; i++) {
		latencies_ns[i] = 5000000000 + random_below(&random, 1000000);
		known[i] = known_above(5000000000, latencies_ns[i]);
	}
	add_all(&ports[0], latencies_ns, known, LATENCIES_MAX);
	for (double quantile = 0.05; quantile < 1; quantile += 0.05) {
		double error_ns, pdv_ns = mlr_delays_quantile_ns(all, 1, quantile, &error_ns);

		assert_close(pdv_ns, exact_pdv_ns(quantile), error_ns);
		assert_true(error_ns <= (COARSE_RATIO + FINE_RATIO) / 2 * 1.01 * pdv_ns + 1);
	}
}

/* One latency as a CPU would count it: by itself, above one of its bases, or by a histogram of latencies. */
static struct known any_way(uint64_t *random, uint64_t latency_ns, const uint64_t bases_ns[2])
{
	uint64_t base_ns = bases_ns[random_below(random, 2)];

	if (!random_below(random, 3))
		return known_exactly(latency_ns);
	return known_above(latency_ns >= base_ns ? base_ns : 0, latency_ns);
}

/* Latencies of several CPUs, each with bases of its own, at some ports. */
static void add_random_port(struct mlr_delays *delays, uint64_t *random)
{
	static uint64_t latencies_ns[LATENCIES_MAX];
	static struct known known[LATENCIES_MAX];
	size_t count = 1 + random_below(random, LATENCIES_MAX), cpus = 1 + random_below(random, 4);
	uint64_t from_ns = random_bits(random) >> (24 + random_below(random, 40)); /* 2^40 at most */
	uint64_t range_ns = 1 + (random_bits(random) >> (24 + random_below(random, 40)));
	uint64_t bases_ns[4][2];

	for (size_t cpu = 0; cpu < cpus; cpu++)
		for (size_t i = 0; i < 2; i++)
			bases_ns[cpu][i] = from_ns + random_below(random, range_ns);
	for (size_t i = 0; i < count; i++) {
		uint64_t here_ns =
			random_below(random, 10) ? range_ns : 1 + range_ns / 1000; /* most are small, or all alike */

		latencies_ns[i] = from_ns + random_below(random, here_ns);
		known[i] = any_way(random, latencies_ns[i], bases_ns[random_below(random, cpus)]);
	}
	add_all(delays, latencies_ns, known, count);
	assert_int_equal(delays->count, count);
}

static void random_latencies_are_within_their_error(void **state)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		uint64_t random = seed;
		size_t port_count = 1 + random_below(&random, 4);
		double most_ns;

		set_up(state);
		for (size_t i = 0; i < port_count; i++)
			if (port_count == 1 || random_below(&random, 5)) /* a port may have none */
				add_random_port(&ports[i], &random);
		if (exact_count)
			check_quantiles(port_count, &most_ns);
	}
}

static void cleared_delays_are_zero_again(void **state)
{
	static const struct mlr_delays none;

	(void)state;
	ports[0].max_ns = UINT64_MAX;
	for (uint32_t bit = 0; bit < 64; bit++)
		mlr_delays_add(&ports[0], 1ull << bit, 1ull << bit, 3);
	assert_int_equal(ports[0].count, 3 * 64);
	mlr_delays_clear(&ports[0]);
	assert_memory_equal(&ports[0], &none, sizeof(none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(none_have_no_variation, set_up),
		cmocka_unit_test_setup(short_distances_are_exact, set_up),
		cmocka_unit_test_setup(distances_beyond_the_last_bucket_are_bounded, set_up),
		cmocka_unit_test_setup(extremes_bound_what_is_known, set_up),
		cmocka_unit_test_setup(ports_are_merged_by_latency, set_up),
		cmocka_unit_test_setup(what_is_known_badly_may_have_another_rank, set_up),
		cmocka_unit_test_setup(variation_above_a_base_is_relative_to_itself, set_up),
		cmocka_unit_test_setup(cleared_delays_are_zero_again, set_up),
		cmocka_unit_test_setup(random_latencies_are_within_their_error, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
