/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counts of several ports, on whatever machines, come to. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "measurer/account.h"
#include "measurer/moved.h"

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
			.intended_to[2] = 1000,
			.sent_to[2] = 1000,
			.busy_s = 1,
		};
	}
	account.ports[2] = (struct port_trial){
		.counts = { .receives = true, .counts = { .received = 2000 } },
		.received = { .received = 2000 },
	};
	/* what lies behind the ports of the account counts nowhere */
	account.ports[3] = (struct port_trial){
		.counts = { .transmits = true,
			    .receives = true,
			    .counts = { .sent = 7 },
			    .nic_tx_dropped = 7,
			    .nic_rx_missed = 7 },
		.sent = { .sent = 7, .marked = 7, .burst_max = 77, .stops = { .count = 7, .longest_ns = 7777777777 } },
		.received = { .received = 7, .misdirected = 7, .reordered = 7 },
		.seen = { .gap_max = 777 },
		.schedule = { .moves = 77, .stopped_ns = 7777777777 },
		.busy_s = 0.1,
		.link_changes = 7,
	};
	return 0;
}

static void receive(uint64_t frames)
{
	account.ports[2].counts.counts.received = account.ports[2].received.received = frames;
}

static void sent(unsigned int port, uint64_t frames)
{
	struct port_trial *from = &account.ports[port];

	from->counts.counts.sent = from->sent.sent = frames;
	for (unsigned int to = 0; to < account.port_count; to++)
		from->sent_to[to] = from->sent_to[to] ? frames : 0;
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

/* Two latencies of a port, or one. */
static void add_latencies(struct port_trial *port, uint64_t least_ns, uint64_t most_ns)
{
	port->delays = (struct mlr_delays){ .min_ns = least_ns, .max_ns = most_ns };
	mlr_delays_add(&port->delays, least_ns, least_ns, 1);
	if (most_ns > least_ns)
		mlr_delays_add(&port->delays, most_ns, most_ns, 1);
}

/* PDV is above the smallest of its direction, and as well known as its distance from that, whatever the latency. */
static void variation_is_of_the_worst_direction(void **state)
{
	const uint64_t second_ns = 1000000000;

	(void)state;
	account.port_count = profile.port_count = 4;
	profile.streams[1].to = 3;
	account.ports[3] = (struct port_trial){ .counts = { .receives = true } };
	for (unsigned int i = 2; i < 4; i++) {
		mlr_histogram_add(&account.ports[i].seen.latency, second_ns + 100 * i);
		mlr_histogram_add(&account.ports[i].seen.latency, second_ns + 117000);
		add_latencies(&account.ports[i], second_ns + 100 * i, second_ns + 117000);
	}
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_true(measurement.latency.pdv_p50_ns == 0);
	assert_true(measurement.latency.p50_ns == (double)second_ns + 300);
	assert_true(measurement.latency.pdv_p99_ns == 117000 - 200);
	assert_true(measurement.latency.pdv_error_ns < 0.002 * 117000);
}

static void order_is_of_all_ports(void **state)
{
	const struct order_summary *order = &measurement.order;

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		account.ports[i].window = i == 1 ? 1024 : 65536;
	for (unsigned int i = 0; i < 2; i++) {
		account.ports[i].received.reordered = 2 + i;
		account.ports[i].received.reorder_depth = 10 * (1 + i);
		account.ports[i].received.gaps = 3;
		account.ports[i].received.gap_frames = 100;
		account.ports[i].received.beyond_window = 4;
		account.ports[i].seen.reorder_depth_max = 9 - i;
		account.ports[i].seen.gap_max = 40 + i;
		account.ports[i].seen.reorder_depths[2] = 5;
	}
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(order->window, 1024);
	assert_int_equal(order->beyond_window, 8);
	assert_true(order->reorder_depth_mean == 6);
	assert_int_equal(order->reorder_depth_max, 9);
	assert_int_equal(order->gaps, 6);
	assert_int_equal(order->gap_frames, 200);
	assert_int_equal(order->gap_max, 41);
	assert_int_equal(order->reorder_depths[2], 10);
	assert_int_equal(order->reorder_depths[1], 0);
	assert_true(!measurement.order_unknown && !measurement.has_latency && !*measurement.latency_refused);
	/* what has no checksum may say anything */
	account.ports[2].received.without_checksum = 1;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_true(strstr(measurement.latency_refused, "without their UDP checksum"));
	for (unsigned int i = 0; i < 3; i++)
		account.ports[i].received.reordered = 0;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_true(isnan(order->reorder_depth_mean));
}

/* Each percentile is of its own rank: of 20 000 latencies a µs apart. */
static void percentiles_have_their_ranks(void **state)
{
	const struct latency_summary *latency = &measurement.latency;
	struct port_trial *port = &account.ports[2];

	(void)state;
	config.ipdv = true;
	port->delays = (struct mlr_delays){ .min_ns = 1000000, .max_ns = 100000000 };
	mlr_delays_add(&port->delays, 100000000, 100000000, 1); /* beyond all ranks below */
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t latency_ns = 1000000 + i * 1000;

		mlr_histogram_add(&port->seen.latency, latency_ns);
		mlr_histogram_add(&port->seen.variation, i * 1000);
		mlr_delays_add(&port->delays, latency_ns, latency_ns, 1);
	}
	account.clock_read_ns = 20;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	const struct {
		double is_ns, expected_ns;
	} figures[] = {
		{ latency->p50_ns, 11e6 },
		{ latency->p90_ns, 19e6 },
		{ latency->p99_ns, 20.8e6 },
		{ latency->p99_9_ns, 20.98e6 },
		{ latency->p99_99_ns, 20.998e6 },
		{ latency->pdv_p50_ns, 10e6 },
		{ latency->pdv_p99_ns, 19.8e6 },
		{ latency->pdv_p99_9_ns, 19.98e6 },
		{ latency->mean_ns, 10.9995e6 },
		{ latency->variation.mean_ns, 9.9995e6 },
		{ latency->variation.p50_ns, 10e6 },
		{ latency->variation.p99_ns, 19.8e6 },
		{ latency->variation.p99_9_ns, 19.98e6 },
		{ latency->variation.max_ns, 19.999e6 },
	};
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		assert_true(fabs(figures[i].is_ns - figures[i].expected_ns) <= 0.0021 * figures[i].expected_ns);
	/* p99 and p99.9 are 0.9 % apart, and so told apart; each is off by a bucket at most, which the result says */
	assert_true(latency->p99_9_ns > latency->p99_ns && latency->p99_99_ns > latency->p99_9_ns);
	assert_true(latency->pdv_error_ns > 0 && latency->pdv_error_ns <= 0.0021 * 19.999e6);
	assert_true(latency->pdv_p99_9_error_ns > 0 && latency->pdv_p99_9_error_ns <= latency->pdv_error_ns);
	assert_true(latency->error_bound_ns >= 40 + latency->pdv_error_ns);
}

