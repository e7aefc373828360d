/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The receiver's XDP program on frames whose headers a SUT changed: each kind is counted, in every frame, by both ways. */
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../test.h"
#include "base/clock.h"
#include "dataplane/rx.h"
#include "mlr/imix.h"
#include "run.h"

#define TRIAL        7
#define FLOWS        1000
#define FRAME_OCTETS 200
#define FRAMES       (RX_EXACT + 500) /* so that most take the short way */

static struct rx *rx;
static struct mlr_profile profile;
static struct mlr_queue_plan *plan;
static uint8_t frame[FRAME_OCTETS];
static unsigned int octets;

static const uint8_t *mac; /* what destination MAC addresses are compared with; NULL: nothing */

static void open_receiver(unsigned int ip_version, unsigned int vlan_count, uint32_t flow_count, bool tags_stay)
{
	struct rx_options options = { .flow_count = flow_count, .profile = &profile, .tags_stay = tags_stay, .mac = mac };

	profile = (struct mlr_profile){
		.sizes = mlr_size_one(128),
		.vlan_count = vlan_count,
		.vlans = { { 0x88a8, 0x6123 }, { 0x8100, 0xe456 } },
		.traffic_class = 0xb9,
		.port_count = 2,
		.ports = { { .address = 0xc6120002, .address6 = { 0x20, 1, [15] = 1 } },
			   { .address = 0xc6130002, .address6 = { 0x20, 1, [15] = 2 } } },
		.stream_count = 1,
		.streams = { { .from = 0, .to = 1, .ip_version = ip_version } },
		.flow_count = flow_count,
		.source_port = MLR_UDP_SOURCE_PORT,
		.destination_port = MLR_UDP_DESTINATION_PORT,
		/* each flow differs from all others */
		.ranges = { { 10, 3 }, { 10, 1 }, { 10, 7 }, { 1, 1 } },
		.random = true,
		.seed = 5,
	};
	mlr_signature_key_init((const uint8_t *)"a key of forty octets, and not one more.", &profile.key);
	assert_int_equal(mlr_profile_number(&profile), 0);
	assert_int_equal(mlr_queue_plan_new(&profile, 0, 0, 1, &plan), 0);
	assert_int_equal(rx_load(&options, &rx), 0);
	rx_accept_trial(rx, TRIAL, 1, UINT32_MAX);
}

static void close_receiver(void)
{
	rx_close(rx);
	mlr_queue_plan_free(plan);
}

static uint64_t ago_ns; /* how long ago frames departed */

static void write_frame(uint32_t flow, uint32_t sequence)
{
	const struct mlr_frame_template *template = plan->templates;
	uint64_t now_ns = clock_ns() - ago_ns;

	memset(frame, 0, sizeof(frame));
	memcpy(frame, template->header, template->header_octets);
	mlr_frame_fill(frame, template, &plan->flows[flow], TRIAL, sequence, now_ns, now_ns);
	octets = template->memory_octets;
}

/* A SUT that mends both checksums of a frame without IPv4 options, wherever its IP header is. */
static void mend_checksums(unsigned int network)
{
	bool is_ipv4 = frame[network] >> 4 == 4;
	unsigned int transport = network + (is_ipv4 ? 20u : 40u), i;
	uint32_t sum = 0;

	if (is_ipv4) {
		mlr_put16(frame + network + 10, 0);
		for (i = network; i < transport; i += 2)
			sum += (uint32_t)frame[i] << 8 | frame[i + 1];
		mlr_put16(frame + network + 10, mlr_checksum_fold(sum));
	}
	mlr_put16(frame + transport + 6, 0);
	sum = 17 + octets - transport;
	for (i = network + (is_ipv4 ? 12u : 8u); i < octets; i++)
		sum += (uint32_t)frame[i] << (i % 2 ? 0 : 8);
	mlr_put_sum(frame + transport + 6, mlr_words(sum));
}

static void send(void)
{
	assert_int_equal(run_program(rx_program_fd(rx), frame, octets), XDP_DROP);
}

static struct rx_counters counters(void)
{
	struct rx_counters now;

	rx_snapshot(rx, &now);
	return now;
}

