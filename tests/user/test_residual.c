/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Phase d: how long frames are waited for. Decided by times in the past, so that nothing is waited for here. */
#include "../test.h"
#include "base/clock.h"
#include "measurer/xdp_trial.h"

#define LIMIT_NS (3600 * NS_PER_S)

/* Whether it is over, so long after its begin, and after the last frame of so many. */
static bool is_over(uint64_t since_begin_ns, uint64_t since_last_ns, uint64_t sent, uint64_t arrived)
{
	uint64_t now_ns = clock_ns();
	struct xdp_residual residual = {
		.limit_ns = LIMIT_NS,
		.start_ns = now_ns - since_begin_ns,
		.quiet_since_ns = now_ns - since_last_ns,
		.last = arrived,
	};
	struct xdp_progress progress = { .sent = sent, .unique = arrived, .all = arrived };

	return xdp_residual_is_over(&residual, &progress);
}

static void silence_ends_it_after_the_first_frame_only(void **state)
{
	(void)state;
	assert_true(is_over(LIMIT_NS / 4, LIMIT_NS / 4, 1000, 999));
	assert_false(is_over(LIMIT_NS / 4, LIMIT_NS / 10, 1000, 999));
	/* all are delayed by more than a fifth of it */
	assert_false(is_over(LIMIT_NS / 4, LIMIT_NS / 4, 1000, 0));
	assert_false(is_over(LIMIT_NS / 2, LIMIT_NS / 2, 1000, 0));
	assert_true(is_over(LIMIT_NS, LIMIT_NS, 1000, 0));
}

static void all_frames_end_it(void **state)
{
	(void)state;
	assert_true(is_over(1, 1, 1000, 1000));
	assert_false(is_over(1, 1, 1000, 999));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silence_ends_it_after_the_first_frame_only),
		cmocka_unit_test(all_frames_end_it),
	};

	return cmocka_run_group_tests_name("residual", tests, NULL, NULL);
}
