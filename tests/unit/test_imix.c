/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "mlr/imix.h"

static const struct mlr_size_weight simple[] = { { 7, 64 }, { 4, 594 }, { 1, 1518 } };

static void one_size(void **state)
{
	struct mlr_size_mix mix = mlr_size_one(64);

	(void)state;
	assert_int_equal(mix.schedule_length, 1);
	assert_true(mlr_size_mean_octets(&mix) == 64.0);
	assert_int_equal(mlr_size_least_octets(&mix), 64);
	assert_int_equal(mlr_size_most_octets(&mix), 64);
}

static void the_simple_imix(void **state)
{
	struct mlr_size_mix mix;

	(void)state;
	assert_int_equal(mlr_size_from_weights(simple, 3, &mix), 0);
	assert_int_equal(mix.schedule_length, 12);
	assert_true(fabs(mlr_size_mean_octets(&mix) - (7 * 64 + 4 * 594 + 1518) / 12.0) < 1e-9);
	assert_int_equal(mlr_size_least_octets(&mix), 64);
	assert_int_equal(mlr_size_most_octets(&mix), 1518);
	assert_int_equal(mlr_size_weight(&mix, 0), 7);
	assert_int_equal(mlr_size_weight(&mix, 1), 4);
	assert_int_equal(mlr_size_weight(&mix, 2), 1);
}

/* At each place of the schedule, and of any two rounds of it, a size is less than one frame off its share. */
static void any_weights_are_spread_evenly(void **state)
{
	unsigned int seed = (unsigned int)time(NULL);

	(void)state;
	print_message("seed %u\n", seed);
	srandom(seed);
	for (int round = 0; round < 2000; round++) {
		struct mlr_size_weight weights[40];
		unsigned int count = 1 + (unsigned int)random() % 40, total = 0, sent[40] = { 0 };
		struct mlr_size_mix mix;

		for (unsigned int i = 0; i < count; i++)
			weights[i] = (struct mlr_size_weight){ 1 + (unsigned int)random() % (random() % 2 ? 25 : 3),
							       64 + 10 * i };
		assert_int_equal(mlr_size_from_weights(weights, count, &mix), 0);
		for (unsigned int i = 0; i < count; i++)
			total += weights[i].weight;
		assert_int_equal(total % mix.schedule_length, 0);
		for (unsigned int place = 0; place < 2 * mix.schedule_length; place++) {
			sent[mix.schedule[place % mix.schedule_length]]++;
			for (unsigned int i = 0; i < count; i++) {
				double share = (place + 1.0) * weights[i].weight / total;

				assert_true(fabs(sent[i] - share) < 1.0 - 1e-9);
			}
		}
	}
}

static void weights_are_reduced_and_equal_sizes_joined(void **state)
{
	static const struct mlr_size_weight weights[] = { { 2000000, 64 }, { 1000000, 128 }, { 1000000, 64 } };
	struct mlr_size_mix mix;

	(void)state;
	assert_int_equal(mlr_size_from_weights(weights, 3, &mix), 0);
	assert_int_equal(mix.size_count, 2);
	assert_int_equal(mix.schedule_length, 4);
	assert_int_equal(mlr_size_weight(&mix, 0), 3);
}

static void weights_that_cannot_be(void **state)
{
	static const struct mlr_size_weight zero[] = { { 0, 64 } }, large[] = { { 1, 9217 } };
	static const struct mlr_size_weight many[] = { { 1024, 64 }, { 1, 128 } };
	static const struct mlr_size_weight overflowing[] = { { UINT32_MAX, 64 }, { 2, 64 } };
	struct mlr_size_mix mix = { .size_count = 7 };

	(void)state;
	assert_int_equal(mlr_size_from_weights(zero, 1, &mix), -EINVAL);
	assert_int_equal(mlr_size_from_weights(large, 1, &mix), -EINVAL);
	assert_int_equal(mlr_size_from_weights(simple, 0, &mix), -EINVAL);
	assert_int_equal(mlr_size_from_weights(many, 2, &mix), -E2BIG);
	assert_int_equal(mlr_size_from_weights(overflowing, 2, &mix), -E2BIG);
	assert_int_equal(mix.size_count, 7);
}

static void a_genome_is_kept_to_the_letter(void **state)
{
	static const unsigned int own[MLR_GENOME_LETTERS] = { [25] = 1500, [26] = 333 };
	static const unsigned int wanted[] = { 64, 64, 256, 1518, 333, 128, 1500, 9000, 2112, 1280, 1024, 512 };
	struct mlr_size_mix mix;

	(void)state;
	assert_int_equal(mlr_size_from_genome("aacgAbzihfed", own, &mix), 0);
	assert_int_equal(mix.schedule_length, 12);
	for (unsigned int i = 0; i < 12; i++)
		assert_int_equal(mix.sizes_octets[mix.schedule[i]], wanted[i]);
}

static void genomes_that_cannot_be(void **state)
{
	static const unsigned int none[MLR_GENOME_LETTERS] = { 0 };
	static const char *const genomes[] = { "", "j", "z", "A", "a1", "a b", "aZ", "k" };
	struct mlr_size_mix mix = { .size_count = 7 };
	char longest[MLR_SCHEDULE_MAX + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(genomes) / sizeof(*genomes); i++)
		assert_int_equal(mlr_size_from_genome(genomes[i], none, &mix), -EINVAL);
	for (size_t i = 0; i <= MLR_SCHEDULE_MAX; i++)
		longest[i] = 'a';
	longest[MLR_SCHEDULE_MAX + 1] = '\0';
	assert_int_equal(mlr_size_from_genome(longest, none, &mix), -E2BIG);
	assert_int_equal(mix.size_count, 7);
	longest[MLR_SCHEDULE_MAX] = '\0';
	assert_int_equal(mlr_size_from_genome(longest, none, &mix), 0);
	assert_int_equal(mlr_genome_letter_octets('j'), 16000);
	assert_int_equal(mlr_genome_letter_octets('z'), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_size),
		cmocka_unit_test(the_simple_imix),
		cmocka_unit_test(any_weights_are_spread_evenly),
		cmocka_unit_test(weights_are_reduced_and_equal_sizes_joined),
		cmocka_unit_test(weights_that_cannot_be),
		cmocka_unit_test(a_genome_is_kept_to_the_letter),
		cmocka_unit_test(genomes_that_cannot_be),
	};

	return cmocka_run_group_tests_name("imix", tests, NULL, NULL);
}
