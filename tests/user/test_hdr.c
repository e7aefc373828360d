/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms of latencies as HdrHistogram's tools read and write them. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "base/hdr_text.h"

/* By HdrHistogram_c, with a range of 1 to 2^40 - 1 and three digits: 0; 1000, 1370, ... 3590; 70 000 times 123 456 789; 2^40 - 1. */
#define BY_OTHERS "HISTFAAAADd4nJNpmSzMwMCgzAABzFCaEYj/g4D9B4gA01l+poesILSYlek9EwKt/cj44CjH0UuMTABFAhOk"

static struct mlr_hdr *empty(void)
{
	struct mlr_hdr *hdr = calloc(1, sizeof(*hdr));

	assert_non_null(hdr);
	return hdr;
}

static double of_rank(const struct mlr_hdr *hdr, double rank)
{
	return mlr_hdr_quantile_ns(hdr, rank / (double)hdr->count);
}

static void what_others_write_is_read(void **state)
{
	struct mlr_hdr *hdr = empty();

	(void)state;
	assert_int_equal(hdr_read(hdr, BY_OTHERS), 0);
	assert_int_equal(hdr->count, 70010);
	assert_true(of_rank(hdr, 1) == 0);
	for (unsigned int i = 0; i < 8; i++)
		assert_true(fabs(of_rank(hdr, 2 + i) - (1000 + 370.0 * i)) <= 1);
	assert_true(fabs(of_rank(hdr, 10) / 123456789 - 1) < 1e-3 && fabs(of_rank(hdr, 70009) / 123456789 - 1) < 1e-3);
	assert_true(fabs(of_rank(hdr, 70010) / 0x1p40 - 1) < 1e-3);
	assert_int_equal(hdr_read(hdr, BY_OTHERS), 0); /* once more: they add up */
	assert_int_equal(hdr->count, 140020);
	free(hdr);
}

static void latencies_survive_a_round_trip(void **state)
{
	struct mlr_delays *delays = calloc(1, sizeof(*delays));
	struct mlr_hdr *hdr = empty(), *read = empty();
	uint64_t random = 1, *values = calloc(20000, sizeof(*values));
	char *text;

	(void)state;
	assert_true(delays && values);
	for (size_t i = 0; i < 20000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		values[i] = 700 + (random >> 40) % 1000 * ((random >> 20) % 3000);
	}
	delays->min_ns = UINT64_MAX;
	for (size_t i = 0; i < 20000; i++) {
		delays->min_ns = values[i] < delays->min_ns ? values[i] : delays->min_ns;
		delays->max_ns = values[i] > delays->max_ns ? values[i] : delays->max_ns;
	}
	for (size_t i = 0; i < 20000; i++)
		mlr_delays_add(delays, values[i], values[i], 1);
	text = hdr_text(delays);
	assert_non_null(text);
	assert_memory_equal(text, "HISTFAAA", 8);
	assert_int_equal(hdr_read(read, text), 0);
	mlr_hdr_add(hdr, delays);
	assert_memory_equal(hdr, read, sizeof(*hdr));
	assert_int_equal(read->count, 20000);
	for (double quantile = 0; quantile <= 1; quantile += 0.0009) {
		const struct mlr_delays *list[] = { delays };
		double pdv_ns = mlr_delays_quantile_ns(list, 1, quantile, NULL);
		double expected_ns = (double)delays->min_ns + pdv_ns;

		assert_true(fabs(mlr_hdr_quantile_ns(read, quantile) - expected_ns) <= 1e-3 * expected_ns + 1);
	}
	free(text);
	free(values);
	free(read);
	free(hdr);
	free(delays);
}

static void what_is_no_histogram_is_refused(void **state)
{
	static const char *const texts[] = { "",  "HISTFAAAA", "HISTFAAAADd4nJNp",
					     "!", "AAAA",      "HISTFAAAADd4nJNpmSzMwMCgzAABzFCaEYj/" };
	struct mlr_hdr *hdr = empty();
	char copy[] = BY_OTHERS;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(hdr_read(hdr, texts[i]), -EINVAL);
	for (size_t i = 0; i + 2 < sizeof(copy);
	     i++) { /* another digit anywhere: zlib's sum finds it, or a length or cookie is wrong */
		copy[i] = copy[i] == 'A' ? 'B' : 'A';
		if (i + 3 < sizeof(copy) || strcmp(copy, BY_OTHERS) == 0)
			assert_int_equal(hdr_read(hdr, copy), -EINVAL);
		copy[i] = BY_OTHERS[i];
	}
	free(hdr);
}

static void counts_beyond_the_range_are_refused(void **state)
{
	uint8_t *octets = calloc(1, MLR_HDR_OCTETS_MAX);
	struct mlr_hdr *hdr = empty();
	size_t length;

	(void)state;
	assert_non_null(octets);
	hdr->counts[MLR_HDR_COUNTS - 1] = hdr->counts[0] = UINT64_MAX / 2;
	hdr->count = UINT64_MAX - 1;
	length = mlr_hdr_encode(hdr, octets);
	memset(hdr, 0, sizeof(*hdr));
	assert_int_equal(mlr_hdr_decode(hdr, octets, length), 0);
	assert_true(hdr->counts[MLR_HDR_COUNTS - 1] == UINT64_MAX / 2 && hdr->counts[0] == UINT64_MAX / 2);
	octets[7]++; /* one count more, of 0, behind the last */
	octets[length] = 0;
	assert_int_equal(mlr_hdr_decode(hdr, octets, length + 1), -EINVAL);
	for (size_t cut = 0; cut < length; cut++)
		assert_int_equal(mlr_hdr_decode(hdr, octets, cut), -EINVAL);
	free(octets);
	free(hdr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_others_write_is_read),
		cmocka_unit_test(latencies_survive_a_round_trip),
		cmocka_unit_test(what_is_no_histogram_is_refused),
		cmocka_unit_test(counts_beyond_the_range_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