/* --- pacing ------------------------------------------------------------------------------------------------------------- */

/* What is said of pacing is that of the worst port; frames and stops are those of all. */
static void pacing_is_that_of_the_worst_port(void **state)
{
	const struct pacing_summary *pacing = &measurement.pacing;

	(void)state;
	account.ports[0].sent = (struct tx_report){ .sent = 1000,
						    .excess_frames_max = 7,
						    .excess_at_ns = 300000000,
						    .excess_ns = 50000000,
						    .burst_max = 3,
						    .marked = 20,
						    .stops = { .count = 2, .total_ns = 70, .longest_ns = 40 } };
	account.ports[1].sent = (struct tx_report){ .sent = 1000,
						    .excess_frames_max = 9,
						    .excess_at_ns = 700000000,
						    .excess_ns = 20000000,
						    .burst_max = 2,
						    .marked = 30,
						    .stops = { .count = 1, .total_ns = 60, .longest_ns = 60 } };
	account.ports[0].schedule =
		(struct tx_schedule){ .moves = 1, .moved_ns = 200, .stopped_ns = 200, .granted_ns = 200 };
	account.ports[1].schedule =
		(struct tx_schedule){ .moves = 3, .moved_ns = 100, .stopped_ns = 100, .granted_ns = 100 };
	account.ports[1].busy_s = 1.25;
	for (uint64_t i = 0; i < 100; i++)
		mlr_histogram_add(&account.ports[0].sent.gaps, i < 60 ? 100 : 200);
	mlr_histogram_add(&account.ports[1].sent.gaps, 1000000);
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_true(measurement.has_counts && measurement.has_attribution && measurement.has_pacing &&
		    measurement.has_order);
	assert_true(pacing->is_paced && pacing->intended_fps == 1000);
	assert_true(fabs(pacing->achieved_fps - (1000 + 800) / 2.0) < 1e-9);
	assert_true(fabs(pacing->error_ppm + 100000) < 1e-6);
	assert_int_equal(pacing->excess_frames_max, 9);
	assert_true(fabs(pacing->excess_at_s - 0.7) < 1e-12);
	assert_true(fabs(pacing->excess_s - 0.05) < 1e-12);
	assert_true(pacing->transmit_s == 1.25);
	assert_int_equal(pacing->burst_max, 3);
	assert_int_equal(pacing->marked_frames, 50);
	assert_int_equal(pacing->stops.count, 3);
	assert_int_equal(pacing->stops.total_ns, 130);
	assert_int_equal(pacing->stops.longest_ns, 60);
	assert_int_equal(pacing->moves, 3);
	assert_int_equal(pacing->moved_ns, 200);
	assert_int_equal(pacing->gap_p50_ns, 100);
	assert_int_equal(pacing->gap_p99_ns, 200);
	assert_int_equal(pacing->gap_max_ns, 1000000);
	assert_int_equal(pacing->burst_asked, mlr_burst_of(1000, 0).asked_frames);
	/* half a thousandth of a second in all may lie in gaps above this */
	assert_in_range(pacing->catch_up_ns, 400000, 600000);
}

