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

/* What the parser takes arrives as it is. Its payload is freed. */
static void assert_arrives(struct frame_file *file)
{
	json_t *packed = frame_file_pack(file);
	struct frame_file arrived = { 0 };

	assert_non_null(packed);
	assert_true(frame_file_unpack(packed, &arrived));
	json_decref(packed);
	assert_int_equal(arrived.spec.payload_octets, file->spec.payload_octets);
	if (file->payload)
		assert_memory_equal(arrived.payload, file->payload, file->spec.payload_octets);
	free(arrived.payload);
	free(file->payload);
	arrived.payload = file->payload = NULL;
	arrived.spec.payload = file->spec.payload = NULL;
	assert_memory_equal(&arrived, file, sizeof(arrived));
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
			assert_arrives(&parsed);
		free(frame);
	}
}

/* --- tunnels -------------------------------------------------------------------------------------------------------- */

/* From the EtherType behind the MAC addresses to the innermost IP header, in hex; lengths and checksums are wrong. */
static const struct tunnel {
	const char *names, *hex;
	int vlans;
} tunnels[] = {
	{ "MPLS", "8847 000640ff 000c81ff", 0 },
	{ "VLAN, VLAN, MPLS, Ethernet",
	  "88a80005 81000006 81000007 81000008 8847 000641ff 00000000 020000000003020000000004 TYPE", 2 },
	{ "PPPoE", "8864 1100 0001 0bad PPP", 0 },
	{ "IPv4, GRE", "0800 45000bad 00004000 402f0bad c0000201c0000202 0000 TYPE", 0 },
	{ "IPv4, GRE", "0800 46000bad 00004000 402f0bad c0000201c0000202 01010100 b000 TYPE 0bad0000 00000007 00000001", 0 },
	{ "IPv6, GRE", "86dd 600abcde 0bad2f40 IN6 8000 TYPE 0bad0000", 0 },
	{ "IPv4, UDP, VXLAN, Ethernet",
	  "0800 45000bad 00004000 40110bad c0000201c0000202 c00012b5 0bad0000 08000000 00000500 020000000003020000000004 "
	  "TYPE",
	  0 },
	{ "IPv4, UDP, VXLAN, Ethernet",
	  "0800 45000bad 00004000 40110bad c0000201c0000202 c00012b5 0bad0bad 08000000 00000500 020000000003020000000004 "
	  "TYPE",
	  0 },
	{ "IPv4, UDP, VXLAN, Ethernet",
	  "0800 45000bad 00004000 40110bad c0000201c0000202 c00012b5 0bad0bad 88000007 00000500 020000000003020000000004 "
	  "TYPE",
	  0 },
	{ "IPv6, UDP, VXLAN, Ethernet, VLAN",
	  "86dd 60000000 0bad1140 IN6 c00012b5 0bad0bad 08000000 00000500 020000000003020000000004 81000009 TYPE", 0 },
	{ "IPv4, UDP, GTP-U", "0800 45000bad 00004000 40110bad c0000201c0000202 08680868 0bad0000 30ff0bad 00000001", 0 },
	{ "IPv6, UDP, GTP-U", "86dd 60000000 0bad1140 IN6 08680868 0bad0bad 34ff0bad 00000001 00000085 01000900", 0 },
	{ "IPv4, UDP, GENEVE, Ethernet",
	  "0800 45000bad 00004000 40110bad c0000201c0000202 c00017c1 0bad0bad 02006558 00000700 0102030100000000"
	  " 020000000003020000000004 TYPE",
	  0 },
	{ "IPv4", "0800 45000bad 00004000 40IPP0bad c0000201c0000202", 0 },
	{ "MPLS, IPv6, UDP, VXLAN, Ethernet, IPv4, GRE",
	  "81000064 8847 000641ff 60000000 0bad1140 IN6 c00012b5 0bad0bad 08000000 00000500 020000000003020000000004"
	  " 0800 45000bad 00004000 402f0bad c0000201c0000202 8000 TYPE 0bad0000",
	  1 },
	{ "IPv6, GRE, Ethernet, IPv4, UDP, GTP-U",
	  "86dd 60000000 0bad2f40 IN6 a000 6558 0bad0000 00000001 020000000003020000000004"
	  " 0800 45000bad 00004000 40110bad c0000201c0000202 08680868 0bad0bad 30ff0bad 00000001",
	  0 },
};

