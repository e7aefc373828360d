/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The canonical text of JSON: numbers as RFC 8785 writes them (its appendix B), names in order, texts with the fewest escapes. */
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "base/canonical.h"

static void assert_canonical(const char *json, const char *expected)
{
	json_t *value = json_loads(json, JSON_DECODE_ANY, NULL);
	size_t length = 0;
	char *text = canonical_text(value, &length);

	assert_non_null(value);
	assert_string_equal(text, expected);
	assert_int_equal(length, strlen(expected));
	free(text);
	json_decref(value);
}

static void numbers_have_the_fewest_digits(void **state)
{
	static const struct {
		const char *json, *expected;
	} cases[] = {
		{ "0", "0" },
		{ "-0.0", "0" },
		{ "5.0", "5" },
		{ "5e-324", "5e-324" },
		{ "-5e-324", "-5e-324" },
		{ "1.7976931348623157e308", "1.7976931348623157e+308" },
		{ "9007199254740992", "9007199254740992" },
		{ "-9007199254740992.0", "-9007199254740992" },
		{ "295147905179352830000.0", "295147905179352830000" },
		{ "9.999999999999997e22", "9.999999999999997e+22" },
		{ "1e23", "1e+23" },
		{ "1.0e21", "1e+21" },
		{ "999999999999999900000.0", "999999999999999900000" },
		{ "333333333.3333332", "333333333.3333332" },
		{ "0.000001", "0.000001" },
		{ "0.0000001", "1e-7" },
		{ "-0.0000033333333333333333", "-0.0000033333333333333333" },
		{ "0.1", "0.1" },
		{ "1424953923781206.2", "1424953923781206.2" },
		/* the same number, as an integer and with an exponent */
		{ "1152921504606846976", "1152921504606847000" },
		{ "1.152921504606847e18", "1152921504606847000" },
		/* no binary64 number equals this one */
		{ "9007199254740993", "9007199254740993" },
		{ "9223372036854775807", "9223372036854775807" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_canonical(cases[i].json, cases[i].expected);
}

static void names_are_in_order(void **state)
{
	(void)state;
	assert_canonical("{\"b\": [1, {}, []], \"a\": {\"z\": null, \"y\": true, \"A\": false}, \"\": 0}",
			 "{\"\":0,\"a\":{\"A\":false,\"y\":true,\"z\":null},\"b\":[1,{},[]]}");
}

static void texts_have_the_fewest_escapes(void **state)
{
	(void)state;
	assert_canonical("\"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\\u007f\"",
			 "\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\x7f\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(numbers_have_the_fewest_digits),
					    cmocka_unit_test(names_are_in_order),
					    cmocka_unit_test(texts_have_the_fewest_escapes) };

	return cmocka_run_group_tests_name("canonical", tests, NULL, NULL);
}
