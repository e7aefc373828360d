/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mlr/frame.h"

static const struct mlr_frame_spec spec_64 = {
	.source_mac = { 2, 0, 0, 0, 0, 1 },
	.destination_mac = { 2, 0, 0, 0, 0, 2 },
	.source_port = MLR_UDP_SOURCE_PORT,
	.destination_port = MLR_UDP_DESTINATION_PORT,
	.flow = 0x01020304,
	.size_octets = 64,
};

static struct mlr_frame_spec spec_of(unsigned int size_octets)
{
	struct mlr_frame_spec spec = spec_64;

	spec.source_address = htonl(0xc6120002);      /* 198.18.0.2 */
	spec.destination_address = htonl(0xc6130002); /* 198.19.0.2 */
	spec.size_octets = size_octets;
	return spec;
}

/* RFC 1071 over a buffer, written apart from the library's: a correct checksum makes the sum all ones. */
static uint16_t ones_complement_sum(uint32_t sum, const uint8_t *data, size_t octets)
{
	for (size_t i = 0; i < octets; i++)
		sum += i % 2 ? data[i] : (uint32_t)data[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static void assert_frame_valid(const uint8_t *frame, unsigned int size_octets)
{
	unsigned int ip_octets = size_octets - 18, udp_octets = ip_octets - 20;

	assert_int_equal(frame[12] << 8 | frame[13], 0x0800);
	assert_int_equal(frame[14], 0x45);
	assert_int_equal(frame[16] << 8 | frame[17], ip_octets);
	assert_int_equal(frame[23], 17);
	assert_int_equal(ones_complement_sum(0, frame + 14, 20), 0xffff);
	assert_int_equal(frame[38] << 8 | frame[39], udp_octets);
	assert_int_not_equal(frame[40] << 8 | frame[41], 0); /* 0 would mean: no checksum */
	assert_int_equal(ones_complement_sum(ones_complement_sum(17 + udp_octets, frame + 26, 8), frame + 34, udp_octets),
			 0xffff);
}

static void every_size_is_a_valid_frame(void **state)
{
	(void)state;
	for (unsigned int size_octets = 64; size_octets <= 1518; size_octets++) {
		struct mlr_frame_spec spec = spec_of(size_octets);
		struct mlr_frame_layout layout;
		uint8_t frame[1518];

		memset(frame, 0xa5, sizeof(frame));
		assert_int_equal(mlr_frame_build(&spec, frame, &layout), 0);
		assert_int_equal(layout.memory_octets, size_octets - 4);
		assert_int_equal(frame[size_octets - 4], 0xa5); /* nothing is written behind it */
		mlr_frame_stamp(frame, &layout, 0xfffe, 0x89abcdef, 0x123456789a, 0x123456789a + size_octets);
		assert_frame_valid(frame, size_octets);
	}
}

static void sizes_out_of_range_are_refused(void **state)
{
	struct mlr_frame_spec small = spec_of(63), large = spec_of(1519);
	struct mlr_frame_layout layout;
	uint8_t frame[1600];

	(void)state;
	assert_int_not_equal(mlr_frame_build(&small, frame, &layout), 0);
	assert_int_not_equal(mlr_frame_build(&large, frame, &layout), 0);
}

static void the_tag_says_what_was_stamped(void **state)
{
	struct mlr_frame_spec spec = spec_of(64);
	struct mlr_frame_layout layout;
	struct mlr_tag tag;
	uint8_t frame[60];

	(void)state;
	mlr_frame_build(&spec, frame, &layout);
	mlr_frame_stamp(frame, &layout, 77, 0xfffffffe, 0x2fffffffful, 0x2fffffffful + 4095);
	memcpy(&tag, frame + 42, sizeof(tag));
	assert_int_equal(ntohs(tag.magic), MLR_TAG_MAGIC);
	assert_int_equal(ntohs(tag.trial), 77);
	assert_int_equal(ntohl(tag.flow), 0x01020304);
	assert_int_equal(ntohl(tag.sequence), 0xfffffffe);
	assert_int_equal(ntohl(tag.departure_ns), 0xffffffff);
	assert_int_equal(mlr_lateness_decode_ns(ntohs(tag.lateness)), 4095);
}

/* The checksum must hold for whatever is stamped: also where sums carry over twice. */
static void checksums_hold_for_many_stamps(void **state)
{
	struct mlr_frame_spec spec = spec_of(64);
	struct mlr_frame_layout layout;
	uint64_t random = 88172645463325252ull;
	uint8_t frame[60];

	(void)state;
	mlr_frame_build(&spec, frame, &layout);
	for (int i = 0; i < 200000; i++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		mlr_frame_stamp(frame, &layout, (uint16_t)random, (uint32_t)(random >> 16), random,
				random + random % 200000000);
		assert_frame_valid(frame, 64);
	}
}

static void lateness_is_exact_then_fine_then_saturated(void **state)
{
	(void)state;
	for (uint64_t ns = 0; ns < 4096; ns++)
		assert_int_equal(mlr_lateness_decode_ns(mlr_lateness_encode(ns)), ns);
	for (uint64_t ns = 4096; ns < MLR_LATENESS_MAX_NS; ns += ns / 100) {
		uint32_t decoded_ns = mlr_lateness_decode_ns(mlr_lateness_encode(ns));

		assert_in_range(decoded_ns, ns - ns / 2000, ns);
	}
	assert_int_not_equal(mlr_lateness_encode(MLR_LATENESS_MAX_NS - 1), MLR_LATENESS_SATURATED);
	assert_int_equal(mlr_lateness_encode(MLR_LATENESS_MAX_NS), MLR_LATENESS_SATURATED);
	assert_int_equal(mlr_lateness_encode(UINT64_MAX), MLR_LATENESS_SATURATED);
}

static void line_rates(void **state)
{
	(void)state;
	assert_true(fabs(mlr_line_rate_fps(10e9, 64) - 14880952.38) < 0.01);
	assert_true(fabs(mlr_line_rate_fps(1e9, 1518) - 81274.38) < 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size_is_a_valid_frame),
		cmocka_unit_test(sizes_out_of_range_are_refused),
		cmocka_unit_test(the_tag_says_what_was_stamped),
		cmocka_unit_test(checksums_hold_for_many_stamps),
		cmocka_unit_test(lateness_is_exact_then_fine_then_saturated),
		cmocka_unit_test(line_rates),
	};

	return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