/* 488 frames in 2 s are the load of 244.14 frames/s; 487 or 490 are not. */
static void a_whole_number_of_frames_is_not_a_load_that_was_off(void **state)
{
	(void)state;
	account.input.load_fps = 244.140625;
	account.input.duration_s = 2;
	for (unsigned int i = 0; i < 2; i++) {
		sent(i, 488);
		account.ports[i].counts.counts.intended = 488;
		account.ports[i].busy_s = 2;
	}
	receive(976);
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_true(fabs(measurement.pacing.error_ppm + 576) < 1e-6);
	assert_false(measurement.tester_limited || measurement.offered_less);
	for (int wrong = 487; wrong <= 490; wrong += 3) {
		account.ports[0].busy_s = account.ports[1].busy_s = 2 * 488.0 / wrong;
		assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
		assert_true(measurement.tester_limited);
		assert_int_equal(measurement.offered_less, wrong < 488);
	}
}

/* Without a load there is no schedule, so nothing is off. */
static void an_unpaced_trial_has_the_load_that_was_sent(void **state)
{
	(void)state;
	account.input.load_fps = 0;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_true(measurement.pacing.intended_fps == 1000 && measurement.pacing.achieved_fps == 1000);
	assert_true(measurement.pacing.error_ppm == 0);
	assert_false(measurement.pacing.is_paced);
	assert_int_equal(measurement.pacing.catch_up_ns, 0);
	assert_int_equal(measurement.spoilt, SPOILT_NOT);
}

/* A dirty fibre at our port is not the SUT's loss, and the trial says so; damage beside what is missing says nothing. */
static void frames_that_arrive_damaged_are_not_the_suts(void **state)
{
	(void)state;
	receive(1900);
	account.ports[2].counts.nic_rx_damaged = 60;
	account.ports[2].counts.nic_rx_missed = 30;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.attribution.receiver_damaged, 60);
	assert_int_equal(measurement.attribution.receiver_missed, 30);
	assert_int_equal(measurement.attribution.sut, 10);
	assert_true(measurement.tester_limited);
	account.ports[2].counts.nic_rx_missed = 0;
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_string_equal(measurement.tester_limited_reason, "frames arrived damaged at the receiving interface");
	receive(2000);
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.attribution.receiver_damaged, 0);
	assert_false(measurement.tester_limited);
}

/* So many frames of our own ports' counters: of two ports, one after the other. */
static void move(unsigned int port, const char *counter, uint64_t moved)
{
	struct port_counts *counts = &account.ports[port].counts;

	snprintf(counts->moved[counts->moved_count].name, sizeof(counts->moved[0].name), "%s", counter);
	counts->moved[counts->moved_count++].moved = moved;
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
}

static void a_counter_of_ours_that_equals_the_loss_is_named(void **state)
{
	(void)state;
	receive(1900);
	move(2, "rx_csum_bad", 99);
	assert_false(measurement.loss_counter.is_there);
	assert_false(measurement.tester_limited);
	move(2, "rx_no_dma_resources", 100);
	assert_true(measurement.loss_counter.is_there);
	assert_int_equal(measurement.loss_counter.port, 2);
	assert_int_equal(measurement.loss_counter.at, 1);
	assert_string_equal(measurement.tester_limited_reason, "the SUT's loss equals a counter of our own port");
	/* it is what is left that counts */
	account.ports[2].counts.nic_rx_missed = 1;
	move(2, "rx_other", 98);
	assert_true(measurement.loss_counter.is_there);
	assert_int_equal(measurement.loss_counter.at, 0);
	/* few frames are so by chance */
	account.ports[2].counts.nic_rx_missed = 0;
	receive(1997);
	move(2, "rx_few_errors", 3);
	assert_false(measurement.loss_counter.is_there);
}

/* What a veth could not hand to the SUT is the SUT's loss, whatever the veth counts. */
static void a_counter_of_a_veth_into_the_sut_is_no_excuse(void **state)
{
	(void)state;
	receive(1900);
	account.ports[0].tx_drops = TX_DROPS_IN_SUT;
	move(0, "tx_dropped", 100);
	assert_false(measurement.loss_counter.is_there);
	move(0, "rx_crc_errors", 100);
	assert_true(measurement.loss_counter.is_there);
}

static void what_was_carried_is_no_trouble(void **state)
{
	static const char *const trouble[] = {
		"rx_crc_errors",   "rx_missed_errors",      "rx_queue_3_drops",           "rx_out_of_buffer",
		"port.rx_dropped", "rx_discards_phy",       "tx_queue_0_xdp_xmit_errors", "rx_no_buffer_count",
		"rx_pause",        "pause frames received", "FEC blocks uncorrectable",   "rx_symbol_err_phy"
	};
	static const char *const carried[] = {
		"rx_packets",      "tx_bytes",  "rx_queue_0_xdp_drops", "rx_xdp_redirect",
		"rx_64_bytes_phy", "multicast", "rx_csum_complete",     "FEC blocks corrected"
	};

	(void)state;
	for (size_t i = 0; i < COUNT(trouble); i++)
		assert_true(moved_is_trouble(trouble[i]));
	for (size_t i = 0; i < COUNT(carried); i++)
		assert_false(moved_is_trouble(carried[i]));
}

