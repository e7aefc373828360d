/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The receiver's XDP program on golden frames and on hostile ones. */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../test.h"
#include "base/clock.h"
#include "dataplane/rx.h"
#include "mlr/frame.h"
#include "run.h"
#include "shell.h"

#define TRIAL 7
#define FLOW  3
#define FLOWS 2 /* this port receives flows 3 and 4 */

static struct rx *rx;
static struct mlr_frame_template template;
static struct mlr_flow flow;

static int setup(void **state)
{
	(void)state;

	if (rx_load(&(struct rx_options){ .first_flow = FLOW, .flow_count = FLOWS }, &rx))
		return -1;
	rx_accept_trial(rx, TRIAL, 1, UINT32_MAX);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rx_close(rx);
	return 0;
}

static unsigned int build_as(uint8_t *frame, const struct mlr_frame_spec *spec, uint32_t id)
{
	flow = (struct mlr_flow){
		.id = id,
		.source_address = 0xc6120002,
		.destination_address = 0xc6130002,
		.source_port = MLR_UDP_SOURCE_PORT,
		.destination_port = MLR_UDP_DESTINATION_PORT,
	};
	assert_int_equal(mlr_frame_template_init(spec, &template), 0);
	mlr_frame_write(spec, &template, &flow, 0, 0, 0, 0, frame);
	return template.memory_octets;
}

static unsigned int build(uint8_t *frame, unsigned int size_octets, uint32_t id)
{
	const struct mlr_frame_spec spec = {
		.source_mac = { 2, 0, 0, 0, 0, 1 },
		.destination_mac = { 2, 0, 0, 0, 0, 2 },
		.ip_version = 4,
		.hop_limit = MLR_TTL,
		.size_octets = size_octets,
	};

	return build_as(frame, &spec, id);
}

/* What a SUT does that changes an IPv4 header. */
static void mend_checksum(uint8_t *header)
{
	uint32_t sum = 0;

	mlr_put16(header + 10, 0);
	for (unsigned int i = 0; i < (header[0] & 0xfu) * 4; i += 2)
		sum += (uint32_t)header[i] << 8 | header[i + 1];
	mlr_put16(header + 10, mlr_checksum_fold(sum));
}

static void stamp(uint8_t *frame, uint16_t trial, uint32_t sequence)
{
	uint64_t now_ns = clock_ns();

	mlr_frame_fill(frame, &template, &flow, trial, sequence, now_ns, now_ns);
}

/* Send one valid frame of 64 octets through the program. */
static int send_frame(uint16_t trial, uint32_t id, uint32_t sequence)
{
	uint8_t frame[60];
	unsigned int octets = build(frame, 64, id);

	stamp(frame, trial, sequence);
	return run_program(rx_program_fd(rx), frame, octets);
}

static struct rx_counters counters(void)
{
	struct rx_counters now;

	rx_snapshot(rx, &now);
	return now;
}

static void assert_counters(struct rx_counters expected)
{
	struct rx_counters now = counters();

	now.gaps = now.gap_frames = now.gap_runs = now.reorder_depth = now.unverified = now.flows = now.beyond_window =
		0; /* have tests of their own */
	assert_memory_equal(&now, &expected, sizeof(now));
}

/* As they were sent, inside IPv4, UDP and VXLAN; without that, as behind a SUT that ends tunnels; or in others. */
static void frames_in_tunnels(void **state)
{
	static const uint8_t vxlan[] = { 0x08, 0, 0x45, 0, 0, 0,  0,    0,    0, 0, 64, 17, 0,    0, 192,  0, 2, 1,
					 192,  0, 2,    2, 0, 99, 0x12, 0xb5, 0, 0, 0,  0,  0x08, 0, 0,    0, 0, 0,
					 5,    0, 2,    0, 0, 0,  0,    3,    2, 0, 0,  0,  0,    4, 0x08, 0 };
	struct mlr_frame_spec spec = {
		.ip_version = 4, .hop_limit = 64, .size_octets = 1400, .outer_octets = sizeof(vxlan)
	};
	struct rx_captured *captured;
	uint8_t frame[1396 + 4];
	unsigned int octets;
	size_t count;

	(void)state;
	memcpy(spec.outer, vxlan, sizeof(vxlan));
	rx_close(rx);
	assert_int_equal(
		rx_load(&(struct rx_options){ .first_flow = FLOW, .flow_count = FLOWS, .like = &spec, .capture_most = 2 },
			&rx),
		0);
	rx_accept_trial(rx, TRIAL, 1, UINT32_MAX);
	for (uint32_t vlans = 0; vlans <= 2; vlans++) { /* which an offload may take off */
		spec.vlan_count = vlans;
		spec.vlans[0].type = spec.vlans[1].type = 0x8100;
		octets = build_as(frame, &spec, FLOW);
		stamp(frame, TRIAL, vlans + 1);
		assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
	}
	assert_counters((struct rx_counters){ .received = 3, .received_octets = 3ull * 1396 });
	assert_int_equal(send_frame(TRIAL, FLOW, 4), XDP_DROP); /* a plain one */
	assert_counters((struct rx_counters){ .received = 4, .received_octets = 3ull * 1396 + 60 });

	spec.vlan_count = 0;
	octets = build_as(frame, &spec, FLOW);
	stamp(frame, TRIAL, 9);
	frame[octets - 1] ^= 1; /* of the payload: not the next of its flow, so it is verified */
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
	frame[octets - 1] ^= 1;
	frame[template.network_offset] ^= 0x10; /* the inner IP version */
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
	assert_counters((struct rx_counters){ .received = 4, .received_octets = 3ull * 1396 + 60, .damaged = 2 });
	frame[template.network_offset] ^= 0x10;
	memmove(frame + 38, frame + 34, octets - 34); /* four octets more in front of it */
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets + 4), XDP_PASS);
	assert_counters(
		(struct rx_counters){ .received = 4, .received_octets = 3ull * 1396 + 60, .damaged = 2, .foreign = 1 });
	/* the first two of them were kept */
	captured = rx_captured(rx, &count);
	assert_non_null(captured);
	assert_int_equal(count, 2);
	assert_int_equal(captured[0].why, RX_WRONG_CHECKSUM);
	assert_int_equal(captured[1].why, RX_WRONG_HEADER);
	assert_int_equal(captured[1].octets, octets);
	assert_int_equal(captured[0].frame[octets - 1], captured[1].frame[octets - 1] ^ 1);
	assert_true(captured[1].arrival_ns >= captured[0].arrival_ns && captured[1].arrival_ns <= clock_ns());
	free(captured);
}

/* Behind a SUT that ends tunnels a plain frame may have the magic where the tag is in them, in a time or a number; and one in tunnels where
 * the tag is in a plain frame. */
static void magic_where_the_tag_is_in_other_frames(void **state)
{
	static const struct {
		uint64_t time_ns;
		uint32_t sequence;
		unsigned int octets;
		uint8_t outer[26];
	} tunnels[] = {
		{ MLR_TAG_MAGIC << 16, 1, 14, { 0x88, 0x47, 0, 6, 0x40, 0xff, 0, 6, 0x40, 0xff, 0, 6, 0x41, 0xff } },
		{ 1, MLR_TAG_MAGIC << 16, 10, { 0x88, 0x64, 0x11, 0, 0, 1, 0, 0, 0, 0 } },
		{ 1, 1, 26, { 0x08, 0, 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 47, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2, 0, 0, 8, 0 } },
	};

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		struct mlr_frame_spec plain = { .ip_version = i % 2 ? 6 : 4,
						.identification = MLR_TAG_MAGIC,
						.size_octets = 120 };
		struct mlr_frame_spec spec = plain;
		struct rx_options options = { .first_flow = FLOW, .flow_count = FLOWS, .no_latency = true, .like = &spec };
		const uint64_t time_ns = tunnels[i / 2].time_ns;

		spec.outer_octets = tunnels[i / 2].octets;
		memcpy(spec.outer, tunnels[i / 2].outer, spec.outer_octets);
		rx_close(rx);
		assert_int_equal(rx_load(&options, &rx), 0);
		rx_accept_trial(rx, TRIAL, 1, UINT32_MAX);
		for (uint32_t is_plain = 0; is_plain < 2; is_plain++) {
			uint8_t frame[120];
			unsigned int octets = build_as(frame, is_plain ? &plain : &spec, FLOW);

			mlr_frame_fill(frame, &template, &flow, TRIAL, tunnels[i / 2].sequence + is_plain, time_ns, time_ns);
			assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
			assert_counters(
				(struct rx_counters){ .received = is_plain + 1, .received_octets = 116 * (is_plain + 1) });
		}
	}
}

static void every_size_counts_once(void **state)
{
	uint64_t octets = 0;

	(void)state;
	for (unsigned int size_octets = 64; size_octets <= 1518; size_octets++) {
		uint8_t frame[1514];
		unsigned int memory_octets = build(frame, size_octets, FLOW);

		stamp(frame, TRIAL, size_octets);
		assert_int_equal(run_program(rx_program_fd(rx), frame, memory_octets), XDP_DROP);
		octets += memory_octets;
	}
	assert_counters((struct rx_counters){ .received = 1455, .received_octets = octets });
}