/* The octets of a frame in this tunnel. */
static size_t in_tunnel(const struct tunnel *tunnel, bool is_ipv6, uint8_t *ret)
{
	char hex[1024] = "020000000001020000000002", packed[1024];
	size_t octets = 0, used = strlen(hex), digits = 0;

	for (const char *at = tunnel->hex; *at;) {
		static const struct {
			const char *word, *of4, *of6;
		} words[] = { { "TYPE", "0800", "86dd" },
			      { "PPP", "0021", "0057" },
			      { "IPP", "04", "29" },
			      { "IN6", "20010db8000000000000000000000001 20010db80000000000000000000000f2", NULL } };
		size_t i = 0, count = sizeof(words) / sizeof(*words);

		while (i < count && strncmp(at, words[i].word, strlen(words[i].word)) != 0)
			i++;
		if (i < count) {
			used += (size_t)sprintf(hex + used, "%s", is_ipv6 && words[i].of6 ? words[i].of6 : words[i].of4);
			at += strlen(words[i].word);
		} else {
			hex[used++] = *at++;
		}
	}
	hex[used] = '\0';
	for (const char *at = hex; *at; at++)
		if (*at != ' ')
			packed[digits++] = *at;
	for (size_t i = 0; i < digits; i += 2) {
		unsigned int octet;

		assert_int_equal(sscanf((char[]){ packed[i], packed[i + 1], 0 }, "%2x", &octet), 1);
		ret[octets++] = (uint8_t)octet;
	}
	memcpy(ret + octets, is_ipv6 ? ipv6 + 14 : ipv4 + 22, is_ipv6 ? sizeof(ipv6) - 14 : sizeof(ipv4) - 22);
	return octets + (is_ipv6 ? sizeof(ipv6) - 14 : sizeof(ipv4) - 22);
}

static unsigned int get16(const uint8_t *at)
{
	return (unsigned int)at[0] << 8 | at[1];
}

