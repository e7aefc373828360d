/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The receiver's XDP program on what routers say of frames of the tester, by ICMP and ICMPv6. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "dataplane/rx.h"
#include "icmp_frames.h"
#include "mlr/frame.h"
#include "run.h"

#define ETHERNET_OCTETS 14
#define ICMP_OCTETS     8
#define FRAME_OCTETS    400
#define UDP_OCTETS      26 /* of the frames that are quoted, but for three */

static struct rx *rx;
static uint8_t frame[FRAME_OCTETS];

static const struct sample {
	const uint8_t *octets;
	unsigned int count;
	int version;
	const char *from, *about;
	uint8_t type, code;
	uint32_t flow, mtu_octets;
} samples[] = {
	{ net4, sizeof(net4), 4, "198.18.0.1", "198.19.0.3", 3, 0, 1, 0 },
	{ mtu4, sizeof(mtu4), 4, "198.18.0.1", "198.19.0.3", 3, 4, 1, 600 },
	{ ttl4, sizeof(ttl4), 4, "198.18.0.1", "198.19.0.2", 11, 0, 0, 0 },
	{ redirect4, sizeof(redirect4), 4, "198.18.0.1", "198.19.0.3", 5, 1, 1, 0 },
	{ route6, sizeof(route6), 6, "2001:2:0:1::1", "2001:2:0:2::3", 1, 0, 1, 0 },
	{ mtu6, sizeof(mtu6), 6, "2001:2:0:1::1", "2001:2:0:2::2", 2, 0, 0, 1300 },
	{ ttl6, sizeof(ttl6), 6, "2001:2:0:1::1", "2001:2:0:2::2", 3, 0, 0, 0 },
	{ redirect6, sizeof(redirect6), 6, "fe80::6cd5:fdff:fea3:8a55", "2001:2:0:2::3", 137, 0, 1, 0 },
};

#define SAMPLES (sizeof(samples) / sizeof(*samples))

static unsigned int ip_octets(const struct sample *sample)
{
	return sample->version == 4 ? 20 : 40;
}

/* Where the quoted packet is in the frame. */
static unsigned int quoted_at(const struct sample *sample)
{
	return ETHERNET_OCTETS + ip_octets(sample) + (sample->type == 137 ? 40 + 8 + 8 : ICMP_OCTETS);
}

static unsigned int tag_at(const struct sample *sample)
{
	return quoted_at(sample) + ip_octets(sample) + 8;
}

static void open_receiver(const struct rx_options *options)
{
	rx_close(rx);
	assert_int_equal(rx_load(options, &rx), 0);
}

static int setup(void **state)
{
	struct rx_lengths lengths = { { 0 } };

	(void)state;
	rx_lengths_add(&lengths, UDP_OCTETS);
	open_receiver(&(struct rx_options){ .flow_count = 2, .lengths = &lengths, .capture_most = 4 });
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rx_close(rx);
	rx = NULL;
	return 0;
}

/* Of which trial the quoted frame is: that runs. Then its tag is sought in frames of any kind. */
static void accept_trial_of(const struct sample *sample)
{
	const uint8_t *trial = sample->octets + tag_at(sample) + 2;

	rx_accept_trial(rx, (uint16_t)(trial[0] << 8 | trial[1]), 0, UINT32_MAX);
	rx_capture_anew(rx);
}

static int send_octets(const uint8_t *octets, unsigned int count)
{
	return run_program(rx_program_fd(rx), octets, count);
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

	assert_memory_equal(&now, &expected, sizeof(now));
}

/* The only entry, or that of this number. */
static struct rx_icmp_error entry(unsigned int number)
{
	struct rx_icmp_error errors[RX_ICMP_ERRORS];

	rx_icmp_errors(rx, errors);
	return errors[number];
}