/* Every IP version behind none to two VLAN tags. */
static void tags_and_versions(void **state)
{
	uint64_t octets = 0;

	(void)state;
	for (uint32_t kind = 0; kind < 6; kind++) {
		const struct mlr_frame_spec spec = {
			.ip_version = kind % 2 ? 6 : 4,
			.vlan_count = kind / 2,
			.vlans = { { .type = kind == 4 ? 0x88a8 : 0x8100, .control = 0xa001 },
				   { .type = 0x8100, .control = 2 } },
			.source_address6 = { 0x20, 1 },
			.size_octets = 100,
		};
		uint8_t frame[100];
		unsigned int memory_octets = build_as(frame, &spec, FLOW);

		stamp(frame, TRIAL, kind + 1);
		assert_int_equal(run_program(rx_program_fd(rx), frame, memory_octets), XDP_DROP);
		octets += memory_octets;
	}
	assert_counters((struct rx_counters){ .received = 6, .received_octets = octets });
}

static void extra_frames_are_counted_apart(void **state)
{
	(void)state;
	send_frame(TRIAL, MLR_FLOW_EXTRA, 0);
	send_frame(TRIAL - 1, MLR_FLOW_EXTRA, 0);
	send_frame(TRIAL, FLOW, 1);
	assert_counters((struct rx_counters){ .received = 1, .received_octets = 60, .extra = 2 });
}

static void every_truncation_behind_tags_and_ipv6(void **state)
{
	const struct mlr_frame_spec spec = {
		.ip_version = 6,
		.vlan_count = 2,
		.vlans = { { .type = 0x88a8, .control = 1 }, { .type = 0x8100, .control = 2 } },
		.size_octets = 150,
	};
	uint8_t frame[150];
	unsigned int octets = build_as(frame, &spec, FLOW);
	struct rx_counters expected = { 0 };

	(void)state;
	for (unsigned int cut = 14; cut < octets; cut++) {
		stamp(frame, TRIAL, cut);
		assert_int_equal(run_program(rx_program_fd(rx), frame, cut), cut < 72 ? XDP_PASS : XDP_DROP);
		expected.foreign += cut < 72;
		expected.malformed += cut >= 72;
		assert_counters(expected);
	}
}

static void three_tags_are_foreign(void **state)
{
	uint8_t frame[100] = { [12] = 0x81, [16] = 0x81, [20] = 0x81, [24] = 0x08, [25] = 0x00, [26] = 0x45 };

	(void)state;
	assert_int_equal(run_program(rx_program_fd(rx), frame, sizeof(frame)), XDP_PASS);
	assert_int_equal(counters().foreign, 1);
}

static void options_in_the_ip_header_are_skipped(void **state)
{
	uint8_t frame[128] = { 0 };
	unsigned int octets = build(frame, 100, FLOW);

	(void)state;
	stamp(frame, TRIAL, 1);
	memmove(frame + 14 + 24, frame + 14 + 20, octets - 34); /* a SUT may add four octets of options */
	memset(frame + 14 + 20, 1, 4);
	frame[14] = 0x46;
	frame[17] = (uint8_t)(frame[17] + 4);
	mend_checksum(frame + 14);
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets + 4), XDP_DROP);
	assert_counters((struct rx_counters){ .received = 1, .received_octets = octets + 4 });
}

static void order_and_duplicates(void **state)
{
	static const uint32_t sequences[] = { 1, 2, 4, 3, 4, 7, 7, 5, 6, 8, 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(sequences) / sizeof(*sequences); i++)
		assert_int_equal(send_frame(TRIAL, FLOW, sequences[i]), XDP_DROP);
	/* 3, 5 and 6 came late; 4, 7 and 1 came twice */
	assert_counters((struct rx_counters){ .received = 8, .received_octets = 480, .duplicate = 3, .reordered = 3 });
}

/* RFC 4737 asks how far: behind the highest number that had arrived. */
static void reordering_has_a_depth_and_gaps_a_length(void **state)
{
	static const uint32_t sequences[] = { 1, 2, 5, 3, 9, 4, 10 };
	struct rx_trial trial;

	(void)state;
	rx_accept_trial(rx, TRIAL, 1, 100);
	for (size_t i = 0; i < sizeof(sequences) / sizeof(*sequences); i++)
		send_frame(TRIAL, FLOW, sequences[i]);
	/* 3 came after 5, 4 after 9; before 5 two were missing, before 9 three */
	assert_int_equal(counters().received, 7);
	assert_int_equal(counters().reordered, 2);
	assert_int_equal(counters().reorder_depth, 2 + 5);
	assert_int_equal(counters().gaps, 2);
	assert_int_equal(counters().gap_frames, 2 + 3);
	rx_trial(rx, TRIAL, &trial);
	assert_int_equal(trial.reorder_depth_max, 5);
	assert_int_equal(trial.gap_max, 3);
	for (size_t i = 0; i < RX_DEPTH_BUCKETS; i++)
		assert_int_equal(trial.reorder_depths[i], i == 1 || i == 2); /* 2 to 3, 4 to 7 */
}

/* A CPU knows the base of PDV once it has seen enough frames, and it has runs of lost frames of its own. */
static void stay_on_this_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	assert_int_equal(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

/* Send a frame of each of eight flows, but for those that are lost. */
static void send_cycle(uint32_t sequence, unsigned int lost_flows)
{
	for (uint32_t i = 0; i < 8; i++)
		if (!(lost_flows >> i & 1))
			send_frame(TRIAL, FLOW + i, sequence);
}

/* Frames that are lost one after the other are one event, of however many flows they are. */
static void an_outage_over_many_flows_is_one_run(void **state)
{
	(void)state;
	stay_on_this_cpu();
	rx_close(rx);
	assert_int_equal(rx_load(&(struct rx_options){ .first_flow = FLOW, .flow_count = 8 }, &rx), 0);
	rx_accept_trial(rx, TRIAL, 1, 100);
	send_cycle(1, 0x3c); /* four in a row */
	send_cycle(2, 0);
	assert_int_equal(counters().gaps, 4);
	assert_int_equal(counters().gap_runs, 1);
	send_cycle(3, 0x15); /* three apart */
	send_cycle(4, 0);
	assert_int_equal(counters().gaps, 4 + 3);
	assert_int_equal(counters().gap_runs, 1 + 3);
	send_cycle(5, 0xfe); /* more than all in a row */
	send_cycle(6, 0xff);
	send_cycle(7, 0x03);
	send_cycle(8, 0);
	assert_int_equal(counters().gaps, 4 + 3 + 8);
	assert_int_equal(counters().gap_runs, 1 + 3 + 1);
}

/* Of one flow, frames that are lost by turns are not in a row. */
static void each_gap_of_a_single_flow_is_a_run(void **state)
{
	(void)state;
	rx_close(rx);
	assert_int_equal(rx_load(&(struct rx_options){ .first_flow = FLOW, .flow_count = 1 }, &rx), 0);
	rx_accept_trial(rx, TRIAL, 1, 100);
	for (uint32_t sequence = 2; sequence <= 10; sequence += 2)
		send_frame(TRIAL, FLOW, sequence);
	assert_int_equal(counters().gaps, 5);
	assert_int_equal(counters().gap_runs, 5);
}

static void each_trial_has_gaps_of_its_own(void **state)
{
	struct rx_trial trial;

	(void)state;
	rx_accept_trial(rx, TRIAL, 100, 10);
	send_frame(TRIAL, FLOW, 104); /* the first four are lost */
	rx_accept_trial(rx, TRIAL + 1, 111, 10);
	send_frame(TRIAL + 1, FLOW, 111); /* what the trial before did not send is not lost */
	send_frame(TRIAL + 1, FLOW, 113);
	assert_int_equal(counters().gaps, 2);
	assert_int_equal(counters().gap_frames, 5);
	rx_trial(rx, TRIAL, &trial);
	assert_int_equal(trial.gap_max, 4);
	rx_trial(rx, TRIAL + 1, &trial);
	assert_int_equal(trial.gap_max, 1);
	rx_accept_trial(rx, TRIAL + 2, 200, 10);
	rx_trial(rx, TRIAL + 2, &trial);
	assert_int_equal(trial.gap_max, 0);
}

/* An outage of more frames than half the numbers there are: what comes after it is new, and a copy from before it is old. */
static void a_long_outage_confuses_nothing(void **state)
{
	(void)state;
	rx_accept_trial(rx, TRIAL, 1, 4000000000u);
	send_frame(TRIAL, FLOW, 1);
	for (uint32_t i = 0; i < 10; i++)
		send_frame(TRIAL, FLOW, 3900000000u + i);
	send_frame(TRIAL, FLOW, 1);
	assert_int_equal(counters().received, 11);
	assert_int_equal(counters().duplicate, 1);
	assert_int_equal(counters().gap_frames, 3900000000u - 2);
}

/* The same over the end of the numbers: 0xfffffff8 .. 0xffffffff, 0 .. 7, swapped in pairs. */
static void order_is_right_over_the_wrap(void **state)
{
	struct rx_trial trial;

	(void)state;
	rx_accept_trial(rx, TRIAL, 0xfffffff8u, 16);
	for (uint32_t i = 0; i < 16; i++)
		send_frame(TRIAL, FLOW, 0xfffffff8u + (i ^ 1));
	assert_int_equal(counters().received, 16);
	assert_int_equal(counters().reordered, 8);
	assert_int_equal(counters().reorder_depth, 8);
	assert_int_equal(counters().gaps, 8);
	rx_trial(rx, TRIAL, &trial);
	assert_int_equal(trial.reorder_depth_max, 1);
	for (uint32_t i = 0; i < 16; i++)
		send_frame(TRIAL, FLOW, 0xfffffff8u + i);
	assert_int_equal(counters().duplicate, 16);
}

#define RACE_FRAMES 20000

static atomic_uint race_turns;

/* Until the other CPU is about to send this number, too: then both are in the program at once every now and then. */
static void meet(uint32_t turn)
{
	atomic_fetch_add(&race_turns, 1);
	while (atomic_load(&race_turns) < 2 * turn)
		;
}

/* Every number once, from one CPU. */
static void *send_all(void *argument)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((uintptr_t)argument, &one);
	pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
	for (uint32_t i = 1; i <= RACE_FRAMES; i++) {
		uint8_t frame[60];

		memcpy(frame, template.header, sizeof(frame));
		mlr_frame_fill(frame, &template, &flow, TRIAL, i, 0, 0);
		meet(i);
		run_program(rx_program_fd(rx), frame, sizeof(frame));
	}
	return NULL;
}

