/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of frame sizes: where one part ends and the next begins. */
#include <string.h>

#include "../test.h"
#include "config/options_suite.h"

static void assert_parts(const char *list, const char *const *parts, unsigned int count)
{
	char part[FRAME_SIZE_TEXT];

	for (unsigned int i = 0; i < count; i++) {
		assert_true(frame_sizes_part(list, i, part));
		assert_string_equal(part, parts[i]);
	}
	assert_false(frame_sizes_part(list, count, part));
	assert_false(frame_sizes_part(list, count + 1, part));
}

static void one_size_is_a_list_of_one(void **state)
{
	(void)state;
	assert_parts("64", (const char *[]){ "64" }, 1);
}

static void sizes_are_parted_by_commas(void **state)
{
	(void)state;
	assert_parts("64,512,1518", (const char *[]){ "64", "512", "1518" }, 3);
}

static void a_mix_keeps_its_commas(void **state)
{
	(void)state;
	assert_parts("imix:7:64,4:594,1:1518", (const char *[]){ "imix:7:64,4:594,1:1518" }, 1);
	assert_parts("64,imix:7:64,4:594,1:1518,1518,genome:aab,imix",
		     (const char *[]){ "64", "imix:7:64,4:594,1:1518", "1518", "genome:aab", "imix" }, 5);
}

static void empty_parts_are_parts(void **state)
{
	(void)state;
	assert_parts("", (const char *[]){ "" }, 1);
	assert_parts("64,", (const char *[]){ "64", "" }, 2);
	assert_parts(",64", (const char *[]){ "", "64" }, 2);
}

static void a_part_is_cut_to_the_buffer(void **state)
{
	char list[2 * FRAME_SIZE_TEXT], part[FRAME_SIZE_TEXT];

	(void)state;
	memset(list, '1', sizeof(list) - 1);
	list[sizeof(list) - 1] = '\0';
	assert_true(frame_sizes_part(list, 0, part));
	assert_int_equal(strlen(part), FRAME_SIZE_TEXT - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_size_is_a_list_of_one),   cmocka_unit_test(sizes_are_parted_by_commas),
		cmocka_unit_test(a_mix_keeps_its_commas),      cmocka_unit_test(empty_parts_are_parts),
		cmocka_unit_test(a_part_is_cut_to_the_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
