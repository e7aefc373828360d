/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The receiver's XDP program on signed frames: a removed checksum, NAT, a forged tag and a changed payload are told apart. */
#include <string.h>

#include "../test.h"
#include "base/clock.h"
#include "dataplane/rx.h"
#include "mlr/imix.h"
#include "run.h"

#define TRIAL        7
#define FRAME_OCTETS 9212

static const uint8_t seed[] = "a key of forty octets, and not one more.";

static struct rx *rx;
static struct mlr_profile profile;
static struct mlr_queue_plan *plan;
static uint8_t frame[FRAME_OCTETS + 1];

/* A receiver of the frames of one stream, of this size, which verifies them all. */
static void open_receiver(unsigned int size_octets, unsigned int ip_version, enum mlr_payload payload)
{
	struct rx_lengths lengths = { { 0 } };
	struct rx_options options = {
		.flow_count = 4, .verify = RX_VERIFY_ALL, .profile = &profile, .lengths = &lengths
	};

	profile = (struct mlr_profile){
		.sizes = mlr_size_one(size_octets),
		.port_count = 2,
		.ports = { { .address = 0xc6120002, .address6 = { 0x20, 1, [15] = 1 } },
			   { .address = 0xc6130002, .address6 = { 0x20, 1, [15] = 2 } } },
		.stream_count = 1,
		.streams = { { .from = 0, .to = 1, .ip_version = ip_version } },
		.flow_count = 4,
		.source_port = MLR_UDP_SOURCE_PORT,
		.destination_port = MLR_UDP_DESTINATION_PORT,
		.payload = payload,
	};
	mlr_payload_write(payload, 1, profile.pattern, sizeof(profile.pattern));
	mlr_signature_key_init(seed, &profile.key);
	assert_int_equal(mlr_profile_number(&profile), 0);
	assert_int_equal(mlr_queue_plan_new(&profile, 0, 0, 1, &plan), 0);
	rx_lengths_add(&lengths, mlr_profile_udp_octets(&profile, &profile.streams[0], size_octets));
	assert_int_equal(rx_load(&options, &rx), 0);
	rx_accept_trial(rx, TRIAL, 1, UINT32_MAX);
}

static void close_receiver(void)
{
	rx_close(rx);
	mlr_queue_plan_free(plan);
}

/* A frame as the tester sends it, the next of its flow. */
static const struct mlr_frame_template *write_frame(uint32_t sequence)
{
	const struct mlr_frame_template *template = plan->templates;
	uint64_t now_ns = clock_ns();

	memset(frame, 0, sizeof(frame));
	memcpy(frame, template->header, sizeof(template->header));
	if (plan->payload)
		memcpy(frame + MLR_HEADER_MAX_OCTETS, plan->payload, plan->payload_octets);
	mlr_frame_fill(frame, template, plan->flows, TRIAL, sequence, now_ns, now_ns);
	return template;
}

static void send(void)
{
	assert_int_equal(run_program(rx_program_fd(rx), frame, plan->templates->memory_octets), XDP_DROP);
}

/* A SUT that makes UDP's checksum anew. */
static void mend_checksum(void)
{
	const struct mlr_frame_template *template = plan->templates;
	unsigned int udp_octets = (unsigned int)(template->memory_octets - template->transport_offset);
	unsigned int addresses = template->network_offset + (template->ip_version == 4 ? 12u : 8u);
	uint32_t sum = 17 + udp_octets;

	mlr_put16(frame + template->transport_offset + 6, 0);
	for (unsigned int i = addresses; i < template->memory_octets; i++)
		sum += (uint32_t)frame[i] << (i % 2 ? 0 : 8);
	mlr_put_sum(frame + template->transport_offset + 6, mlr_words(sum));
}

static struct rx_counters counters(void)
{
	struct rx_counters now;

	rx_snapshot(rx, &now);
	return now;
}

static void as_they_were_sent_all_are_verified(void **state)
{
	static const unsigned int sizes[] = { 64, 65, 67, 68, 69, 75, 76, 77, 128, 595, 1100, 1518, 9000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (unsigned int version = 4; version <= 6; version += 2)
			for (unsigned int payload = 0; payload < MLR_PAYLOAD_COUNT; payload++) {
				open_receiver(sizes[i] + (version == 6 ? 20 : 0), version, (enum mlr_payload)payload);
				for (uint32_t n = 1; n <= 3; n++) {
					write_frame(n);
					send();
				}
				assert_int_equal(counters().received, 3);
				assert_int_equal(counters().unverified, 0);
				close_receiver();
			}
}

/* Every octet of the payload, where the checksum is made anew, where it is removed, and where nothing is done about it. */
static void a_changed_payload_is_seen(void **state)
{
	static const unsigned int sizes[] = { 69, 72, 128, 700, 1518 };
	unsigned int at;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const unsigned int first = 64, octets = sizes[i] - 4 - first;
		uint32_t n = 1;

		open_receiver(sizes[i], 4, i % 2 ? MLR_PAYLOAD_ZEROS : MLR_PAYLOAD_RANDOM);
		for (at = first; at < first + octets; at++, n++) {
			write_frame(n);
			frame[at] ^= (uint8_t)(1 << n % 8);
			mend_checksum();
			send();
		}
		assert_int_equal(counters().changed_payload, octets);
		for (at = first; at < first + octets; at++, n++) {
			write_frame(n);
			frame[at] ^= (uint8_t)(1 << n % 8);
			mlr_put16(frame + 40, 0);
			send();
		}
		assert_int_equal(counters().changed_payload, 2 * octets);
		for (at = first; at < first + octets; at++, n++) {
			write_frame(n);
			frame[at] ^= (uint8_t)(1 << n % 8);
			send();
		}
		assert_int_equal(counters().damaged, octets);
		assert_int_equal(counters().received, 0);
		close_receiver();
	}
}

