/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lies below the critical load, of trials whose loss ratios are given: crossings, and the loads of scans. */
#include "unit.h"

#include "plrsearch/plr_private.h"

#define MIN_LOAD_FPS 1000.0
#define MAX_LOAD_FPS 10e6
#define TARGET       1e-6
#define TRIALS       60
#define FRAMES       1e7

static const struct mlr_plr_parameters parameters = {
	.min_load_fps = MIN_LOAD_FPS,
	.max_load_fps = MAX_LOAD_FPS,
	.target_loss_ratio = TARGET,
	.scan_every = MLR_PLR_SCAN_EVERY,
};

static struct mlr_plr_step steps[TRIALS];

/* A SUT's loss ratio at a load. */
typedef double curve(double load_fps);

/* Trials up to 1 Mfps, in an order that is not that of their loads; of each as many frames lost as the curve says. */
static void measure(curve *loss_ratio)
{
	for (size_t i = 0; i < TRIALS; i++) {
		double load_fps = (double)(1 + i * 37 % TRIALS) / TRIALS * 1e6;

		steps[i] = (struct mlr_plr_step){
			.input = { .load_fps = load_fps, .duration_s = 10 },
			.counts = { .offered_frames = FRAMES, .lost_frames = round(FRAMES * loss_ratio(load_fps)) },
		};
	}
}

static struct mlr_plr_crossings crossings_of(curve *loss_ratio)
{
	measure(loss_ratio);
	return plr_scan_crossings(&parameters, steps, TRIALS, 1e6);
}

static double none_lost(double load_fps)
{
	(void)load_fps;
	return 0;
}

static double above_capacity(double load_fps)
{
	return load_fps > 0.9e6 ? 0.1 : 0;
}

static double always(double load_fps)
{
	return load_fps > 0.5e6 ? 1e-3 : 2e-4;
}

static double everywhere_alike(double load_fps)
{
	(void)load_fps;
	return 2e-4;
}

static double livelock(double load_fps)
{
	return load_fps > 0.3e6 && load_fps < 0.5e6 ? 0.01 : 0;
}

static double livelock_from_the_start(double load_fps)
{
	return load_fps < 0.5e6 ? 0.01 : 0;
}

/* Now and then a trial loses frames that no other one near it does. */
static double bursts(double load_fps)
{
	return (int)round(load_fps / 1e6 * TRIALS) % 25 == 0 ? 0.01 : 0;
}

static double about_the_target(double load_fps)
{
	(void)load_fps;
	return TARGET;
}

static void one_crossing_is_nothing_to_tell(void **state)
{
	curve *const curves[] = { none_lost, above_capacity, bursts };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(curves); i++) {
		struct mlr_plr_crossings crossings = crossings_of(curves[i]);

		assert_int_equal(crossings.kind, MLR_PLR_CROSSES_ONCE);
		assert_true(isnan(crossings.least_loss_ratio) && isnan(crossings.least_load_fps));
		assert_true(isnan(crossings.lowest_above_fps) && isnan(crossings.lowest_below_fps));
		assert_true(isnan(crossings.again_fps));
		/* trials were made at every sixtieth of 1 Mfps; from Min Load to the first of them is less */
		assert_close(crossings.untried_to_fps - crossings.untried_from_fps, 1e6 / TRIALS, 1e-3);
	}
}

static void the_widest_range_without_a_trial_is_told(void **state)
{
	struct mlr_plr_crossings crossings;

	(void)state;
	measure(none_lost);
	for (size_t i = 0; i < TRIALS; i++)
		if (steps[i].input.load_fps > 0.4e6 && steps[i].input.load_fps < 0.45e6)
			steps[i].input.load_fps = 0.4e6;
	crossings = plr_scan_crossings(&parameters, steps, TRIALS, 1e6);
	assert_close(crossings.untried_from_fps, 0.4e6, 1e-3);
	assert_close(crossings.untried_to_fps, 0.45e6, 1e-3);
	/* the last range ends at the critical load, the first one begins at Min Load */
	crossings = plr_scan_crossings(&parameters, steps, TRIALS, 1.5e6);
	assert_close(crossings.untried_from_fps, 1e6, 1e-3);
	assert_close(crossings.untried_to_fps, 1.5e6, 1e-3);
	crossings = plr_scan_crossings(&parameters, steps, 0, 0.7e6);
	assert_close(crossings.untried_from_fps, MIN_LOAD_FPS, 1e-9);
	assert_close(crossings.untried_to_fps, 0.7e6, 1e-3);
	/* however narrow it is */
	assert_close(plr_scan_crossings(&parameters, steps, 0, MIN_LOAD_FPS + 0.5).untried_to_fps, MIN_LOAD_FPS + 0.5, 1e-9);
}

