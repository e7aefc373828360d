/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Going through arrays and objects: each item once, in its order; left and gone on with as any loop is. */
#include <jansson.h>
#include <string.h>

#include "../test.h"
#include "base/json_read.h"
#include "base/text_stream.h"

static void items_come_in_order(void **state)
{
	json_t *array = json_pack("[i, i, i, i]", 1, 2, 3, 4);
	char text[64] = "";

	(void)state;
	json_each (outer, array) {
		if (json_integer_value(outer) == 2)
			continue;
		if (json_integer_value(outer) == 4)
			break;
		json_each (inner, array) {
			if (json_integer_value(inner) == 3)
				break;
			text_add(text, sizeof(text), "%d%d ", (int)json_integer_value(outer),
				 (int)json_integer_value(inner));
		}
	}
	assert_string_equal(text, "11 12 31 32 ");
	json_decref(array);
}

static void members_come_in_order(void **state)
{
	json_t *object = json_pack("{s:i, s:i, s:i, s:i}", "a", 1, "b", 2, "c", 3, "d", 4);
	char text[64] = "";

	(void)state;
	json_each_member (outer, number, object) {
		if (strcmp(outer, "b") == 0)
			continue;
		if (json_integer_value(number) == 4)
			break;
		json_each_member (inner, value, object) {
			if (json_integer_value(value) == 3)
				break;
			text_add(text, sizeof(text), "%s%s ", outer, inner);
		}
	}
	assert_string_equal(text, "aa ab ca cb ");
	json_decref(object);
}

static void nothing_is_in_what_is_neither(void **state)
{
	json_t *empty[] = { json_array(), json_object(), json_string("x"), NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
		json_each (item, empty[i])
			fail_msg("%p in nothing", (void *)item);
		json_each_member (name, value, empty[i])
			fail_msg("%s in nothing", name);
		json_decref(empty[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_come_in_order),
		cmocka_unit_test(members_come_in_order),
		cmocka_unit_test(nothing_is_in_what_is_neither),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
