/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mlr/pacer.h"

#define NS_PER_S 1000000000ull
#define DAY_S    86400ull

static void frames_are_due_on_the_absolute_schedule(void **state)
{
	struct mlr_pacer pacer;

	(void)state;
	assert_int_equal(mlr_pacer_init(&pacer, 100000.0, 300000, 0, 1), 0);
	assert_true(mlr_pacer_due(&pacer, 0));
	for (uint64_t n = 0; n < 300000; n++) {
		assert_int_equal(mlr_pacer_next_ns(&pacer), n * 10000);
		assert_int_equal(mlr_pacer_departure_ns(&pacer, n), n * 10000);
		assert_true(mlr_pacer_due(&pacer, n * 10000));
		assert_false(n && mlr_pacer_due(&pacer, n * 10000 - 1));
		mlr_pacer_take(&pacer);
	}
	assert_false(mlr_pacer_due(&pacer, UINT64_MAX / 2)); /* no frame beyond the count */
}

/* 150 Mfps for 24 hours: the last frame is where exact arithmetic puts it, and taking frames one by one agrees. */
static void a_day_at_150_mfps_neither_overflows_nor_drifts(void **state)
{
	uint64_t rate_fps = 150000000, count = rate_fps * DAY_S;
	struct mlr_pacer pacer;

	(void)state;
	assert_int_equal(mlr_pacer_init(&pacer, (double)rate_fps, count, 0, 1), 0);
	for (uint64_t n = 1; n < count; n += count / 1000 - 7) {
		/* floor(n * 1e9 / 150e6) = floor(n * 20 / 3), exact in integers; one ns below at an exact multiple is
		 * rounding */
		uint64_t exact_ns = (uint64_t)((unsigned __int128)n * 20 / 3), ns = mlr_pacer_departure_ns(&pacer, n);

		assert_in_range(exact_ns - ns, 0, 1);
	}
	assert_in_range(DAY_S * NS_PER_S - mlr_pacer_departure_ns(&pacer, count), 0, 1);
	for (uint64_t n = 0; n < 3000000; n++)
		mlr_pacer_take(&pacer);
	assert_int_equal(mlr_pacer_next_ns(&pacer), mlr_pacer_departure_ns(&pacer, 3000000));
}

static void any_load_keeps_its_count(void **state)
{
	static const double loads_fps[] = { 0.5, 3.0, 9001.0, 14880952.38, 199999.999, 1e6 / 3.0, 148809523.8 };

	(void)state;
	for (size_t i = 0; i < sizeof(loads_fps) / sizeof(*loads_fps); i++) {
		uint64_t count = (uint64_t)llround(loads_fps[i] * 3600.0);
		struct mlr_pacer pacer;

		assert_int_equal(mlr_pacer_init(&pacer, loads_fps[i], count, 0, 1), 0);
		/* the last frame leaves an interval before the end, half an interval either way by the rounding of the
		 * count */
		assert_true(fabs((double)mlr_pacer_departure_ns(&pacer, count - 1) + 1e9 / loads_fps[i] - 3600e9) <=
			    0.5e9 / loads_fps[i] + 1.0);
	}
}

/* Transmitters that share a schedule send, together, exactly its frames, each at its time. */
static void shares_make_up_the_schedule(void **state)
{
	static const double loads_fps[] = { 3.0, 199999.999, 1e6 / 3.0, 14880952.38 };

	(void)state;
	for (size_t i = 0; i < sizeof(loads_fps) / sizeof(*loads_fps); i++) {
		for (uint32_t step = 1; step <= 7; step++) {
			struct mlr_pacer whole, share[7];
			uint64_t count = 1000 + i, total = 0;

			assert_int_equal(mlr_pacer_init(&whole, loads_fps[i], count, 0, 1), 0);
			for (uint32_t first = 0; first < step; first++) {
				assert_int_equal(mlr_pacer_init(&share[first], loads_fps[i], count, first, step), 0);
				total += share[first].count;
			}
			assert_int_equal(total, count);
			for (uint64_t n = 0; n < count; n++) {
				struct mlr_pacer *one = &share[n % step];

				assert_int_equal(mlr_pacer_next_ns(one), mlr_pacer_departure_ns(&whole, n));
				assert_int_equal(mlr_pacer_departure_ns(one, n / step), mlr_pacer_departure_ns(&whole, n));
				mlr_pacer_take(one);
			}
			for (uint32_t first = 0; first < step; first++)
				assert_false(mlr_pacer_due(&share[first], UINT64_MAX / 2));
		}
	}
}