static void assert_address(int version, const uint32_t *address, const char *expected)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(version == 4 ? AF_INET : AF_INET6, address, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void assert_entry(const struct sample *sample, uint32_t flow, uint64_t frames)
{
	struct rx_icmp_error error = entry(0);

	assert_int_equal(error.state, RX_ICMP_READY);
	assert_int_equal(error.ip_version, sample->version);
	assert_int_equal(error.type, sample->type);
	assert_int_equal(error.code, sample->code);
	assert_address(sample->version, error.from, sample->from);
	assert_address(sample->version, error.about, sample->about);
	assert_int_equal(error.flow, flow);
	assert_int_equal(error.mtu_octets, sample->mtu_octets);
	assert_int_equal(error.frames, frames);
	assert_int_equal(error.other_flows, 0);
	assert_int_equal(entry(1).state, RX_ICMP_FREE);
}

static void what_a_router_says_is_kept(void **state)
{
	size_t count;

	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		struct rx_captured *captured;

		accept_trial_of(&samples[i]);
		assert_int_equal(send_octets(samples[i].octets, samples[i].count), XDP_DROP);
		assert_int_equal(send_octets(samples[i].octets, samples[i].count), XDP_DROP);
		assert_counters((struct rx_counters){ .icmp_errors = 2 * i + 2 });
		assert_entry(&samples[i], samples[i].flow, 2);
		captured = rx_captured(rx, &count);
		assert_int_equal(count, 2);
		assert_int_equal(captured[0].why, RX_ICMP_ERROR);
		free(captured);
	}
	assert_int_equal(rx_seen(&(struct rx_counters){ .icmp_errors = 3 }), 3);
	assert_int_equal(rx_ours(&(struct rx_counters){ .icmp_errors = 3 }), 0);
	rx_capture_anew(rx);
	assert_int_equal(entry(0).state, RX_ICMP_FREE);
}

/* Between trials, too, and behind VLAN tags, as many as may have been put in. */
static void errors_behind_tags(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		unsigned int octets = samples[i].count;

		rx_capture_anew(rx);
		memcpy(frame, samples[i].octets, octets);
		for (uint64_t tags = 1; tags <= 8; tags++, octets += 4) {
			memmove(frame + 16, frame + 12, octets - 12);
			memcpy(frame + 12, tags % 2 ? "\x81\0\0\7" : "\x88\xa8\0\7", 4);
			assert_int_equal(send_octets(frame, octets + 4), XDP_DROP);
			assert_counters((struct rx_counters){ .icmp_errors = 8 * i + tags });
		}
		assert_entry(&samples[i], samples[i].flow, 8);
	}
}

/* RFC 792 asks for the IP header and 8 octets more: then the frame's length tells, as far as that is one that is sent. */
static void a_quote_without_tag(void **state)
{
	uint64_t errors = 0, others4 = 0, others6 = 0;

	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		unsigned int octets = tag_at(&samples[i]),
			     length_at = quoted_at(&samples[i]) + (samples[i].version == 4 ? 2 : 4);
		bool is_sent;

		rx_capture_anew(rx);
		memcpy(frame, samples[i].octets, octets);
		is_sent = !frame[octets - 4] && frame[octets - 3] == UDP_OCTETS;
		assert_int_equal(send_octets(frame, octets), is_sent ? XDP_DROP : XDP_PASS);
		errors += is_sent;
		others4 += !is_sent && samples[i].version == 4;
		others6 += !is_sent && samples[i].version == 6;
		assert_counters((struct rx_counters){ .icmp_errors = errors, .foreign = others4, .housekeeping = others6 });
		if (is_sent)
			assert_entry(&samples[i], RX_NO_FLOW, 1);
		frame[length_at + 1]++; /* a packet that is an octet longer is another's */
		assert_int_equal(send_octets(frame, octets), XDP_PASS);
		others4 += samples[i].version == 4;
		others6 += samples[i].version == 6;
		assert_counters((struct rx_counters){ .icmp_errors = errors, .foreign = others4, .housekeeping = others6 });
	}
	assert_int_equal(errors, SAMPLES - 3);
}

