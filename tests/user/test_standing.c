/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a result and a document stand, in one word. */
#include "../test.h"

#include <jansson.h>

#include "base/standing.h"

static void a_result_stands_in_one_word(void **state)
{
	static const struct {
		const char *result, *word;
	} results[] = {
		{ "{\"regular\": true, \"tester_limited\": false}", "regular" },
		{ "{\"regular\": true, \"tester_limited\": true}", "limited" },
		{ "{\"regular\": false, \"tester_limited\": true}", "IRREGULAR" },
		{ "{\"regular\": true, \"irregular_reason\": \"interrupted\"}", "IRREGULAR" },
		{ "{\"tester_limited\": false}", "IRREGULAR" },
		{ "{}", "IRREGULAR" },
		{ "{\"schema\": \"xdp-mlr/soak/1\", \"irregular_reason\": null}", "regular" },
		{ "{\"schema\": \"xdp-mlr/soak/1\", \"irregular_reason\": null, \"tester_limited\": true}", "limited" },
		{ "{\"schema\": \"xdp-mlr/soak/1\", \"irregular_reason\": \"the tester was the limit in a trial\", "
		  "\"tester_limited\": true}",
		  "limited" },
		{ "{\"schema\": \"xdp-mlr/soak/1\", \"irregular_reason\": \"interrupted\", \"tester_limited\": true}",
		  "IRREGULAR" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++) {
		json_t *result = json_loads(results[i].result, 0, NULL);

		assert_non_null(result);
		assert_string_equal(result_word(result), results[i].word);
		json_decref(result);
	}
	assert_string_equal(result_word(NULL), "IRREGULAR");
}

static void a_document_stands_as_its_worst_result(void **state)
{
	static const struct {
		const char *document;
		enum standing standing;
	} documents[] = {
		{ "{\"schema\": \"xdp-mlr/search/1\", \"search_result\": [{\"regular\": true}, {\"regular\": true, "
		  "\"tester_limited\": true}]}",
		  STANDING_LIMITED },
		{ "{\"schema\": \"xdp-mlr/search/1\", \"search_result\": [{\"regular\": true}], \"repeats\": {\"runs\": "
		  "[{\"search_result\": [{\"regular\": true, \"tester_limited\": true}]}]}}",
		  STANDING_LIMITED },
		{ "{\"schema\": \"xdp-mlr/rfc2544/1\", \"regular\": true, \"frame_sizes\": [{\"frame_size\": \"64\", "
		  "\"latency\": {\"regular\": true, \"tester_limited\": true}, \"throughput\": null}]}",
		  STANDING_LIMITED },
		{ "{\"schema\": \"xdp-mlr/rfc2544/1\", \"regular\": true, \"reset\": {\"regular\": true, "
		  "\"tester_limited\": true}}",
		  STANDING_LIMITED },
		{ "{\"schema\": \"xdp-mlr/campaign/1\", \"points\": [{\"results\": [{\"regular\": true, "
		  "\"tester_limited\": true}]}, {\"state\": \"waiting\"}]}",
		  STANDING_LIMITED },
		{ "{\"schema\": \"xdp-mlr/search/1\", \"search_result\": [{\"regular\": true, \"tester_limited\": true}, "
		  "{\"regular\": false}]}",
		  STANDING_IRREGULAR },
		{ "{\"schema\": \"xdp-mlr/search/1\", \"search_result\": [{\"regular\": true}]}", STANDING_REGULAR },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(documents) / sizeof(*documents); i++) {
		json_t *document = json_loads(documents[i].document, 0, NULL);

		assert_non_null(document);
		assert_int_equal(standing_of_document(document), documents[i].standing);
		json_decref(document);
	}
}

static void results_are_counted_by_their_word(void **state)
{
	json_t *results =
		json_loads("[{\"regular\": true}, {\"regular\": true, \"tester_limited\": true}, {\"regular\": false}, "
			   "{\"regular\": false, \"tester_limited\": true}]",
			   0, NULL);

	(void)state;
	assert_non_null(results);
	assert_int_equal(standing_count(results, STANDING_REGULAR), 1);
	assert_int_equal(standing_count(results, STANDING_LIMITED), 1);
	assert_int_equal(standing_count(results, STANDING_IRREGULAR), 2);
	json_decref(results);
}

/* A few trials of many: one that is irregular is worse than any that the tester limited. */
static void a_spread_stands_as_its_worst_trial(void **state)
{
	static const struct {
		const char *spread;
		enum standing standing;
	} spreads[] = {
		{ "{\"irregular\": 1, \"tester_limited\": 0}", STANDING_IRREGULAR },
		{ "{\"irregular\": 1, \"tester_limited\": 1}", STANDING_IRREGULAR },
		{ "{\"irregular\": 0, \"tester_limited\": 1}", STANDING_LIMITED },
		{ "{\"irregular\": 0, \"tester_limited\": 0}", STANDING_REGULAR },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(spreads) / sizeof(*spreads); i++) {
		json_t *spread = json_loads(spreads[i].spread, 0, NULL);

		assert_non_null(spread);
		assert_int_equal(standing_of_spread(spread), spreads[i].standing);
		json_decref(spread);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_result_stands_in_one_word),
		cmocka_unit_test(a_document_stands_as_its_worst_result),
		cmocka_unit_test(results_are_counted_by_their_word),
		cmocka_unit_test(a_spread_stands_as_its_worst_trial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
