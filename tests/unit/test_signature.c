/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signatures, the payload patterns that they are over, and frames that have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mlr/frame.h"
#include "mlr/payload.h"

#define FCS     4
#define PAYLOAD 1400

static const uint8_t seed[] = "a key of forty octets, and not one more.";

static const struct mlr_flow flow = {
	.id = 0x020304,
	.source_address = 0xc6120002,
	.destination_address = 0xc6130002,
	.source_port = MLR_UDP_SOURCE_PORT,
	.destination_port = MLR_UDP_DESTINATION_PORT,
};

static struct mlr_signature_key key_of(unsigned int number)
{
	struct mlr_signature_key key;
	uint8_t octets[MLR_KEY_SEED_OCTETS];

	memcpy(octets, seed, sizeof(octets));
	octets[0] ^= (uint8_t)number;
	octets[39] ^= (uint8_t)number;
	mlr_signature_key_init(octets, &key);
	return key;
}

/* Whatever the seed, no multiplier is even: an even one would lose a bit of a word. */
static void all_multipliers_are_odd(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 256; i++) {
		uint8_t octets[MLR_KEY_SEED_OCTETS];
		struct mlr_signature_key key;

		memset(octets, (int)i, sizeof(octets));
		mlr_signature_key_init(octets, &key);
		assert_int_equal(key.mixing & 1, 1);
		assert_int_equal(key.digest_first & 1, 1);
		assert_int_equal(key.digest_step & 3, 2);
	}
}