/* The link's own counters: the largest first, no more than there is room for, and drops beyond what our program took. */
static void what_moved_is_noted_by_size(void **state)
{
	struct rtnl_link_stats64 before = { .rx_packets = 7 }, after = {
		.rx_packets = 2000,
		.rx_errors = 5,
		.rx_dropped = 1003,
		.tx_dropped = 1,
		.collisions = 9,
		.rx_length_errors = 2,
		.rx_over_errors = 4,
		.rx_crc_errors = 6,
		.rx_frame_errors = 8,
		.rx_fifo_errors = 10,
		.rx_missed_errors = 11,
		.tx_aborted_errors = 12,
		.tx_carrier_errors = 13,
		.tx_fifo_errors = 14,
		.tx_window_errors = 15,
	};
	struct port_counts counts = { .moved_count = 3 };

	(void)state;
	moved_find(NULL, &before, &after, 1000, &counts);
	assert_int_equal(counts.moved_count, MOVED_MOST);
	assert_string_equal(counts.moved[0].name, "tx_window_errors");
	assert_int_equal(counts.moved[MOVED_MOST - 1].moved, 3);
	after = (struct rtnl_link_stats64){ .rx_packets = 2000, .rx_dropped = 1003 };
	moved_find(NULL, &before, &after, 1000, &counts);
	assert_int_equal(counts.moved_count, 1);
	assert_string_equal(counts.moved[0].name, "rx_dropped");
	assert_int_equal(counts.moved[0].moved, 3);
	moved_find(NULL, &before, &after, 1003, &counts);
	assert_int_equal(counts.moved_count, 0);
}

/* Each place where the tester may lose frames limits a trial, and says so. */
static void what_limits_the_tester_is_said(void **state)
{
	(void)state;
	receive(1990);
	account.ports[2].counts.nic_rx_missed = 10;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_true(measurement.tester_limited);
	assert_string_equal(measurement.tester_limited_reason, "the receiving interface missed frames");
	assert_true(measurement.sut_loss_ratio == 0);
	account.ports[0].counts.nic_tx_dropped = 4;
	account.ports[0].tx_drops = TX_DROPS_BEFORE_WIRE;
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_string_equal(measurement.tester_limited_reason, "the transmitting interface dropped frames");
	/* what the SUT lost beside is its own */
	receive(1890);
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.attribution.sut, 96);
	assert_true(fabs(measurement.sut_loss_ratio - 0.048) < 1e-12);
	assert_int_equal(measurement.attribution.dropped_before_wire + measurement.attribution.receiver_missed +
				 (uint64_t)measurement.attribution.sut + measurement.attribution.tester_burst,
			 110);
	sent(1, 900);
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_string_equal(measurement.tester_limited_reason, "frames stayed unsent");
}

/* A port is told as it was counted. */
static void ports_are_told_one_by_one(void **state)
{
	(void)state;
	snprintf(account.ports[1].counts.name, sizeof(account.ports[1].counts.name), "b");
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.port_count, 3);
	assert_true(measurement.ports[0].transmits && !measurement.ports[0].receives);
	assert_string_equal(measurement.ports[1].name, "b");
	assert_int_equal(measurement.ports[1].counts.sent, 1000);
	assert_true(measurement.ports[2].receives && measurement.ports[2].counts.received == 2000);
}

/* --- what the tester spoilt --------------------------------------------------------------------------------------------- */

/* A hundred times as many frames, of one port, so that a few of them are no large part. */
static void send_many(void)
{
	account.input.load_fps = 100000;
	account.port_count = profile.port_count = 2;
	profile.stream_count = 1;
	profile.streams[0] = (struct mlr_stream){ .from = 0, .to = 1 };
	account.ports[0].counts.counts.intended = account.ports[0].intended_to[1] = account.ports[0].sent_to[1] = 100000;
	sent(0, 100000);
	account.ports[1] = (struct port_trial){
		.counts = { .receives = true, .counts = { .received = 100000 } },
		.received = { .received = 100000 },
	};
	config.tester_repeats = 5;
}

static void lose(uint64_t frames)
{
	account.ports[1].counts.counts.received = account.ports[1].received.received = 100000 - frames;
}

static void stop_for(uint64_t stops, uint64_t length_ns)
{
	account.ports[0].schedule = (struct tx_schedule){ .moved_ns = stops * length_ns,
							  .granted_ns = stops * length_ns,
							  .stopped_ns = stops * length_ns,
							  .moves = stops };
	account.ports[0].busy_s = 1 + (double)(stops * length_ns) / 1e9;
}

/* A tenth of the narrowest Goal Width, of 0.5 % where there is no goal, on both sides of that. */
static void the_mean_load_may_be_off_by_a_tenth_of_the_goal_width(void **state)
{
	(void)state;
	send_many();
	stop_for(1, 499000);
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_false(measurement.tester_limited);
	assert_int_equal(measurement.spoilt, SPOILT_NOT);
	stop_for(1, 502000);
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_true(measurement.tester_limited);
	assert_int_equal(measurement.spoilt, SPOILT_BY_STOPS);
	assert_string_equal(measurement.tester_limited_reason, "the load was off by more than a tenth of the Goal Width");
	/* the narrowest, whichever of the goals has it */
	config.goal_count = 2;
	config.goals[0].width_ratio = 0.01;
	config.goals[1].width_ratio = 0.02;
	stop_for(1, 1010000);
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.spoilt, SPOILT_BY_STOPS);
	stop_for(1, 990000);
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_false(measurement.tester_limited);
	config.goals[0].width_ratio = 0.02;
	config.goals[1].width_ratio = 0.01;
	stop_for(1, 990000);
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_false(measurement.tester_limited || measurement.offered_less);
	stop_for(1, 1010000);
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.spoilt, SPOILT_BY_STOPS);
	assert_true(measurement.offered_less);
	/* a burst that is caught up after the end moves no schedule, and the load is off all the same */
	account.ports[0].schedule = (struct tx_schedule){ 0 };
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_true(measurement.tester_limited && measurement.offered_less);
	assert_int_equal(measurement.spoilt, SPOILT_NOT);
}