/* RFC 1071 over all octets: all ones where the checksum in them is right. */
static uint32_t sum_of(uint32_t sum, const uint8_t *at, const uint8_t *end)
{
	for (; at < end; at += 2) {
		sum += (uint32_t)at[0] << 8 | (at + 1 < end ? at[1] : 0);
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

/* Read it as its receivers would: lengths that end where the frame ends, checksums over every octet. Where the tag is. */
static const uint8_t *decode(const uint8_t *frame, const uint8_t *end)
{
	enum { IP_PROTOCOL = 0x10000 };
	const uint8_t *at = frame + 14, *ip = NULL;
	uint32_t type = get16(frame + 12);

	for (;;) {
		switch (type) {
		case 0x6558:
			type = get16(at + 12);
			at += 14;
			break;
		case 0x8100:
		case 0x88a8:
			type = get16(at + 2);
			at += 4;
			break;
		case 0x8847:
			while (!(at[2] & 1))
				at += 4;
			at += 4;
			type = at[0] >> 4 == 4 ? 0x0800 : at[0] >> 4 == 6 ? 0x86dd : 0x6558;
			at += type == 0x6558 ? 4 : 0;
			break;
		case 0x8864:
			assert_int_equal(get16(at + 4), end - at - 6);
			type = get16(at + 6) == 0x21 ? 0x0800 : 0x86dd;
			at += 8;
			break;
		case 0x0800:
		case IP_PROTOCOL + 4:
			ip = at;
			at += (ptrdiff_t)(ip[0] & 15) * 4;
			assert_int_equal(ip[0] >> 4, 4);
			assert_int_equal(get16(ip + 2), end - ip);
			assert_int_equal(sum_of(0, ip, at), 0xffff);
			type = IP_PROTOCOL + ip[9];
			break;
		case 0x86dd:
		case IP_PROTOCOL + 41:
			ip = at;
			at += 40;
			assert_int_equal(ip[0] >> 4, 6);
			assert_int_equal(get16(ip + 4), end - at);
			type = IP_PROTOCOL + ip[6];
			break;
		case IP_PROTOCOL + 47:
			if (at[0] & 0x80)
				assert_int_equal(sum_of(0, at, end), 0xffff);
			type = get16(at + 2);
			at += 4 + (at[0] >> 7) * 4 + (at[0] >> 5 & 1) * 4 + (at[0] >> 4 & 1) * 4;
			break;
		case IP_PROTOCOL + 17:
			assert_int_equal(get16(at + 4), end - at);
			/* that of a tunnel is 0 only where it is in the file, and here that is over IPv4 */
			assert_true(get16(at + 6) || ip[0] >> 4 == 4);
			if (get16(at + 6))
				assert_int_equal(sum_of(sum_of(17 + (uint32_t)(end - at), ip[0] >> 4 == 4 ? ip + 12 : ip + 8,
							       ip[0] >> 4 == 4 ? ip + 20 : ip + 40),
							at, end),
						 0xffff);
			at += 8;
			switch (get16(at - 6)) {
			case 4789:
				at += 8;
				type = 0x6558;
				break;
			case 6081:
				type = get16(at + 2);
				at += 8 + (at[0] & 0x3f) * 4;
				break;
			case 2152:
				assert_int_equal(get16(at + 2), end - at - 8);
				at += at[0] & 4 ? 16 : 8;
				type = at[0] >> 4 == 4 ? 0x0800 : 0x86dd;
				break;
			default:
				return at;
			}
			break;
		default:
			fail_msg("type 0x%x", type);
		}
	}
}

static void lengths_and_checksums_of_tunnels_follow(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(tunnels) / sizeof(*tunnels); i++) {
		for (int is_ipv6 = 0; is_ipv6 < 2; is_ipv6++) {
			static const uint8_t first[] = { 192, 0, 2, 1 }, second[] = { 192, 0, 2, 2 };
			uint8_t octets[512], frame[1518];
			size_t size = in_tunnel(&tunnels[i], is_ipv6, octets), outer;
			struct frame_file file;
			const char *wrong = frame_file_parse(octets, size, size, &file);

			assert_string_equal(wrong ? wrong : "", "");
			assert_string_equal(file.tunnels, tunnels[i].names);
			assert_int_equal(file.spec.ip_version, is_ipv6 ? 6 : 4);
			assert_int_equal(file.spec.vlan_count, tunnels[i].vlans);
			assert_int_equal(file.spec.hop_limit, is_ipv6 ? 33 : 9);
			assert_int_equal(file.destination_port, 6000);
			outer = size - (is_ipv6 ? sizeof(ipv6) - 14 : sizeof(ipv4) - 22);
			assert_int_equal(file.spec.outer_octets, outer - 12 - 4 * (size_t)tunnels[i].vlans);
			for (file.spec.size_octets = mlr_frame_least_octets(&file.spec); file.spec.size_octets <= 1518;
			     file.spec.size_octets++) {
				struct mlr_flow flow = { .id = 5,
							 .source_port = 7,
							 .destination_port = 9,
							 .source_address = file.spec.size_octets * 0x01234567u,
							 .destination_address = ~(file.spec.size_octets * 0x3456789u) };
				struct mlr_frame_template template;
				uint16_t memory_octets = (uint16_t)(file.spec.size_octets - 4);

				file.spec.way_back = file.spec.size_octets % 2;
				assert_int_equal(mlr_frame_template_init(&file.spec, &template), 0);
				assert_int_equal(template.memory_octets, memory_octets);
				mlr_frame_write(&file.spec, &template, &flow, 1, 2, 3, 4, frame);
				assert_ptr_equal(decode(frame, frame + memory_octets), frame + template.tag_offset);
				assert_int_equal(get16(frame + template.tag_offset), MLR_TAG_MAGIC);
				/* and on the way back, with the addresses of tunnels exchanged */
				if (strstr(tunnels[i].hex, "c0000201c0000202"))
					assert_int_equal((uint8_t *)memmem(frame, outer, first, 4) >
								 (uint8_t *)memmem(frame, outer, second, 4),
							 file.spec.way_back);
			}
			free(file.payload);
		}
	}
}

/* What the reader refuses is what the parser refuses, in a tunnel as well, and with octets of it damaged. */
static void every_tunnel_that_can_be_parsed_arrives(void **state)
{
	unsigned int seed = (unsigned int)time(NULL), arrived = 0;

	(void)state;
	print_message("seed %u\n", seed);
	srandom(seed);
	for (size_t i = 0; i < 2 * sizeof(tunnels) / sizeof(*tunnels); i++) {
		uint8_t octets[512], pcap[1024];
		size_t size = in_tunnel(&tunnels[i / 2], i % 2, octets);
		struct frame_file *read = read_octets(pcap, make_pcap(pcap, octets, size, false)), parsed;

		assert_non_null(read);
		assert_null(frame_file_parse(octets, size, size + 100, &parsed));
		assert_memory_equal(&read->spec.outer, &parsed.spec.outer, sizeof(parsed.spec.outer));
		assert_memory_equal(&read->spec.outer_fields, &parsed.spec.outer_fields, sizeof(parsed.spec.outer_fields));
		assert_string_equal(read->tunnels, tunnels[i / 2].names);
		frame_file_free(read);
		assert_arrives(&parsed);
		for (int damaged = 0; damaged < 2000; damaged++) {
			uint8_t *frame = malloc(size);

			assert_non_null(frame);
			memcpy(frame, octets, size);
			for (long damage = random() % 3; damage >= 0; damage--)
				frame[12 + (size_t)random() % (size - 12)] = (uint8_t)random();
			if (!frame_file_parse(frame, size, size, &parsed)) {
				assert_arrives(&parsed);
				arrived++;
			}
			free(frame);
		}
	}
	assert_true(arrived > 1000);
}

static void tunnels_that_cannot_be_templates(void **state)
{
	static const struct {
		const char *hex, *reason;
	} bad[] = {
		{ "0800 45000bad 00004000 402f0bad c0000201c0000202 4000 TYPE 00000000", "another GRE" },
		{ "0800 45000bad 00004000 402f0bad c0000201c0000202 0001 880b 00000000", "another GRE" },
		{ "0800 45000bad 00002000 402f0bad c0000201c0000202 0000 TYPE", "fragment" },
		{ "8864 1100 0001 0bad c021", "is not UDP" },
		{ "86dd 60000000 0bad3240 IN6 00000001", "is not UDP" },
	};
	uint8_t octets[2048];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct tunnel tunnel = { .hex = bad[i].hex };
		struct frame_file file;
		const char *wrong = frame_file_parse(octets, in_tunnel(&tunnel, false, octets), 1500, &file);

		assert_non_null(wrong);
		assert_non_null(strstr(wrong, bad[i].reason));
	}
	/* every cut of those that can */
	for (size_t i = 0; i < sizeof(tunnels) / sizeof(*tunnels); i++) {
		size_t size = in_tunnel(&tunnels[i], false, octets);

		for (size_t cut = 0; cut < size; cut++) {
			uint8_t *frame = malloc(cut + 1);
			struct frame_file file;

			assert_non_null(frame);
			memcpy(frame, octets, cut);
			if (!frame_file_parse(frame, cut, cut, &file))
				free(file.payload);
			else
				assert_true(cut < size - 23);
			free(frame);
		}
	}
	/* the names of as many headers as there can be */
	memcpy(octets + 12, (uint8_t[]){ 0x81, 0, 0, 1 }, 4);
	for (size_t tag = 1; tag < 39; tag++)
		memcpy(octets + 12 + 4 * tag, octets + 12, 4);
	memcpy(octets + 12 + 4 * 39, ipv4 + 20, sizeof(ipv4) - 20);
	memcpy(octets + 12 + 4 * 39, (uint8_t[]){ 8, 0 }, 2);
	{
		struct frame_file file;

		assert_null(frame_file_parse(octets, 400, 400, &file));
		assert_int_equal(file.spec.outer_octets, 150);
		assert_int_equal(strlen(file.tunnels), 37 * strlen("VLAN, ") - 2);
		free(file.payload);
	}
	/* more than a template has room for: 150 octets from the EtherType on */
	for (size_t labels = 36; labels <= 38; labels++) {
		size_t end = 14 + labels * 4;
		struct frame_file file;

		memset(octets, 0, sizeof(octets));
		memcpy(octets + 12, (uint8_t[]){ 0x88, 0x47 }, 2);
		octets[end - 2] = 1;
		memcpy(octets + end, ipv4 + 22, sizeof(ipv4) - 22);
		assert_int_equal(!frame_file_parse(octets, 300, 300, &file), labels <= 37);
		if (labels <= 37)
			free(file.payload);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_formats_in_both_byte_orders),
		cmocka_unit_test(ipv6_frames),
		cmocka_unit_test(frames_that_cannot_be_templates),
		cmocka_unit_test(every_truncation_is_refused_or_read),
		cmocka_unit_test(random_damage_is_survived),
		cmocka_unit_test(lengths_and_checksums_of_tunnels_follow),
		cmocka_unit_test(every_tunnel_that_can_be_parsed_arrives),
		cmocka_unit_test(tunnels_that_cannot_be_templates),
	};

	return cmocka_run_group_tests_name("frame_file", tests, NULL, NULL);
}