/* Two CPUs receive the same numbers at the same time: each is unique once and a duplicate once. */
static void a_race_loses_and_invents_nothing(void **state)
{
	pthread_t threads[2];
	uint8_t frame[60];

	(void)state;
	build(frame, 64, FLOW);
	for (uintptr_t i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, send_all, (void *)i), 0);
	for (size_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(counters().received, RACE_FRAMES);
	assert_int_equal(counters().duplicate, RACE_FRAMES);
}

static void what_is_switched_off_is_not_done(void **state)
{
	struct rx_trial trial;

	(void)state;
	rx_close(rx);
	assert_int_equal(rx_load(&(struct rx_options){ .first_flow = FLOW, .flow_count = FLOWS, .no_order = true }, &rx), 0);
	rx_accept_trial(rx, TRIAL, 1, 100);
	for (uint32_t sequence = 5; sequence > 0; sequence--)
		send_frame(TRIAL, FLOW + 1, sequence);
	send_frame(TRIAL, FLOW, 1);
	send_frame(TRIAL, FLOW, 1);
	send_frame(TRIAL, FLOW, 101);
	assert_counters((struct rx_counters){ .received = 7, .received_octets = 420, .malformed = 1 });
	assert_int_equal(counters().gaps, 0);
	rx_trial(rx, TRIAL, &trial);
	assert_int_equal(trial.latency.count, 7);
	rx_close(rx);
	assert_int_equal(rx_load(&(struct rx_options){ .first_flow = FLOW, .flow_count = FLOWS, .no_latency = true }, &rx),
			 0);
	rx_accept_trial(rx, TRIAL, 1, 100);
	send_frame(TRIAL, FLOW, 1);
	send_frame(TRIAL, FLOW, 1);
	assert_counters((struct rx_counters){ .received = 1, .received_octets = 60, .duplicate = 1 });
	rx_trial(rx, TRIAL, &trial);
	assert_int_equal(trial.latency.count, 0);
}

/* Some drivers (mlx5) have all of a long frame in fragments, its headers, too. */
static void headers_may_be_in_fragments(void **state)
{
	uint8_t frame[1514];
	unsigned int octets = build(frame, 1518, FLOW);

	(void)state;
	rx_close(rx);
	assert_int_equal(rx_load(&(struct rx_options){ .first_flow = FLOW, .flow_count = FLOWS, .long_frames = true }, &rx),
			 0);
	rx_accept_trial(rx, TRIAL, 1, UINT32_MAX);
	stamp(frame, TRIAL, 1);
	if (run_program_on_fragments(rx_program_fd(rx), frame, octets, 1000) < 0)
		skip(); /* before Linux 6.18 no program can be run on such a frame */
	for (uint32_t sequence = 2; sequence < 64; sequence++) {
		stamp(frame, TRIAL, sequence);
		assert_int_equal(run_program_on_fragments(rx_program_fd(rx), frame, octets, 13 + sequence), XDP_DROP);
	}
	frame[template.tag_offset] = 0; /* somebody else's passes on, and is counted once */
	assert_int_equal(run_program_on_fragments(rx_program_fd(rx), frame, octets, 14), XDP_PASS);
	assert_counters((struct rx_counters){ .received = 63, .received_octets = 63 * 1514, .foreign = 1 });
}

/* Frames longer than a page come in fragments; their tag is in the first. */
static void jumbo_frames_count_whole(void **state)
{
	static uint8_t frame[9212];

	(void)state;
	for (unsigned int size_octets = 3000; size_octets <= 9216; size_octets += 777) {
		unsigned int octets = build(frame, size_octets, FLOW);
		struct rx_counters before = counters(), now;

		stamp(frame, TRIAL, size_octets);
		assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
		now = counters();
		assert_int_equal(now.received - before.received, 1);
		assert_int_equal(now.received_octets - before.received_octets, octets);
		/* its end is missing */
		stamp(frame, TRIAL, size_octets + 1);
		assert_int_equal(run_program(rx_program_fd(rx), frame, octets - 1), XDP_DROP);
		assert_int_equal(counters().malformed - before.malformed, 1);
	}
}

/* Out of this link, and so into the other end of the veth pair. */
static void send_through(const char *link, const uint8_t *frame, unsigned int octets)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(link), .sll_halen = 6 };
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	assert_true(fd >= 0);
	assert_int_equal(sendto(fd, frame, octets, 0, (struct sockaddr *)&to, sizeof(to)), octets);
	close(fd);
}

/* Whether this kernel gives XDP programs what the NIC knows of a frame: since Linux 6.3. */
static bool has_metadata(void)
{
	struct utsname system;
	int major = 0, minor = 0;

	uname(&system);
	sscanf(system.release, "%d.%d", &major, &minor);
	return major > 6 || (major == 6 && minor >= 3);
}

#define HARDWARE_CLOCK .first_flow = FLOW, .flow_count = FLOWS, .hardware_clock = true

/* A veth pair, and its first end's receiver. */
static void open_on_link(const struct rx_options *options, char link[IF_NAMESIZE], char peer[IF_NAMESIZE])
{
	struct rx_plan plan;

	snprintf(link, IF_NAMESIZE, "rx%d", getpid());
	snprintf(peer, IF_NAMESIZE, "rx%dp", getpid());
	shell("ip link add %s up type veth peer name %s && ip link set %s up", link, peer, peer);
	rx_close(rx);
	rx = NULL;
	plan = (struct rx_plan){ (int)if_nametoindex(link), link, *options };
	assert_int_equal(rx_open_all(&plan, 1, &rx), EXIT_DONE);
	assert_false(rx_is_generic(rx));
	assert_int_equal(rx_has_hardware_clock(rx), has_metadata());
}

/* Bound to its device the program may ask for the NIC's time. A veth has none: then it is this machine's, and said so. */
static void without_a_clock_on_the_nic_it_is_ours(void **state)
{
	static const struct rx_options options = { HARDWARE_CLOCK };
	char link[IF_NAMESIZE], peer[IF_NAMESIZE];
	struct rx_trial trial;
	uint8_t frame[60];
	unsigned int octets;

	(void)state;
	open_on_link(&options, link, peer);
	rx_set_clock_offset(rx, 1000000);
	rx_accept_trial(rx, TRIAL, 1, 100);
	octets = build(frame, 64, FLOW);
	stamp(frame, TRIAL, 1);
	send_through(peer, frame, octets);
	for (int i = 0; i < 60000 && !counters().received; i++)
		usleep(1000);
	assert_int_equal(counters().received, 1);
	assert_int_equal(counters().hardware_timed, 0);
	rx_trial(rx, TRIAL, &trial);
	assert_int_equal(trial.latency.count, 1);
	shell("ip link del %s", link);
}

/* Where the verifier moves a program that is bound to its device, the kernel does not survive the end of that device: so that
 * is seen (by has_hardware_clock, in open_on_link) before the device goes. Whatever is switched on. */
