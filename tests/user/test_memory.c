/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A document that memory ran out for is not written, and whatever fails then is said to be that. */
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "../test.h"
#include "base/memory.h"
#include "base/output.h"

/* A sanitizer would end the program. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

/* More than there is: malloc() of any C library refuses it. */
static void run_out(void)
{
	static const char text[2] = "x";

	assert_null(json_stringn_nocheck(text, (size_t)-1 / 2));
}

static void a_result_that_is_not_whole_is_refused(void **state)
{
	int out = dup(STDOUT_FILENO), null = fileno(tmpfile());

	(void)state;
	memory_watch();
	dup2(null, STDOUT_FILENO);
	assert_int_equal(output_json(json_pack("{s:i}", "whole", 1)), EXIT_DONE);
	run_out();
	assert_true(memory_ran_out());
	assert_int_equal(output_json(json_pack("{s:i}", "whole", 0)), EXIT_INCAPABLE);
	assert_int_equal(refuse(EXIT_USAGE_ERROR, "somebody else's fault"), EXIT_INCAPABLE);
	assert_int_equal(lseek(STDOUT_FILENO, 0, SEEK_CUR), sizeof("{\"whole\": 1}\n") - 1);
	dup2(out, STDOUT_FILENO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_result_that_is_not_whole_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