static void every_octet_and_the_length_change_the_digest(void **state)
{
	struct mlr_signature_key key = key_of(0);
	uint8_t payload[PAYLOAD];
	uint64_t digest;

	(void)state;
	mlr_payload_write(MLR_PAYLOAD_RANDOM, 1, payload, sizeof(payload));
	digest = mlr_signature_digest(&key, payload, PAYLOAD, PAYLOAD);
	for (unsigned int bit = 0; bit < 8 * PAYLOAD; bit++) {
		payload[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_not_equal(mlr_signature_digest(&key, payload, PAYLOAD, PAYLOAD), digest);
		payload[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_int_equal(mlr_signature_digest(&key, payload, PAYLOAD, PAYLOAD), digest);
	assert_int_not_equal(mlr_signature_digest(&key, payload, PAYLOAD - 1, PAYLOAD), digest);
	assert_int_not_equal(mlr_signature_digest(&key, NULL, 0, 100), mlr_signature_digest(&key, NULL, 0, 101));
	memset(payload, 0, sizeof(payload));
	assert_int_equal(mlr_signature_digest(&key, payload, PAYLOAD, PAYLOAD),
			 mlr_signature_digest(&key, NULL, 0, PAYLOAD));
}

/* Words that change places leave every sum of words as it was. */
static void words_that_change_places_change_the_digest(void **state)
{
	struct mlr_signature_key key = key_of(0);
	uint64_t payload[PAYLOAD / 8] = { 0 }, digest, empty = mlr_signature_digest(&key, NULL, 0, PAYLOAD);

	(void)state;
	payload[0] = 1ull << 63;
	digest = mlr_signature_digest(&key, (const uint8_t *)payload, PAYLOAD, PAYLOAD);
	assert_int_not_equal(digest, empty);
	for (unsigned int i = 1; i < PAYLOAD / 8; i++) {
		payload[i - 1] = 0;
		payload[i] = 1ull << 63;
		assert_int_not_equal(mlr_signature_digest(&key, (const uint8_t *)payload, PAYLOAD, PAYLOAD), digest);
	}
}

static void patterns_are_what_they_are_called(void **state)
{
	uint8_t octets[4096], again[4096];
	unsigned int ones = 0;

	(void)state;
	mlr_payload_write(MLR_PAYLOAD_ZEROS, 0, octets, sizeof(octets));
	assert_int_equal(octets[4095], 0);
	mlr_payload_write(MLR_PAYLOAD_ONES, 0, octets, sizeof(octets));
	assert_int_equal(octets[0] & octets[4095], 0xff);
	mlr_payload_write(MLR_PAYLOAD_ALTERNATING, 0, octets, sizeof(octets));
	assert_int_equal(octets[0] & octets[4095], 0xaa);
	/* the sequence of O.150, inverted: 23 zeros, and then each bit follows from two before it */
	mlr_payload_write(MLR_PAYLOAD_PRBS, 0, octets, sizeof(octets));
#define BIT(n) (octets[(n) / 8] >> (7 - (n) % 8) & 1u)
	for (unsigned int i = 0; i < 8 * sizeof(octets); i++) {
		ones += BIT(i);
		if (i < 23)
			assert_int_equal(BIT(i), 0);
		else
			assert_int_equal(!BIT(i), !BIT(i - 23) ^ !BIT(i - 18));
	}
	assert_in_range(ones, 16000, 16800);
	mlr_payload_write(MLR_PAYLOAD_PRBS, 1, again, sizeof(again));
	assert_memory_equal(octets, again, sizeof(octets)); /* there is one */
	mlr_payload_write(MLR_PAYLOAD_RANDOM, 1, octets, sizeof(octets));
	mlr_payload_write(MLR_PAYLOAD_RANDOM, 2, again, sizeof(again));
	assert_memory_not_equal(octets, again, sizeof(octets));
	mlr_payload_write(MLR_PAYLOAD_RANDOM, 1, again, 100);
	assert_memory_equal(octets, again, 100); /* shorter ones are its beginning */
}

/* --- in frames ------------------------------------------------------------------------------------------------------ */

static uint16_t ones_complement_sum(uint32_t sum, const uint8_t *data, size_t octets)
{
	for (size_t i = 0; i < octets; i++) {
		sum += i % 2 ? data[i] : (uint32_t)data[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)sum;
}

static struct mlr_frame_spec spec_of(unsigned int ip_version, unsigned int size_octets, const struct mlr_signature_key *key)
{
	static uint8_t payload[PAYLOAD];

	mlr_payload_write(MLR_PAYLOAD_RANDOM, 1, payload, sizeof(payload));
	return (struct mlr_frame_spec){
		.ip_version = ip_version,
		.size_octets = size_octets,
		.payload = payload,
		.payload_octets = sizeof(payload),
		.key = key,
	};
}

static uint32_t signature_in(const uint8_t *frame, const struct mlr_frame_template *template)
{
	const uint8_t *at = frame + template->header_octets;

	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void only_frames_with_room_are_signed(void **state)
{
	struct mlr_signature_key key = key_of(0);

	(void)state;
	for (unsigned int ip_version = 4; ip_version <= 6; ip_version += 2) {
		unsigned int least = ip_version == 4 ? 64 : 84;

		for (unsigned int size = least; size < 100; size++) {
			struct mlr_frame_spec spec = spec_of(ip_version, size, &key);
			struct mlr_frame_template template;

			assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
			assert_int_equal(template.is_signed, size >= least + 4);
			assert_int_equal(mlr_frame_signed_octets(&spec), least + 4);
			spec.key = NULL;
			assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
			assert_int_equal(template.is_signed, 0);
		}
	}
}

/* A template has room for no more than the longest headers. */
static void the_longest_headers_leave_no_room(void **state)
{
	struct mlr_signature_key key = key_of(0);
	struct mlr_frame_spec spec = spec_of(4, 1518, &key);
	struct mlr_frame_template template;

	(void)state;
	spec.vlan_count = 2;
	spec.outer_octets = MLR_OUTER_MAX_OCTETS;
	spec.ip_options_octets = 40;
	assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
	assert_int_equal(template.header_octets, MLR_HEADER_MAX_OCTETS);
	assert_int_equal(template.is_signed, 0);
	assert_int_equal(mlr_frame_signed_octets(&spec), 0);
	spec.ip_options_octets = 36;
	assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
	assert_int_equal(template.is_signed, 1);
}

/* The UDP checksum covers it, in every size, and what it says is what the header of the module says. */
static void checksums_cover_the_signature(void **state)
{
	struct mlr_signature_key key = key_of(0);

	(void)state;
	for (unsigned int size = 64; size < 1518; size++) {
		struct mlr_frame_spec spec = spec_of(4, size, &key);
		const uint64_t due_ns = 0xab12345678;
		struct mlr_frame_template template;
		uint8_t frame[1518], payload[1518] = { 0 };
		unsigned int udp_octets;

		assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
		mlr_frame_write(&spec, &template, &flow, 0xfffe, 0x89abcdef, due_ns, due_ns + 77, frame);
		udp_octets = (unsigned int)(template.memory_octets - template.transport_offset);
		assert_int_equal(ones_complement_sum(ones_complement_sum(17 + udp_octets, frame + 26, 8),
						     frame + template.transport_offset, udp_octets),
				 0xffff);
		if (!template.is_signed)
			continue;
		memcpy(payload, spec.payload + 4, size - 68 < PAYLOAD - 4 ? size - 68 : PAYLOAD - 4);
		assert_memory_equal(frame + 64, payload, size - 68);
		{
			uint64_t mix = (uint64_t)(uint32_t)(0x89abcdef + key.tag[0]) * (uint32_t)(0x12345678 + key.tag[1]) +
				       (uint64_t)(uint32_t)(0xab020304 + key.tag[2]) * (uint32_t)(0xfffe004d + key.tag[3]) +
				       mlr_signature_digest(&key, payload, size - 68, size - 68);

			assert_int_equal(signature_in(frame, &template), (uint32_t)((mix ^ mix >> 32) * key.mixing >> 32));
		}
	}
}

static uint32_t signature_of(unsigned int key_number, uint32_t id, uint16_t trial, uint32_t sequence, uint64_t due_ns,
			     uint64_t late_ns)
{
	struct mlr_signature_key key = key_of(key_number);
	struct mlr_frame_spec spec = spec_of(4, 128, &key);
	struct mlr_frame_template template;
	struct mlr_flow other = flow;
	uint8_t frame[128];

	other.id = id;
	assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
	mlr_frame_write(&spec, &template, &other, trial, sequence, due_ns, due_ns + late_ns, frame);
	return signature_in(frame, &template);
}

/* Each field of the tag counts, and the key. */
static void everything_in_the_tag_is_signed(void **state)
{
	uint32_t signature = signature_of(0, 3, 7, 9, 1000, 5);

	(void)state;
	assert_int_equal(signature_of(0, 3, 7, 9, 1000, 5), signature);
	for (unsigned int bit = 0; bit < 32; bit++) {
		assert_int_not_equal(signature_of(0, 3, 7, 9 ^ 1u << bit, 1000, 5), signature);
		assert_int_not_equal(signature_of(0, 3 ^ 1u << bit % 24, 7, 9, 1000, 5), signature);
		assert_int_not_equal(signature_of(0, 3, (uint16_t)(7 ^ 1u << bit % 16), 9, 1000, 5), signature);
		assert_int_not_equal(signature_of(0, 3, 7, 9, 1000, 5 ^ 1u << bit % 12), signature);
		assert_int_not_equal(signature_of(1 + bit, 3, 7, 9, 1000, 5), signature);
	}
	for (unsigned int bit = 0; bit < 40; bit++)
		assert_int_not_equal(signature_of(0, 3, 7, 9, 1000 ^ 1ull << bit, 5), signature);
	assert_int_not_equal(signature_of(0, 9, 7, 3, 1000, 5), signature); /* fields that change places */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_multipliers_are_odd),
		cmocka_unit_test(every_octet_and_the_length_change_the_digest),
		cmocka_unit_test(words_that_change_places_change_the_digest),
		cmocka_unit_test(patterns_are_what_they_are_called),
		cmocka_unit_test(only_frames_with_room_are_signed),
		cmocka_unit_test(the_longest_headers_leave_no_room),
		cmocka_unit_test(checksums_cover_the_signature),
		cmocka_unit_test(everything_in_the_tag_is_signed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
