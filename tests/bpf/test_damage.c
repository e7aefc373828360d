/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The receiver's XDP program on frames that a SUT broke: what counts as received is what came back as it was sent. */
#include <sched.h>
#include <string.h>

#include "../test.h"
#include "base/clock.h"
#include "dataplane/rx.h"
#include "mlr/frame.h"
#include "run.h"

#define TRIAL           7
#define FLOW            3
#define FLOWS           4
#define FIRST           1000000
#define NUMBERS         600000 /* of the numbers that the trial may use: a flipped bit leaves many of them possible */
#define ETHERNET_OCTETS 14
#define FRAME_OCTETS    1514

static struct rx *rx;
static struct mlr_frame_template template;
static struct mlr_flow flow;
static uint8_t frame[FRAME_OCTETS];
static unsigned int vlans; /* tags that the receiver's frames are sent behind */

static void open_receiver(enum rx_verify verify, unsigned int size_octets, unsigned int ip_version)
{
	const struct mlr_frame_spec spec = {
		.ip_version = ip_version,
		.vlan_count = vlans,
		.vlans = { { .type = 0x8100, .control = 1 }, { .type = 0x8100, .control = 2 } },
		.hop_limit = MLR_TTL,
		.source_address6 = { 0x20, 1 },
		.destination_address6 = { 0x20, 1 },
		.payload = (const uint8_t *)"some payload that is not all zeros, so that words differ",
		.payload_octets = 56,
		.size_octets = size_octets,
	};
	struct rx_lengths lengths = { { 0 } };

	assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
	mlr_frame_write(&spec, &template, &flow, 0, 0, 0, 0, frame);
	rx_lengths_add(&lengths, (unsigned int)(template.memory_octets - template.transport_offset));
	assert_int_equal(rx_load(
				 &(struct rx_options){
					 .first_flow = FLOW, .flow_count = FLOWS, .verify = verify, .lengths = &lengths },
				 &rx),
			 0);
	rx_accept_trial(rx, TRIAL, FIRST, NUMBERS);
}

/* The frame of this number, ready to be sent. */
static void number(uint32_t flow_id, uint32_t sequence)
{
	uint64_t now_ns = clock_ns();

	flow.id = flow_id;
	mlr_frame_fill(frame, &template, &flow, TRIAL, sequence, now_ns, now_ns);
}

/* A flip of its only bit makes a checksum 0, which over IPv4 is none: one frame in 65 536 for each of 16 bits. */
static bool has_checksum(void)
{
	return frame[template.transport_offset + 6] || frame[template.transport_offset + 7];
}

static void send_octets(unsigned int octets)
{
	assert_true(run_program(rx_program_fd(rx), frame, octets) > 0);
}