/* A transmitter that is too slow is no stop, and no repeat would help. */
static void what_a_slow_transmitter_does_not_send_spoils_nothing(void **state)
{
	(void)state;
	send_many();
	sent(0, 90000);
	lose(10000);
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.attribution.unsent, 10000);
	assert_true(measurement.tester_limited);
	assert_int_equal(measurement.spoilt, SPOILT_NOT);
	assert_false(account_may_repeat(&account, &measurement, 5));
	/* but a stop at the end is, if it is long enough for all of them */
	account.ports[0].sent.stops.longest_ns = 99000000;
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.spoilt, SPOILT_NOT);
	account.ports[0].sent.stops.longest_ns = 101000000;
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.spoilt, SPOILT_BY_STOPS);
	assert_true(account_may_repeat(&account, &measurement, 5));
	account.ports[0].sent.stops.longest_ns = 0;
	/* and so are stops beyond what the trial became longer by */
	stop_for(3, 100000000);
	account.ports[0].schedule.granted_ns = 200000000;
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.spoilt, SPOILT_BY_STOPS);
}

static void marked(uint64_t sent_frames, uint64_t received_frames)
{
	account.ports[0].sent.marked = sent_frames;
	account.ports[1].received.marked = received_frames;
}

static void what_bursts_lose_has_a_place_of_its_own(void **state)
{
	const struct loss_attribution *places = &measurement.attribution;

	(void)state;
	send_many();
	marked(500, 460);
	lose(40);
	account.ports[1].received.gap_runs = 40;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(places->tester_burst, 40);
	assert_int_equal(places->sut, 0);
	assert_true(measurement.sut_loss_ratio == 0);
	assert_int_equal(measurement.spoilt, SPOILT_BY_BURST);
	assert_true(account_may_repeat(&account, &measurement, 5));
	assert_string_equal(measurement.tester_limited_reason, "frames were lost in a burst of the tester's own");
	/* where numbers are not looked at, each frame counts */
	measurement = (struct measurement){ 0 };
	config.no_seq = true;
	account.ports[1].received.gap_runs = 0;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(places->tester_burst, 40);
	/* a SUT that loses 40 frames in a row does so in a burst once in 200 times, also at the end, where no gap is seen */
	config.no_seq = false;
	for (account.ports[1].received.gap_runs = 0; account.ports[1].received.gap_runs < 2;
	     account.ports[1].received.gap_runs++) {
		measurement = (struct measurement){ 0 };
		assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
		assert_int_equal(places->tester_burst, 0);
		assert_int_equal(places->sut, 40);
		assert_int_equal(measurement.spoilt, SPOILT_NOT);
	}
	/* the same frames, of a SUT that loses as many of others */
	measurement = (struct measurement){ 0 };
	lose(8000);
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(places->tester_burst, 0);
	assert_int_equal(places->sut, 8000);
	assert_int_equal(measurement.spoilt, SPOILT_NOT);
	/* all places add up to what is missing */
	measurement = (struct measurement){ 0 };
	account.ports[0].counts.nic_tx_dropped = 7;
	account.ports[1].counts.nic_rx_missed = 11;
	account.ports[1].received.gap_runs = 70;
	lose(70);
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(places->dropped_before_wire, 7);
	assert_int_equal(places->receiver_missed, 11);
	assert_int_equal(places->tester_burst, 40);
	assert_int_equal(places->sut, 70 - 7 - 11 - 40);
}

/* Both directions, of many flows: marks, and runs of lost frames, are those of all ports. */
static void bursts_of_all_ports_and_flows_are_added(void **state)
{
	(void)state;
	send_many();
	profile.stream_count = 2;
	profile.streams[1] = (struct mlr_stream){ .from = 1, .to = 0 };
	account.ports[0].counts.receives = account.ports[1].counts.transmits = true;
	account.ports[0].counts.counts.received = account.ports[0].received.received = 100000 - 5;
	account.ports[1].counts.counts.intended = 100000;
	sent(1, 100000);
	lose(7);
	account.ports[0].sent.marked = 300;
	account.ports[1].received.marked = 300 - 7;
	account.ports[1].sent.marked = 200;
	account.ports[0].received.marked = 200 - 5;
	/* a frame of each of twelve flows, all apart: 12 of 12 lost frames were among the 500 of 200 000 that are marked */
	account.ports[0].received.gaps = account.ports[1].received.gaps = 6;
	account.ports[0].received.gap_runs = 5;
	account.ports[1].received.gap_runs = 7;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.attribution.tester_burst, 12);
	assert_int_equal(measurement.attribution.sut, 0);
	/* of two runs chance puts both among the marked ones once in 160 000 times, of one run once in 400 */
	measurement = (struct measurement){ 0 };
	account.ports[0].received.gap_runs = 1;
	account.ports[1].received.gap_runs = 1;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.attribution.tester_burst, 12);
	measurement = (struct measurement){ 0 };
	account.ports[1].received.gap_runs = 0;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.attribution.tester_burst, 0);
	assert_int_equal(measurement.attribution.sut, 12);
	/* more of one port's marks came than were lost elsewhere: nothing of a burst is lost */
	measurement = (struct measurement){ 0 };
	account.ports[0].received.gap_runs = 5;
	account.ports[1].received.gap_runs = 7;
	account.ports[1].received.marked = 300 + 7;
	account.ports[0].received.marked = 200;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.attribution.tester_burst, 0);
}

