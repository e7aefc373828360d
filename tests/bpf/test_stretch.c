/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lab's stretch SUT: its loss ratio is PLRsearch's stretch function of the intended load, whatever the clock does. */
#include <arpa/inet.h>
#include <math.h>
#include <string.h>

#include "../test.h"
#include "bpf/shared.h"
#include "lab/sut.h"
#include "mlr/frame.h"
#include "mlr/pacer.h"
#include "mlr/plr.h"
#include "run.h"

#include "lab.skel.h"

#define CRITICAL_FPS 200000.0
#define SPREAD_FPS   2000.0
#define START_NS     123456789
#define SIGMAS       5

static struct lab_bpf *lab;

static struct lab_bpf *load_lab(double seed, unsigned int direction)
{
	const struct sut_spec sut = {
		.kind = SUT_STRETCH, .critical_fps = CRITICAL_FPS, .spread_fps = SPREAD_FPS, .seed = seed
	};
	struct lab_bpf *skeleton = lab_bpf__open();

	assert_non_null(skeleton);
	skeleton->rodata->out_ifindex = 1;
	sut_stretch_curve(&sut, direction, &skeleton->rodata->curve);
	assert_int_equal(lab_bpf__load(skeleton), 0);
	return skeleton;
}

static int setup(void **state)
{
	(void)state;
	lab = load_lab(1, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lab_bpf__destroy(lab);
	return 0;
}

/* Whether the frame is lost. */
static bool loses(uint16_t trial, uint64_t departure_ns)
{
	const struct mlr_frame_spec spec = { .ip_version = 4, .size_octets = 64 };
	const struct mlr_flow flow = { .id = 0 };
	struct mlr_frame_template template;
	uint8_t frame[60];
	int verdict;

	assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
	mlr_frame_write(&spec, &template, &flow, trial, 1, departure_ns, departure_ns, frame);
	verdict = run_program(bpf_program__fd(lab->progs.stretch), frame, sizeof(frame));
	assert_true(verdict == XDP_REDIRECT || verdict == XDP_DROP);
	return verdict == XDP_DROP;
}

/* How many of the frames of a trial are lost. */
static unsigned int lost(uint16_t trial, double load_fps, uint64_t count, uint64_t start_ns)
{
	struct mlr_pacer pacer;
	unsigned int sum = 0;

	assert_int_equal(mlr_pacer_init(&pacer, load_fps, count, 0, 1), 0);
	for (uint64_t n = 0; n < count; n++)
		sum += loses(trial, start_ns + mlr_pacer_departure_ns(&pacer, n));
	return sum;
}

static double expected_ratio(double load_fps)
{
	return exp(mlr_plr_log_loss_rate(MLR_PLR_STRETCH, load_fps, CRITICAL_FPS, SPREAD_FPS)) / load_fps;
}

static void assert_near_curve(uint16_t trial, double load_fps, uint64_t count, uint64_t start_ns)
{
	double ratio = expected_ratio(load_fps), mean = ratio * (double)count;
	double difference = lost(trial, load_fps, count, start_ns) - mean;

	if (fabs(difference) > SIGMAS * sqrt(mean * (1 - ratio)) + 1)
		fail_msg("%g frames/s: %g more lost than the %g foreseen", load_fps, difference, mean);
}

static void loss_follows_the_curve(void **state)
{
	static const double loads_fps[] = { 1e3,   100e3, 190e3, 195e3, 199e3,   200e3,  201e3,
					    205e3, 210e3, 250e3, 279e3, 281.5e3, 1.33e6, 14.88e6 };

	(void)state;
	for (size_t i = 0; i < sizeof(loads_fps) / sizeof(*loads_fps); i++)
		assert_near_curve((uint16_t)(i + 1), loads_fps[i], 20000, START_NS);
}

/* The table that the program interpolates in is fine enough: between two of its entries as well as at them. */
static void the_table_is_the_curve(void **state)
{
	const struct stretch_config *curve = &lab->rodata->curve;

	(void)state;
	for (int i = 0; i < STRETCH_STEPS; i++) {
		double load_fps = ((double)curve->low_mfps + ((double)i + 0.5) * (double)curve->step_mfps) / 1000;
		double middle = ((double)curve->loss_ratio_q64[i] / 2 + (double)curve->loss_ratio_q64[i + 1] / 2) * 0x1p-64;

		assert_true(fabs(middle - expected_ratio(load_fps)) < 1e-4 * expected_ratio(load_fps) + 1e-15);
	}
	/* where it ends, the straight line that follows is no other curve */
	for (double load_fps = 281e3; load_fps < 1e9; load_fps *= 1.1)
		assert_true(fabs(1 - CRITICAL_FPS / load_fps - expected_ratio(load_fps)) < 1e-6 * expected_ratio(load_fps));
}

/* Longer than what the measurement of the load remembers, over a wrap of the 32 bits of the departure. */
static void the_load_stays_right_in_a_long_trial(void **state)
{
	(void)state;
	assert_near_curve(1, 200e3, 1500000, 0xffffffff - 100000000ull);
}

static void a_new_trial_measures_its_load_afresh(void **state)
{
	(void)state;
	assert_in_range(lost(1, 400e3, 20000, 5000000000), 9000, 11000);
	assert_int_equal(lost(2, 100e3, 20000, 1000000000), 0);
	assert_in_range(lost(3, 400e3, 20000, 1000000000), 9000, 11000);
}

static void the_first_frame_of_a_trial_is_never_lost(void **state)
{
	(void)state;
	for (uint16_t trial = 1; trial < 1000; trial++)
		assert_false(loses(trial, START_NS));
}

/* Which of 4096 frames far above critical are lost, as bits. */
static void draw_pattern(double seed, unsigned int direction, uint8_t ret_pattern[512])
{
	lab_bpf__destroy(lab);
	lab = load_lab(seed, direction);
	memset(ret_pattern, 0, 512);
	for (unsigned int n = 0; n < 4096; n++)
		ret_pattern[n / 8] |= (uint8_t)(loses(1, START_NS + n * 2500ull) << n % 8);
}

static void the_seed_decides_which_frames(void **state)
{
	uint8_t first[512], again[512], other_seed[512], other_direction[512];

	(void)state;
	draw_pattern(7, 0, first);
	draw_pattern(7, 0, again);
	draw_pattern(8, 0, other_seed);
	draw_pattern(7, 1, other_direction);
	assert_memory_equal(first, again, sizeof(first));
	assert_memory_not_equal(first, other_seed, sizeof(first));
	assert_memory_not_equal(first, other_direction, sizeof(first));
}

static void what_has_no_tag_is_never_lost(void **state)
{
	uint8_t arp[60] = { [12] = 0x08, [13] = 0x06 };

	(void)state;
	lost(1, 10e6, 1000, START_NS);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(run_program(bpf_program__fd(lab->progs.stretch), arp, sizeof(arp)), XDP_REDIRECT);
}

/* Without the process that delays, frames are lost; they are not passed to the namespace's own stack. */
static void without_its_process_a_delay_loses(void **state)
{
	uint8_t zeros[60] = { 0 };

	(void)state;
	assert_int_equal(run_program(bpf_program__fd(lab->progs.hand_over), zeros, sizeof(zeros)), XDP_DROP);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(loss_follows_the_curve),
		TEST(the_table_is_the_curve),
		TEST(the_load_stays_right_in_a_long_trial),
		TEST(a_new_trial_measures_its_load_afresh),
		TEST(the_first_frame_of_a_trial_is_never_lost),
		TEST(the_seed_decides_which_frames),
		TEST(what_has_no_tag_is_never_lost),
		TEST(without_its_process_a_delay_loses),
	};

	return cmocka_run_group_tests_name("stretch", tests, NULL, NULL);
}
