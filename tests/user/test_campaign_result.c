/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is cut out of a result before it is parsed, and what is not. */
#include "../test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/point_result.h"

static const char *const names[] = { "trials", "units", NULL };

/* On the heap and without a NUL behind it, so that a sanitizer sees whoever reads on. */
static char *cut(const char *text, size_t length)
{
	char *copy = malloc(length + 1), *result;
	size_t left;

	assert_non_null(copy);
	memcpy(copy, text, length);
	copy = realloc(copy, length ? length : 1);
	left = json_cut(copy, length, names);
	assert_true(left <= length);
	result = strndup(copy, left);
	free(copy);
	return result;
}

static void assert_cut(const char *text, const char *expected)
{
	char *result = cut(text, strlen(text));

	assert_string_equal(result, expected);
	free(result);
}

static void members_of_these_names_are_cut_at_any_depth(void **state)
{
	(void)state;
	assert_cut("{\"a\": 1, \"trials\": [1, 2, 3], \"b\": {\"units\": {\"x\": {}}}, \"c\": 2}",
		   "{\"a\": 1, \"trials\":null, \"b\": {\"units\":null}, \"c\": 2}");
	assert_cut("{\"trials\"\n : \t[[1], {\"a\": [\"]\", \"}\", \"\\\"]\", \"\\\\\"]}]}", "{\"trials\":null}");
}

static void nothing_else_is(void **state)
{
	static const char *const texts[] = {
		"{\"a\": \"trials\", \"b\": [\"trials\", [1, 2, 3]]}", /* a value, and no name */
		"{\"trials\": 12345678, \"units\": \"[1, 2]\"}",       /* no array or object */
		"{\"my trials\": [1, 2, 3], \"trialsx\": [1, 2], \"trial\": [1, 2, 3]}",
		"{\"a\\\"trials\": [1, 2, 3]}",    /* the end of another name */
		"{\"trials\": [], \"units\": {}}", /* as short as what would stand there */
		"\"trials\"",
		"",
		"[]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_cut(texts[i], texts[i]);
}

static void a_text_that_breaks_off_anywhere_is_read_to_its_end_and_not_further(void **state)
{
	static const char text[] =
		"{\"a\\\\\": [\"x\\\"y\", 1], \"trials\" : [{\"b\": \"]\\\\\"}, 2], \"units\": {\"c\": {}}, \"d\": 1}";

	(void)state;
	for (size_t length = 0; length < sizeof(text); length++) {
		char *result = cut(text, length);
		json_t *document = json_loads(result, 0, NULL);

		assert_true(!document || length == sizeof(text) - 1);
		json_decref(document);
		free(result);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_these_names_are_cut_at_any_depth),
		cmocka_unit_test(nothing_else_is),
		cmocka_unit_test(a_text_that_breaks_off_anywhere_is_read_to_its_end_and_not_further),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