static void flip(unsigned int bit)
{
	frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

static struct rx_counters counters(void)
{
	struct rx_counters now;

	rx_snapshot(rx, &now);
	return now;
}

/* Everything that this receiver knows of is one of these, whatever a bit made of it. */
static void assert_exact(uint64_t sent, uint64_t broken)
{
	struct rx_counters now = counters();

	assert_int_equal(now.received, sent - broken);
	assert_int_equal(rx_seen(&now), sent);
	assert_int_equal(now.duplicate, 0);
	assert_int_equal(now.reordered, 0);
	assert_int_equal(now.late + now.misdirected + now.extra + now.negative_latency, 0);
}

/* Bits from the IP header on, so many apart, one frame each, among frames that are whole. (The kernel takes some ms to run a
 * program once, so there are not more.) */
static void flip_bits(unsigned int size_octets, unsigned int ip_version, unsigned int step)
{
	uint64_t broken = 0, whole = 0;
	uint32_t sequence = FIRST;
	unsigned int octets;

	open_receiver(RX_VERIFY_ALL, size_octets, ip_version);
	octets = template.memory_octets;
	for (unsigned int bit = ETHERNET_OCTETS * 8; bit < octets * 8; bit += step) {
		/* IPv6 protects no traffic class, flow label and hop limit */
		if (ip_version == 6 && bit < (ETHERNET_OCTETS + 8) * 8)
			continue;
		number(FLOW, sequence++);
		if (sequence % 8 == 0) {
			send_octets(octets);
			whole++;
		}
		number(FLOW + 1, sequence - 1);
		flip(bit);
		if (has_checksum()) {
			send_octets(octets);
			broken++;
		}
		flip(bit);
	}
	assert_int_equal(counters().received, whole);
	assert_in_range(counters().foreign, 0, 16); /* the magic's bits: nothing else makes it a frame of others */
	assert_int_equal(counters().late + counters().misdirected + counters().extra + counters().duplicate, 0);
	rx_close(rx);
}

static void take_checksum(void)
{
	memset(frame + template.transport_offset + 6, 0, 2);
}

/* Each frame is one of those that have a number, but for one in four, from which the SUT took the checksum, and gave it another
 * departure: the former alone are verified, and timed. */
static void take_checksums(enum rx_verify verify, unsigned int size_octets)
{
	const uint64_t frames = 80;
	struct rx_trial seen;

	open_receiver(verify, size_octets, 4);
	for (uint32_t i = 0; i < frames; i++) {
		number(FLOW, FIRST + i);
		if (i % 4 == 3) {
			take_checksum();
			frame[template.tag_offset + 4u] ^= 0x10;
		}
		send_octets(template.memory_octets);
	}
	rx_trial(rx, TRIAL, &seen);
	assert_exact(frames, 0);
	assert_int_equal(counters().without_checksum, frames / 4);
	assert_in_range(counters().unverified, frames / 4, verify == RX_VERIFY_ALL ? frames / 4 : frames);
	assert_int_equal(seen.latency.count, frames - frames / 4);
	assert_in_range(seen.latency.max_ns, 0, UINT64_C(60000000000));
	rx_close(rx);
}

static void without_a_checksum_nothing_is_verified_or_timed(void **state)
{
	(void)state;
	take_checksums(RX_VERIFY_ALL, 64);
	take_checksums(RX_VERIFY_ALL, 512);
	take_checksums(RX_VERIFY_SMALL, 512);
	take_checksums(RX_VERIFY_DOUBTS, 512);
}

/* Of all ones, which adds as much to a sum as zeros do: a frame without it adds up to what it should. */
static void a_checksum_of_all_ones_can_be_missed_too(void **state)
{
	(void)state;
	for (unsigned int ip_version = 4; ip_version <= 6; ip_version += 2) {
		uint32_t sequence = FIRST + 1;

		open_receiver(RX_VERIFY_ALL, 84, ip_version);
		number(FLOW, FIRST);
		send_octets(template.memory_octets);
		/* the time in the tag is another with each frame */
		do
			number(FLOW, sequence);
		while (frame[template.transport_offset + 6] != 0xff || frame[template.transport_offset + 7] != 0xff);
		take_checksum();
		send_octets(template.memory_octets);
		assert_int_equal(counters().received, ip_version == 4 ? 2 : 1);
		assert_int_equal(counters().without_checksum, ip_version == 4);
		assert_int_equal(counters().unverified, ip_version == 4);
		assert_int_equal(counters().damaged, ip_version == 6);
		rx_close(rx);
	}
}

/* IPv6 does not allow it, whether the frame is one of those to be verified or not. */
static void over_ipv6_a_frame_without_checksum_is_damaged(void **state)
{
	(void)state;
	for (unsigned int size_octets = 84; size_octets <= 1500; size_octets += 1416) {
		open_receiver(RX_VERIFY_DOUBTS, size_octets, 6);
		for (uint32_t i = 0; i < 40; i++) {
			number(FLOW, FIRST + i);
			if (i % 2)
				take_checksum();
			send_octets(template.memory_octets);
		}
		assert_int_equal(counters().received, 20);
		assert_int_equal(counters().damaged, 20);
		assert_int_equal(counters().without_checksum, 0);
		rx_close(rx);
	}
}

/* A receiver of doubts: nobody but they are verified. */
static void a_flow_that_begins_is_a_doubt(void **state)
{
	(void)state;
	open_receiver(RX_VERIFY_DOUBTS, 128, 4);
	number(FLOW, FIRST);
	send_octets(template.memory_octets);
	flip((template.tag_offset + 7u) * 8); /* of the flow, which becomes one that has not begun */
	send_octets(template.memory_octets);
	assert_int_equal(counters().received, 1);
	assert_int_equal(counters().damaged, 1);
	rx_close(rx);
}

/* They count by the departure in the tag: so that has to be the one that was sent. */
static void by_intervals_every_frame_is_verified(void **state)
{
	const struct rx_options options = {
		.first_flow = FLOW, .flow_count = FLOWS, .verify = RX_VERIFY_DOUBTS, .interval_ns = 1000, .no_latency = true
	};

	(void)state;
	open_receiver(RX_VERIFY_DOUBTS, 128, 4);
	rx_close(rx);
	assert_int_equal(rx_load(&options, &rx), 0);
	rx_accept_trial(rx, TRIAL, FIRST, NUMBERS);
	number(FLOW, FIRST);
	send_octets(template.memory_octets);
	number(FLOW, FIRST + 1);
	flip((template.tag_offset + 4u) * 8 + 5);
	send_octets(template.memory_octets);
	assert_int_equal(counters().received, 1);
	assert_int_equal(counters().damaged, 1);
	rx_close(rx);
}

static void any_flipped_bit_is_seen(void **state)
{
	(void)state;
	flip_bits(64, 4, 1);
	flip_bits(84, 6, 1);
	flip_bits(151, 4, 3);
	flip_bits(200, 6, 7);
	flip_bits(1200, 4, 41);
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return *state >> 33;
}

static void a_tenth_of_the_frames_damaged_is_counted_exactly(void **state)
{
	uint64_t random = 15, broken = 0, sent = 1500;

	(void)state;
	open_receiver(RX_VERIFY_ALL, 128, 4);
	for (uint32_t i = 0; i < sent; i++) {
		unsigned int octets = template.memory_octets;
		unsigned int bit =
			ETHERNET_OCTETS * 8 + (unsigned int)(next_random(&random) % ((octets - ETHERNET_OCTETS) * 8));
		bool breaks = next_random(&random) % 10 == 0;

		number(FLOW + i % FLOWS, FIRST + i / FLOWS);
		if (breaks)
			flip(bit);
		send_octets(octets);
		broken += breaks && has_checksum();
		if (breaks)
			flip(bit);
	}
	assert_in_range(broken, sent / 20, sent / 5);
	assert_exact(sent, broken);
	rx_close(rx);
}

/* Where only doubtful frames are verified, a number, trial or flow that was damaged is one, whatever bit it was. */
static void a_damaged_number_moves_nothing(void **state)
{
	uint32_t sequence = FIRST, from = offsetof(struct mlr_tag, trial), to = offsetof(struct mlr_tag, departure_ns);

	(void)state;
	open_receiver(RX_VERIFY_DOUBTS, 1518, 4);
	for (unsigned int bit = (template.tag_offset + from) * 8u; bit < (template.tag_offset + to) * 8u; bit++) {
		for (unsigned int i = 0; i < 3; i++) {
			number(FLOW, sequence++);
			if (i == 1)
				flip(bit);
			send_octets(template.memory_octets);
			if (i == 1)
				flip(bit);
		}
	}
	assert_exact(sequence - FIRST, (to - from) * 8);
	rx_close(rx);
}

/* Bit 19 of a number, 600 000 of which a trial has: once it made all that followed look old. */
static void a_far_number_needs_evidence(void **state)
{
	(void)state;
	open_receiver(RX_VERIFY_DOUBTS, 64, 4);
	for (uint32_t i = 0; i < 60; i++) {
		number(FLOW, FIRST + i);
		if (i == 10)
			flip((template.tag_offset + (unsigned int)offsetof(struct mlr_tag, sequence) + 1) * 8u + 3);
		send_octets(template.memory_octets);
		if (i == 10)
			flip((template.tag_offset + (unsigned int)offsetof(struct mlr_tag, sequence) + 1) * 8u + 3);
	}
	assert_exact(60, 1);
	assert_int_equal(counters().damaged, 1);
	/* a real outage is believed at once */
	number(FLOW, FIRST + 500000);
	send_octets(template.memory_octets);
	assert_int_equal(counters().received, 60);
	rx_close(rx);
}

/* A bit of the IP header and one of the tag, which each checksum finds, and their sum would not. */
static void two_bits_do_not_make_up_for_each_other(void **state)
{
	(void)state;
	open_receiver(RX_VERIFY_ALL, 64, 4);
	for (unsigned int bit = 0; bit < 16; bit++) {
		unsigned int id = (template.network_offset + 4) * 8u + bit,
			     lateness = (template.tag_offset + (unsigned int)offsetof(struct mlr_tag, lateness)) * 8u + bit;

		flow.id = FLOW;
		mlr_frame_fill(frame, &template, &flow, TRIAL, FIRST + bit, 0, NS_PER_S); /* a lateness of ones */
		flip(lateness);
		flip(id);
		send_octets(template.memory_octets);
		flip(id);
	}
	assert_exact(16, 16);
	assert_int_equal(counters().damaged, 16);
	rx_close(rx);
}

/* Where only doubtful frames are verified, a departure that would make for the smallest latency, or the largest. */
static void a_damaged_departure_is_no_minimum_and_no_maximum(void **state)
{
	uint64_t start_ns = clock_ns() - NS_PER_S;

	(void)state;
	open_receiver(RX_VERIFY_DOUBTS, 512, 4);
	for (uint32_t i = 0; i < 10; i++) {
		uint64_t departure_ns = start_ns + (i == 5) * NS_PER_S / 2 - (i == 6) * NS_PER_S / 2;

		number(FLOW, FIRST + i);
		mlr_frame_fill(frame, &template, &flow, TRIAL, FIRST + i, departure_ns, departure_ns);
		if (i == 5 || i == 6)
			flip((unsigned int)template.memory_octets * 8 - 1);
		send_octets(template.memory_octets);
		if (i == 5 || i == 6)
			flip((unsigned int)template.memory_octets * 8 - 1);
	}
	assert_exact(10, 2);
	assert_int_equal(counters().damaged, 2);
	rx_close(rx);
}

/* A SUT that cuts a frame and writes consistent headers, or pads it, or takes the checksum away. */
static void lengths_are_those_that_were_sent(void **state)
{
	struct rx_counters now;

	(void)state;
	open_receiver(RX_VERIFY_DOUBTS, 128, 4);
	number(FLOW, FIRST);
	send_octets(template.memory_octets);
	number(FLOW, FIRST + 1);
	send_octets(template.memory_octets + 20u);
	number(FLOW, FIRST + 2);
	mlr_put16(frame + template.network_offset + 2, (uint16_t)(template.memory_octets - ETHERNET_OCTETS - 8));
	mlr_put16(frame + template.transport_offset + 4, (uint16_t)(template.memory_octets - template.transport_offset - 8));
	send_octets(template.memory_octets - 8u);
	now = counters();
	assert_int_equal(now.received, 1);
	assert_int_equal(now.wrong_length, 2);
	rx_close(rx);
}

/* A frame of so many octets on the wire, ready to be numbered. Returns what UDP says of its length. */
static unsigned int build_of(unsigned int size_octets)
{
	const struct mlr_frame_spec spec = { .ip_version = 4, .hop_limit = MLR_TTL, .size_octets = size_octets };

	assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
	mlr_frame_write(&spec, &template, &flow, 0, 0, 0, 0, frame);
	return (unsigned int)(template.memory_octets - template.transport_offset);
}

/* Of a mix of sizes each length is right, and no other, however near one of them. */
static void each_length_of_a_mix_is_right(void **state)
{
	static const unsigned int sizes[] = { 64, 128, 594, 1280 };
	struct rx_lengths lengths = { { 0 } };
	struct rx_options options = { .first_flow = FLOW, .flow_count = FLOWS, .lengths = &lengths };
	uint32_t sequence = FIRST, right = 0, wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		rx_lengths_add(&lengths, build_of(sizes[i]));
	assert_int_equal(rx_load(&options, &rx), 0);
	rx_accept_trial(rx, TRIAL, FIRST, NUMBERS);
	for (unsigned int size = 64; size <= 1400; size++) {
		bool is_sent = false;

		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			is_sent |= size == sizes[i];
		build_of(size);
		number(FLOW, sequence);
		send_octets(template.memory_octets);
		sequence += is_sent;
		right += is_sent;
		wrong += !is_sent;
		assert_int_equal(counters().received, right);
		assert_int_equal(counters().wrong_length, wrong);
	}
	rx_close(rx);
}

static void a_checksum_taken_away_is_none_that_is_wrong(void **state)
{
	(void)state;
	for (unsigned int size_octets = 64; size_octets <= 512; size_octets += 64) {
		open_receiver(RX_VERIFY_ALL, size_octets, 4);
		number(FLOW, FIRST);
		mlr_put16(frame + template.transport_offset + 6, 0);
		send_octets(template.memory_octets);
		assert_int_equal(counters().received, 1);
		rx_close(rx);
	}
}

/* The shortest frame needs no padding, however many VLAN tags it has, and whatever takes one away or puts one in (and counts
 * the length in the NIC's way: 60 octets in memory). What is behind it somebody padded it with. */
static void the_shortest_frame_is_not_padded(void **state)
{
	(void)state;
	for (vlans = 0; vlans <= 2; vlans++) {
		open_receiver(RX_VERIFY_ALL, 64 + 4 * vlans, 4);
		assert_int_equal(template.memory_octets, 60 + 4 * vlans);
		number(FLOW, FIRST);
		send_octets(template.memory_octets);
		for (uint32_t more = 1; more <= 5; more++) {
			number(FLOW, FIRST + more);
			send_octets(template.memory_octets + more);
			assert_int_equal(counters().wrong_length, more);
		}
		number(FLOW, FIRST + 6);
		if (vlans) { /* one was taken away */
			memmove(frame + 4, frame, 12);
			assert_true(run_program(rx_program_fd(rx), frame + 4, template.memory_octets - 4u) > 0);
		}
		assert_int_equal(counters().received, vlans ? 2 : 1);
		assert_int_equal(counters().wrong_length, 5);
		rx_close(rx);
	}
	vlans = 0;
}

/* Each CPU has a minimum and maximum of its own. */
static void stay_on_this_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
}