/* A few drops may not come again. More are the interface's limit. */
static void a_hiccup_of_an_interface_spoils_a_trial(void **state)
{
	(void)state;
	send_many();
	lose(1000);
	account.ports[1].counts.nic_rx_missed = 1000;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.spoilt, SPOILT_BY_MISSES);
	account.ports[1].counts.nic_rx_missed = 0;
	account.ports[0].counts.nic_tx_dropped = 1000;
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.spoilt, SPOILT_BY_DROPS);
	lose(1001);
	account.ports[0].counts.nic_tx_dropped = 1001;
	measurement = (struct measurement){ 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.spoilt, SPOILT_NOT);
}

/* Whatever the SUT lost, the same stops lead to the same decision. */
static void a_repeat_does_not_depend_on_the_suts_loss(void **state)
{
	static const uint64_t lost[] = { 0, 1, 10, 1000, 50000, 100000 };

	(void)state;
	send_many();
	for (size_t i = 0; i < sizeof(lost) / sizeof(*lost); i++) {
		measurement = (struct measurement){ 0 };
		lose(lost[i]);
		stop_for(2, 4000000);
		assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
		assert_true(account_may_repeat(&account, &measurement, 5));
		measurement.tester_repeats = 5;
		assert_false(account_may_repeat(&account, &measurement, 5));
		measurement = (struct measurement){ 0 };
		stop_for(0, 0);
		assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
		assert_false(account_may_repeat(&account, &measurement, 5));
		measurement = (struct measurement){ 0 };
		stop_for(60, 4000000); /* another trial would have as many */
		assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
		assert_int_equal(measurement.spoilt, SPOILT_BY_STOPS);
		assert_false(account_may_repeat(&account, &measurement, 5));
	}
}

static void an_interface_that_always_drops_costs_fewer_repeats(void **state)
{
	(void)state;
	config.tester_repeats = 5;
	measurement.spoilt = SPOILT_BY_MISSES;
	assert_int_equal(account_next_repeats(&config, &measurement, 5), 2);
	assert_int_equal(account_next_repeats(&config, &measurement, 2), 1);
	assert_int_equal(account_next_repeats(&config, &measurement, 1), 1);
	measurement.spoilt = SPOILT_BY_STOPS;
	assert_int_equal(account_next_repeats(&config, &measurement, 5), 5);
	measurement.spoilt = SPOILT_NOT;
	assert_int_equal(account_next_repeats(&config, &measurement, 1), 5);
}

/* Ports 0 and 1 send to one another, and receive. */
static void send_both_ways(void)
{
	account.port_count = profile.port_count = 2;
	profile.streams[0] = (struct mlr_stream){ .from = 0, .to = 1 };
	profile.streams[1] = (struct mlr_stream){ .from = 1, .to = 0 };
	for (unsigned int i = 0; i < 2; i++) {
		account.ports[i].counts.receives = true;
		account.ports[i].counts.counts.received = account.ports[i].received.received = 1000;
		account.ports[i].intended_to[2] = account.ports[i].sent_to[2] = 0;
		account.ports[i].intended_to[!i] = account.ports[i].sent_to[!i] = 1000;
	}
}

/* What one interface dropped besides frames of the trial is no excuse for what the SUT lost in the other direction. */
static void drops_explain_only_what_is_missing_on_their_way(void **state)
{
	(void)state;
	send_both_ways();
	account.ports[0].counts.counts.received = account.ports[0].received.received = 950;
	account.ports[1].counts.nic_rx_missed = 30;
	account.ports[0].counts.nic_tx_dropped = 20;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.verdict.lost, 50);
	assert_int_equal(measurement.attribution.receiver_missed, 0);
	assert_int_equal(measurement.attribution.dropped_before_wire, 0);
	assert_int_equal(measurement.attribution.sut, 50);
	assert_false(measurement.tester_limited);
	account.ports[0].counts.nic_rx_missed = 30;
	account.ports[1].counts.nic_tx_dropped = 15;
	measurement = (struct measurement){ .port_count = 0 };
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.attribution.dropped_before_wire, 15);
	assert_int_equal(measurement.attribution.receiver_missed, 30);
	assert_int_equal(measurement.attribution.sut, 5);
	assert_true(measurement.tester_limited);
}