static void a_receiver_outlives_the_device_it_is_bound_to(void **state)
{
	static const struct mlr_frame_spec like = { .ip_version = 6, .outer_octets = 56 };
	static const struct rx_lengths lengths = { { 1 } };
	static const struct rx_options options[] = {
		{ HARDWARE_CLOCK, .verify = RX_VERIFY_ALL, .lengths = &lengths },
		{ HARDWARE_CLOCK, .verify = RX_VERIFY_DOUBTS, .no_order = true },
		{ HARDWARE_CLOCK, .no_order = true, .no_latency = true },
		{ HARDWARE_CLOCK, .verify = RX_VERIFY_ALL, .lengths = &lengths, .interval_ns = 1000000, .capture_most = 100,
		  .like = &like, .variation = true },
		{ HARDWARE_CLOCK, .verify = RX_VERIFY_ALL, .lengths = &lengths, .variation = true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		char link[IF_NAMESIZE], peer[IF_NAMESIZE];

		open_on_link(&options[i], link, peer);
		shell("ip link del %s", link);
		assert_int_equal(counters().received, 0);
	}
}

static void flows_have_sequences_of_their_own(void **state)
{
	(void)state;
	for (uint32_t sequence = 1; sequence <= 100; sequence++) {
		send_frame(TRIAL, FLOW, sequence);
		send_frame(TRIAL, FLOW + 1, sequence);
	}
	assert_counters((struct rx_counters){ .received = 200, .received_octets = 12000 });
}

static void sequences_wrap(void **state)
{
	(void)state;
	rx_accept_trial(rx, TRIAL, 0x70000000, UINT32_MAX);
	for (uint32_t i = 0; i < 200; i++)
		send_frame(TRIAL, FLOW, 0x7fffff00u + i * 0x800000u); /* gaps are no fault */
	assert_int_equal(counters().received, 200);
	for (uint32_t i = 0; i < 100; i++)
		send_frame(TRIAL, FLOW + 1, 0x70000000u + i);
	for (uint32_t i = 0; i < 100; i++)
		send_frame(TRIAL, FLOW + 1, 0xe0000000u + i);
	for (uint32_t i = 0; i < 100; i++)
		send_frame(TRIAL, FLOW + 1, 0xffffffceu + i); /* 0xffffffce .. 0x31 */
	assert_int_equal(counters().received, 500);
	assert_int_equal(counters().duplicate, 0);
	assert_int_equal(counters().reordered, 0);
}

/* A copy that comes back after the window has moved on must not pass for a frame that was not received yet. */
static void an_old_copy_never_hides_a_loss(void **state)
{
	(void)state;
	send_frame(TRIAL, FLOW, 1);
	send_frame(TRIAL, FLOW, 1 + 65536); /* lands in the same slot */
	send_frame(TRIAL, FLOW, 1);
	assert_int_equal(counters().received, 2);
	assert_int_equal(counters().duplicate, 1);
	assert_int_equal(counters().beyond_window, 1);
	send_frame(TRIAL, FLOW, 1 + 65536); /* of this one it is known */
	assert_int_equal(counters().duplicate, 2);
	assert_int_equal(counters().beyond_window, 1);
}

/* Where frames may come later than that by rate and wait, more is remembered; a million flows have less each. */
static void the_window_is_as_large_as_is_wanted(void **state)
{
	(void)state;
	assert_int_equal(rx_window(rx), 65536);
	rx_close(rx);
	assert_int_equal(rx_load(&(struct rx_options){ .first_flow = FLOW, .flow_count = 2, .window = 200000 }, &rx), 0);
	assert_int_equal(rx_window(rx), 262144);
	rx_accept_trial(rx, TRIAL, 1, UINT32_MAX);
	send_frame(TRIAL, FLOW, 200000);
	send_frame(TRIAL, FLOW, 1);
	send_frame(TRIAL, FLOW, 1);
	assert_int_equal(counters().received, 2);
	assert_int_equal(counters().reordered, 1);
	assert_int_equal(counters().duplicate, 1);
	assert_int_equal(counters().beyond_window, 0);
	assert_int_equal(counters().flows, 1);
	rx_close(rx);
	assert_int_equal(rx_load(&(struct rx_options){ .flow_count = 1000000, .window = 200000 }, &rx), 0);
	assert_int_equal(rx_window(rx), 16);
}

/* Whose trial a late frame was, and that none is accepted after the end of one. */
static void late_frames_are_known_by_their_trial(void **state)
{
	(void)state;
	send_frame(TRIAL, FLOW, 1);
	rx_end_trial(rx);
	send_frame(TRIAL, FLOW, 1);
	send_frame(TRIAL, FLOW, 2);
	rx_accept_trial(rx, TRIAL + 1, 100, 100);
	send_frame(TRIAL, FLOW, 3);
	send_frame(65535, FLOW, 3);
	assert_counters((struct rx_counters){ .received = 1, .received_octets = 60, .late = 3, .unknown_trial = 1 });
	assert_int_equal(rx_late(rx, TRIAL), 3);
	assert_int_equal(rx_late(rx, TRIAL + 1), 0);
	/* what came before the number was used is none of its trial */
	assert_int_equal(rx_late(rx, 65535), 0);
	rx_accept_trial(rx, 65535, 100, 100);
	rx_end_trial(rx);
	send_frame(65535, FLOW, 100);
	assert_int_equal(rx_late(rx, 65535), 1);
}

/* The frames of an earlier part of a suite may come before the receivers of all ports are there. */
static void trials_of_earlier_receivers_are_known_from_the_first_frame_on(void **state)
{
	const struct rx_options options = { .first_flow = FLOW, .flow_count = FLOWS, .earlier = { 65534, 3 } };

	(void)state;
	rx_close(rx);
	rx = NULL;
	assert_int_equal(rx_load(&options, &rx), 0);
	send_frame(65533, FLOW, 1);
	send_frame(65534, FLOW, 1);
	send_frame(65535, FLOW, 1);
	send_frame(0, FLOW, 1);
	send_frame(1, FLOW, 1);
	assert_counters((struct rx_counters){ .late = 3, .unknown_trial = 2 });
	assert_int_equal(rx_late(rx, 65534) + rx_late(rx, 65535) + rx_late(rx, 0), 3);
	assert_int_equal(rx_unknown_trials(rx, false).frames, 2);
}

static void send_frames(uint16_t trial, unsigned int count)
{
	while (count--)
		send_frame(trial, FLOW, 1);
}

/* What this receiver never accepted is no late frame: another sender's, or an earlier run's. */
static void trials_that_were_never_accepted_are_unknown(void **state)
{
	struct rx_unknown unknown;

	(void)state;
	unknown = rx_unknown_trials(rx, true);
	assert_int_equal(unknown.frames + unknown.numbers, 0);
	rx_end_trial(rx);
	send_frames(4711, 3);
	rx_accept_trial(rx, TRIAL + 1, 1, UINT32_MAX);
	rx_capture_anew(rx);
	send_frames(4711, 2);
	send_frames(TRIAL, 4);
	send_frames(0, 1);
	send_frames(65535, 5);
	send_frame(TRIAL + 1, FLOW, 1);
	assert_counters((struct rx_counters){ .received = 1, .received_octets = 60, .late = 4, .unknown_trial = 11 });
	unknown = rx_unknown_trials(rx, true);
	assert_int_equal(unknown.frames, 8);
	assert_int_equal(unknown.numbers, 3);
	assert_int_equal(unknown.most, 65535);
	assert_int_equal(unknown.most_frames, 5);
	unknown = rx_unknown_trials(rx, false);
	assert_int_equal(unknown.frames, 11);
	assert_int_equal(unknown.most_frames, 5);
}

/* A frame that was seen counts once in one of these; what is said about frames that are counted already counts as none. */
static void each_frame_seen_is_one_of_a_kind(void **state)
{
	const struct rx_counters ours = { .received = 1,
					  .duplicate = 2,
					  .malformed = 4,
					  .misdirected = 8,
					  .wrong_length = 16,
					  .damaged = 32,
					  .fragmented = 64,
					  .overtagged = 128 };
	const struct rx_counters beside = {
		.late = 1, .unknown_trial = 2, .icmp_errors = 4, .foreign = 8, .housekeeping = 16, .extra = 32
	};
	const struct rx_counters part = { .received_octets = 1,
					  .reordered = 1,
					  .beyond_window = 1,
					  .reorder_depth = 1,
					  .gaps = 1,
					  .gap_frames = 1,
					  .unverified = 1,
					  .without_checksum = 1,
					  .negative_latency = 1,
					  .hardware_timed = 1,
					  .flows = 1,
					  .marked = 1 };

	(void)state;
	assert_int_equal(rx_ours(&ours), 255);
	assert_int_equal(rx_seen(&ours), 255);
	assert_int_equal(rx_ours(&beside), 0);
	assert_int_equal(rx_seen(&beside), 63);
	assert_int_equal(rx_seen(&part), 0);
}

/* A checksum that is wrong makes it a damaged frame: nobody knows which trial that is of. */
static void a_damaged_trial_number_is_not_unknown(void **state)
{
	uint8_t frame[60];
	unsigned int octets = build(frame, 64, FLOW);

	(void)state;
	stamp(frame, TRIAL, 1);
	frame[template.tag_offset + 2u] ^= 0x40;
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
	assert_counters((struct rx_counters){ .damaged = 1 });
}

/* One frame with a damaged number must not make all others look old. */
static void numbers_that_were_never_sent_are_malformed(void **state)
{
	(void)state;
	rx_accept_trial(rx, TRIAL, 1000, 100);
	send_frame(TRIAL, FLOW, 1000);
	send_frame(TRIAL, FLOW, 999);
	send_frame(TRIAL, FLOW, 1100);
	send_frame(TRIAL, FLOW, 0x40000000);
	for (uint32_t sequence = 1001; sequence < 1100; sequence++)
		send_frame(TRIAL, FLOW, sequence);
	assert_counters((struct rx_counters){ .received = 100, .received_octets = 6000, .malformed = 3 });
	/* a trial may begin just below the wrap */
	rx_accept_trial(rx, TRIAL, 0xffffffff, 2);
	send_frame(TRIAL, FLOW + 1, 0xffffffff);
	send_frame(TRIAL, FLOW + 1, 0);
	send_frame(TRIAL, FLOW + 1, 1);
	assert_int_equal(counters().malformed, 4);
}

/* NAPI moves between CPUs: order and duplicates must not depend on which CPU sees a frame. */
static void state_survives_a_move_between_cpus(void **state)
{
	cpu_set_t before;

	(void)state;
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip();
	sched_getaffinity(0, sizeof(before), &before);
	for (uint32_t sequence = 1; sequence <= 50; sequence++) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(sequence % 2, &one);
		assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
		send_frame(TRIAL, FLOW, sequence);
		send_frame(TRIAL, FLOW, sequence == 1 ? 1 : sequence - 1); /* the other CPU's, again */
	}
	sched_setaffinity(0, sizeof(before), &before);
	assert_counters((struct rx_counters){ .received = 50, .received_octets = 3000, .duplicate = 50 });
}

static void what_is_not_of_this_trial_or_port(void **state)
{
	(void)state;
	send_frame(TRIAL - 1, FLOW, 1);
	send_frame(TRIAL + 1, FLOW, 1);
	send_frame(TRIAL, FLOW - 1, 1);
	send_frame(TRIAL, FLOW + FLOWS, 1);
	send_frame(TRIAL, FLOW, 1);
	assert_counters((struct rx_counters){ .received = 1, .received_octets = 60, .unknown_trial = 2, .misdirected = 2 });
	/* and a new trial accepts other frames */
	rx_accept_trial(rx, TRIAL + 1, 0, UINT32_MAX);
	send_frame(TRIAL, FLOW, 2);
	send_frame(TRIAL + 1, FLOW, 3);
	assert_int_equal(counters().received, 2);
	assert_int_equal(counters().late, 1);
}

