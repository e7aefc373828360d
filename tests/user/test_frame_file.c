/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Templates from pcap and pcapng files, whole, cut short and damaged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../test.h"
#include "config/frame_file.h"

/* Two VLAN tags, IPv4 with options, UDP, 18 octets for the tag, and five more. */
static const uint8_t
	ipv4[] = {
		2,    0,    0,    0,    0,    1,    2,    0,   0,   0,   0,   2,
		0x88, 0xa8, 0x20, 5,    0x81, 0,    0,    6,   8,   0, /* Ethernet */
		0x46, 0xb8, 0,    55,   0x12, 0x34, 0x40, 0,   9,   17,  0,   0,
		10,   0,    0,    1,    10,   0,    0,    2,   1,   1,   1,   0, /* IPv4 */
		0x13, 0x88, 0x17, 0x70, 0,    31,   0,    0,                     /* UDP */
		0,    1,    2,    3,    4,    5,    6,    7,   8,   9,   10,  11,
		12,   13,   14,   15,   16,   17,   'h',  'e', 'l', 'l', 'o',
	};

static const uint8_t ipv6[] = {
	2,    0,    0,    0,    0, 1,  2,  0,  0,        0,        0,        2, 0x86, 0xdd, /* Ethernet */
	0x6a, 0xba, 0xbc, 0xde, 0, 10, 17, 33, [30] = 1, [46] = 2, [53] = 3,                /* IPv6 */
	0x13, 0x88, 0x17, 0x70, 0, 10, 0,  0,  'h',      'i',
};

/* What a file of these octets is read as; NULL: refused as bad usage. */
static struct frame_file *read_octets(const uint8_t *octets, size_t size)
{
	char path[] = "/tmp/xdp-mlr-test-frame-XXXXXX";
	struct frame_file *file = NULL;
	int fd = mkstemp(path);
	enum exit_code code;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, octets, size), size);
	close(fd);
	code = frame_file_read(path, &file);
	unlink(path);
	assert_int_equal(code, file ? EXIT_DONE : EXIT_USAGE_ERROR);
	return file;
}

/* A number of four octets in either byte order. */
static uint8_t *put(uint8_t *at, uint32_t number, int octets, bool swapped)
{
	for (int i = 0; i < octets; i++)
		at[i] = (uint8_t)(number >> 8 * (swapped ? octets - 1 - i : i));
	return at + octets;
}

static size_t make_pcap(uint8_t *file, const uint8_t *frame, size_t octets, bool swapped)
{
	uint8_t *at = put(file, 0xa1b2c3d4, 4, swapped);

	memset(at, 0, 16);
	at = put(at + 16, 1, 4, swapped);
	memset(at, 0, 8);
	at = put(at + 8, (uint32_t)octets, 4, swapped);
	at = put(at, (uint32_t)octets + 100, 4, swapped); /* captured in part */
	memcpy(at, frame, octets);
	return (size_t)(at - file) + octets;
}

static uint8_t *put_block(uint8_t *at, uint32_t type, const uint8_t *body, size_t octets, bool swapped)
{
	uint32_t padded = (uint32_t)(octets + 3) / 4 * 4;

	at = put(put(at, type, 4, swapped), padded + 12, 4, swapped);
	memset(at, 0, padded);
	memcpy(at, body, octets);
	return put(at + padded, padded + 12, 4, swapped);
}

static size_t make_pcapng(uint8_t *file, const uint8_t *frame, size_t octets, bool swapped, bool simple)
{
	uint8_t body[512] = { 0 }, *at = file;

	put(body, 0x1a2b3c4d, 4, swapped);
	at = put_block(at, 0x0a0d0d0a, body, 16, swapped);
	at = put_block(at, 5, body, 8, swapped); /* statistics: to be skipped */
	memset(body, 0, sizeof(body));
	put(body, 1, 2, swapped);
	at = put_block(at, 1, body, 8, swapped);
	memset(body, 0, sizeof(body));
	put(body + (simple ? 0 : 12), (uint32_t)octets, 4, swapped);
	put(body + (simple ? 0 : 16), (uint32_t)octets, 4, swapped);
	memcpy(body + (simple ? 4 : 20), frame, octets);
	at = put_block(at, simple ? 3 : 6, body, octets + (simple ? 4 : 20), swapped);
	return (size_t)(at - file);
}