static uint64_t count_of(const struct rx_counters *now, unsigned int kind)
{
	const uint64_t counts[MLR_CHANGES] = { now->changed_vlan, now->changed_priority, now->changed_dscp, now->changed_ecn,
					       now->changed_ttl,  now->changed_address,  now->changed_port };

	return counts[kind];
}

static void assert_changes(unsigned int changes, uint64_t frames, uint64_t unexpected)
{
	struct rx_counters now = counters();

	for (unsigned int kind = 0; kind < MLR_CHANGES; kind++)
		assert_int_equal(count_of(&now, kind), changes >> kind & 1 ? frames : 0);
	assert_int_equal(now.changed, unexpected);
}

/* Of a thousand flows with fields that vary at random: none is taken for changed. */
static void flows_that_vary_are_unchanged(void **state)
{
	(void)state;
	for (unsigned int ip_version = 4; ip_version <= 6; ip_version += 2)
		for (unsigned int vlans = 0; vlans <= 2; vlans++) {
			open_receiver(ip_version, vlans, FLOWS, true);
			for (uint32_t i = 0; i < 3 * FLOWS; i++) {
				write_frame(i % FLOWS, 1 + i / FLOWS);
				send();
			}
			assert_int_equal(counters().received, 3 * FLOWS);
			assert_changes(0, 0, 0);
			close_receiver();
		}
}

/* --- the short way -------------------------------------------------------------------------------------------------- */

/* The receiver's map `cpus`, in this memory. */
static struct rx_cpu *map_cpus(size_t *ret_octets)
{
	uint32_t ids[64], octets_of_info = sizeof(struct bpf_prog_info);
	struct bpf_prog_info info = { .nr_map_ids = 64, .map_ids = (uintptr_t)ids };

