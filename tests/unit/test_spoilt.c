/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A SUT that loses frames at random, one by one or many in a row, must keep all of its loss; one that loses in bursts of the tester only,
 * none. */
#include "mlr/spoilt.h"
#include "unit.h"

#include <math.h>

#define TRIALS 20000
#define SENT   200000ull

static uint64_t random_state = 1;

static double random_number(void)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(random_state >> 11) * 0x1p-53;
}

/* Of n frames, each lost with this probability: from Poisson's distribution, or where that has too many the normal one. */
static uint64_t lost_of(uint64_t n, double ratio)
{
	double mean = (double)n * ratio, limit = exp(-mean), product = random_number();
	uint64_t lost = 0;

	if (mean > 30) {
		double gauss = sqrt(-2 * log(random_number() + 1e-300)) * cos(2 * M_PI * random_number());
		double drawn = mean + gauss * sqrt(mean * (1 - ratio));

		return drawn < 0 ? 0 : drawn > (double)n ? n : (uint64_t)drawn;
	}
	while (product > limit) {
		product *= random_number();
		lost++;
	}
	return lost < n ? lost : n;
}

static void a_sut_that_loses_at_random_keeps_its_loss(void **state)
{
	static const double ratios[] = { 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5 };
	static const double shares[] = { 0.001, 0.02, 0.2 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(ratios); i++) {
		for (size_t j = 0; j < COUNT_OF(shares); j++) {
			uint64_t lost = 0, taken = 0, spoilt = 0;

			for (int trial = 0; trial < TRIALS; trial++) {
				struct mlr_burst_counts counts = { .sent = SENT,
								   .marked_sent = (uint64_t)(shares[j] * SENT) };
				uint64_t burst;

				counts.marked_lost = lost_of(counts.marked_sent, ratios[i]);
				counts.lost = counts.marked_lost + lost_of(SENT - counts.marked_sent, ratios[i]);
				burst = mlr_burst_loss(&counts);
				lost += counts.lost;
				taken += burst;
				spoilt += burst > 0;
			}
			assert_true((double)spoilt <= 1.5e-3 * TRIALS);
			assert_true((double)taken <= 2e-3 * (double)lost + 3);
		}
	}
}

#define PERIOD 2560 /* frames from one burst of the tester to the next */
#define MARKED 128  /* of them are marked */

/* Of the first so many frames. */
static uint64_t marked_of(uint64_t frames)
{
	return frames / PERIOD * MARKED + (frames % PERIOD < MARKED ? frames % PERIOD : MARKED);
}

/* A trial over a SUT that loses so many frames in a row, now and then. */
static struct mlr_burst_counts lose_runs(uint64_t length, double ratio)
{
	struct mlr_burst_counts counts = { .sent = SENT, .marked_sent = marked_of(SENT) };

	counts.runs = lost_of(SENT / length, ratio);
	for (uint64_t i = 0; i < counts.runs; i++) {
		uint64_t first = (uint64_t)(random_number() * (double)(SENT - length));

		counts.marked_lost += marked_of(first + length) - marked_of(first);
	}
	counts.lost = counts.runs * length;
	return counts;
}

static void a_sut_that_loses_many_in_a_row_keeps_its_loss(void **state)
{
	static const uint64_t lengths[] = { 2, 20, 200, 2000 };
	static const double ratios[] = { 1e-5, 1e-4, 1e-3, 1e-2 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		for (size_t j = 0; j < COUNT_OF(ratios); j++) {
			uint64_t lost = 0, taken = 0, spoilt = 0;

			for (int trial = 0; trial < TRIALS; trial++) {
				struct mlr_burst_counts counts = lose_runs(lengths[i], ratios[j]);
				uint64_t burst = mlr_burst_loss(&counts);

				lost += counts.lost;
				taken += burst;
				spoilt += burst > 0;
			}
			assert_true((double)spoilt <= 1.5e-3 * TRIALS);
			assert_true((double)taken <= 3e-3 * (double)lost + (double)(3 * lengths[i]));
		}
	}
}

