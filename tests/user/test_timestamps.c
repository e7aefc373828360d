/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose clock a trial's latency is by, as the receivers' counters say. */
#include <string.h>
#include <unistd.h>

#include "../test.h"
#include "measurer/timestamps.h"

#define CLOCK_FD      99 /* never used: what is tested reads no clock */
#define CLOCK_READ_NS 20

static struct config config;
static struct measurer_xdp xdp;
static struct measurement measurement;

static int set_up(void **state)
{
	(void)state;
	config = (struct config){ .timestamps = TIMESTAMPS_AUTO };
	xdp = (struct measurer_xdp){ .config = &config, .port_count = 2, .by_nic_clock = true };
	xdp.ends[1].receives = true;
	xdp.ends[1].clock.fd = CLOCK_FD;
	xdp.ends[1].clock.track = (struct phc_track){ .worst_ns = 210, .worst_applied_ns = 100 };
	measurement = (struct measurement){ .has_latency = true,
					    .latency = { .source = "software", .error_bound_ns = 2 * CLOCK_READ_NS + 7 } };
	return 0;
}

static enum exit_code judge(uint64_t received, uint64_t timed)
{
	const struct rx_counters counters = { .received = received, .hardware_timed = timed };

	return timestamps_judge(&xdp, &counters, CLOCK_READ_NS, &measurement);
}

static void all_frames_stamped_are_hardware(void **state)
{
	(void)state;
	assert_int_equal(judge(1000, 1000), EXIT_DONE);
	assert_true(measurement.has_latency);
	assert_string_equal(measurement.latency.source, "hardware receive timestamp, software departure");
	/* 310 of the NIC's clock, 20 of this machine's clock, 7 of what else there was */
	assert_true(measurement.latency.error_bound_ns == 337);
	assert_true(xdp.by_nic_clock);
}

static void the_worst_clock_bounds_the_error(void **state)
{
	(void)state;
	xdp.ends[0].clock.fd = CLOCK_FD;
	xdp.ends[0].clock.track = (struct phc_track){ .worst_ns = 4000 };
	assert_int_equal(judge(1000, 1000), EXIT_DONE);
	assert_true(measurement.latency.error_bound_ns == 4027);
	measurement.latency.error_bound_ns = 2 * CLOCK_READ_NS + 7;
	xdp.ends[0].clock.track.worst_ns = 1;
	assert_int_equal(judge(1000, 1000), EXIT_DONE);
	assert_true(measurement.latency.error_bound_ns == 337);
}

/* Whose clock it is, where it is not the first port's. */
static void the_port_with_the_clock_is_named(void **state)
{
	(void)state;
	config.timestamps = TIMESTAMPS_HARDWARE;
	xdp.port_count = 3;
	strcpy(xdp.ports[0].link.name, "first");
	strcpy(xdp.ports[1].link.name, "second");
	strcpy(xdp.ports[2].link.name, "third");
	assert_int_equal(judge(1000, 0), EXIT_INVALID);
	assert_non_null(strstr(message_refused(), "port second: "));
	xdp.ends[2].clock = xdp.ends[1].clock;
	xdp.ends[1].clock.fd = 0;
	assert_int_equal(judge(1000, 0), EXIT_INVALID);
	assert_non_null(strstr(message_refused(), "port third: "));
}

#define LOOPBACK_IFINDEX 1 /* which has no clock */

/* Only ports that receive need one; and without, hardware cannot be had by those who ask for it. */
static void a_port_without_a_clock_is_timed_by_software(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++)
		xdp.ports[i].link.ifindex = LOOPBACK_IFINDEX;
	assert_int_equal(timestamps_ask(&xdp), EXIT_DONE);
	assert_false(xdp.by_nic_clock);
	config.prepare.asked = 1u << PREPARE_STEER;
	assert_int_equal(timestamps_ask(&xdp), EXIT_DONE);
	config.prepare.asked = 1u << PREPARE_TIMESTAMPS;
	assert_int_equal(timestamps_ask(&xdp), EXIT_INCAPABLE);
	assert_non_null(strstr(message_refused(), "its driver has no hardware clock"));
	config.prepare.asked = 0;
	config.timestamps = TIMESTAMPS_HARDWARE;
	assert_int_equal(timestamps_ask(&xdp), EXIT_INCAPABLE);
	assert_int_equal(timestamps_open(&xdp), EXIT_INCAPABLE);
	assert_false(xdp.by_nic_clock);
	config.no_latency = true;
	assert_int_equal(timestamps_ask(&xdp), EXIT_DONE);
	assert_false(xdp.by_nic_clock);
	config.no_latency = false;
	config.timestamps = TIMESTAMPS_SOFTWARE;
	assert_int_equal(timestamps_ask(&xdp), EXIT_DONE);
	assert_false(xdp.by_nic_clock);
	config.timestamps = TIMESTAMPS_AUTO;
	xdp.ends[1].receives = false;
	assert_int_equal(timestamps_ask(&xdp), EXIT_DONE);
	assert_true(xdp.by_nic_clock);
}