/* Of other packets: passed on, as all that is not the tester's. */
static void what_is_said_of_others_is_not_ours(void **state)
{
	uint64_t others4 = 0, others6 = 0;

	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		bool is_ipv4 = samples[i].version == 4;
		unsigned int protocol_at = quoted_at(&samples[i]) + (is_ipv4 ? 9 : 6);

		rx_capture_anew(rx);
		memcpy(frame, samples[i].octets, samples[i].count);
		frame[tag_at(&samples[i])] ^= 1; /* without the magic */
		assert_int_equal(send_octets(frame, samples[i].count), XDP_PASS);
		frame[tag_at(&samples[i])] ^= 1;
		frame[protocol_at] = 6; /* TCP */
		assert_int_equal(send_octets(frame, samples[i].count), XDP_PASS);
		frame[protocol_at] = 17;
		frame[quoted_at(&samples[i])] ^= 0x20; /* no IP of this version */
		assert_int_equal(send_octets(frame, samples[i].count), XDP_PASS);
		others4 += is_ipv4 ? 3 : 0;
		others6 += is_ipv4 ? 0 : 3;
		assert_counters((struct rx_counters){ .foreign = others4, .housekeeping = others6 });
		assert_int_equal(entry(0).state, RX_ICMP_FREE);
	}
	/* the later fragment of a packet has no header of UDP */
	memcpy(frame, net4, sizeof(net4));
	frame[quoted_at(&samples[0]) + 7] = 1;
	assert_int_equal(send_octets(frame, sizeof(net4)), XDP_PASS);
	frame[quoted_at(&samples[0]) + 7] = 0;
	frame[quoted_at(&samples[0]) + 6] = 0x20; /* but the first has */
	assert_int_equal(send_octets(frame, sizeof(net4)), XDP_DROP);
	assert_counters((struct rx_counters){ .foreign = others4 + 1, .housekeeping = others6, .icmp_errors = 1 });
}

/* Every type: which are errors. An echo that has such a payload is none. */
static void types_that_are_errors(void **state)
{
	static const uint8_t errors4[] = { 3, 4, 5, 11, 12 }, errors6[] = { 1, 2, 3, 4 };
	uint64_t errors = 0;

	(void)state;
	for (unsigned int type = 0; type < 256; type++) {
		bool is_error4 = memchr(errors4, (int)type, sizeof(errors4)),
		     is_error6 = memchr(errors6, (int)type, sizeof(errors6));

		memcpy(frame, net4, sizeof(net4));
		frame[ETHERNET_OCTETS + 20] = (uint8_t)type;
		assert_int_equal(send_octets(frame, sizeof(net4)), is_error4 ? XDP_DROP : XDP_PASS);
		memcpy(frame, route6, sizeof(route6));
		frame[ETHERNET_OCTETS + 40] = (uint8_t)type;
		assert_int_equal(send_octets(frame, sizeof(route6)), is_error6 ? XDP_DROP : XDP_PASS);
		errors += is_error4 + is_error6;
		assert_int_equal(counters().icmp_errors, errors);
		assert_int_equal(counters().damaged + counters().malformed + counters().received, 0);
	}
	assert_int_equal(errors, 9);
}

/* However short they are: a verdict, and one counter. */
static void every_truncation(void **state)
{
	uint64_t sent = 0;

	(void)state;
	for (size_t i = 0; i < SAMPLES; i++)
		for (unsigned int octets = ETHERNET_OCTETS; octets < samples[i].count; octets++) {
			struct rx_counters now;

			send_octets(samples[i].octets, octets);
			now = counters();
			assert_int_equal(now.icmp_errors + now.foreign + now.housekeeping, ++sent);
		}
}

/* One entry for each sender, type and code, as many as there are, and the first ones; all are counted. */
static void what_is_said_is_bounded(void **state)
{
	const unsigned int different = RX_ICMP_ERRORS + 6;

	(void)state;
	rx_capture_anew(rx);
	memcpy(frame, net4, sizeof(net4));
	for (unsigned int times = 0; times < 3; times++)
		for (unsigned int i = 0; i < different; i++) {
			frame[ETHERNET_OCTETS + 15] = (uint8_t)i; /* the sender's address */
			frame[tag_at(&samples[0]) + 7] = (uint8_t)(times == 1);
			assert_int_equal(send_octets(frame, sizeof(net4)), XDP_DROP);
		}
	assert_counters((struct rx_counters){ .icmp_errors = 3ull * different });
	for (unsigned int i = 0; i < RX_ICMP_ERRORS; i++) {
		const struct rx_icmp_error error = entry(i);

		assert_int_equal(((const uint8_t *)error.from)[3], i);
		assert_int_equal(error.flow, 0);
		assert_int_equal(error.frames, 3);
		assert_int_equal(error.other_flows, 1);
	}
}