static void marks_count_in_and_out_of_order(void **state)
{
	static const uint32_t sequences[] = { 1, 2, 4, 3, 5 };
	uint8_t frame[60];
	unsigned int octets = build(frame, 64, FLOW);

	(void)state;
	for (size_t i = 0; i < sizeof(sequences) / sizeof(*sequences); i++) {
		mlr_frame_fill_late(frame, &template, &flow, TRIAL, sequences[i], clock_ns(),
				    mlr_lateness_mark(mlr_lateness_encode(1000)));
		run_program(rx_program_fd(rx), frame, octets);
	}
	assert_int_equal(counters().received, 5);
	assert_int_equal(counters().marked, 5);
}

static void latency_counts_from_the_actual_departure(void **state)
{
	uint64_t now_ns = clock_ns();
	struct rx_trial trial;
	uint8_t frame[60];
	unsigned int octets = build(frame, 64, FLOW);

	(void)state;
	/* intended 50 ms ago, really departed 40 ms ago: at least 40 ms, and far from 50 */
	mlr_frame_fill(frame, &template, &flow, TRIAL, 1, now_ns - 50000000, now_ns - 40000000);
	run_program(rx_program_fd(rx), frame, octets);
	/* departs a second from now: the clocks disagree */
	mlr_frame_fill(frame, &template, &flow, TRIAL, 2, now_ns + NS_PER_S, now_ns + NS_PER_S);
	run_program(rx_program_fd(rx), frame, octets);
	/* departed later than a tag can tell: received, but nobody knows when it left */
	mlr_frame_fill(frame, &template, &flow, TRIAL, 3, now_ns - MLR_LATENESS_MAX_NS, now_ns);
	run_program(rx_program_fd(rx), frame, octets);
	rx_trial(rx, TRIAL, &trial);
	assert_int_equal(trial.latency.count, 1);
	assert_int_equal(trial.lateness_max, mlr_lateness_encode(10000000));
	assert_in_range(mlr_histogram_min_ns(&trial.latency), 40000000 - 10, 40000000 + (clock_ns() - now_ns) + 20000);
	assert_int_equal(counters().negative_latency, 1);
	assert_int_equal(counters().received, 3);

	/* the histogram of the next trial is empty, and that of this trial untouched by it */
	rx_accept_trial(rx, TRIAL + 1, 0, UINT32_MAX);
	rx_trial(rx, TRIAL + 1, &trial);
	assert_int_equal(trial.latency.count, 0);
	rx_trial(rx, TRIAL, &trial);
	assert_int_equal(trial.latency.count, 1);
}

/* Buffers can be deep: latencies of seconds, beyond what 32 bits of ns tell, and of minutes. */
static void long_latencies_are_right(void **state)
{
	static const uint64_t latencies_s[] = { 3, 5, 60, 500 };

	(void)state;
	for (size_t i = 0; i < sizeof(latencies_s) / sizeof(*latencies_s); i++) {
		uint64_t latency_ns = latencies_s[i] * NS_PER_S, now_ns = clock_ns();
		struct rx_trial trial;
		uint8_t frame[60];
		unsigned int octets = build(frame, 64, FLOW);

		rx_accept_trial(rx, TRIAL, (uint32_t)i * 10, 10);
		mlr_frame_fill(frame, &template, &flow, TRIAL, (uint32_t)i * 10, now_ns - latency_ns, now_ns - latency_ns);
		run_program(rx_program_fd(rx), frame, octets);
		rx_trial(rx, TRIAL, &trial);
		assert_int_equal(trial.latency.count, 1);
		assert_in_range(trial.latency.max_ns, latency_ns, latency_ns + (clock_ns() - now_ns) + 20000);
	}
	assert_int_equal(counters().negative_latency, 0);
}

/* Tags are by the clock of another host, three days behind ours: a latency of 40 ms is one all the same. */
static void latency_is_by_the_clock_of_the_tags(void **state)
{
	const int64_t behind_ns = 3 * 86400 * (int64_t)NS_PER_S;
	uint64_t now_ns = clock_ns(), departure_ns = now_ns - (uint64_t)behind_ns - 40000000;
	struct rx_trial trial;
	uint8_t frame[60];
	unsigned int octets = build(frame, 64, FLOW);

	(void)state;
	rx_set_tag_offset(rx, -behind_ns);
	mlr_frame_fill(frame, &template, &flow, TRIAL, 1, departure_ns, departure_ns);
	run_program(rx_program_fd(rx), frame, octets);
	rx_trial(rx, TRIAL, &trial);
	assert_int_equal(trial.latency.count, 1);
	assert_in_range(mlr_histogram_min_ns(&trial.latency), 40000000, 40000000 + (clock_ns() - now_ns) + 20000);
}

/* What a frame's latency is: between two times, by a clock that goes on meanwhile. */
struct latency {
	int64_t least_ns, most_ns;
};

static struct latency send_late(uint32_t id, uint32_t sequence, int64_t latency_ns)
{
	uint64_t now_ns = clock_ns(), departure_ns = now_ns - (uint64_t)latency_ns;
	uint8_t frame[60];
	unsigned int octets = build(frame, 64, id);

	mlr_frame_fill(frame, &template, &flow, TRIAL, sequence, departure_ns, departure_ns);
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
	return (struct latency){ latency_ns, latency_ns + (int64_t)(clock_ns() - now_ns) };
}

/* Frames of one trial that are late by a constant and a little jitter, PDV by PDV; the true ones, within what the clock went on, are
 * put into true_ns. */
static void send_jittered(size_t count, uint32_t *sequence, int64_t latency_ns, int64_t jitter_ns, struct latency *sent)
{
	for (size_t i = 0; i < count; i++)
		sent[i] = send_late(FLOW, (*sequence)++, latency_ns + (int64_t)(i * 7919 % 1000) * jitter_ns / 1000);
}