/* Two counters that tell of 30 frames each, where 40 are missing, leave none to explain what the SUT lost in the other direction. */
static void two_interfaces_explain_a_missing_frame_once(void **state)
{
	(void)state;
	send_both_ways();
	account.ports[1].counts.counts.received = account.ports[1].received.received = 960;
	account.ports[0].counts.counts.received = account.ports[0].received.received = 980;
	account.ports[0].counts.nic_tx_dropped = 30;
	account.ports[1].counts.nic_rx_missed = 30;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.attribution.dropped_before_wire, 30);
	assert_int_equal(measurement.attribution.receiver_missed, 10);
	assert_int_equal(measurement.attribution.sut, 20);
}

/* A mean of both directions would hide what is wrong in one. */
static void latency_is_that_of_the_worst_direction(void **state)
{
	const struct direction_figures *figures = measurement.by_direction;

	(void)state;
	send_both_ways();
	config.ipdv = true;
	mlr_histogram_add(&account.ports[0].seen.latency, 100);
	mlr_histogram_add(&account.ports[1].seen.latency, 300);
	add_latencies(&account.ports[0], 100, 100);
	add_latencies(&account.ports[1], 300, 300);
	mlr_histogram_add(&account.ports[0].seen.variation, 30);
	mlr_histogram_add(&account.ports[1].seen.variation, 50);
	mlr_histogram_add(&account.ports[0].sent.gaps, 5);
	mlr_histogram_add(&account.ports[1].sent.gaps, 9);
	account.clock_read_ns = 20;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_true(measurement.has_latency && figures[0].has_latency && figures[1].has_latency);
	assert_int_equal(measurement.latency.count, 2);
	assert_int_equal(measurement.latency.min_ns, 100);
	assert_int_equal(measurement.latency.max_ns, 300);
	assert_true(measurement.latency.mean_ns == 300 && measurement.latency.p50_ns == 300);
	/* each direction's latency is constant */
	assert_true(measurement.latency.pdv_p50_ns == 0 && measurement.latency.pdv_max_ns == 0);
	assert_true(figures[0].latency.mean_ns == 300 && figures[1].latency.mean_ns == 100);
	assert_true(measurement.latency.error_bound_ns == 40);
	assert_true(measurement.latency.has_variation && measurement.latency.variation.count == 2);
	assert_true(measurement.latency.variation.mean_ns == 50 && measurement.latency.variation.max_ns == 50);
	assert_true(figures[1].latency.variation.mean_ns == 30);
	/* one that left 34 ms late: tags say that to 16 us */
	account.ports[0].seen.lateness_max = mlr_lateness_encode(10000);
	account.ports[1].seen.lateness_max = mlr_lateness_encode(34000000);
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_true(measurement.latency.error_bound_ns == 40 + 16383);
	assert_true(figures[1].latency.error_bound_ns < 40 + 16383);
	measurement_add_latency_error(&measurement, 7);
	assert_true(measurement.latency.error_bound_ns == 47 + 16383 && figures[0].latency.error_bound_ns == 47 + 16383);
	assert_int_equal(measurement.pacing.gap_max_ns, 9);
}

static void loss_and_order_are_of_each_direction(void **state)
{
	const struct direction_figures *figures = measurement.by_direction;

	(void)state;
	send_both_ways();
	account.ports[1].counts.counts.received = account.ports[1].received.received = 980;
	account.ports[1].received.gaps = 4;
	account.ports[1].seen.gap_max = 9;
	account.ports[0].window = 1024;
	account.ports[1].window = 65536;
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_true(fabs(measurement.verdict.loss_ratio - 0.01) < 1e-12);
	assert_int_equal(measurement.direction_count, 2);
	assert_int_equal(measurement.directions[0].from, 1);
	assert_int_equal(measurement.directions[0].to, 1);
	assert_true(fabs(figures[0].verdict.loss_ratio - 0.02) < 1e-12 && figures[1].verdict.loss_ratio == 0);
	assert_int_equal(figures[0].verdict.lost, 20);
	assert_int_equal(figures[0].counts.intended, 1000);
	assert_true(figures[0].order.gaps == 4 && figures[0].order.gap_max == 9 && figures[0].order.window == 65536);
	assert_true(figures[1].order.gaps == 0 && figures[1].order.window == 1024);
}

/* One sender of two: what it sends to each is told apart. */
static void a_sender_may_send_in_two_directions(void **state)
{
	(void)state;
	profile.streams[1] = (struct mlr_stream){ .from = 0, .to = 1 };
	account.ports[0].intended_to[1] = account.ports[0].sent_to[1] = 400;
	account.ports[0].intended_to[2] = account.ports[0].sent_to[2] = 600;
	account.ports[1] = (struct port_trial){
		.counts = { .receives = true, .counts = { .received = 390 } },
		.received = { .received = 390 },
	};
	receive(600);
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.direction_count, 2);
	assert_int_equal(measurement.by_direction[0].counts.sent, 400);
	assert_int_equal(measurement.by_direction[0].verdict.lost, 10);
	assert_int_equal(measurement.by_direction[1].verdict.lost, 0);
}

