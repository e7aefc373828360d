/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a trial over ports counts for. */
#include "../test.h"
#include "base/clock.h"
#include "config/config.h"
#include "measurer/xdp_trial.h"

#define AGO_NS UINT64_C(4000000000)

/* Conclude a trial that began 4 s ago, and whose first two performances were spoilt. */
static double concluded_s(enum effective_duration kind, double *ret_wall_s)
{
	struct spoilt_performance spoilt[] = { { .wall_s = 1 }, { .wall_s = 2 } };
	struct measurement measurement = { .spoilt_performances = spoilt, .tester_repeats = 2, .pacing.intended_fps = 1000 };
	struct config config = { .effective_duration = kind };

	xdp_trial_conclude(&config, &(struct mlr_trial_input){ 0.5, 1000 }, clock_ns() - AGO_NS, &measurement);
	*ret_wall_s = measurement.wall_s;
	return measurement.result.output.effective_duration_s;
}

static void spoilt_performances_add_no_weight(void **state)
{
	double wall_s, effective_s;

	(void)state;
	effective_s = concluded_s(EFFECTIVE_WALL, &wall_s);
	assert_true(wall_s >= 4);
	assert_true(effective_s >= 1 && effective_s <= wall_s - 3 + 1e-9);
	assert_true(concluded_s(EFFECTIVE_TRIAL, &wall_s) == 0.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spoilt_performances_add_no_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