static void assert_ipv4(struct frame_file *file, unsigned int size_octets)
{
	static const uint8_t options[] = { 1, 1, 1, 0 };

	assert_non_null(file);
	assert_int_equal(file->size_octets, size_octets);
	assert_int_equal(file->spec.ip_version, 4);
	assert_int_equal(file->spec.vlan_count, 2);
	assert_int_equal(file->spec.vlans[0].type, 0x88a8);
	assert_int_equal(file->spec.vlans[0].control, 0x2005);
	assert_int_equal(file->spec.vlans[1].control, 6);
	assert_int_equal(file->spec.traffic_class, 0xb8);
	assert_int_equal(file->spec.hop_limit, 9);
	assert_int_equal(file->spec.identification, 0x1234);
	assert_int_equal(file->spec.fragment, 0x4000);
	assert_int_equal(file->spec.ip_options_octets, 4);
	assert_memory_equal(file->spec.ip_options, options, 4);
	assert_int_equal(file->source_port, 5000);
	assert_int_equal(file->destination_port, 6000);
	assert_int_equal(file->spec.payload_octets, 5);
	assert_memory_equal(file->spec.payload, "hello", 5);
	frame_file_free(file);
}

static void both_formats_in_both_byte_orders(void **state)
{
	uint8_t file[1024];

	(void)state;
	for (int swapped = 0; swapped < 2; swapped++) {
		assert_ipv4(read_octets(file, make_pcap(file, ipv4, sizeof(ipv4), swapped)), sizeof(ipv4) + 104);
		for (int simple = 0; simple < 2; simple++)
			assert_ipv4(read_octets(file, make_pcapng(file, ipv4, sizeof(ipv4), swapped, simple)),
				    sizeof(ipv4) + 4);
	}
}

static void ipv6_frames(void **state)
{
	struct frame_file *file;
	uint8_t octets[1024];

	(void)state;
	file = read_octets(octets, make_pcap(octets, ipv6, sizeof(ipv6), false));
	assert_non_null(file);
	assert_int_equal(file->spec.ip_version, 6);
	assert_int_equal(file->spec.traffic_class, 0xab);
	assert_int_equal(file->spec.flow_label, 0xabcde);
	assert_int_equal(file->spec.hop_limit, 33);
	assert_int_equal(file->source_port, 5000);
	assert_null(file->spec.payload); /* all of it is where the tag will be */
	frame_file_free(file);
}

static void frames_that_cannot_be_templates(void **state)
{
	static const struct {
		size_t offset;
		uint8_t value;
	} damages[] = {
		{ 20, 9 },    /* another type than IP */
		{ 22, 0x56 }, /* version 5 */
		{ 22, 0x44 }, /* a header too short */
		{ 28, 0x20 }, /* a fragment */
		{ 31, 6 },    /* TCP */
	};
	uint8_t frame[sizeof(ipv4)], file[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		memcpy(frame, ipv4, sizeof(frame));
		frame[damages[i].offset] = damages[i].value;
		assert_null(read_octets(file, make_pcap(file, frame, sizeof(frame), false)));
	}
	make_pcap(file, ipv4, sizeof(ipv4), false);
	file[20] = 113; /* Linux cooked capture */
	assert_null(read_octets(file, 40 + sizeof(ipv4)));
}

static void every_truncation_is_refused_or_read(void **state)
{
	uint8_t file[1024];
	size_t size = make_pcap(file, ipv4, sizeof(ipv4), false);

	(void)state;
	for (size_t cut = 0; cut < size; cut++)
		assert_null(read_octets(file, cut));
	size = make_pcapng(file, ipv4, sizeof(ipv4), true, false);
	for (size_t cut = 0; cut < size; cut++)
		assert_null(read_octets(file, cut));
	for (size_t cut = 0; cut < sizeof(ipv4); cut++) {
		struct frame_file *frame = read_octets(file, make_pcap(file, ipv4, cut, false));

		assert_true(cut < 54 ? !frame : frame && frame->spec.payload_octets == (cut > 72 ? cut - 72 : 0));
		frame_file_free(frame);
	}
}

static void random_damage_is_survived(void **state)
{
	unsigned int seed = (unsigned int)time(NULL);
	struct frame_file parsed;

	(void)state;
	print_message("seed %u\n", seed);
	srandom(seed);
	for (int i = 0; i < 300000; i++) {
		/* on the heap and as long as it says, so that the sanitizer sees what is read behind it */
		size_t octets = (size_t)random() % (sizeof(ipv4) + 1);
		uint8_t *frame = malloc(octets + 1);

		assert_non_null(frame);
		memcpy(frame, ipv4, octets);
		for (long damage = random() % 5; octets && damage > 0; damage--)
			frame[(size_t)random() % octets] = (uint8_t)random();
		if (!frame_file_parse(frame, octets, octets, &parsed))
			free(parsed.payload);
		free(frame);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_formats_in_both_byte_orders), cmocka_unit_test(ipv6_frames),
		cmocka_unit_test(frames_that_cannot_be_templates),  cmocka_unit_test(every_truncation_is_refused_or_read),
		cmocka_unit_test(random_damage_is_survived),
	};

	return cmocka_run_group_tests_name("frame_file", tests, NULL, NULL);
}