static void a_port_that_hears_only_itself_is_cabled_wrong(void **state)
{
	(void)state;
	receive(0);
	account.ports[1].received.misdirected = 1000;
	assert_int_equal(account_for(&account, &measurement), EXIT_INVALID);
}

/* What others receive of others does not make up for it. */
static void cables_are_judged_by_the_frames_of_their_port(void **state)
{
	(void)state;
	profile.streams[1] = (struct mlr_stream){ .from = 1, .to = 3 };
	account.port_count = profile.port_count = 4;
	account.ports[3] = (struct port_trial){ .counts = { .receives = true } };
	account.ports[0].received.misdirected = 1000;
	receive(0);
	account.ports[3].received.received = 1000;
	assert_int_equal(account_for(&account, &measurement), EXIT_INVALID);
	account.ports[3].received.received = 0;
	receive(1);
	assert_int_equal(account_for(&account, &measurement), EXIT_DONE);
}

static void what_was_received_is_of_all_ports(void **state)
{
	(void)state;
	account.ports[0].received = (struct rx_counters){ .received = 5, .late = 30 };
	account.ports[1].received = (struct rx_counters){ .received = 700, .gaps = 2 };
	assert_int_equal(account_received(&account).received, 2705);
	assert_int_equal(account_received(&account).late, 30);
	assert_int_equal(account_received(&account).gaps, 2);
}

/* A trial in which a link changed is performed again, but not for ever, and not where it is all that was asked for. */
static void a_link_that_changes_spoils_a_trial(void **state)
{
	(void)state;
	config.verb = VERB_SEARCH;
	assert_null(account_changed_link(&account));
	account.ports[2].link_changes = 1;
	assert_ptr_equal(account_changed_link(&account), &account.ports[2]);
	assert_int_equal(account_judge_links(&account, 0), EXIT_DONE);
	assert_int_equal(account_judge_links(&account, 4), EXIT_DONE);
	assert_int_equal(account_judge_links(&account, 5), EXIT_INVALID);
	config.verb = VERB_TRIAL;
	assert_int_equal(account_judge_links(&account, 0), EXIT_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_loss_ratio_is_of_summed_counts_and_the_load_of_one_port, set_up),
		cmocka_unit_test_setup(one_slow_port_limits_the_tester, set_up),
		cmocka_unit_test_setup(drops_of_any_port_are_attributed, set_up),
		cmocka_unit_test_setup(drops_in_the_sut_are_the_suts, set_up),
		cmocka_unit_test_setup(drops_beside_the_test_frames_are_not_attributed, set_up),
		cmocka_unit_test_setup(variation_is_of_the_worst_direction, set_up),
		cmocka_unit_test_setup(order_is_of_all_ports, set_up),
		cmocka_unit_test_setup(percentiles_have_their_ranks, set_up),
		cmocka_unit_test_setup(pacing_is_that_of_the_worst_port, set_up),
		cmocka_unit_test_setup(a_whole_number_of_frames_is_not_a_load_that_was_off, set_up),
		cmocka_unit_test_setup(an_unpaced_trial_has_the_load_that_was_sent, set_up),
		cmocka_unit_test_setup(a_counter_of_ours_that_equals_the_loss_is_named, set_up),
		cmocka_unit_test_setup(a_counter_of_a_veth_into_the_sut_is_no_excuse, set_up),
		cmocka_unit_test(what_was_carried_is_no_trouble),
		cmocka_unit_test(what_moved_is_noted_by_size),
		cmocka_unit_test_setup(frames_that_arrive_damaged_are_not_the_suts, set_up),
		cmocka_unit_test_setup(what_limits_the_tester_is_said, set_up),
		cmocka_unit_test_setup(ports_are_told_one_by_one, set_up),
		cmocka_unit_test_setup(the_mean_load_may_be_off_by_a_tenth_of_the_goal_width, set_up),
		cmocka_unit_test_setup(what_a_slow_transmitter_does_not_send_spoils_nothing, set_up),
		cmocka_unit_test_setup(what_bursts_lose_has_a_place_of_its_own, set_up),
		cmocka_unit_test_setup(bursts_of_all_ports_and_flows_are_added, set_up),
		cmocka_unit_test_setup(a_hiccup_of_an_interface_spoils_a_trial, set_up),
		cmocka_unit_test_setup(a_repeat_does_not_depend_on_the_suts_loss, set_up),
		cmocka_unit_test_setup(an_interface_that_always_drops_costs_fewer_repeats, set_up),
		cmocka_unit_test_setup(drops_explain_only_what_is_missing_on_their_way, set_up),
		cmocka_unit_test_setup(two_interfaces_explain_a_missing_frame_once, set_up),
		cmocka_unit_test_setup(latency_is_that_of_the_worst_direction, set_up),
		cmocka_unit_test_setup(loss_and_order_are_of_each_direction, set_up),
		cmocka_unit_test_setup(a_sender_may_send_in_two_directions, set_up),
		cmocka_unit_test_setup(a_port_that_hears_only_itself_is_cabled_wrong, set_up),
		cmocka_unit_test_setup(cables_are_judged_by_the_frames_of_their_port, set_up),
		cmocka_unit_test_setup(what_was_received_is_of_all_ports, set_up),
		cmocka_unit_test_setup(a_link_that_changes_spoils_a_trial, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