/* As many frames lost as the target at every load may be a little less or a little more than the target. */
static void losses_about_the_target_do_not_tell_whether_it_is_met(void **state)
{
	struct mlr_plr_crossings crossings;

	(void)state;
	crossings = crossings_of(about_the_target);
	assert_int_equal(crossings.kind, MLR_PLR_CROSSES_UNTOLD);
	assert_close(crossings.least_loss_ratio, TARGET, 1e-12);
	assert_close(crossings.least_lost_frames, 54 * FRAMES * TARGET, 1e-9); /* up to 0.9 Mfps are 54 trials */
	assert_close(crossings.least_offered_frames, 54 * FRAMES, 1e-9);
	assert_true(crossings.least_load_fps > 0.4e6 && crossings.least_load_fps < 0.5e6);
	/* a trial that is not among these says nothing */
	steps[TRIALS - 1] = (struct mlr_plr_step){ .input = { .load_fps = 1 }, .counts = { 1e12, 0 } };
	assert_int_equal(plr_scan_crossings(&parameters, steps, TRIALS - 1, 1e6).kind, MLR_PLR_CROSSES_UNTOLD);
	measure(about_the_target);
	/* half of it is surely less */
	for (size_t i = 0; i < TRIALS; i++)
		steps[i].counts.lost_frames = FRAMES * TARGET / 2;
	assert_int_equal(plr_scan_crossings(&parameters, steps, TRIALS, 1e6).kind, MLR_PLR_CROSSES_ONCE);
	/* four frames are no more than one mishap */
	for (size_t i = 0; i < TRIALS; i++)
		steps[i].counts = (struct mlr_plr_counts){ 1e5, i < 4 };
	assert_int_equal(plr_scan_crossings(&parameters, steps, TRIALS, 1e6).kind, MLR_PLR_CROSSES_ONCE);
	steps[4].counts.lost_frames = 1;
	assert_int_equal(plr_scan_crossings(&parameters, steps, TRIALS, 1e6).kind, MLR_PLR_CROSSES_UNTOLD);
}

static void losses_at_every_load_never_meet_the_target(void **state)
{
	struct mlr_plr_crossings crossings = crossings_of(always);

	(void)state;
	assert_int_equal(crossings.kind, MLR_PLR_NEVER_BELOW);
	assert_close(crossings.least_loss_ratio, 2e-4, 1e-12);
	assert_true(crossings.least_load_fps > 0 && crossings.least_load_fps < 0.5e6);
	assert_close(crossings.least_lost_frames / crossings.least_offered_frames, 2e-4, 1e-12);
	assert_true(fmod(crossings.least_offered_frames, FRAMES) == 0 && crossings.least_offered_frames < FRAMES * TRIALS);
	assert_true(isnan(crossings.again_fps));
	/* of bands that lose as many, the lowest is told */
	crossings = crossings_of(everywhere_alike);
	assert_int_equal(crossings.kind, MLR_PLR_NEVER_BELOW);
	assert_true(crossings.least_load_fps < 1e6 / 8);
}

/* --- a floor near the target --- */

static uint64_t poisson(uint64_t *random, double mean)
{
	double product = exp(-mean), sum = product, draw = random_unit(random);
	uint64_t lost = 0;

	while (draw > sum && lost < 1000) {
		product *= mean / (double)++lost;
		sum += product;
	}
	return lost;
}

/* Of so many soaks, count those that say that no load meets the target. Each trial loses as many frames on average as the curve
 * says, in bursts of so many. */
static unsigned int say_never(curve *mean_lost, unsigned int burst, unsigned int soaks)
{
	unsigned int never = 0;

	for (uint64_t seed = 1; seed <= soaks; seed++) {
		uint64_t random = seed;

		measure(none_lost);
		for (size_t i = 0; i < TRIALS; i++) {
			double mean = mean_lost(steps[i].input.load_fps);

			/* the target lets 1 frame be lost */
			steps[i].counts.offered_frames = 1 / TARGET;
			steps[i].counts.lost_frames = (double)(burst * poisson(&random, mean / burst));
		}
		never += plr_scan_crossings(&parameters, steps, TRIALS, 1e6).kind == MLR_PLR_NEVER_BELOW;
	}
	return never;
}

