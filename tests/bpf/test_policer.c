/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lab's policer: its throughput is exact, whatever the clock of the machine does. By the wall clock it is a device with a
 * queue. */
#include <arpa/inet.h>
#include <string.h>
#include <time.h>

#include "../test.h"
#include "bpf/shared.h"
#include "lab/sut.h"
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
	lab->rodata->policer.burst_q16_ns = (uint64_t)BURST_NS << 16;
	return lab_bpf__load(lab);
}

static int teardown(void **state)
{
	(void)state;
	lab_bpf__destroy(lab);
	return 0;
}

static const struct mlr_vlan *vlan; /* of all frames; NULL: none */

static int police(uint16_t trial, uint64_t departure_ns)
{
	const struct mlr_frame_spec spec = {
		.ip_version = 4,
		.size_octets = vlan ? 68 : 64,
		.vlan_count = vlan ? 1 : 0,
		.vlans = { vlan ? *vlan : (struct mlr_vlan){ 0 } },
	};
	const struct mlr_flow flow = { .id = 0 };
	struct mlr_frame_template template;
	uint8_t frame[64];

	assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
	mlr_frame_write(&spec, &template, &flow, trial, 1, departure_ns, departure_ns, frame);
	return run_program(bpf_program__fd(lab->progs.police), frame, template.memory_octets);
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

static void load_again(const struct policer_config *config)
{
	lab_bpf__destroy(lab);
	lab = lab_bpf__open();
	assert_non_null(lab);
	lab->rodata->out_ifindex = 1;
	lab->rodata->policer = *config;
	assert_int_equal(lab_bpf__load(lab), 0);
}

/* Load again what is about frames of such a tag. */
static void about(uint32_t control, uint32_t mask)
{
	load_again(&(struct policer_config){ (uint64_t)INTERVAL_NS << 16, (uint64_t)BURST_NS << 16, control, mask, 0, 0 });
}

/* Load again what --sut says so. */
static void lab_up(const char *sut)
{
	struct policer_config config;
	struct sut_spec spec;

	assert_int_equal(sut_parse(sut, &spec), EXIT_DONE);
	sut_policer(&spec, &config);
	load_again(&config);
}

static void assert_counts(uint64_t passed, uint64_t dropped, uint64_t queue_max_frames)
{
	struct policer_counts counts;

	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(lab->maps.policer_counts), &(uint32_t){ 0 }, &counts), 0);
	assert_int_equal(counts.passed, passed);
	assert_int_equal(counts.dropped, dropped);
	assert_int_equal(counts.queue_max_frames, queue_max_frames);
}

/* How many of so many frames of one intended departure pass. */
static unsigned int passes(uint16_t trial, unsigned int count, uint64_t departure_ns)
{
	unsigned int passed = 0;

	for (unsigned int i = 0; i < count; i++)
		passed += police(trial, departure_ns) == XDP_REDIRECT;
	return passed;
}
static void it_may_be_about_one_vlan_and_priority(void **state)
{
	static const struct mlr_vlan tagged = { 0x8100, 5 << 13 | 100 }, other = { 0x8100, 5 << 13 | 101 },
				     lower = { 0x88a8, 4 << 13 | 100 };
	static const struct {
		uint32_t control, mask;
		unsigned int of_tagged, of_other, of_lower;
	} cases[] = {
		{ 100, 0xfff, 480, 0, 480 },
		{ 5 << 13, 7 << 13, 480, 480, 0 },
		{ 5 << 13 | 100, 7 << 13 | 0xfff, 480, 0, 0 },
	};

	(void)state;
	for (uint16_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		about(cases[i].control, cases[i].mask);
		vlan = &tagged;
		assert_int_equal(drops(1, 202000, 50500, 123456789), cases[i].of_tagged);
		vlan = &other;
		assert_int_equal(drops(2, 202000, 50500, 123456789), cases[i].of_other);
		vlan = &lower;
		assert_int_equal(drops(3, 202000, 50500, 123456789), cases[i].of_lower);
		vlan = NULL;
		assert_int_equal(drops(4, 202000, 50500, 123456789), 0);
	}
}

