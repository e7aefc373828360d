/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Departures: what a trial's sample says, and how frames get into it. No NIC here stamps departures; over a veth pair the
 * kernel says when it was done with a frame, and nobody heeds launch times, which must be found out. That part needs root.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../test.h"
#include "base/clock.h"
#include "measurer/departure.h"
#include "netdev/phc.h"
#include "tools/bench/one_flow.h"

#define CLOCK_FD 99 /* never used: what is tested reads no clock */

/* --- the verdict -------------------------------------------------------------------------------------------------- */

static struct config config;
static struct measurer_xdp xdp;
static struct measurement measurement;
static struct tx_port transmitter;

static int set_up(void **state)
{
	(void)state;
	config = (struct config){ 0 };
	transmitter = (struct tx_port){ .metadata = { .stamps = true } };
	xdp = (struct measurer_xdp){ .config = &config, .port_count = 2 };
	xdp.ends[0].transmits = true;
	xdp.ends[0].tx = &transmitter;
	xdp.ends[0].departure = (struct departure){
		.stamped = true,
		.clock = { .fd = CLOCK_FD, .track = { .worst_ns = 210, .worst_applied_ns = 100 } },
	};
	measurement =
		(struct measurement){ .has_latency = true,
				      .latency = { .definition = "plain", .source = "software", .error_bound_ns = 7 } };
	return 0;
}

static void sample(uint64_t first_ns, uint64_t count)
{
	transmitter.departures.asked += count;
	for (uint64_t i = 0; i < count; i++)
		mlr_histogram_add(&transmitter.departures.delays, first_ns + i);
}

static void nobody_stamps_zero_copy_frames_but_a_driver(void **state)
{
	(void)state;
	config.departure_delay = SWITCH_ON;
	transmitter.mode = TX_MODE_ZERO_COPY;
	assert_int_equal(departure_check(&xdp, 0), EXIT_DONE);
	xdp.ends[0].departure = (struct departure){ 0 };
	assert_int_equal(departure_check(&xdp, 0), EXIT_INCAPABLE);
	assert_false(xdp.ends[0].departure.stamped);
	transmitter.mode = "copy";
	assert_int_equal(departure_check(&xdp, 0), EXIT_DONE);
	assert_true(xdp.ends[0].departure.stamped);
}

static void what_the_nic_stamped_bounds_the_latency(void **state)
{
	(void)state;
	sample(1000, 10);
	departure_judge(&xdp, &measurement);
	assert_true(measurement.has_departure);
	assert_string_equal(measurement.departure.source, "hardware transmit timestamp");
	assert_int_equal(measurement.departure.count, 10);
	assert_int_equal(measurement.departure.max_ns, 1009);
	/* 310 of the clock */
	assert_int_equal(measurement.departure.error_bound_ns, 310);
	assert_true(measurement.latency.error_bound_ns == 7 + 1009 + 310);
	assert_string_equal(measurement.latency.definition, "plain");
}

static void what_the_kernel_was_done_with_does_not(void **state)
{
	(void)state;
	sample(1000, 10);
	xdp.ends[0].departure.clock.fd = 0;
	departure_judge(&xdp, &measurement);
	assert_true(measurement.has_departure);
	assert_string_equal(measurement.departure.source, "the kernel, when it was done with a frame");
	assert_true(measurement.latency.error_bound_ns == 7);
}

static void without_a_sample_there_is_nothing(void **state)
{
	(void)state;
	departure_judge(&xdp, &measurement);
	assert_false(measurement.has_departure);
	assert_true(measurement.latency.error_bound_ns == 7);
}

static void launch_times_that_are_kept_are_the_departure(void **state)
{
	(void)state;
	sample(20, 10);
	transmitter.metadata.lead_ns = 200000;
	transmitter.departures.early = 3;
	transmitter.departures.earliest_ns = 1300; /* within 1000 and what the clocks may be wrong by */
	assert_int_equal(departure_check_launches(&xdp), EXIT_DONE);
	departure_judge(&xdp, &measurement);
	assert_non_null(strstr(measurement.latency.definition, "from the launch time"));
	assert_non_null(strstr(measurement.latency.definition, "XDP program"));
	assert_int_equal(measurement.departure.early, 3);
	xdp.by_nic_clock = true;
	departure_judge(&xdp, &measurement);
	assert_non_null(strstr(measurement.latency.definition, "receiving port's NIC"));
}

/* A port of two that only receives has no transmitter. */
static void the_lead_is_that_of_the_port_that_launches(void **state)
{
	(void)state;
	assert_int_equal(departure_lead_ns(&xdp), 0);
	transmitter.metadata.lead_ns = 200000;
	assert_int_equal(departure_lead_ns(&xdp), 200000);
}

static void launch_times_that_are_not_kept_end_the_run(void **state)
{
	(void)state;
	sample(20, 10);
	transmitter.metadata.lead_ns = 200000;
	transmitter.departures.early = 1;
	transmitter.departures.earliest_ns = 1311;
	assert_int_equal(departure_check_launches(&xdp), EXIT_INVALID);
	/* without launch times that is no fault of the NIC's */
	transmitter.metadata.lead_ns = 0;
	assert_int_equal(departure_check_launches(&xdp), EXIT_DONE);
}

static void launch_times_that_cannot_be_checked_end_the_run(void **state)
{
	(void)state;
	transmitter.metadata.lead_ns = 200000;
	/* a trial too short for a sample says nothing */
	assert_int_equal(departure_check_launches(&xdp), EXIT_DONE);
	transmitter.departures.asked = 5;
	assert_int_equal(departure_check_launches(&xdp), EXIT_INVALID);
}