static double one_frame(double load_fps)
{
	(void)load_fps;
	return 1;
}

static double two_frames(double load_fps)
{
	(void)load_fps;
	return 2;
}

static double one_frame_below_the_middle(double load_fps)
{
	return load_fps < 0.51e6 ? 1 : 3;
}

static double one_frame_above_the_middle(double load_fps)
{
	return load_fps < 0.45e6 ? 3 : 1;
}

/* Far below are 54 trials. If each loses 2 frames on average where the target is one, that is 6.3 standard deviations; no eighth
 * of them tells it. */
static void a_floor_of_twice_the_target_never_meets_it(void **state)
{
	struct mlr_plr_crossings crossings;

	(void)state;
	assert_true(say_never(two_frames, 1, 1000) > 850);
	measure(none_lost);
	for (size_t i = 0; i < TRIALS; i++)
		steps[i].counts = (struct mlr_plr_counts){ 1 / TARGET, steps[i].input.load_fps < 0.45e6 ? 2 : 2.5 };
	crossings = plr_scan_crossings(&parameters, steps, TRIALS, 1e6);
	assert_int_equal(crossings.kind, MLR_PLR_NEVER_BELOW);
	assert_close(crossings.least_loss_ratio, 2 * TARGET, 0.1 * TARGET);
	assert_true(crossings.least_load_fps < 0.45e6 && crossings.least_offered_frames > 26 / TARGET);
}

static void it_is_seldom_said_that_no_load_meets_the_target_though_some_do(void **state)
{
	(void)state;
	/* by one band of eight, too, in 30 000 soaks each */
	assert_true(say_never(one_frame, 1, 2000) <= 2);
	assert_true(say_never(one_frame_below_the_middle, 1, 2000) <= 30);
	assert_true(say_never(one_frame_above_the_middle, 1, 2000) <= 30);
	assert_true(say_never(one_frame, 3, 2000) <= 20);
}

/* Few frames tell nothing of a small target: what may be chance is not said. */
static void few_frames_tell_of_no_crossing(void **state)
{
	(void)state;
	measure(none_lost);
	for (size_t i = 0; i < TRIALS; i++)
		steps[i].counts = (struct mlr_plr_counts){ 1e4, i == 7 };
	assert_int_equal(plr_scan_crossings(&parameters, steps, TRIALS, 1e6).kind, MLR_PLR_CROSSES_ONCE);
}

static void the_lowest_of_several_crossings_is_told(void **state)
{
	struct mlr_plr_crossings crossings = crossings_of(livelock);

	(void)state;
	assert_int_equal(crossings.kind, MLR_PLR_CROSSES_SEVERAL);
	assert_close(crossings.lowest_above_fps, 18e6 / TRIALS, 1e-3);
	assert_close(crossings.lowest_below_fps, 19e6 / TRIALS, 1e-3);
	assert_true(crossings.again_fps >= 0.5e6 && crossings.again_fps < 1e6);
	assert_true(isnan(crossings.least_loss_ratio));
	/* below the lowest one is nothing that meets the target */
	crossings = crossings_of(livelock_from_the_start);
	assert_int_equal(crossings.kind, MLR_PLR_CROSSES_SEVERAL);
	assert_true(isnan(crossings.lowest_above_fps));
	assert_close(crossings.lowest_below_fps, 1e6 / TRIALS, 1e-3);
}