/* Words that change places leave the checksum right. */
static void exchanged_words_are_seen(void **state)
{
	(void)state;
	open_receiver(1518, 4, MLR_PAYLOAD_RANDOM);
	for (unsigned int at = 64; at + 16 <= 1514; at += 8) {
		uint8_t word[8];

		write_frame(at);
		memcpy(word, frame + at, 8);
		memcpy(frame + at, frame + at + 8, 8);
		memcpy(frame + at + 8, word, 8);
		send();
	}
	assert_int_equal(counters().changed_payload, (1514 - 16 - 64) / 8 + 1);
	assert_int_equal(counters().received, 0);
	close_receiver();
}

/* A tag that somebody changed, or made without the key: each bit, with a checksum that is right, or none. */
static void a_forged_tag_is_seen(void **state)
{
	unsigned int forged = 0;

	(void)state;
	for (unsigned int ip_version = 4; ip_version <= 6; ip_version += 2) {
		open_receiver(132, ip_version, MLR_PAYLOAD_ONES);
		for (unsigned int bit = 8u * plan->templates->tag_offset + 8u * 4;
		     bit < 8u * plan->templates->tag_offset + 8 * 22; bit++) {
			write_frame(1);
			frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
			mend_checksum();
			send();
			forged++;
		}
		assert_int_equal(counters().wrong_signature, forged);
		assert_int_equal(counters().received, 0);
		forged = 0;
		close_receiver();
	}
}

/* Frames of an earlier run, of another tester: the same tags by another key. */
static void another_key_is_seen(void **state)
{
	(void)state;
	open_receiver(128, 4, MLR_PAYLOAD_ZEROS);
	for (uint32_t n = 1; n <= 10; n++) {
		struct mlr_frame_template *template = (struct mlr_frame_template *)plan->templates;

		template->signature_key[n % 4]++;
		write_frame(n);
		send();
		template->signature_key[n % 4]--;
	}
	assert_int_equal(counters().wrong_signature, 10);
	assert_int_equal(counters().received, 0);
	close_receiver();
}

/* Tags that change places between frames of different flows, without their signatures. */
static void exchanged_tags_are_seen(void **state)
{
	uint8_t tag[sizeof(struct mlr_tag)];
	const unsigned int at = 42;

	(void)state;
	open_receiver(128, 4, MLR_PAYLOAD_ZEROS);
	write_frame(1);
	memcpy(tag, frame + at, sizeof(tag));
	write_frame(2);
	memcpy(frame + at, tag, sizeof(tag));
	mend_checksum();
	send();
	assert_int_equal(counters().wrong_signature, 1);
	assert_int_equal(counters().received, 0);
	close_receiver();
}

/* NAT changes addresses and ports and mends the checksum, or takes it away: the tag is as it was. So frames are received, verified,
 * and timed. */
static void behind_nat_and_without_checksums_frames_are_verified(void **state)
{
	static struct rx_trial trial;

	(void)state;
	open_receiver(128, 4, MLR_PAYLOAD_PRBS);
	for (uint32_t n = 1; n <= 20; n++) {
		write_frame(n);
		if (n % 2) {
			uint8_t *ip = frame + 14;
			uint32_t sum = 0;

			mlr_put32(ip + 12, 0xc0000201);
			mlr_put16(ip + 20, 40000);
			mlr_put16(ip + 10, 0);
			for (unsigned int i = 0; i < 20; i += 2)
				sum += (uint32_t)ip[i] << 8 | ip[i + 1];
			mlr_put16(ip + 10, mlr_checksum_fold(sum));
			mend_checksum();
		} else {
			mlr_put16(frame + 40, 0);
		}
		send();
	}
	rx_trial(rx, TRIAL, &trial);
	assert_int_equal(counters().received, 20);
	assert_int_equal(counters().unverified, 0);
	assert_int_equal(counters().without_checksum, 10);
	assert_int_equal(trial.latency.count, 20);
	close_receiver();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_they_were_sent_all_are_verified),
		cmocka_unit_test(a_changed_payload_is_seen),
		cmocka_unit_test(exchanged_words_are_seen),
		cmocka_unit_test(a_forged_tag_is_seen),
		cmocka_unit_test(another_key_is_seen),
		cmocka_unit_test(exchanged_tags_are_seen),
		cmocka_unit_test(behind_nat_and_without_checksums_frames_are_verified),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
