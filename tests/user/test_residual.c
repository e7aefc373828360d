/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Phase d: how long frames are waited for. Decided by times in the past, so that nothing is waited for here. */
#include "../test.h"
#include "base/clock.h"
#include "measurer/residual.h"

#define LIMIT_NS (3600 * NS_PER_S)

/* What ends it so long after its begin, and after the last frame of so many that arrived of 1000, of so many flows of 10;
 * NULL: nothing. */
static const char *ending(uint64_t since_begin_ns, uint64_t since_last_ns, uint64_t arrived, uint64_t flows)
{
	uint64_t now_ns = clock_ns();
	struct sut_delay delay = { .is_known = true };
	struct xdp_residual residual = {
		.delay = &delay,
		.limit_ns = LIMIT_NS,
		.start_ns = now_ns - since_begin_ns,
		.quiet_since_ns = now_ns - since_last_ns,
		.interval_ns = LIMIT_NS / 1000,
		.last = arrived,
	};
	struct xdp_progress progress = { .sent = 1000, .unique = arrived, .all = arrived, .flows = 10, .flows_seen = flows };

	bool is_over = xdp_residual_is_over(&residual, &progress);

	assert_int_equal(is_over, residual.ended_by != NULL);
	return residual.ended_by;
}

static void silence_ends_it_where_most_frames_have_come(void **state)
{
	(void)state;
	assert_string_equal(ending(LIMIT_NS / 4, LIMIT_NS / 4, 999, 10), "silence");
	assert_string_equal(ending(LIMIT_NS / 4, LIMIT_NS / 4, 500, 10), "silence");
	assert_null(ending(LIMIT_NS / 4, LIMIT_NS / 10, 999, 10));
	/* all are delayed by more than a fifth of it, or the greater part, or all of one flow */
	assert_null(ending(LIMIT_NS / 2, LIMIT_NS / 2, 0, 0));
	assert_null(ending(LIMIT_NS / 2, LIMIT_NS / 2, 499, 10));
	assert_null(ending(LIMIT_NS / 2, LIMIT_NS / 2, 900, 9));
	assert_string_equal(ending(LIMIT_NS, LIMIT_NS, 0, 0), "time");
	assert_string_equal(ending(LIMIT_NS, LIMIT_NS, 900, 9), "time");
	assert_string_equal(ending(LIMIT_NS, 0, 999, 10), "time");
}

/* Some of those missing may be as slow as the slowest was, and a bit slower; and where frames came too late before, they may
 * again. */
static void silence_is_longer_than_the_slowest_frame_took(void **state)
{
	uint64_t now_ns = clock_ns();
	struct xdp_progress progress = { .sent = 10, .unique = 9, .all = 9, .latency_max_ns = LIMIT_NS / 2 };
	struct sut_delay delay = { .is_known = true };
	struct xdp_residual residual = {
		.delay = &delay,
		.limit_ns = LIMIT_NS,
		.start_ns = now_ns - LIMIT_NS * 6 / 10,
		.quiet_since_ns = now_ns - LIMIT_NS * 6 / 10,
		.last = 9,
	};

	(void)state;
	assert_false(xdp_residual_is_over(&residual, &progress));
	progress.latency_max_ns = LIMIT_NS * 4 / 10;
	progress.late = 1;
	assert_false(xdp_residual_is_over(&residual, &progress));
	progress.late = 0;
	assert_true(xdp_residual_is_over(&residual, &progress));
	assert_string_equal(residual.ended_by, "silence");
}

/* Frames are further apart than a fifth of it: none could have come. */
static void silence_is_longer_than_the_time_between_frames(void **state)
{
	uint64_t now_ns = clock_ns();
	struct sut_delay delay = { .is_known = true };
	struct xdp_residual residual = {
		.delay = &delay,
		.limit_ns = LIMIT_NS,
		.start_ns = now_ns - LIMIT_NS / 2,
		.quiet_since_ns = now_ns - LIMIT_NS / 2,
		.interval_ns = LIMIT_NS / 5,
		.last = 9,
	};

	(void)state;
	assert_false(xdp_residual_is_over(&residual, &(struct xdp_progress){ .sent = 10, .unique = 9, .all = 9 }));
	residual.interval_ns = LIMIT_NS / 10;
	assert_true(xdp_residual_is_over(&residual, &(struct xdp_progress){ .sent = 10, .unique = 9, .all = 9 }));
}

/* It may hold some for as long as nobody has waited yet, and later for as long as the last one then took. */
static void silence_says_nothing_before_the_suts_delay_is_known(void **state)
{
	uint64_t now_ns = clock_ns();
	const struct xdp_progress progress = { .sent = 10, .unique = 9, .all = 9 };
	struct sut_delay delay = { .is_known = false };
	struct xdp_residual first = {
		.delay = &delay,
		.limit_ns = LIMIT_NS,
		.start_ns = now_ns - LIMIT_NS * 9 / 10,
		.quiet_since_ns = now_ns - LIMIT_NS * 6 / 10,
		.last = 9,
	};
	struct xdp_residual second = first, third = first;

	(void)state;
	assert_false(xdp_residual_is_over(&first, &progress));
	first.start_ns = now_ns - LIMIT_NS;
	assert_true(xdp_residual_is_over(&first, &progress));
	assert_string_equal(first.ended_by, "time");
	assert_int_equal(delay.longest_ns, LIMIT_NS * 4 / 10); /* after its begin the last one came */
	assert_true(xdp_residual_is_over(&second, &progress));
	assert_string_equal(second.ended_by, "silence");
	delay.longest_ns = LIMIT_NS / 2;
	assert_false(xdp_residual_is_over(&third, &progress));
}

/* A trial of which nothing came back was waited for in vain, but shows nothing of what the SUT does with frames. */
static void a_trial_without_a_frame_teaches_no_delay(void **state)
{
	struct sut_delay delay = { .is_known = false };
	struct xdp_residual residual = { .delay = &delay, .limit_ns = LIMIT_NS, .start_ns = clock_ns() - LIMIT_NS };
	struct xdp_progress progress = { .sent = 10 };

	(void)state;
	assert_true(xdp_residual_is_over(&residual, &progress));
	assert_false(delay.is_known);
	progress.unique = progress.all = residual.last = 1;
	assert_true(xdp_residual_is_over(&residual, &progress));
	assert_true(delay.is_known);
}

/* There may be copies of them. */
static void a_short_silence_ends_it_after_all_frames(void **state)
{
	(void)state;
	assert_string_equal(ending(LIMIT_NS / 50, LIMIT_NS / 90, 1000, 10), "all frames");
	assert_null(ending(LIMIT_NS / 50, LIMIT_NS / 200, 1000, 10));
	assert_null(ending(1, 1, 999, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silence_ends_it_where_most_frames_have_come),
		cmocka_unit_test(silence_is_longer_than_the_time_between_frames),
		cmocka_unit_test(silence_is_longer_than_the_slowest_frame_took),
		cmocka_unit_test(silence_says_nothing_before_the_suts_delay_is_known),
		cmocka_unit_test(a_trial_without_a_frame_teaches_no_delay),
		cmocka_unit_test(a_short_silence_ends_it_after_all_frames),
	};

	return cmocka_run_group_tests_name("residual", tests, NULL, NULL);
}