static int compare_latencies(const void *a, const void *b)
{
	const int64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

/* PDV of the trial by the receiver, against what was sent: within 0.25 % of itself, and the time that the clock went on. */
static void check_pdv(struct latency *sent, size_t count, double quantile)
{
	static struct mlr_delays delays;
	const struct mlr_delays *const all[] = { &delays };
	static int64_t least_ns[10000], most_ns[10000];
	size_t rank = (size_t)(quantile * (double)count + 0.999999) - 1;
	double error_ns, pdv_ns;

	rx_delays(rx, TRIAL, &delays);
	assert_int_equal(delays.count, count);
	pdv_ns = mlr_delays_quantile_ns(all, 1, quantile, &error_ns);
	for (size_t i = 0; i < count; i++) {
		least_ns[i] = sent[i].least_ns;
		most_ns[i] = sent[i].most_ns;
	}
	qsort(least_ns, count, sizeof(*least_ns), compare_latencies);
	qsort(most_ns, count, sizeof(*most_ns), compare_latencies);
	assert_true(pdv_ns + (double)delays.min_ns >= (double)least_ns[rank] - 0.0025 * pdv_ns - 1);
	assert_true(pdv_ns + (double)delays.min_ns <= (double)most_ns[rank] + 0.0025 * pdv_ns + 1);
	assert_true(error_ns <= 0.005 * pdv_ns + 2); /* of two buckets: its neighbour in rank may be in the next one */
}

/* However long latency is, and however late the smallest one comes, its variation is known to 0.2 % of itself. */
static void variation_is_relative_to_itself(void **state)
{
	static struct latency sent[8000];
	uint32_t sequence = 0;

	(void)state;
	stay_on_this_cpu();
	/* 900 ms and up to 1 ms */
	rx_accept_trial(rx, TRIAL, 0, UINT32_MAX);
	send_jittered(4000, &sequence, 900000000, 1000000, sent);
	check_pdv(sent, 4000, 0.5);
	check_pdv(sent, 4000, 0.999);
	check_pdv(sent, 4000, 1);
	/* first frames that are late by more; and one small latency at the end */
	rx_accept_trial(rx, TRIAL, sequence, UINT32_MAX);
	send_jittered(1500, &sequence, 1900000000, 1000000, sent);
	send_jittered(5000, &sequence, 900000000, 1000000, sent + 1500);
	sent[6500] = send_late(FLOW, sequence++, 899900000);
	check_pdv(sent, 6501, 0.5);
	check_pdv(sent, 6501, 0.7);
	check_pdv(sent, 6501, 0.999);
}

static void reordered_frames_have_a_variation_too(void **state)
{
	static struct latency sent[2200];
	uint32_t sequence = 0;

	(void)state;
	stay_on_this_cpu();
	rx_accept_trial(rx, TRIAL, 0, UINT32_MAX);
	send_jittered(2000, &sequence, 900000000, 1000000, sent);
	for (size_t i = 2000; i < 2200; i++, sequence++)
		sent[i] = send_late(FLOW, sequence ^ 1, 902000000);
	check_pdv(sent, 2200, 0.5);
	check_pdv(sent, 2200, 0.99);
}

/* A delay that shrinks again and again has latencies below the last base: they are known to 0.2 % of the latency, and said to be. */
static void a_base_too_many_is_said(void **state)
{
	static struct mlr_delays delays;
	const struct mlr_delays *const all[] = { &delays };
	static struct latency sent[5000];
	uint32_t sequence = 0;
	double error_ns;

	(void)state;
	rx_accept_trial(rx, TRIAL, 0, UINT32_MAX);
	for (int i = 0; i < 3; i++)
		send_jittered(RX_EXACT, &sequence, 900000000 - i * 100000000, 100000, sent);
	send_jittered(5000, &sequence, 500000000, 100000, sent);
	rx_delays(rx, TRIAL, &delays);
	assert_int_equal(delays.count, 5000 + 3 * RX_EXACT);
	mlr_delays_quantile_ns(all, 1, 0.3, &error_ns);
	assert_true(error_ns > 0.0025 * 100000 && error_ns < 0.003 * 500000000);
}

/* The same of a frame that makes a pair with *before, which it is from now on. */
static void send_next(uint32_t id, uint32_t sequence, int64_t latency_ns, struct latency *before)
{
	struct rx_trial trial_before, trial;
	struct latency after;
	int64_t least_ns, most_ns;

	rx_trial(rx, TRIAL, &trial_before);
	after = send_late(id, sequence, latency_ns);
	rx_trial(rx, TRIAL, &trial);
	least_ns = after.least_ns - before->most_ns;
	most_ns = after.most_ns - before->least_ns;
	assert_true(least_ns > 0 || most_ns < 0);
	assert_int_equal(trial.variation.count, trial_before.variation.count + 1);
	assert_in_range(trial.variation.sum_ns - trial_before.variation.sum_ns, least_ns > 0 ? least_ns : -most_ns,
			least_ns > 0 ? most_ns : -least_ns);
	*before = after;
}

/* RFC 5481, 4.1, without the sign: of frames n - 1 and n, where n came as the next one. By the short way and the long one. */
static void variation_is_of_successive_frames(void **state)
{
	const int64_t s = NS_PER_S; /* hundreds of them: no matter how long the machine stalls */
	const struct rx_options all = { .first_flow = FLOW, .flow_count = FLOWS, .variation = true }, by_interval = {
		.first_flow = FLOW, .flow_count = FLOWS, .variation = true, .interval_ns = 1000
	};
	const struct rx_options *const options[] = { &all, &by_interval };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct latency last, other;
		uint64_t now_ns;
		uint8_t frame[60];
		struct rx_trial trial;

		rx_close(rx);
		assert_int_equal(rx_load(options[i], &rx), 0);
		rx_accept_trial(rx, TRIAL, 1, UINT32_MAX);
		last = send_late(FLOW, 1, 100 * s);
		send_next(FLOW, 2, 400 * s, &last);
		send_next(FLOW, 3, 150 * s, &last);
		other = send_late(FLOW + 1, 1, 350 * s);
		send_next(FLOW, 4, 300 * s, &last);
		send_next(FLOW, 5, 110 * s, &last); /* between the extremes, and so is what it differs by: the short way, */
		send_next(FLOW, 6, 300 * s, &last); /* twice */
		send_next(FLOW + 1, 2, 110 * s, &other);
		last = send_late(FLOW, 8, 300 * s); /* 7 is missing */
		send_next(FLOW, 9, 200 * s, &last);
		send_late(FLOW, 7, 400 * s); /* after what follows it */
		send_late(FLOW, 9, 100 * s); /* a copy */
		send_next(FLOW, 10, 120 * s, &last);
		/* when this one left nobody knows */
		now_ns = clock_ns();
		build(frame, 64, FLOW);
		mlr_frame_fill(frame, &template, &flow, TRIAL, 11, now_ns - MLR_LATENESS_MAX_NS, now_ns);
		run_program(rx_program_fd(rx), frame, sizeof(frame));
		last = send_late(FLOW, 12, 130 * s);
		send_next(FLOW, 13, -50 * s, &last); /* by clocks that disagree: they differ by as much */
		send_next(FLOW, 14, 130 * s, &last);
		rx_trial(rx, TRIAL, &trial);
		assert_int_equal(trial.variation.count, 10);
		/* what is before a trial is of no pair in it */
		rx_accept_trial(rx, TRIAL, 15, UINT32_MAX);
		send_late(FLOW, 15, 100 * s);
		rx_trial(rx, TRIAL, &trial);
		assert_int_equal(trial.variation.count, 0);
		assert_int_equal(counters().received, 17);
	}
}

/* And of one flow the numbers seen are still where they are looked for. */
static void variation_needs_order_and_latency(void **state)
{
	static const struct rx_options options[] = {
		{ .first_flow = FLOW, .flow_count = FLOWS, .variation = true },
		{ .first_flow = FLOW, .flow_count = FLOWS, .variation = true, .no_order = true },
		{ .first_flow = FLOW, .flow_count = FLOWS, .variation = true, .no_latency = true },
		{ .first_flow = FLOW, .flow_count = FLOWS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		struct rx_trial trial;
		uint32_t *seen;
		bool came;

		rx_close(rx);
		assert_int_equal(rx_load(&options[i], &rx), 0);
		rx_accept_trial(rx, TRIAL, 1, UINT32_MAX);
		for (uint32_t sequence = 1; sequence <= 3; sequence++)
			send_frame(TRIAL, FLOW + 1, sequence);
		rx_trial(rx, TRIAL, &trial);
		assert_int_equal(counters().received, 3);
		assert_int_equal(trial.variation.count, i == 0 ? 2 : 0);
		if (options[i].no_order)
			continue;
		seen = calloc(rx_window(rx), sizeof(*seen));
		assert_non_null(seen);
		assert_int_equal(rx_flow(rx, FLOW + 1, seen, &came), 0);
		assert_true(came && seen[1] == 1 && seen[2] == 2 && seen[3] == 3 && seen[rx_window(rx) - 1] == 0);
		free(seen);
	}
}

static void foreign_frames_pass_on(void **state)
{
	static const struct {
		uint8_t frame[60];
		bool housekeeping;
	} frames[] = {
		{ .frame = { [12] = 0x08, [13] = 0x06 }, .housekeeping = true },                               /* ARP */
		{ .frame = { [12] = 0x88, [13] = 0xcc }, .housekeeping = true },                               /* LLDP */
		{ .frame = { 0x01, 0x80, 0xc2, [12] = 0x00, [13] = 0x26 }, .housekeeping = true },             /* STP */
		{ .frame = { 0x01, 0x80, 0xc2, [5] = 0x21, [12] = 0x00, [13] = 0x26 }, .housekeeping = true }, /* GVRP */
		{ .frame = { 0x01, 0x80, 0xc2, [5] = 0x31, [12] = 0x00, [13] = 0x26 },
		  .housekeeping = false }, /* reserved for else */
		{ .frame = { 0x01, 0x00, 0x0c, 0xcc, 0xcc, 0xcd, [13] = 0x32 }, .housekeeping = true }, /* PVST+ */
		{ .frame = { 0x01, 0x00, 0x0c, 0xcc, 0xcc, 0xcd, 0, [12] = 0x81, [17] = 0x32 },
		  .housekeeping = true },                                                               /* tagged */
		{ .frame = { 0x01, 0x00, 0x0c, 0xcc, 0xcc, 0xcc, [12] = 0x01 }, .housekeeping = true }, /* CDP */
		{ .frame = { 0x01, 0x00, 0x0c, 0xcd, 0xcc, 0xcc, [12] = 0x01 }, .housekeeping = false },
		{ .frame = { [12] = 0x90, [13] = 0x00 }, .housekeeping = true },            /* a switch's keepalive */
		{ .frame = { [12] = 0x86, [13] = 0xdd, [20] = 58 }, .housekeeping = true }, /* ICMPv6 */
		{ .frame = { [12] = 0x86, [13] = 0xdd, [20] = 58, [54] = 135 }, .housekeeping = true },  /* solicitation */
		{ .frame = { [12] = 0x86, [13] = 0xdd, [20] = 58, [54] = 128 }, .housekeeping = false }, /* echo request */
		{ .frame = { [12] = 0x86, [13] = 0xdd, [20] = 58, [54] = 129 }, .housekeeping = false }, /* and its reply */
		{ .frame = { [12] = 0x86, [13] = 0xdd, [20] = 0, [54] = 58 }, .housekeeping = true },    /* MLD */
		{ .frame = { [12] = 0x86, [13] = 0xdd, [20] = 0, [54] = 17 }, .housekeeping = false },   /* UDP hop by hop */
		{ .frame = { [12] = 0x86, [13] = 0xdd, [20] = 17 }, .housekeeping = false },             /* UDP over IPv6 */
		{ .frame = { [12] = 0x08, [13] = 0x00, [14] = 0x45, [23] = 6 }, .housekeeping = false }, /* TCP */
		{ .frame = { [12] = 0x08, [13] = 0x00, [14] = 0x45, [23] = 17 }, .housekeeping = false }, /* other UDP */
		{ .frame = { [12] = 0x08, [13] = 0x00, [14] = 0x44, [23] = 17 },
		  .housekeeping = false }, /* bad header length */
		{ .frame = { [12] = 0x12, [13] = 0x34 }, .housekeeping = false },
		{ .frame = { [12] = 0x08, [13] = 0x00, [14] = 0x46, [23] = 2 }, .housekeeping = true }, /* IGMP */
		{ .frame = { [12] = 0x81, [16] = 0x08, [17] = 0x06 }, .housekeeping = true }, /* ARP behind a tag */
		{ .frame = { [12] = 0x88, [13] = 0xa8, [16] = 0x81, [20] = 0x86, [21] = 0xdd, [28] = 58 },
		  .housekeeping = true }, /* ICMPv6 behind two */
		{ .frame = { [12] = 0x81, [16] = 0x08, [18] = 0x45, [27] = 6 }, .housekeeping = false }, /* TCP behind one */
	};
	struct rx_counters expected = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
		assert_int_equal(run_program(rx_program_fd(rx), frames[i].frame, sizeof(frames[i].frame)), XDP_PASS);
		expected.housekeeping += frames[i].housekeeping;
		expected.foreign += !frames[i].housekeeping;
		assert_counters(expected);
	}
}