static void some_frames_stamped_are_no_latency(void **state)
{
	(void)state;
	assert_int_equal(judge(1000, 999), EXIT_DONE);
	assert_false(measurement.has_latency);
	assert_false(xdp.by_nic_clock);
}

static void no_frame_stamped_is_software(void **state)
{
	(void)state;
	assert_int_equal(judge(1000, 0), EXIT_DONE);
	assert_true(measurement.has_latency);
	assert_string_equal(measurement.latency.source, "software");
	assert_true(measurement.latency.error_bound_ns == 2 * CLOCK_READ_NS + 7);
	assert_false(xdp.by_nic_clock);
}

static void hardware_that_was_asked_for_ends_the_run(void **state)
{
	(void)state;
	config.timestamps = TIMESTAMPS_HARDWARE;
	assert_int_equal(judge(1000, 999), EXIT_INVALID);
	assert_int_equal(judge(1000, 0), EXIT_INVALID);
	assert_int_equal(judge(1000, 1000), EXIT_DONE);
}

static enum exit_code judge_early(uint64_t early, uint64_t least_ns)
{
	const struct rx_counters counters = { .received = 1000, .hardware_timed = 1000, .negative_latency = early };

	measurement.latency.min_ns = least_ns;
	return timestamps_judge(&xdp, &counters, CLOCK_READ_NS, &measurement);
}

/* Clocks that are as wrong as is said let short latencies be below 0. Beyond that stamps are false. */
static void frames_that_came_before_they_left_are_no_latency(void **state)
{
	(void)state;
	assert_int_equal(judge_early(1, 337), EXIT_DONE);
	assert_true(measurement.has_latency && xdp.by_nic_clock);
	measurement.latency.error_bound_ns = 2 * CLOCK_READ_NS + 7;
	assert_int_equal(judge_early(0, 5000), EXIT_DONE);
	assert_true(measurement.has_latency && xdp.by_nic_clock);
	measurement.latency.error_bound_ns = 2 * CLOCK_READ_NS + 7;
	assert_int_equal(judge_early(1, 338), EXIT_DONE);
	assert_false(measurement.has_latency || xdp.by_nic_clock);
}

static void where_no_frame_came_after_it_left_that_is_said(void **state)
{
	(void)state;
	measurement.has_latency = false;
	config.timestamps = TIMESTAMPS_HARDWARE;
	assert_int_equal(judge_early(1000, 0), EXIT_INVALID);
}

/* The clock could not be read after the trial: nobody knows by how much it drifted. */
static void stamps_of_a_clock_that_was_lost_are_no_latency(void **state)
{
	(void)state;
	xdp.by_nic_clock = false;
	assert_int_equal(judge(1000, 1000), EXIT_DONE);
	assert_false(measurement.has_latency);
}

static void nothing_received_says_nothing_of_the_clock(void **state)
{
	(void)state;
	config.timestamps = TIMESTAMPS_HARDWARE;
	assert_int_equal(judge(0, 0), EXIT_DONE);
	assert_true(xdp.by_nic_clock);
}

static void a_clock_that_cannot_be_read_is_used_no_more(void **state)
{
	(void)state;
	assert_int_equal(timestamps_end(&xdp), EXIT_DONE); /* no such file descriptor */
	assert_false(xdp.by_nic_clock);
	xdp.by_nic_clock = true;
	config.timestamps = TIMESTAMPS_HARDWARE;
	assert_int_equal(timestamps_end(&xdp), EXIT_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(all_frames_stamped_are_hardware, set_up),
		cmocka_unit_test_setup(the_worst_clock_bounds_the_error, set_up),
		cmocka_unit_test_setup(the_port_with_the_clock_is_named, set_up),
		cmocka_unit_test_setup(a_port_without_a_clock_is_timed_by_software, set_up),
		cmocka_unit_test_setup(some_frames_stamped_are_no_latency, set_up),
		cmocka_unit_test_setup(no_frame_stamped_is_software, set_up),
		cmocka_unit_test_setup(hardware_that_was_asked_for_ends_the_run, set_up),
		cmocka_unit_test_setup(frames_that_came_before_they_left_are_no_latency, set_up),
		cmocka_unit_test_setup(where_no_frame_came_after_it_left_that_is_said, set_up),
		cmocka_unit_test_setup(stamps_of_a_clock_that_was_lost_are_no_latency, set_up),
		cmocka_unit_test_setup(nothing_received_says_nothing_of_the_clock, set_up),
		cmocka_unit_test_setup(a_clock_that_cannot_be_read_is_used_no_more, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
