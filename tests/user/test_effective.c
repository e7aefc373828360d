/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a trial over ports counts for. */
#include "../test.h"
#include "base/clock.h"
#include "config/config.h"
#include "measurer/xdp_trial.h"

static struct measurer_xdp xdp; /* too large for a stack */

/* Conclude a trial that began 4 s ago, and whose last performance began 1 s ago. */
static double concluded_s(enum effective_duration kind, double *ret_wall_s)
{
	struct measurement measurement = { .pacing.intended_fps = 1000 };
	struct config config = { .effective_duration = kind };
	uint64_t now_ns = clock_ns();

	xdp.config = &config;
	xdp.performed_ns = now_ns - NS_PER_S;
	xdp_trial_conclude(&xdp, &(struct mlr_trial_input){ 0.5, 1000 }, now_ns - 4 * NS_PER_S, &measurement);
	*ret_wall_s = measurement.wall_s;
	return measurement.result.output.effective_duration_s;
}

static void performances_that_do_not_count_add_no_weight(void **state)
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
		cmocka_unit_test(performances_that_do_not_count_add_no_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