/* The first fragment of one of our frames carries the magic, the others come from where that did. */
static void fragments_of_ours_are_known(void **state)
{
	uint8_t frame[60];
	unsigned int octets = build(frame, 64, FLOW);

	(void)state;
	stamp(frame, TRIAL, 1);
	frame[21] = 1; /* a later fragment, of somebody so far */
	frame[42] ^= 1;
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_PASS);
	frame[42] ^= 1;
	frame[20] = 0x20; /* more fragments */
	frame[21] = 0;
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
	frame[20] = 0;
	frame[21] = 1;
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
	frame[29]++; /* from another address */
	frame[42] ^= 1;
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_PASS);
	frame[42] ^= 1;
	frame[20] = 0x20; /* which has fragments of ours, too: */
	frame[21] = 0;
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
	frame[20] = 0;
	frame[21] = 1;
	frame[29]--; /* those of the first are still known */
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
	frame[20] = 0x40; /* do not fragment: fine */
	frame[21] = 0;
	mend_checksum(frame + 14);
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
	assert_counters((struct rx_counters){ .received = 1, .received_octets = 60, .foreign = 2, .fragmented = 4 });
}

/* The same of IPv6, whose fragments have a header of their own. */
static void fragments_of_ipv6_are_known(void **state)
{
	const struct mlr_frame_spec spec = { .ip_version = 6, .source_address6 = { 0x20, 1 }, .size_octets = 100 };
	uint8_t frame[104] = { 0 }, later[104] = { 0 };
	unsigned int octets = build_as(frame, &spec, FLOW), tag = template.tag_offset;

	(void)state;
	stamp(frame, TRIAL, 1);
	memmove(frame + 62, frame + 54, octets - 54);
	memset(frame + 54, 0, 8);
	frame[20] = IPPROTO_FRAGMENT;
	frame[54] = IPPROTO_UDP;
	frame[57] = 1; /* the first of several */
	memcpy(later, frame, sizeof(later));
	memset(later + 62, 0xa5, octets - 54);
	later[57] = 8 | 1;
	assert_int_equal(run_program(rx_program_fd(rx), later, octets + 8), XDP_PASS); /* of somebody so far */
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets + 8), XDP_DROP);
	assert_int_equal(run_program(rx_program_fd(rx), later, octets + 8), XDP_DROP);
	later[57] = 16; /* the last */
	assert_int_equal(run_program(rx_program_fd(rx), later, octets + 8), XDP_DROP);
	later[37]++; /* from another address */
	assert_int_equal(run_program(rx_program_fd(rx), later, octets + 8), XDP_PASS);
	frame[tag + 8] ^= 1; /* no magic */
	frame[37]++;
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets + 8), XDP_PASS);
	assert_counters((struct rx_counters){ .foreign = 3, .fragmented = 3 });
}

/* A tester sends two VLAN tags at most, and of two types: a third to sixth, or one of another type, were put in. */
static void tags_that_were_put_in_are_known(void **state)
{
	uint8_t frame[108] = { 0 };

	(void)state;
	for (unsigned int ip_version = 4; ip_version <= 6; ip_version += 2) {
		const struct mlr_frame_spec spec = {
			.ip_version = ip_version,
			.vlan_count = 2,
			.vlans = { { .type = 0x88a8, .control = 1 }, { .type = 0x8100, .control = 2 } },
			.source_address6 = { 0x20, 1 },
			.size_octets = 92,
		};
		unsigned int octets = build_as(frame, &spec, FLOW);

		stamp(frame, TRIAL, ip_version);
		assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
		for (unsigned int tags = 3; tags <= 6; tags++, octets += 4) {
			memmove(frame + 16, frame + 12, octets - 12);
			assert_int_equal(run_program(rx_program_fd(rx), frame, octets + 4), XDP_DROP);
		}
		memmove(frame + 12, frame + 24, octets - 24); /* three of them */
		frame[12] = 0x91;
		frame[13] = 0;
		assert_int_equal(run_program(rx_program_fd(rx), frame, octets - 12), XDP_DROP);
		memmove(frame + 16, frame + 20, octets - 32); /* two */
		assert_int_equal(run_program(rx_program_fd(rx), frame, octets - 16), XDP_DROP);
	}
	assert_counters((struct rx_counters){ .received = 2, .received_octets = 176, .overtagged = 12 });
}

static void every_truncation_of_a_valid_frame(void **state)
{
	uint8_t frame[196];
	unsigned int octets = build(frame, 200, FLOW);
	struct rx_counters expected = { 0 };

	(void)state;
	for (unsigned int cut = 14; cut < octets; cut++) {
		stamp(frame, TRIAL, cut);
		/* with the magic at 42 and 43 it is ours and damaged, before that nobody's */
		assert_int_equal(run_program(rx_program_fd(rx), frame, cut), cut < 44 ? XDP_PASS : XDP_DROP);
		expected.foreign += cut < 44;
		expected.malformed += cut >= 44;
		assert_counters(expected);
	}
}

static void lengths_that_do_not_fit_are_malformed(void **state)
{
	static const struct {
		unsigned int offset;
		uint8_t value;
	} damages[] = { { 17, 45 }, { 17, 200 }, { 39, 25 }, { 39, 27 }, { 39, 200 }, { 16, 0xff }, { 38, 0xff } };
	uint8_t frame[60];

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		unsigned int octets = build(frame, 64, FLOW);

		stamp(frame, TRIAL, 1);
		frame[damages[i].offset] = damages[i].value;
		assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
		assert_counters((struct rx_counters){ .malformed = i + 1 });
	}
}

/* Whatever comes: a verdict, and every frame in exactly one counter. Half of the frames are random throughout, half are
 * valid ones with a few random octets. */
static void random_octets(void **state)
{
	unsigned int seed = (unsigned int)clock_ns();
	struct rx_counters now;
	const uint64_t frames = 40000;

	(void)state;
	print_message("seed %u\n", seed);
	srandom(seed);
	rx_accept_trial(rx, TRIAL, 0, frames);
	for (uint64_t i = 0; i < frames; i++) {
		uint8_t frame[200];
		unsigned int octets = 14 + (unsigned int)random() % 150;

		for (size_t octet = 0; octet < sizeof(frame); octet++)
			frame[octet] = (uint8_t)random();
		if (i % 2) {
			const struct mlr_frame_spec spec = {
				.ip_version = random() % 2 ? 6 : 4,
				.vlan_count = (unsigned int)random() % 3,
				.vlans = { { .type = 0x88a8 }, { .type = 0x8100 } },
				.size_octets = 92 + (unsigned int)random() % 100,
			};

			build_as(frame, &spec, FLOW);
			stamp(frame, TRIAL, (uint32_t)i);
			for (long damage = random() % 4; damage > 0; damage--)
				frame[random() % template.memory_octets] = (uint8_t)random();
			octets = template.memory_octets;
		}
		assert_in_range(run_program(rx_program_fd(rx), frame, octets), XDP_DROP, XDP_PASS);
	}
	now = counters();
	assert_int_equal(now.received + now.duplicate + now.late + now.foreign + now.housekeeping + now.malformed +
				 now.misdirected + now.extra + now.damaged + now.fragmented + now.overtagged +
				 now.unknown_trial + now.icmp_errors,
			 frames);
	assert_true(now.received > frames / 10 && now.foreign > frames / 10 && now.malformed > 0);
}

#define INTERVAL_NS UINT64_C(50000000)

/* Send frame `sequence`, which was due so long after the start of the schedule. Returns how long it had been under way, at least and most. */
static void send_due(uint64_t start_ns, uint64_t after_ns, uint32_t sequence, bool checked, uint64_t ret_ns[2])
{
	uint8_t frame[60];
	unsigned int octets = build(frame, 64, FLOW);
	uint64_t due_ns = start_ns + after_ns;

	mlr_frame_fill(frame, &template, &flow, TRIAL, sequence, due_ns, due_ns);
	if (!checked)
		mlr_put16(frame + template.transport_offset + 6, 0);
	ret_ns[0] = clock_ns() - due_ns;
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
	ret_ns[1] = clock_ns() - due_ns;
}