/* --- frames ------------------------------------------------------------------------------------------------------- */

#define LOAD_FPS 10000
#define FRAMES   500
#define LEAD_NS  200000

static char port[IF_NAMESIZE];
static struct mlr_queue_plan *plan;
static struct tx *tx;

static int make_links(void **state)
{
	char command[192];

	(void)state;
	if (geteuid())
		return 0;
	snprintf(port, sizeof(port), "dp%d", getpid());
	snprintf(command, sizeof(command), "ip link add %s up type veth peer name %sp && ip link set %sp up", port, port,
		 port);
	return system(command);
}

static int clean_up(void **state)
{
	char command[64];

	(void)state;
	tx_close(tx);
	tx = NULL;
	mlr_queue_plan_free(plan);
	plan = NULL;
	if (geteuid())
		return 0;
	snprintf(command, sizeof(command), "ip link del %s", port);
	return system(command);
}

static void send_frames(bool asks_nothing)
{
	struct tx_trial trial = {
		.number = 1, .load_fps = LOAD_FPS, .frame_count = FRAMES, .first_sequence = 1, .asks_nothing = asks_nothing
	};

	trial.start_ns = clock_ns() + 1000000;
	trial.deadline_ns = trial.start_ns + 60 * NS_PER_S; /* however busy the machine is */
	assert_int_equal(tx_start(tx, &trial), EXIT_DONE);
	tx_wait(tx);
	assert_int_equal(tx->report.error, 0);
	assert_int_equal(tx->report.sent, FRAMES);
}

/* Send FRAMES frames of this size. Only root can; without, the test is skipped. */
static void transmit(unsigned int size_octets, struct tx_metadata wanted)
{
	if (geteuid())
		skip();
	assert_int_equal(one_flow_plan(size_octets, &plan), 0);
	assert_int_equal(tx_xsk_open(port, 0, plan, &wanted, -1, NULL, &tx), EXIT_DONE);
	tx->clock_offset_ns = phc_system_offset(CLOCK_TAI).offset_ns;
	send_frames(false);
}

static bool has_metadata(void)
{
	return tx->metadata.stamps || tx->metadata.lead_ns;
}

static void a_sample_of_frames_is_stamped(void **state)
{
	(void)state;
	transmit(64, (struct tx_metadata){ .stamps = true });
	assert_true(has_metadata());
	/* one in eleven */
	assert_int_equal(tx->departures.delays.count, FRAMES / 11);
	assert_int_equal(tx->departures.asked, FRAMES / 11);
	assert_int_equal(tx->departures.early, 0);
	assert_in_range(tx->departures.delays.max_ns, 100, 60 * NS_PER_S);
}

/* A veth sends at once, so frames with a launch time leave before it, by the lead at most, and all are counted so; but for
 * those that a busy machine made late: again where these are all. */
static void launch_times_that_nobody_keeps_are_seen(void **state)
{
	transmit(64, (struct tx_metadata){ .stamps = true, .lead_ns = LEAD_NS });
	for (int try = 1; try < 100 && !tx->departures.early; try++) {
		assert_int_equal(clean_up(state), 0);
		assert_int_equal(make_links(state), 0);
		transmit(64, (struct tx_metadata){ .stamps = true, .lead_ns = LEAD_NS });
	}
	assert_int_equal(tx->departures.delays.count, FRAMES / 11);
	assert_in_range(tx->departures.early, 1, FRAMES / 11);
	assert_in_range(tx->departures.earliest_ns, 1, LEAD_NS);
	/* the gaps are those between launch times */
	assert_int_equal(tx->report.gaps.count, FRAMES - 1);
}

static void frames_that_ask_nothing_leave_when_they_are_due(void **state)
{
	(void)state;
	transmit(64, (struct tx_metadata){ .stamps = true, .lead_ns = LEAD_NS });
	send_frames(true);
	assert_int_equal(tx->departures.asked, 0);
	assert_true(tx->report.first_departure_ns >= tx->trial.start_ns);
	send_frames(false);
	assert_int_equal(tx->departures.asked, FRAMES / 11);
}

static void without_a_wish_there_are_none(void **state)
{
	(void)state;
	transmit(64, (struct tx_metadata){ 0 });
	assert_false(has_metadata());
	assert_int_equal(tx->departures.delays.count, 0);
}

static void long_frames_have_them_too(void **state)
{
	(void)state;
	transmit(1518, (struct tx_metadata){ .stamps = true });
	assert_true(has_metadata());
	assert_int_equal(tx->departures.delays.count, FRAMES / 11);
}

#define TEST(name)        cmocka_unit_test_setup_teardown(name, set_up, NULL)
#define FRAMES_TEST(name) cmocka_unit_test_setup_teardown(name, make_links, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nobody_stamps_zero_copy_frames_but_a_driver),
		TEST(what_the_nic_stamped_bounds_the_latency),
		TEST(what_the_kernel_was_done_with_does_not),
		TEST(without_a_sample_there_is_nothing),
		TEST(launch_times_that_are_kept_are_the_departure),
		TEST(the_lead_is_that_of_the_port_that_launches),
		TEST(launch_times_that_are_not_kept_end_the_run),
		TEST(launch_times_that_cannot_be_checked_end_the_run),
		FRAMES_TEST(a_sample_of_frames_is_stamped),
		FRAMES_TEST(launch_times_that_nobody_keeps_are_seen),
		FRAMES_TEST(frames_that_ask_nothing_leave_when_they_are_due),
		FRAMES_TEST(without_a_wish_there_are_none),
		FRAMES_TEST(long_frames_have_them_too),
	};

	return cmocka_run_group_tests_name("departure", tests, NULL, NULL);
}