/* Random curves with one place that misses the target: the crossing lies next to where that begins, in any order of trials. */
static void crossings_do_not_depend_on_the_order_of_trials(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		uint64_t random = seed;
		size_t from = random_below(&random, 30), to = from + 8 + random_below(&random, 10);
		struct mlr_plr_crossings crossings;

		measure(none_lost);
		for (size_t i = 0; i < TRIALS; i++)
			if (i >= from && i < to)
				steps[i].counts.lost_frames = 1e3 + (double)random_below(&random, 100000);
		for (size_t i = 0; i < TRIALS; i++)
			steps[i].input.load_fps = (double)(i + 1) / TRIALS * 1e6;
		for (size_t i = TRIALS - 1; i; i--) {
			size_t other = random_below(&random, i + 1);
			struct mlr_plr_step step = steps[i];

			steps[i] = steps[other];
			steps[other] = step;
		}
		crossings = plr_scan_crossings(&parameters, steps, TRIALS, 1e6);
		assert_int_equal(crossings.kind, MLR_PLR_CROSSES_SEVERAL);
		assert_close(crossings.lowest_below_fps, (double)(from + 1) / TRIALS * 1e6, 1e-3);
		if (from)
			assert_close(crossings.lowest_above_fps, (double)from / TRIALS * 1e6, 1e-3);
		assert_true(from || isnan(crossings.lowest_above_fps));
		assert_true(crossings.again_fps > (double)to / TRIALS * 1e6);
	}
}

static void only_what_lies_below_is_looked_at(void **state)
{
	(void)state;
	measure(livelock);
	assert_int_equal(plr_scan_crossings(&parameters, steps, TRIALS, 0.25e6).kind, MLR_PLR_CROSSES_ONCE);
	assert_int_equal(plr_scan_crossings(&parameters, steps, TRIALS, MIN_LOAD_FPS).kind, MLR_PLR_CROSSES_ONCE);
	assert_int_equal(plr_scan_crossings(&parameters, steps, 0, 1e6).kind, MLR_PLR_CROSSES_ONCE);
}

/* Scans halve the widest gap, so that in time none is left; other trials are no scans. */
static void scans_close_the_widest_gap(void **state)
{
	double widest_fps = 0, last_fps = MIN_LOAD_FPS;

	(void)state;
	measure(none_lost);
	assert_close(plr_scan_load(&parameters, steps, TRIALS, 0.9e6), (MIN_LOAD_FPS + 0.9e6) / 2, 1e-6);
	for (size_t i = 0; i < 31; i++) {
		double load_fps = plr_scan_load(&parameters, steps, i, 0.9e6);

		assert_true(load_fps > MIN_LOAD_FPS && load_fps < 0.9e6);
		steps[i] = (struct mlr_plr_step){ .input = { .load_fps = load_fps }, .counts = { FRAMES, 0 }, .scan = true };
	}
	for (size_t i = 0; i < 31; i++) {
		double next_fps = 0.9e6;

		for (size_t j = 0; j < 31; j++)
			if (steps[j].input.load_fps > last_fps)
				next_fps = fmin(next_fps, steps[j].input.load_fps);
		widest_fps = fmax(widest_fps, next_fps - last_fps);
		last_fps = next_fps;
	}
	assert_close(widest_fps, (0.9e6 - MIN_LOAD_FPS) / 32, 1);
	/* where nothing lies below */
	assert_true(plr_scan_load(&parameters, steps, 0, MIN_LOAD_FPS) == MIN_LOAD_FPS);
}

static struct mlr_plr_step scan(double load_fps, double lost_frames)
{
	return (struct mlr_plr_step){ .input = { .load_fps = load_fps }, .counts = { FRAMES, lost_frames }, .scan = true };
}

/* A scan near the critical load may lose as much as the target, by chance or rightly. */
static void scans_end_where_the_curve_may_lose_as_much_as_the_target(void **state)
{
	struct mlr_plr_step far = scan(0.9e6, FRAMES * TARGET * 1.5), near = scan(0.95e6, FRAMES * TARGET * 1.5);

	(void)state;
	assert_close(plr_scan_end(&parameters, 1e6, 0), 0.99e6, 1e-6);
	assert_close(plr_scan_end(&parameters, 1e6, 0.005e6), 0.96e6, 1e-6);
	assert_close(plr_scan_end(&parameters, 1e6, 0.2e6), 0.9e6, 1e-6);
	assert_close(plr_scan_end(&parameters, MIN_LOAD_FPS, 0), MIN_LOAD_FPS, 1e-9);
	assert_true(plr_scan_missed(&parameters, &far, 1e6));
	assert_false(plr_scan_missed(&parameters, &near, 1e6));
	near.counts.lost_frames = FRAMES * TARGET * 10;
	assert_true(plr_scan_missed(&parameters, &near, 1e6));
	/* ten frames, where a tenth of one is as many as the target */
	near.counts = (struct mlr_plr_counts){ FRAMES / 100, 10 };
	assert_true(plr_scan_missed(&parameters, &near, 1e6));
	far.counts.lost_frames = FRAMES * TARGET;
	assert_false(plr_scan_missed(&parameters, &far, 1e6));
}