/* A frame counts in the interval that it was due in, however long it was under way. */
static void intervals_have_the_frames_that_were_due_in_them(void **state)
{
	const struct rx_options options = { .first_flow = FLOW, .flow_count = FLOWS, .interval_ns = INTERVAL_NS };
	uint64_t start_ns = clock_ns() - UINT64_C(100000000000), first_ns[2], last_ns[2], any_ns[2];
	struct rx_interval interval;

	(void)state;
	rx_close(rx);
	assert_int_equal(rx_load(&options, &rx), 0);
	rx_accept_trial(rx, TRIAL, 1, UINT32_MAX);
	rx_set_start(rx, start_ns);
	send_due(start_ns, 0, 1, true, any_ns);
	send_due(start_ns, 10 * INTERVAL_NS - 1, 2, true, any_ns);
	send_due(start_ns, 10 * INTERVAL_NS, 3, true, first_ns);
	send_due(start_ns, 11 * INTERVAL_NS - 1, 4, true, last_ns);
	send_due(start_ns, 10 * INTERVAL_NS + 1, 5, false, any_ns); /* received, and not timed */
	send_due(start_ns, 11 * INTERVAL_NS, 6, true, any_ns);
	send_due(start_ns, (RX_INTERVALS_MAX + 100) * INTERVAL_NS, 7, true, any_ns); /* beyond them: in the last one */
	send_due(start_ns, UINT64_C(160000000000), 8, true, any_ns);                 /* arrived before it left */
	assert_int_equal(rx_interval(rx, TRIAL, 0).received, 1);
	assert_int_equal(rx_interval(rx, TRIAL, 1).received, 0);
	assert_int_equal(rx_interval(rx, TRIAL, 9).received, 1);
	assert_int_equal(rx_interval(rx, TRIAL, 11).received, 1);
	interval = rx_interval(rx, TRIAL, RX_INTERVALS_MAX - 1);
	assert_true(interval.received == 2 && interval.timed == 1);
	interval = rx_interval(rx, TRIAL, 10);
	assert_true(interval.received == 3 && interval.timed == 2);
	assert_in_range(interval.latency_max_ns, first_ns[0], first_ns[1]);
	assert_in_range(~interval.latency_inverted_min_ns, last_ns[0], last_ns[1]);
	assert_int_equal(interval.latency_sum_ns, interval.latency_max_ns + ~interval.latency_inverted_min_ns);
	/* the next trial has its own */
	rx_accept_trial(rx, TRIAL + 1, 1, UINT32_MAX);
	assert_int_equal(rx_interval(rx, TRIAL + 1, 10).received, 0);
	assert_int_equal(rx_interval(rx, TRIAL, 10).received, 3);
	rx_accept_trial(rx, TRIAL + 2, 1, UINT32_MAX);
	assert_int_equal(rx_interval(rx, TRIAL + 2, 10).received, 0);
}

/* Frames of a service in ten seconds, for a busy machine. */
static uint64_t in_seconds(unsigned int service, uint32_t from)
{
	uint64_t sum = 0;

	for (uint32_t second = from; second < from + 10; second++)
		sum += rx_part(rx, service, second);
	return sum;
}

/* Without services, parts are of all frames: of the numbers that are asked for, and due after the start. */
static void parts_are_of_the_numbers_asked_for(void **state)
{
	const struct rx_options options = { .first_flow = FLOW, .flow_count = FLOWS, .part_count = 2010 };

	(void)state;
	rx_close(rx);
	assert_int_equal(rx_load(&options, &rx), 0);
	rx_accept_trial(rx, TRIAL, 100, UINT32_MAX);
	rx_set_start(rx, clock_ns() - 2000 * NS_PER_S);
	for (uint32_t i = 0; i < 3; i++) /* not in this trial */
		assert_int_equal(send_frame(TRIAL, FLOW, 100 + i), XDP_DROP);
	assert_int_equal(in_seconds(0, 2000), 0);
	rx_set_parts(rx, NS_PER_S, 5);
	for (uint32_t i = 3; i < 9; i++)
		assert_int_equal(send_frame(TRIAL, FLOW + i % 2, 100 + i), XDP_DROP);
	assert_int_equal(in_seconds(0, 2000), 4);
	rx_set_start(rx, clock_ns() + NS_PER_S * 1000);
	assert_int_equal(send_frame(TRIAL, FLOW, 109), XDP_DROP);
	assert_int_equal(in_seconds(0, 0) + in_seconds(0, 2000), 4);
	assert_int_equal(counters().received, 10);
}

/* What came of one flow is none of another's, and a trial begins with nothing. */
static void figures_are_of_each_flow(void **state)
{
	const struct rx_options options = { .first_flow = FLOW, .flow_count = FLOWS, .flow_figures = true };

	(void)state;
	rx_close(rx);
	assert_int_equal(rx_load(&options, &rx), 0);
	for (uint16_t trial = 1; trial <= 2; trial++) {
		const uint32_t first = trial * 100u;
		struct rx_flow_figures figures;

		rx_accept_trial(rx, trial, first, UINT32_MAX);
		for (uint32_t i = 0; i < 5; i++)
			assert_int_equal(send_frame(trial, FLOW, first + i), XDP_DROP);
		assert_int_equal(send_frame(trial, FLOW + 1, first + 1), XDP_DROP);
		assert_int_equal(send_frame(trial, FLOW + 1, first), XDP_DROP);     /* late */
		assert_int_equal(send_frame(trial, FLOW + 1, first + 1), XDP_DROP); /* a copy */
		figures = rx_flow_figures(rx, FLOW);
		assert_true(figures.received == 5 && figures.timed == 5 && !figures.duplicate && !figures.reordered);
		assert_true(figures.latency_sum_ns >= figures.latency_max_ns && figures.latency_max_ns > 0);
		figures = rx_flow_figures(rx, FLOW + 1);
		assert_true(figures.received == 2 && figures.duplicate == 1 && figures.reordered == 1);
	}
}

/* Flows 3 and 4 are services of their own. Seconds are those of the schedule, also where the tag has no room for them. */
static void services_are_told_apart(void **state)
{
	const struct rx_options options = { .first_flow = FLOW,
					    .flow_count = FLOWS,
					    .service_count = 2,
					    .service_ends = { FLOW + 1, FLOW + 2 },
					    .part_count = 2010 };
	struct rx_service service;

	(void)state;
	rx_close(rx);
	assert_int_equal(rx_load(&options, &rx), 0);
	for (uint16_t trial = 1; trial <= 2; trial++) { /* the second begins with nothing */
		const uint32_t first = trial * 100u;

		rx_accept_trial(rx, trial, first, UINT32_MAX);
		rx_set_start(rx, clock_ns() - 2000 * NS_PER_S);
		rx_set_parts(rx, NS_PER_S, 0);
		for (uint32_t i = 0; i < 5; i++)
			assert_int_equal(send_frame(trial, FLOW, first + i), XDP_DROP);
		assert_int_equal(send_frame(trial, FLOW, first + 4), XDP_DROP); /* a copy */
		rx_set_start(rx, clock_ns());
		for (uint32_t i = 0; i < 3; i++)
			assert_int_equal(send_frame(trial, FLOW + 1, first + i), XDP_DROP);
		rx_service(rx, 0, &service);
		assert_int_equal(service.received, 5);
		assert_int_equal(service.latency.count, 5);
		assert_int_equal(in_seconds(0, 2000), 5);
		assert_int_equal(in_seconds(0, 0), 0);
		rx_service(rx, 1, &service);
		assert_int_equal(service.received, 3);
		assert_int_equal(in_seconds(1, 0), 3);
		assert_int_equal(in_seconds(1, 2000), 0);
	}
	assert_int_equal(counters().received, 16);
	assert_int_equal(counters().duplicate, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(frames_in_tunnels),
		TEST(magic_where_the_tag_is_in_other_frames),
		TEST(every_size_counts_once),
		TEST(tags_and_versions),
		TEST(extra_frames_are_counted_apart),
		TEST(every_truncation_behind_tags_and_ipv6),
		TEST(three_tags_are_foreign),
		TEST(options_in_the_ip_header_are_skipped),
		TEST(order_and_duplicates),
		TEST(reordering_has_a_depth_and_gaps_a_length),
		TEST(an_outage_over_many_flows_is_one_run),
		TEST(each_gap_of_a_single_flow_is_a_run),
		TEST(each_trial_has_gaps_of_its_own),
		TEST(a_long_outage_confuses_nothing),
		TEST(order_is_right_over_the_wrap),
		TEST(a_race_loses_and_invents_nothing),
		TEST(what_is_switched_off_is_not_done),
		TEST(headers_may_be_in_fragments),
		TEST(jumbo_frames_count_whole),
		TEST(without_a_clock_on_the_nic_it_is_ours),
		TEST(a_receiver_outlives_the_device_it_is_bound_to),
		TEST(flows_have_sequences_of_their_own),
		TEST(sequences_wrap),
		TEST(an_old_copy_never_hides_a_loss),
		TEST(the_window_is_as_large_as_is_wanted),
		TEST(late_frames_are_known_by_their_trial),
		TEST(trials_of_earlier_receivers_are_known_from_the_first_frame_on),
		TEST(trials_that_were_never_accepted_are_unknown),
		TEST(each_frame_seen_is_one_of_a_kind),
		TEST(a_damaged_trial_number_is_not_unknown),
		TEST(numbers_that_were_never_sent_are_malformed),
		TEST(state_survives_a_move_between_cpus),
		TEST(what_is_not_of_this_trial_or_port),
		TEST(marks_count_in_and_out_of_order),
		TEST(latency_counts_from_the_actual_departure),
		TEST(long_latencies_are_right),
		TEST(variation_is_relative_to_itself),
		TEST(reordered_frames_have_a_variation_too),
		TEST(a_base_too_many_is_said),
		TEST(latency_is_by_the_clock_of_the_tags),
		TEST(variation_is_of_successive_frames),
		TEST(variation_needs_order_and_latency),
		TEST(intervals_have_the_frames_that_were_due_in_them),
		TEST(parts_are_of_the_numbers_asked_for),
		TEST(figures_are_of_each_flow),
		TEST(services_are_told_apart),
		TEST(foreign_frames_pass_on),
		TEST(fragments_of_ours_are_known),
		TEST(fragments_of_ipv6_are_known),
		TEST(tags_that_were_put_in_are_known),
		TEST(every_truncation_of_a_valid_frame),
		TEST(lengths_that_do_not_fit_are_malformed),
		TEST(random_octets),
	};

	cmocka_set_test_filter(getenv("ONLY")); /* none: all */
	return cmocka_run_group_tests_name("rx", tests, NULL, NULL);
}
