/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "mlr/frame.h"

#define FCS 4

static const struct mlr_flow flow_1 = {
	.id = 0x020304,
	.source_address = 0xc6120002,      /* 198.18.0.2 */
	.destination_address = 0xc6130002, /* 198.19.0.2 */
	.source_port = MLR_UDP_SOURCE_PORT,
	.destination_port = MLR_UDP_DESTINATION_PORT,
};

static struct mlr_frame_spec spec_of(unsigned int ip_version, unsigned int vlan_count, unsigned int size_octets)
{
	return (struct mlr_frame_spec){
		.source_mac = { 2, 0, 0, 0, 0, 1 },
		.destination_mac = { 2, 0, 0, 0, 0, 2 },
		.vlan_count = vlan_count,
		.vlans = { { .type = 0x88a8, .control = 0xa00a }, { .type = 0x8100, .control = 20 } },
		.ip_version = ip_version,
		.source_address6 = { 0x20, 1, 0, 2, 0, 0, 0, 1 },
		.destination_address6 = { 0x20, 1, 0, 2, 0, 0, 0, 2 },
		.traffic_class = 0xb8,
		.hop_limit = MLR_TTL,
		.flow_label = 0xabcde,
		.size_octets = size_octets,
	};
}

/* RFC 1071 over a buffer, written apart from the library's: a correct checksum makes the sum all ones. */
static uint16_t ones_complement_sum(uint32_t sum, const uint8_t *data, size_t octets)
{
	for (size_t i = 0; i < octets; i++) {
		sum += i % 2 ? data[i] : (uint32_t)data[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)sum;
}

static unsigned int get16(const uint8_t *at)
{
	return (unsigned int)at[0] << 8 | at[1];
}

/* Lengths and checksums of a frame, read from its octets alone; where the tag is. */
static const uint8_t *assert_frame_valid(const uint8_t *frame, unsigned int memory_octets)
{
	const uint8_t *ip = frame + 14, *udp;
	unsigned int address_octets = 4, addresses = 12, ip_octets;

	while (get16(ip - 2) == 0x8100 || get16(ip - 2) == 0x88a8)
		ip += 4;
	ip_octets = memory_octets - (unsigned int)(ip - frame);
	if (get16(ip - 2) == 0x0800) {
		udp = ip + (ptrdiff_t)(ip[0] & 15) * 4;
		assert_int_equal(ip[0] >> 4, 4);
		assert_int_equal(get16(ip + 2), ip_octets);
		assert_int_equal(ip[9], 17);
		assert_int_equal(ones_complement_sum(0, ip, (size_t)(udp - ip)), 0xffff);
	} else {
		assert_int_equal(get16(ip - 2), 0x86dd);
		udp = ip + 40, address_octets = 16, addresses = 8;
		assert_int_equal(ip[0] >> 4, 6);
		assert_int_equal(get16(ip + 4), ip_octets - 40);
		assert_int_equal(ip[6], 17);
	}
	assert_int_equal(get16(udp + 4), memory_octets - (unsigned int)(udp - frame));
	assert_int_not_equal(get16(udp + 6), 0); /* 0 would mean: no checksum */
	assert_int_equal(ones_complement_sum(ones_complement_sum(17 + get16(udp + 4), ip + addresses, 2 * address_octets),
					     udp, get16(udp + 4)),
			 0xffff);
	return udp + 8;
}

static unsigned int least_octets(unsigned int ip_version, unsigned int vlans, unsigned int ip_options_octets)
{
	struct mlr_frame_spec spec = spec_of(ip_version, vlans, 0);

	spec.ip_options_octets = ip_options_octets;
	return mlr_frame_least_octets(&spec);
}

static void every_size_is_a_valid_frame(void **state)
{
	(void)state;
	for (unsigned int ip_version = 4; ip_version <= 6; ip_version += 2) {
		for (unsigned int vlans = 0; vlans <= 2; vlans++) {
			for (unsigned int size_octets = least_octets(ip_version, vlans, 0); size_octets <= 9216;
			     size_octets += size_octets < 1530 || size_octets > 9200 ? 1 : 97) {
				struct mlr_frame_spec spec = spec_of(ip_version, vlans, size_octets);
				struct mlr_frame_template template;
				uint8_t frame[9216];

				memset(frame, 0xa5, sizeof(frame));
				assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
				assert_int_equal(template.memory_octets, size_octets - FCS);
				mlr_frame_write(&spec, &template, &flow_1, 0xfffe, 0x89abcdef, 0x123456789a,
						0x123456789a + size_octets, frame);
				assert_int_equal(frame[size_octets - FCS], 0xa5); /* nothing is written behind it */
				assert_frame_valid(frame, size_octets - FCS);
			}
		}
	}
}

static void the_least_sizes(void **state)
{
	(void)state;
	assert_int_equal(least_octets(4, 0, 0), 64);
	assert_int_equal(least_octets(4, 1, 0), 68);
	assert_int_equal(least_octets(6, 0, 0), 84);
	assert_int_equal(least_octets(6, 2, 0), 92);
	assert_int_equal(least_octets(4, 2, 40), 112);
}

static void what_cannot_be_is_refused(void **state)
{
	struct mlr_frame_template template = { .memory_octets = 7 };
	struct mlr_frame_spec spec;

	(void)state;
	for (unsigned int vlans = 0; vlans <= 2; vlans++) {
		spec = spec_of(4, vlans, 63 + 4 * vlans);
		assert_int_not_equal(mlr_frame_template_init(&spec, &template), 0);
		spec = spec_of(6, vlans, 83 + 4 * vlans);
		assert_int_not_equal(mlr_frame_template_init(&spec, &template), 0);
	}
	spec = spec_of(4, 0, 9217);
	assert_int_not_equal(mlr_frame_template_init(&spec, &template), 0);
	spec = spec_of(4, 3, 1518);
	assert_int_not_equal(mlr_frame_template_init(&spec, &template), 0);
	spec = spec_of(5, 0, 1518);
	assert_int_not_equal(mlr_frame_template_init(&spec, &template), 0);
	spec = spec_of(4, 0, 64);
	spec.ip_options_octets = 4;
	assert_int_not_equal(mlr_frame_template_init(&spec, &template), 0);
	spec = spec_of(4, 0, 128);
	spec.ip_options_octets = 6;
	assert_int_not_equal(mlr_frame_template_init(&spec, &template), 0);
	spec = spec_of(4, 0, 128);
	spec.fragment = 0x2000;
	assert_int_not_equal(mlr_frame_template_init(&spec, &template), 0);
	assert_int_equal(template.memory_octets, 7); /* untouched on failure */
}

static void the_tag_says_what_was_stamped(void **state)
{
	(void)state;
	for (unsigned int ip_version = 4; ip_version <= 6; ip_version += 2) {
		struct mlr_frame_spec spec = spec_of(ip_version, 1, 128);
		struct mlr_frame_template template;
		struct mlr_tag tag;
		uint8_t frame[128];

		assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
		mlr_frame_write(&spec, &template, &flow_1, 77, 0xfffffffe, 0x152fffffffful, 0x152fffffffful + 4095, frame);
		memcpy(&tag, assert_frame_valid(frame, 124), sizeof(tag));
		assert_int_equal(ntohs(tag.magic), MLR_TAG_MAGIC);
		assert_int_equal(ntohs(tag.trial), 77);
		assert_int_equal(tag.flow[0] << 16 | tag.flow[1] << 8 | tag.flow[2], 0x020304);
		assert_int_equal(tag.departure_high, 0x52);
		assert_int_equal(ntohl(tag.sequence), 0xfffffffe);
		assert_int_equal(ntohl(tag.departure_ns), 0xffffffff);
		assert_int_equal(mlr_lateness_decode_ns(ntohs(tag.lateness)), 4095);
	}
}

static void fields_stand_where_they_belong(void **state)
{
	static const uint8_t ethernet[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xa8, 0xa0, 0x0a, 0x81, 0, 0, 20 };
	static const uint8_t ipv4[] = { 0x08, 0, 0x45, 0xb8, 0, 82, 0, 9, 0x40, 0, 64, 17 };
	static const uint8_t ipv4_flow[] = { 198, 18, 0, 2, 198, 19, 0, 2, 0xc0, 0x20, 0, 7 };
	static const uint8_t ipv6[] = { 0x86, 0xdd, 0x6b, 0x8a, 0xbc, 0xde, 0,   62, 17, 64, 0x20, 1,    0, 2, 0, 0,
					0,    1,    0,    0,    0,    0,    198, 18, 0,  2,  0x20, 1,    0, 2, 0, 0,
					0,    2,    0,    0,    0,    0,    198, 19, 0,  2,  0xc0, 0x20, 0, 7 };
	struct mlr_frame_spec spec = spec_of(4, 2, 108);
	struct mlr_frame_template template;
	uint8_t frame[128];

	(void)state;
	spec.identification = 9;
	spec.fragment = 0x4000;
	assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
	mlr_frame_write(&spec, &template, &flow_1, 1, 1, 0, 0, frame);
	assert_memory_equal(frame, ethernet, sizeof(ethernet));
	assert_memory_equal(frame + 20, ipv4, sizeof(ipv4));
	assert_memory_equal(frame + 34, ipv4_flow, sizeof(ipv4_flow));
	spec.ip_version = 6;
	spec.size_octets = 128;
	assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
	mlr_frame_write(&spec, &template, &flow_1, 1, 1, 0, 0, frame);
	assert_memory_equal(frame + 20, ipv6, sizeof(ipv6));
}

static void payload_follows_the_tag_and_ends_in_zeros(void **state)
{
	static const uint8_t payload[] =
		"a payload of some length, so that it ends behind what a template has room for: 91 octets of it";
	struct mlr_frame_spec spec = spec_of(4, 0, 64);
	struct mlr_frame_template template;
	uint8_t frame[256], zeros[256] = { 0 };

	(void)state;
	spec.payload = payload;
	spec.payload_octets = sizeof(payload);
	for (; spec.size_octets <= 250; spec.size_octets++) {
		size_t room = spec.size_octets - 64, used = room < sizeof(payload) ? room : sizeof(payload);

		assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
		mlr_frame_write(&spec, &template, &flow_1, 1, 1, 0, 0, frame);
		assert_frame_valid(frame, spec.size_octets - FCS);
		assert_memory_equal(frame + 60, payload, used);
		assert_memory_equal(frame + 60 + used, zeros, room - used);
		/* a template keeps as much of it as it has room for */
		assert_memory_equal(template.header + 60, frame + 60, room < 68 ? room : 68);
	}
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
	return *state;
}

/* The checksums must hold for whatever is filled in, also where sums carry over twice, and also into a header that holds
 * what was filled in before. */
static void checksums_hold_for_whatever_is_filled_in(void **state)
{
	uint64_t seed = (uint64_t)time(NULL), random = seed * 2 + 1;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	for (int kind = 0; kind < 12; kind++) {
		struct mlr_frame_spec spec = spec_of(kind % 2 ? 4 : 6, (unsigned int)kind / 2 % 3, 128);
		struct mlr_frame_template template;
		uint8_t frame[128];

		spec.ip_options_octets = kind % 2 && kind > 6 ? 12 : 0;
		memset(spec.ip_options, 1, sizeof(spec.ip_options));
		assert_int_equal(mlr_frame_template_init(&spec, &template), 0);
		mlr_frame_write(&spec, &template, &flow_1, 0, 0, 0, 0, frame);
		for (int i = 0; i < 20000; i++) {
			/* often all ones, where carries are */
			uint64_t mask = next_random(&random) % 4 ? 0 : UINT64_MAX;
			struct mlr_flow flow = {
				.id = (uint32_t)(next_random(&random) | mask) & MLR_FLOW_EXTRA,
				.source_address = (uint32_t)(next_random(&random) | mask),
				.destination_address = (uint32_t)(next_random(&random) | mask),
				.source_port = (uint16_t)(next_random(&random) | mask),
				.destination_port = (uint16_t)next_random(&random),
			};
			uint64_t intended_ns = next_random(&random) >> 2;

			mlr_frame_fill(frame, &template, &flow, (uint16_t)next_random(&random),
				       (uint32_t)(next_random(&random) | mask), intended_ns,
				       intended_ns + next_random(&random) % 200000000);
			assert_frame_valid(frame, spec.size_octets - FCS);
		}
	}
}

/* What mlr_lateness_encode() must give, found by trying. */
static uint16_t slow_lateness_encode(uint64_t lateness_ns)
{
	unsigned int exponent = 0;

	while (lateness_ns >> exponent >= 4096)
		exponent++;
	return (uint16_t)(exponent << 12 | lateness_ns >> exponent);
}

/* A mark changes nothing but the lowest bits, and nothing else looks marked. */
static void a_mark_is_another_form_of_the_same_lateness(void **state)
{
	(void)state;
	for (uint64_t ns = 0; ns < 2 * MLR_LATENESS_MAX_NS; ns += 1 + ns / 1000) {
		uint16_t lateness = mlr_lateness_encode(ns), marked = mlr_lateness_mark(lateness);

		assert_false(mlr_lateness_is_marked(lateness));
		if (lateness >= MLR_LATENESS_MARKABLE) {
			assert_int_equal(marked, lateness);
			continue;
		}
		assert_true(mlr_lateness_is_marked(marked));
		assert_true(mlr_lateness_decode_ns(marked) <= ns);
		assert_true(ns - mlr_lateness_decode_ns(marked) <= mlr_lateness_error_ns(marked));
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
		assert_true(ns - decoded_ns <= mlr_lateness_error_ns(mlr_lateness_encode(ns)));
	}
	for (unsigned int bit = 11; bit < 27; bit++)
		for (uint64_t ns = (1ull << bit) - 2; ns <= (1ull << bit) + 2; ns++)
			assert_int_equal(mlr_lateness_encode(ns), slow_lateness_encode(ns));
	assert_int_equal(mlr_lateness_error_ns(4095), 0);
	assert_int_not_equal(mlr_lateness_encode(MLR_LATENESS_MAX_NS - 1), MLR_LATENESS_SATURATED);
	assert_int_equal(mlr_lateness_encode(MLR_LATENESS_MAX_NS), MLR_LATENESS_SATURATED);
	assert_int_equal(mlr_lateness_encode(UINT64_MAX), MLR_LATENESS_SATURATED);
}

static void line_rates(void **state)
{
	(void)state;
	assert_true(fabs(mlr_line_rate_fps(10e9, 64) - 14880952.38) < 0.01);
	assert_true(fabs(mlr_line_rate_fps(1e9, 1518) - 81274.38) < 0.01);
	assert_true(fabs(mlr_line_rate_fps(1e9, 353.5) - 334672.02) < 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size_is_a_valid_frame),
		cmocka_unit_test(the_least_sizes),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(the_tag_says_what_was_stamped),
		cmocka_unit_test(fields_stand_where_they_belong),
		cmocka_unit_test(payload_follows_the_tag_and_ends_in_zeros),
		cmocka_unit_test(checksums_hold_for_whatever_is_filled_in),
		cmocka_unit_test(a_mark_is_another_form_of_the_same_lateness),
		cmocka_unit_test(lateness_is_exact_then_fine_then_saturated),
		cmocka_unit_test(line_rates),
	};

	return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
