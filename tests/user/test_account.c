/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counts of several ports, on whatever machines, come to. */
#include <math.h>
#include <string.h>

#include "../test.h"
#include "measurer/account.h"

static struct config config;
static struct mlr_profile profile;
static struct account account;
static struct measurement measurement;

/* One second at 1000 frames/s on each of two ports, 0 and 1, which share receiver 2. */
static int set_up(void **state)
{
	(void)state;
	config = (struct config){ .goal_count = 0 };
	profile = (struct mlr_profile){
		.port_count = 3,
		.stream_count = 2,
		.streams = { { .from = 0, .to = 2 }, { .from = 1, .to = 2 } },
	};
	account = (struct account){
		.config = &config,
		.profile = &profile,
		.input = { .duration_s = 1, .load_fps = 1000 },
		.port_count = 3,
	};
	measurement = (struct measurement){ .port_count = 0 };
	for (unsigned int i = 0; i < 2; i++) {
		account.ports[i] = (struct port_trial){
			.counts = { .transmits = true, .counts = { .intended = 1000, .sent = 1000 } },
			.sent = { .sent = 1000 },
			.busy_s = 1,
		};
	}
	account.ports[2] = (struct port_trial){
		.counts = { .receives = true, .counts = { .received = 2000 } },
		.received = { .received = 2000 },
	};
	return 0;
}

static void receive(uint64_t frames)
{
	account.ports[2].counts.counts.received = account.ports[2].received.received = frames;
}

static void sent(unsigned int port, uint64_t frames)
{
	account.ports[port].counts.counts.sent = account.ports[port].sent.sent = frames;
}

/* The example of 4.5.7: two inputs, one output; the ratio is of all frames, the load that of one interface. */
static void the_loss_ratio_is_of_summed_counts_and_the_load_of_one_port(void **state)
{
	(void)state;
	receive(1400);
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.counts.intended, 2000);
	assert_int_equal(measurement.counts.received, 1400);
	assert_true(fabs(measurement.verdict.loss_ratio - 0.3) < 1e-12);
	assert_true(measurement.pacing.intended_fps == 1000);
	assert_true(measurement.pacing.achieved_fps == 1000);
	assert_int_equal(measurement.attribution.sut, 600);
	assert_int_equal(measurement.port_count, 3);
	assert_false(measurement.tester_limited);
}

/* 10 us of 1000 frames/s on two ports is a fiftieth of a frame: one that is missing limits the tester. */
static void one_slow_port_limits_the_tester(void **state)
{
	(void)state;
	sent(1, 900);
	receive(1900);
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.attribution.unsent, 100);
	assert_true(fabs(measurement.verdict.loss_ratio - 0.05) < 1e-12);
	assert_true(measurement.tester_limited);
	assert_true(measurement.sut_loss_ratio == 0);
}

static void drops_of_any_port_are_attributed(void **state)
{
	(void)state;
	receive(1900);
	account.ports[0].counts.nic_tx_dropped = 10;
	account.ports[0].tx_drops = TX_DROPS_BEFORE_WIRE;
	account.ports[1].counts.nic_tx_dropped = 20;
	account.ports[1].tx_drops = TX_DROPS_AT_RECEIVER;
	account.ports[2].counts.nic_rx_missed = 5;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.attribution.dropped_before_wire, 10);
	assert_int_equal(measurement.attribution.receiver_missed, 25);
	assert_int_equal(measurement.attribution.sut, 65);
}

static void drops_in_the_sut_are_the_suts(void **state)
{
	(void)state;
	receive(1900);
	account.ports[0].counts.nic_tx_dropped = 100;
	account.ports[0].tx_drops = TX_DROPS_IN_SUT;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.attribution.sut, 100);
}

/* No more is attributed than is missing. */
static void drops_beside_the_test_frames_are_not_attributed(void **state)
{
	(void)state;
	receive(1999);
	account.ports[0].counts.nic_tx_dropped = 50;
	account.ports[2].counts.nic_rx_missed = 50;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.attribution.dropped_before_wire, 1);
	assert_int_equal(measurement.attribution.receiver_missed, 0);
	assert_int_equal(measurement.attribution.sut, 0);
}

static void histograms_are_merged(void **state)
{
	(void)state;
	account.port_count = profile.port_count = 4;
	account.ports[3] = (struct port_trial){ .counts = { .receives = true } };
	mlr_histogram_add(&account.ports[2].seen.latency, 100);
	mlr_histogram_add(&account.ports[3].seen.latency, 300);
	mlr_histogram_add(&account.ports[2].seen.variation, 30);
	mlr_histogram_add(&account.ports[3].seen.variation, 50);
	config.ipdv = true;
	mlr_histogram_add(&account.ports[0].sent.gaps, 5);
	mlr_histogram_add(&account.ports[1].sent.gaps, 9);
	account.clock_read_ns = 20;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_true(measurement.has_latency);
	assert_int_equal(measurement.latency.count, 2);
	assert_int_equal(measurement.latency.min_ns, 100);
	assert_int_equal(measurement.latency.max_ns, 300);
	assert_true(measurement.latency.error_bound_ns == 40);
	assert_true(measurement.latency.has_variation && measurement.latency.variation.count == 2);
	assert_true(measurement.latency.variation.mean_ns == 40 && measurement.latency.variation.max_ns == 50);
	/* one that left 34 ms late: tags say that to 16 us */
	account.ports[2].seen.lateness_max = mlr_lateness_encode(10000);
	account.ports[3].seen.lateness_max = mlr_lateness_encode(34000000);
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_true(measurement.latency.error_bound_ns == 40 + 16383);
	assert_int_equal(measurement.pacing.gap_max_ns, 9);
}

static void a_port_that_hears_only_itself_is_cabled_wrong(void **state)
{
	(void)state;
	receive(0);
	account.ports[1].received.misdirected = 1000;
	assert_int_equal(account_for(&account, &measurement), EXIT_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_loss_ratio_is_of_summed_counts_and_the_load_of_one_port, set_up),
		cmocka_unit_test_setup(one_slow_port_limits_the_tester, set_up),
		cmocka_unit_test_setup(drops_of_any_port_are_attributed, set_up),
		cmocka_unit_test_setup(drops_in_the_sut_are_the_suts, set_up),
		cmocka_unit_test_setup(drops_beside_the_test_frames_are_not_attributed, set_up),
		cmocka_unit_test_setup(histograms_are_merged, set_up),
		cmocka_unit_test_setup(a_port_that_hears_only_itself_is_cabled_wrong, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
