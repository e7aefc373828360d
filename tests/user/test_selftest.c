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

/* --- what helps ------------------------------------------------------------------------------------------------------------ */

/* Values around a mean without an item, and with it. */
static struct try_figure around(double without, double with)
{
	static const double spread[TRY_PAIRS] = { -0.01, 0.01, 0, 0.005, -0.005 };
	struct try_figure figure;

	for (size_t i = 0; i < TRY_PAIRS; i++) {
		figure.without[i] = without * (1 + spread[i]);
		figure.with[i] = with * (1 - spread[i]);
	}
	return figure;
}

static void an_item_helps_where_one_figure_is_better_and_none_worse(void **state)
{
	const struct {
		double rate, latency; /* with it; 100 without it */
		bool helps;
	} cases[] = { { 100, 100, false },    { 110, 100, true }, { 100, 80, true },  { 110, 80, true },
		      { 110, 120, false },    { 90, 80, false },  { 90, 100, false }, { 100, 120, false },
		      { 100.3, 99.8, false }, { 110, NAN, true }, { 100, NAN, false } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct try_figure rate = around(100, cases[i].rate), latency = around(100, cases[i].latency);

		assert_int_equal(selftest_item_helps(&rate, &latency), cases[i].helps);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_item_helps_where_one_figure_is_better_and_none_worse),
		cmocka_unit_test(trials_that_sent_nothing_say_nothing),
		cmocka_unit_test(a_tester_that_never_sends_is_refused),
		cmocka_unit_test(what_is_sent_has_to_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