static void a_share_of_few_frames_may_be_empty(void **state)
{
	struct mlr_pacer pacer;

	(void)state;
	assert_int_equal(mlr_pacer_init(&pacer, 1000.0, 2, 2, 4), 0);
	assert_int_equal(pacer.count, 0);
	assert_int_equal(mlr_pacer_init(&pacer, 1000.0, 2, 1, 4), 0);
	assert_int_equal(pacer.count, 1);
}

static void what_has_no_schedule_is_refused(void **state)
{
	struct mlr_pacer pacer = { .count = 7 };

	(void)state;
	assert_int_not_equal(mlr_pacer_init(&pacer, 0.0, 1, 0, 1), 0);
	assert_int_not_equal(mlr_pacer_init(&pacer, -1.0, 1, 0, 1), 0);
	assert_int_not_equal(mlr_pacer_init(&pacer, NAN, 1, 0, 1), 0);
	assert_int_not_equal(mlr_pacer_init(&pacer, INFINITY, 1, 0, 1), 0);
	assert_int_not_equal(mlr_pacer_init(&pacer, 1e300, 1, 0, 1), 0);
	assert_int_not_equal(mlr_pacer_init(&pacer, 1e-3, UINT64_MAX, 0, 1), 0);
	assert_int_not_equal(mlr_pacer_init(&pacer, 1000.0, 1, 0, 0), 0);
	assert_int_not_equal(mlr_pacer_init(&pacer, 1e-9, 1, 0, 5), 0);
	assert_int_equal(mlr_pacer_init(&pacer, 1e-9, 1, 3, 2), -EINVAL);
	assert_int_equal(mlr_pacer_init(&pacer, NS_PER_S * 0x1p21, 1, 0, 1), -EINVAL);
	assert_int_equal(pacer.count, 7); /* untouched on failure */
	/* the longest schedule, and the shortest interval */
	assert_int_equal(mlr_pacer_init(&pacer, 1e-9, 1, 0, 4), 0);
	assert_int_equal(mlr_pacer_init(&pacer, NS_PER_S / 0x1p62, 1, 0, 1), 0);
	assert_int_equal(mlr_pacer_init(&pacer, NS_PER_S * 0x1p20, 1, 0, 1), 0);
}

/* The frames that depart before a time, counted one by one: each is as late as the last move at or before it says. */
static uint64_t count_due(const struct mlr_pacer *pacer, const struct mlr_moves *moves, uint64_t elapsed_ns)
{
	uint64_t due = 0;

	for (uint64_t frame = 0, move = 0, moved_ns = 0; frame < pacer->count; frame++) {
		while (move < moves->count && moves->at[move].frame <= frame)
			moved_ns = moves->at[move++].moved_ns;
		due += mlr_pacer_departure_ns(pacer, frame) + moved_ns < elapsed_ns;
	}
	return due;
}

static void assert_due(const struct mlr_pacer *pacer, const struct mlr_moves *moves)
{
	for (uint64_t elapsed_ns = 0; elapsed_ns < 7000; elapsed_ns++)
		assert_int_equal(mlr_pacer_due_before(pacer, moves, elapsed_ns), count_due(pacer, moves, elapsed_ns));
}

/* One move after the other, of the first frame, of neighbours, and of the last one. */
static void what_is_due_follows_each_move(void **state)
{
	static const struct mlr_move moves[] = { { 0, 70 }, { 5, 1000 }, { 6, 1001 }, { 7, 1500 }, { 16, 1950 }, { 19, 2100 } };
	struct mlr_moves kept = { 0 };
	struct mlr_pacer pacer;

	(void)state;
	assert_int_equal(mlr_pacer_init(&pacer, 1e7, 41, 1, 2), 0);
	assert_int_equal(pacer.count, 20);
	assert_int_equal(mlr_pacer_due_before(&pacer, NULL, 100), 0);
	assert_int_equal(mlr_pacer_due_before(&pacer, NULL, 101), 1);
	assert_int_equal(mlr_pacer_due_before(&pacer, NULL, 3901), 20);
	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++) {
		assert_due(&pacer, &kept);
		mlr_moves_add(&kept, moves[i].frame, moves[i].moved_ns);
		assert_int_equal(kept.count, i + 1);
	}
	assert_due(&pacer, &kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_due_on_the_absolute_schedule),
		cmocka_unit_test(a_day_at_150_mfps_neither_overflows_nor_drifts),
		cmocka_unit_test(any_load_keeps_its_count),
		cmocka_unit_test(shares_make_up_the_schedule),
		cmocka_unit_test(a_share_of_few_frames_may_be_empty),
		cmocka_unit_test(what_has_no_schedule_is_refused),
		cmocka_unit_test(what_is_due_follows_each_move),
	};

	return cmocka_run_group_tests_name("pacer", tests, NULL, NULL);
}
