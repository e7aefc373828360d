/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast the tester is: by trials that sent something. */
#include "../test.h"
#include "benchmark/selftest.c"

/* What is measured in turn. */
struct script {
	struct measurer measurer;
	const struct mlr_trial_counts *counts;
	int performed;
};

static enum exit_code perform_script(struct measurer *measurer, const struct mlr_trial_input *input, struct measurement *ret)
{
	struct script *script = (struct script *)measurer;

	*ret = (struct measurement){ .counts = script->counts[script->performed++] };
	ret->pacing.achieved_fps = (double)ret->counts.sent / input->duration_s;
	return EXIT_DONE;
}

static const struct measurer_ops script_ops = { .measure = perform_script };
static const struct config one_second = { .duration_s = SEARCH_DIVISOR };

static void trials_that_sent_nothing_say_nothing(void **state)
{
	static const struct mlr_trial_counts counts[] = {
		{ 0 }, { .sent = 5, .received = 5 }, { 0 }, { .sent = 9, .received = 8 }, { .sent = 7, .received = 7 }
	};
	struct script script = { .measurer.ops = &script_ops, .counts = counts };
	struct one_test test = { .config = &one_second, .frames = &script.measurer };

	(void)state;
	assert_int_equal(find_fastest(&test), EXIT_DONE);
	assert_int_equal(script.performed, COUNT(counts));
	assert_true(test.fastest_fps == 9.0);
}

static void a_tester_that_never_sends_is_refused(void **state)
{
	static const struct mlr_trial_counts counts[FASTEST_IDLE] = { { 0 } };
	struct script script = { .measurer.ops = &script_ops, .counts = counts };
	struct one_test test = { .config = &one_second, .frames = &script.measurer };

	(void)state;
	assert_int_equal(find_fastest(&test), EXIT_INVALID);
	assert_int_equal(script.performed, FASTEST_IDLE);
}

static void what_is_sent_has_to_come(void **state)
{
	static const struct mlr_trial_counts counts[] = { { 0 }, { .sent = 5 } };
	struct script script = { .measurer.ops = &script_ops, .counts = counts };
	struct one_test test = { .config = &one_second, .frames = &script.measurer };

	(void)state;
	assert_int_equal(find_fastest(&test), EXIT_INVALID);
	assert_int_equal(script.performed, COUNT(counts));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trials_that_sent_nothing_say_nothing),
		cmocka_unit_test(a_tester_that_never_sends_is_refused),
		cmocka_unit_test(what_is_sent_has_to_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