/* Frames that are sent beside the load are of no flow. */
static void extra_frames_have_no_flow(void **state)
{
	(void)state;
	rx_capture_anew(rx);
	memcpy(frame, net4, sizeof(net4));
	memset(frame + tag_at(&samples[0]) + 5, 0xff, 3);
	assert_int_equal(send_octets(frame, sizeof(net4)), XDP_DROP);
	assert_entry(&samples[0], RX_NO_FLOW, 1);
}

/* GRE with a key: an error about the packet inside has its tag where frames have it in such a tunnel. It may also be in a tunnel,
 * or quote one. */
static void errors_and_tunnels(void **state)
{
	static const uint8_t gre[] = { 0x08, 0, 0x45, 0,   0, 0, 0, 0,    0, 0, 64, 47, 0, 0, 198,
				       18,   0, 0,    198, 0, 2, 2, 0x20, 0, 8, 0,  0,  0, 0, 7 };
	const struct mlr_frame_spec spec = {
		.ip_version = 4,
		.hop_limit = 64,
		.size_octets = 100,
		.outer_octets = sizeof(gre),
		.outer = { 0x08, 0, 0x45, 0,   0, 0, 0, 0,    0, 0, 64, 47, 0, 0, 198,
			   18,   0, 0,    198, 0, 2, 2, 0x20, 0, 8, 0,  0,  0, 0, 7 },
	};
	const unsigned int outer = sizeof(gre) - 2, head = ETHERNET_OCTETS + 20 + ICMP_OCTETS;
	unsigned int octets;

	(void)state;
	open_receiver(&(struct rx_options){ .flow_count = 2, .like = &spec });
	/* about the packet inside, all of which is quoted */
	accept_trial_of(&samples[0]);
	assert_int_equal(send_octets(net4, sizeof(net4)), XDP_DROP);
	assert_counters((struct rx_counters){ .icmp_errors = 1 });
	assert_entry(&samples[0], 1, 1);
	/* in the tunnel */
	accept_trial_of(&samples[0]);
	memcpy(frame, net4, 12);
	memcpy(frame + 12, gre, sizeof(gre));
	octets = 12 + sizeof(gre);
	memcpy(frame + octets, net4 + ETHERNET_OCTETS, sizeof(net4) - ETHERNET_OCTETS);
	octets += sizeof(net4) - ETHERNET_OCTETS;
	assert_int_equal(send_octets(frame, octets), XDP_DROP);
	assert_counters((struct rx_counters){ .icmp_errors = 2 });
	assert_entry(&samples[0], 1, 1);
	/* about the packet outside */
	accept_trial_of(&samples[0]);
	memcpy(frame, net4, head);
	memcpy(frame + head, gre + 2, outer);
	memcpy(frame + head + outer, net4 + head, sizeof(net4) - head);
	assert_int_equal(send_octets(frame, sizeof(net4) + outer), XDP_DROP);
	assert_counters((struct rx_counters){ .icmp_errors = 3 });
	assert_address(4, entry(0).about, "198.0.2.2");
	assert_int_equal(entry(0).flow, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(what_a_router_says_is_kept), TEST(errors_behind_tags),
		TEST(a_quote_without_tag),        TEST(what_is_said_of_others_is_not_ours),
		TEST(types_that_are_errors),      TEST(every_truncation),
		TEST(what_is_said_is_bounded),    TEST(extra_frames_have_no_flow),
		TEST(errors_and_tunnels),
	};

	return cmocka_run_group_tests_name("icmp", tests, NULL, NULL);
}