/* At one moment depth + 1 frames pass: one is served, and depth wait behind it. */
static void a_depth_is_how_many_frames_wait(void **state)
{
	(void)state;
	lab_up("policer:rate=105kfps,depth=64");
	assert_int_equal(passes(1, 200, 1000000), 65);
	assert_counts(65, 135, 64);
	/* the first one is served until 9 523.8 ns later; then the next one is, and one more may wait */
	assert_int_equal(passes(1, 2, 1000000 + 9523), 0);
	assert_int_equal(passes(1, 2, 1000000 + 9524), 1);
	assert_int_equal(passes(1, 100, 1000000 + 65 * 9524), 64);
	assert_counts(130, 174, 64);
	/* a new trial finds it empty */
	assert_int_equal(passes(2, 200, 1000000), 65);
	assert_counts(195, 309, 64);
	lab_up("policer:rate=105kfps,depth=0");
	assert_int_equal(passes(1, 10, 1000000), 1);
	assert_counts(1, 9, 0);
}

static void a_queue_that_never_fills_shows_its_deepest(void **state)
{
	(void)state;
	lab_up("policer:rate=200kfps,depth=64");
	assert_int_equal(passes(1, 30, 1000000), 30);
	assert_int_equal(passes(1, 10, 2000000), 10);
	assert_counts(40, 0, 29);
	/* a burst in which frames half wait: one is served, and the rest of the burst is shorter than a frame */
	lab_up("policer:rate=1000,burst=100us");
	assert_int_equal(passes(1, 2, 1000000), 1);
	assert_int_equal(passes(1, 2, 1900000), 1);
	assert_counts(2, 2, 1);
}

/* At this rate no frame is served while the test runs, however long that takes: so all frames come at one moment. */
static void by_the_wall_clock_the_same_number_passes(void **state)
{
	unsigned int passed = 0;

	(void)state;
	lab_up("policer:rate=0.001,clock=wall,depth=3");
	/* departures far apart, and trials of other numbers, change nothing: a device knows neither */
	for (uint16_t i = 0; i < 200; i++)
		passed += passes(i, 1, (uint64_t)i * 1000000000);
	assert_int_equal(passed, 4);
	assert_counts(4, 196, 3);
	lab_up("policer:rate=0.001,clock=wall,depth=0");
	assert_int_equal(passes(1, 10, 1000000), 1);
	assert_counts(1, 9, 0);
	lab_up("policer:rate=0.001,clock=wall,burst=1");
	assert_int_equal(passes(1, 10, 1000000), 1);
}

/* Frames of one intended departure, each after the one before was served. */
static void by_the_wall_clock_frames_are_served_as_time_passes(void **state)
{
	const struct timespec served = { .tv_nsec = 2000000 };

	(void)state;
	lab_up("policer:rate=1000,clock=wall,depth=0");
	for (int i = 0; i < 10; i++) {
		assert_int_equal(police(1, 1000000), XDP_REDIRECT);
		nanosleep(&served, NULL);
	}
	assert_counts(10, 0, 0);
	lab_up("policer:rate=1000,depth=0");
	assert_int_equal(passes(1, 1, 1000000), 1);
	nanosleep(&served, NULL);
	assert_int_equal(passes(1, 1, 1000000), 0);
}

static void what_it_is_not_about_is_not_counted(void **state)
{
	static const struct mlr_vlan tagged = { 0x8100, 100 };

	(void)state;
	lab_up("policer:rate=0.001,clock=wall,depth=3,vlan=100");
	assert_int_equal(passes(1, 10, 1000000), 10);
	assert_counts(0, 0, 0);
	vlan = &tagged;
	assert_int_equal(passes(1, 10, 1000000), 4);
	vlan = NULL;
	assert_counts(4, 6, 3);
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
		TEST(it_may_be_about_one_vlan_and_priority),
		TEST(a_depth_is_how_many_frames_wait),
		TEST(a_queue_that_never_fills_shows_its_deepest),
		TEST(by_the_wall_clock_the_same_number_passes),
		TEST(by_the_wall_clock_frames_are_served_as_time_passes),
		TEST(what_it_is_not_about_is_not_counted),
		TEST(what_has_no_tag_is_never_dropped),
		TEST(forwarding_forwards_everything),
	};

	return cmocka_run_group_tests_name("policer", tests, NULL, NULL);
}