static void what_only_bursts_lose_is_the_testers(void **state)
{
	struct mlr_burst_counts counts = { .sent = 200000, .marked_sent = 1000, .lost = 12, .marked_lost = 12 };

	(void)state;
	assert_int_equal(mlr_burst_loss(&counts), 12);
	counts.lost = counts.marked_lost = 2; /* less than once in 40 000 by chance */
	assert_int_equal(mlr_burst_loss(&counts), 2);
	counts.lost = counts.marked_lost = 1; /* once in 200 */
	assert_int_equal(mlr_burst_loss(&counts), 0);
	/* ten stops, after each of which 60 frames in a row find a buffer full */
	counts = (struct mlr_burst_counts){
		.sent = 200000, .marked_sent = 1000, .lost = 600, .marked_lost = 600, .runs = 10
	};
	assert_int_equal(mlr_burst_loss(&counts), 600);
	counts.lost = counts.marked_lost = 60; /* one run: once in 200 by chance */
	counts.runs = 1;
	assert_int_equal(mlr_burst_loss(&counts), 0);
	/* the SUT loses one in 100 anyway, so ten of the marked frames are its own */
	counts = (struct mlr_burst_counts){ .sent = 200000, .marked_sent = 1000, .lost = 1990 + 310, .marked_lost = 310 };
	assert_int_equal(mlr_burst_loss(&counts), 300);
	counts.marked_lost = 0;
	assert_int_equal(mlr_burst_loss(&counts), 0);
	/* one in 100 of a quarter of all frames */
	counts = (struct mlr_burst_counts){ .sent = 200000, .marked_sent = 50000, .lost = 1500 + 5000, .marked_lost = 5000 };
	assert_int_equal(mlr_burst_loss(&counts), 4500);
	/* of 100 lost frames, five of the marked ones would be fewer than once in 1000, and four are not */
	counts = (struct mlr_burst_counts){ .sent = 200000, .marked_sent = 1000, .lost = 100, .marked_lost = 5 };
	assert_int_equal(mlr_burst_loss(&counts), 5);
	counts.marked_lost = 4;
	assert_int_equal(mlr_burst_loss(&counts), 0);
	counts = (struct mlr_burst_counts){ .sent = 1000, .marked_sent = 1000, .lost = 500, .marked_lost = 500 };
	assert_int_equal(mlr_burst_loss(&counts), 0);
}

static void repeats_are_made_where_they_have_a_chance(void **state)
{
	(void)state;
	/* one stop, none allowed: e^-1 */
	assert_true(fabs(mlr_repeat_chance(1, 0.004, 0.0005) - exp(-1)) < 1e-12);
	/* two stops, one allowed: e^-2 (1 + 2) */
	assert_true(fabs(mlr_repeat_chance(2, 0.004, 0.002) - 3 * exp(-2)) < 1e-12);
	assert_true(mlr_repeat_chance(60, 0.06, 0.03) < 1e-4);
	assert_true(mlr_repeat_chance(100000, 100, 50) < 1e-12);
	/* a minute or an hour of stops: about half of the trials have more than this one, and none twice as many */
	assert_true(fabs(mlr_repeat_chance(1000, 1, 1) - 0.5) < 0.02);
	assert_true(mlr_repeat_chance(1000, 1, 2) > 1 - 1e-9);
	assert_true(mlr_repeat_chance(100000, 100, 101) > 0.99);
	assert_true(mlr_repeat_chance(1, 1e-9, 1e6) > 1 - 1e-9); /* in no time */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sut_that_loses_at_random_keeps_its_loss),
		cmocka_unit_test(a_sut_that_loses_many_in_a_row_keeps_its_loss),
		cmocka_unit_test(what_only_bursts_lose_is_the_testers),
		cmocka_unit_test(repeats_are_made_where_they_have_a_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
