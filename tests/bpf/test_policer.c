/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lab's policer: its throughput is exact, whatever the clock of the machine does. */
#include <arpa/inet.h>
#include <string.h>

#include "../test.h"
#include "bpf/shared.h"
#include "mlr/frame.h"
#include "mlr/pacer.h"
#include "run.h"

#include "lab.skel.h"

#define INTERVAL_NS 5000 /* 200 kfps */
#define BURST_NS    100000

static struct lab_bpf *lab;

static int setup(void **state)
{
	(void)state;
	lab = lab_bpf__open();
	if (!lab)
		return -1;
	lab->rodata->out_ifindex = 1;
	lab->rodata->policer.interval_q16_ns = (uint64_t)INTERVAL_NS << 16;
	lab->rodata->policer.burst_ns = BURST_NS;
	return lab_bpf__load(lab);
}

static int teardown(void **state)
{
	(void)state;
	lab_bpf__destroy(lab);
	return 0;
}

static int police(uint16_t trial, uint64_t departure_ns)
{
	const struct mlr_frame_spec spec = { .ip_version = 4, .size_octets = 64 };
	const struct mlr_flow flow = { .id = 0 };
	struct mlr_frame_template template;
	uint8_t frame[60];

	assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
	mlr_frame_write(&spec, &template, &flow, trial, 1, departure_ns, departure_ns, frame);
	return run_program(bpf_program__fd(lab->progs.police), frame, sizeof(frame));
}

/* How many of the frames of a trial the policer drops. */
static unsigned int drops(uint16_t trial, double load_fps, uint64_t count, uint64_t start_ns)
{
	struct mlr_pacer pacer;
	unsigned int dropped = 0;

	assert_int_equal(mlr_pacer_init(&pacer, load_fps, count, 0, 1), 0);
	for (uint64_t n = 0; n < count; n++) {
		int verdict = police(trial, start_ns + mlr_pacer_departure_ns(&pacer, n));

		assert_true(verdict == XDP_REDIRECT || verdict == XDP_DROP);
		dropped += verdict == XDP_DROP;
	}
	return dropped;
}

static void the_rate_is_exact(void **state)
{
	(void)state;
	/* the burst of 100 us lets 20 frames more through than the rate does */
	assert_int_equal(drops(1, 200000, 50000, 123456789), 0);
	assert_int_equal(drops(2, 202000, 50500, 123456789), 480);
	assert_int_equal(drops(3, 220000, 55000, 123456789), 4980);
	assert_int_equal(drops(4, 200000, 50000, 123456789), 0);
}

/* The departure in the tag wraps every 4.29 s; the schedule must go on as if nothing had happened. */
static void departures_wrap(void **state)
{
	(void)state;
	assert_int_equal(drops(1, 200000, 50000, 0xffffffff - 100000000ull), 0);
	assert_int_equal(drops(2, 202000, 50500, 0xffffffff - 100000000ull), 480);
}

static void a_new_trial_starts_afresh(void **state)
{
	(void)state;
	assert_int_equal(drops(1, 400000, 1000, 5000000000), 480);
	/* the next trial departs earlier in time, as the wrap may have it: still no frame of it is lost */
	assert_int_equal(drops(2, 200000, 1000, 1000000000), 0);
}

static void what_has_no_tag_is_never_dropped(void **state)
{
	uint8_t arp[60] = { [12] = 0x08, [13] = 0x06 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(run_program(bpf_program__fd(lab->progs.police), arp, sizeof(arp)), XDP_REDIRECT);
}

static void forwarding_forwards_everything(void **state)
{
	uint8_t zeros[60] = { 0 };

	(void)state;
	assert_int_equal(run_program(bpf_program__fd(lab->progs.forward), zeros, sizeof(zeros)), XDP_REDIRECT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_rate_is_exact),
		TEST(departures_wrap),
		TEST(a_new_trial_starts_afresh),
		TEST(what_has_no_tag_is_never_dropped),
		TEST(forwarding_forwards_everything),
	};

	return cmocka_run_group_tests_name("policer", tests, NULL, NULL);
}
