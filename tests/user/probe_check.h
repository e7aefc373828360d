/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of probe ask of a check. */
#ifndef TESTS_USER_PROBE_CHECK_H
#define TESTS_USER_PROBE_CHECK_H

#include <jansson.h>
#include <string.h>

#include "../test.h"

/* It has this state and this fix (NULL: none), and these words are in its value. */
static inline void assert_check(const json_t *check, const char *state, const char *words, const char *fix)
{
	assert_string_equal(json_string_value(json_object_get(check, "state")), state);
	assert_non_null(strstr(json_string_value(json_object_get(check, "value")), words));
	if (fix)
		assert_string_equal(json_string_value(json_object_get(check, "fix")), fix);
	else
		assert_true(json_is_null(json_object_get(check, "fix")));
}

#endif