/* What is verified of frames that are as expected: all, one in so many, none. */
static void what_is_verified_is_counted(void **state)
{
	static const struct {
		enum rx_verify verify;
		unsigned int size_octets;
		uint64_t verified;
	} cases[] = {
		{ RX_VERIFY_ALL, 64, 129 },  { RX_VERIFY_ALL, 256, 129 }, { RX_VERIFY_SMALL, 64, 129 },
		{ RX_VERIFY_SMALL, 256, 2 }, { RX_VERIFY_DOUBTS, 64, 0 }, { RX_VERIFY_DOUBTS, 256, 0 },
	};

	(void)state;
	stay_on_this_cpu();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t now_ns = clock_ns();

		open_receiver(cases[i].verify, cases[i].size_octets, 4);
		rx_accept_trial(rx, TRIAL, 1, 129);
		for (uint32_t sequence = 1; sequence < 130; sequence++) {
			/* the first has the largest latency, the second the smallest: which are doubted, too */
			flow.id = FLOW;
			mlr_frame_fill(frame, &template, &flow, TRIAL, sequence,
				       sequence == 1 ? now_ns - NS_PER_S * 60 : now_ns,
				       sequence == 1 ? now_ns - NS_PER_S * 60 : now_ns);
			send_octets(template.memory_octets);
		}
		assert_int_equal(counters().received, 129);
		assert_in_range(counters().received - counters().unverified, cases[i].verified, cases[i].verified + 2);
		rx_close(rx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_flipped_bit_is_seen),
		cmocka_unit_test(a_flow_that_begins_is_a_doubt),
		cmocka_unit_test(by_intervals_every_frame_is_verified),
		cmocka_unit_test(a_tenth_of_the_frames_damaged_is_counted_exactly),
		cmocka_unit_test(a_damaged_number_moves_nothing),
		cmocka_unit_test(a_far_number_needs_evidence),
		cmocka_unit_test(two_bits_do_not_make_up_for_each_other),
		cmocka_unit_test(a_damaged_departure_is_no_minimum_and_no_maximum),
		cmocka_unit_test(lengths_are_those_that_were_sent),
		cmocka_unit_test(each_length_of_a_mix_is_right),
		cmocka_unit_test(a_checksum_taken_away_is_none_that_is_wrong),
		cmocka_unit_test(without_a_checksum_nothing_is_verified_or_timed),
		cmocka_unit_test(a_checksum_of_all_ones_can_be_missed_too),
		cmocka_unit_test(over_ipv6_a_frame_without_checksum_is_damaged),
		cmocka_unit_test(the_shortest_frame_is_not_padded),
		cmocka_unit_test(what_is_verified_is_counted),
	};

	return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