	assert_int_equal(bpf_obj_get_info_by_fd(rx_program_fd(rx), &info, &octets_of_info), 0);
	for (uint32_t i = 0; i < info.nr_map_ids; i++) {
		struct bpf_map_info map = { 0 };
		uint32_t octets_of_map = sizeof(map);
		int fd = bpf_map_get_fd_by_id(ids[i]);
		struct rx_cpu *cpus = MAP_FAILED;

		assert_int_equal(bpf_obj_get_info_by_fd(fd, &map, &octets_of_map), 0);
		*ret_octets = (size_t)map.max_entries * map.value_size;
		if (!strcmp(map.name, "cpus")) {
			assert_int_equal(map.value_size, sizeof(struct rx_cpu));
			cpus = mmap(NULL, *ret_octets, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		}
		close(fd);
		if (cpus != MAP_FAILED)
			return cpus;
	}
	fail_msg("the receiver has no map of its counters");
	return NULL;
}

/* Send frames that are alike. Return how many of them took the long way, which notes the header of each for its CPU. */
static unsigned int count_long_ways(uint32_t first_sequence, unsigned int frames)
{
	unsigned int count = 0, cpu_count;
	size_t mapped;
	struct rx_cpu *cpus = map_cpus(&mapped);

	cpu_count = (unsigned int)(mapped / sizeof(*cpus));
	for (uint32_t i = 0; i < frames; i++) {
		write_frame(0, first_sequence + i);
		for (unsigned int j = 0; j < cpu_count; j++)
			cpus[j].header.ports = UINT32_MAX;
		send();
		for (unsigned int j = 0; j < cpu_count; j++)
			count += cpus[j].header.ports != UINT32_MAX;
	}
	munmap(cpus, mapped);
	return count;
}

/* Nothing that is counted tells one way from the other: a receiver that never took the short way would be right, and slow. */
static void frames_that_are_alike_take_the_short_way(void **state)
{
	cpu_set_t before, one;

	(void)state;
	/* each CPU has latencies of its own, of which the first are counted exactly */
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	for (unsigned int ip_version = 4; ip_version <= 6; ip_version += 2) {
		open_receiver(ip_version, 0, 1, true);
		/* the first latencies are counted exactly; later ones, between the shortest and the longest, are usual */
		ago_ns = 500000000;
		assert_int_equal(count_long_ways(1, 1), 1);
		ago_ns = 0;
		assert_int_equal(count_long_ways(2, RX_EXACT - 1), RX_EXACT - 1);
		ago_ns = 100000000;
		assert_in_range(count_long_ways(1 + RX_EXACT, 2000), 0, 20);
		ago_ns = 0;
		assert_int_equal(counters().received, RX_EXACT + 2000);
		/* a gap is unusual, and a frame that comes late */
		assert_int_equal(count_long_ways(10000, 1), 1);
		assert_int_equal(count_long_ways(9000, 1), 1);
		close_receiver();
	}
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

static const struct {
	unsigned int ip_version, at; /* offset in the IP header */
	uint8_t bits;
	unsigned int changes;
} edits[] = {
	{ 4, 1, 0x04, MLR_CHANGE_DSCP },
	{ 4, 1, 0x80, MLR_CHANGE_DSCP },
	{ 4, 1, 0x01, MLR_CHANGE_ECN },
	{ 4, 1, 0x02, MLR_CHANGE_ECN },
	{ 4, 1, 0x42, MLR_CHANGE_DSCP | MLR_CHANGE_ECN },
	{ 4, 8, 0x01, MLR_CHANGE_TTL },
	{ 4, 8, 0x80, MLR_CHANGE_TTL },
	{ 4, 12, 0x01, MLR_CHANGE_ADDRESS },
	{ 4, 15, 0x01, MLR_CHANGE_ADDRESS },
	{ 4, 16, 0x80, MLR_CHANGE_ADDRESS },
	{ 4, 19, 0x01, MLR_CHANGE_ADDRESS },
	{ 4, 20, 0x01, MLR_CHANGE_PORT },
	{ 4, 23, 0x01, MLR_CHANGE_PORT },
	{ 6, 0, 0x08, MLR_CHANGE_DSCP },
	{ 6, 1, 0x40, MLR_CHANGE_DSCP },
	{ 6, 1, 0x10, MLR_CHANGE_ECN },
	{ 6, 1, 0x20, MLR_CHANGE_ECN },
	{ 6, 7, 0x01, MLR_CHANGE_TTL },
	{ 6, 8, 0x01, MLR_CHANGE_ADDRESS },
	{ 6, 15, 0x80, MLR_CHANGE_ADDRESS },
	{ 6, 20, 0x80, MLR_CHANGE_ADDRESS },
	{ 6, 23, 0x01, MLR_CHANGE_ADDRESS },
	{ 6, 24, 0x01, MLR_CHANGE_ADDRESS },
	{ 6, 39, 0x01, MLR_CHANGE_ADDRESS },
	{ 6, 40, 0x01, MLR_CHANGE_PORT },
	{ 6, 43, 0x01, MLR_CHANGE_PORT },
};

/* All frames of two flows, by the short way and the long one, and of others none. */
static void every_kind_is_counted_in_every_frame(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
		open_receiver(edits[i].ip_version, 0, FLOWS, true);
		for (uint32_t n = 1; n <= FRAMES; n++) {
			write_frame(n % 2, n);
			frame[14 + edits[i].at] ^= edits[i].bits;
			mend_checksums(14);
			send();
			write_frame(2, n);
			send();
		}
		assert_int_equal(counters().received, 2 * FRAMES);
		assert_changes(edits[i].changes, FRAMES, FRAMES);
		close_receiver();
	}
}

/* A SUT that changes some frames of a flow, one after the other in another way. */
static void a_flow_may_be_changed_now_and_then(void **state)
{
	(void)state;
	open_receiver(4, 0, FLOWS, true);
	for (uint32_t n = 1; n <= FRAMES; n++) {
		write_frame(0, n);
		if (n % 3 == 0)
			frame[15] ^= 0x04;
		if (n % 5 == 0)
			frame[22]--;
		mend_checksums(14);
		send();
	}
	assert_int_equal(counters().changed_dscp, FRAMES / 3);
	assert_int_equal(counters().changed_ttl, FRAMES / 5);
	assert_int_equal(counters().changed, FRAMES / 3 + FRAMES / 5 - FRAMES / 15);
	close_receiver();
}

/* Some frames of a flow come with another destination MAC address, and some with another TTL. Only what is asked for counts. */
static void another_destination_mac_address_is_seen(void **state)
{
	static const uint8_t own[6] = { 0 };

	(void)state;
	for (unsigned int at = 0; at <= sizeof(own); at++)
		for (unsigned int vlans = 0; vlans <= 2; vlans++) {
			mac = at < sizeof(own) ? own : NULL;
			open_receiver(4, vlans, FLOWS, true);
			for (uint32_t n = 1; n <= FRAMES; n++) {
				write_frame(0, n);
				memset(frame, 0, sizeof(own));
				if (n % 3 == 0)
					frame[at % sizeof(own)] ^= 1;
				if (n % 5 == 0)
					frame[14 + 4 * vlans + 8]--;
				mend_checksums(14 + 4 * vlans);
				send();
			}
			assert_int_equal(counters().received, FRAMES);
			assert_int_equal(counters().changed_ttl, FRAMES / 5);
			assert_int_equal(counters().changed, mac ? FRAMES / 3 + FRAMES / 5 - FRAMES / 15 : FRAMES / 5);
			rx_expect_changes(rx, MLR_CHANGE_MAC);
			write_frame(0, FRAMES + 1);
			frame[5] ^= 1;
			send();
			assert_int_equal(counters().received, FRAMES + 1);
			assert_int_equal(counters().changed, mac ? FRAMES / 3 + FRAMES / 5 - FRAMES / 15 : FRAMES / 5);
			close_receiver();
		}
	mac = NULL;
}

/* What is expected is counted by its kind, and nothing else is said of it. */
static void expected_changes_are_none_to_wonder_at(void **state)
{
	(void)state;
	open_receiver(4, 0, FLOWS, true);
	rx_expect_changes(rx, MLR_CHANGE_TTL | MLR_CHANGE_ADDRESS);
	for (uint32_t n = 1; n <= FRAMES; n++) {
		write_frame(0, n);
		frame[22]--;
		frame[29] ^= 1;
		if (n % 10 == 0)
			frame[15] ^= 0x04;
		mend_checksums(14);
		send();
	}
	assert_int_equal(counters().changed_ttl, FRAMES);
	assert_int_equal(counters().changed_address, FRAMES);
	assert_int_equal(counters().changed_dscp, FRAMES / 10);
	assert_int_equal(counters().changed, FRAMES / 10);
	close_receiver();
}

/* Tags with another id, another priority, one more, and one less where the port takes none off. */
static void changed_tags(void **state)
{
	for (unsigned int stay = 0; stay < 2; stay++) {
		uint8_t tag[4];

		(void)state;
		open_receiver(4, 1, FLOWS, stay);
		write_frame(0, 1);
		frame[15] ^= 1;
		send();
		assert_changes(MLR_CHANGE_VLAN, 1, 1);
		write_frame(0, 2);
		frame[14] ^= 0x20;
		send();
		assert_changes(MLR_CHANGE_VLAN | MLR_CHANGE_PRIORITY, 1, 2);
		write_frame(0, 3);
		memcpy(tag, frame + 12, 4);
		memmove(frame + 16, frame + 12, octets - 12);
		memcpy(frame + 12, tag, 4);
		octets += 4;
		send();
		assert_int_equal(counters().changed_vlan, 2);
		for (uint32_t n = 4; n < 10; n++) {
			write_frame(0, n);
			memmove(frame + 12, frame + 16, octets - 16);
			octets -= 4;
			send();
		}
		assert_int_equal(counters().changed_vlan, stay ? 2 + 6 : 2);
		assert_int_equal(counters().changed_priority, 1);
		assert_int_equal(counters().received, 9);
		close_receiver();
	}
}

/* A copy is not received, and so is a frame that is damaged: neither counts as changed. */
static void only_frames_received_are_counted(void **state)
{
	(void)state;
	open_receiver(4, 0, FLOWS, true);
	write_frame(0, 1);
	frame[22]--;
	mend_checksums(14);
	send();
	send();
	write_frame(0, 5);
	frame[22]--;
	send();
	assert_int_equal(counters().duplicate, 1);
	assert_int_equal(counters().damaged, 1);
	assert_changes(MLR_CHANGE_TTL, 1, 1);
	close_receiver();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_that_are_alike_take_the_short_way),
		cmocka_unit_test(flows_that_vary_are_unchanged),
		cmocka_unit_test(every_kind_is_counted_in_every_frame),
		cmocka_unit_test(a_flow_may_be_changed_now_and_then),
		cmocka_unit_test(another_destination_mac_address_is_seen),
		cmocka_unit_test(expected_changes_are_none_to_wonder_at),
		cmocka_unit_test(changed_tags),
		cmocka_unit_test(only_frames_received_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