/* One scan in a narrow range that loses frames is repeated there until that is sure, or until one loses none. */
static void a_scan_that_misses_is_repeated(void **state)
{
	const double narrow_fps = 0.6e6, end_fps = 0.99e6;
	size_t count = 0;

	(void)state;
	steps[count++] = scan(0.5e6, 0);
	steps[count++] = scan(0.7e6, 1e4);
	steps[count++] = scan(narrow_fps, 1e4);
	while (count < 8) {
		assert_close(plr_scan_load(&parameters, steps, count, end_fps), narrow_fps, 1e-6);
		steps[count++] = scan(narrow_fps, 1e4);
	}
	assert_close(plr_scan_load(&parameters, steps, count, end_fps), (0.5e6 + MIN_LOAD_FPS) / 2, 1e-6);
	steps[count - 1].counts.lost_frames = 0; /* a burst, so the next larger load is to be confirmed */
	assert_close(plr_scan_load(&parameters, steps, count, end_fps), 0.7e6, 1e-6);
	assert_close(plr_scan_load(&parameters, steps, count, 0.65e6), (0.5e6 + MIN_LOAD_FPS) / 2, 1e-6);
	/* trials of the estimate are not repeated, nor is one with as many losses as may be chance */
	steps[1].scan = false;
	assert_close(plr_scan_load(&parameters, steps, count, end_fps), (0.5e6 + MIN_LOAD_FPS) / 2, 1e-6);
	steps[1] = scan(0.7e6, 2 * FRAMES * TARGET);
	assert_close(plr_scan_load(&parameters, steps, count, end_fps), (0.5e6 + MIN_LOAD_FPS) / 2, 1e-6);
}

/* What is lost far below is lost everywhere, so only a load that surely misses the target bounds the estimate from above. */
static void losses_far_below_make_the_estimate_unsure(void **state)
{
	(void)state;
	measure(none_lost);
	for (size_t i = 0; i < TRIALS; i++)
		if (steps[i].input.load_fps > 0.85e6)
			steps[i].counts.lost_frames = 1e4;
	assert_true(plr_scan_unsure(&parameters, steps, TRIALS, 0.8e6) == 0);
	for (size_t i = 0; i < TRIALS; i++)
		if (steps[i].input.load_fps <= 0.85e6)
			steps[i].counts.lost_frames = FRAMES * TARGET / 2;
	assert_close(plr_scan_unsure(&parameters, steps, TRIALS, 0.8e6), 0.5 * (52e6 / TRIALS - 0.8e6), 1e-3);
	/* as many as the target, and never a load that misses it: up to the largest one that was tried */
	measure(about_the_target);
	assert_close(plr_scan_unsure(&parameters, steps, TRIALS, 0.8e6), 0.2e6, 1e-3);
	assert_true(plr_scan_unsure(&parameters, steps, TRIALS, 1e6) == 0);
	/* where they are surely more, there is no critical load */
	measure(always);
	assert_true(plr_scan_unsure(&parameters, steps, TRIALS, 0.8e6) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_crossing_is_nothing_to_tell),
		cmocka_unit_test(the_widest_range_without_a_trial_is_told),
		cmocka_unit_test(losses_about_the_target_do_not_tell_whether_it_is_met),
		cmocka_unit_test(losses_at_every_load_never_meet_the_target),
		cmocka_unit_test(a_floor_of_twice_the_target_never_meets_it),
		cmocka_unit_test(it_is_seldom_said_that_no_load_meets_the_target_though_some_do),
		cmocka_unit_test(few_frames_tell_of_no_crossing),
		cmocka_unit_test(the_lowest_of_several_crossings_is_told),
		cmocka_unit_test(crossings_do_not_depend_on_the_order_of_trials),
		cmocka_unit_test(only_what_lies_below_is_looked_at),
		cmocka_unit_test(scans_close_the_widest_gap),
		cmocka_unit_test(scans_end_where_the_curve_may_lose_as_much_as_the_target),
		cmocka_unit_test(a_scan_that_misses_is_repeated),
		cmocka_unit_test(losses_far_below_make_the_estimate_unsure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
