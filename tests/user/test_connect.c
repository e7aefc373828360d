/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is heard on a port, frame by frame, and what is said of what lies between two ports. */
#include <string.h>

#include "../test.h"
#include "base/text_stream.h"
#include "connect/between.h"

static const uint8_t macs[][MLR_MAC_OCTETS] = { { 2, 0, 0, 0, 0, 1 }, { 2, 0, 0, 0, 0, 2 } };

/* Take a frame that consists of these parts. */
static void take(struct heard *heard, const char *head, const char *rest, size_t rest_octets, uint16_t type)
{
	uint8_t frame[HEARD_OCTETS] = { 0 };

	memcpy(frame, head, 14);
	memcpy(frame + 14, rest, rest_octets);
	heard_take(heard, frame, 14 + rest_octets < 60 ? 60 : 14 + rest_octets, type, macs, 2);
}

#define BPDU_HEAD "\x01\x80\xc2\0\0\0\2\0\0\0\0\7\0\x27"
#define TIMES     "\0\0\x14\0\2\0\xf\0" /* age 0, at most 20 s, hello 2 s, forward delay 15 s */
#define IDS       "\x80\0\2\0\0\0\0\7\0\0\0\4\x80\1\2\0\0\0\0\x8\x80\2"

static void spanning_tree_is_heard(void **state)
{
	struct heard heard = { 0 };

	(void)state;
	take(&heard, BPDU_HEAD, "\x42\x42\3\0\0\0\0\1" IDS TIMES, 38, 4);
	assert_int_equal(heard.spanning.frames, 1);
	assert_false(heard.spanning.is_rapid);
	assert_int_equal(heard.spanning.state, SPANNING_UNTOLD);
	assert_int_equal(heard.spanning.port, 0x8002);
	assert_true(spanning_tree_longest_s(&heard.spanning) == 30.0);
	take(&heard, BPDU_HEAD, "\x42\x42\3\0\0\2\2\x0c" IDS TIMES "\0", 39, 4);
	assert_int_equal(heard.spanning.state, SPANNING_DISCARDING);
	take(&heard, BPDU_HEAD, "\x42\x42\3\0\0\2\2\x1c" IDS TIMES "\0", 39, 4);
	assert_int_equal(heard.spanning.state, SPANNING_LEARNING);
	take(&heard, BPDU_HEAD, "\x42\x42\3\0\0\2\2\x3c" IDS TIMES "\0", 39, 4);
	assert_int_equal(heard.spanning.state, SPANNING_FORWARDING);
	/* a notification of a change tells none of that; and it is nobody's traffic */
	take(&heard, BPDU_HEAD, "\x42\x42\3\0\0\0\x80", 7, 4);
	assert_int_equal(heard.spanning.frames, 4);
	assert_int_equal(heard.foreign, 0);
}

#define PVST_HEAD "\1\0\xc\xcc\xcc\xcd\2\0\0\0\0\7\0\x32"
#define SNAP_PVST "\xaa\xaa\3\0\0\xc\1\xb"

/* Cisco's BPDUs of each VLAN: those of 802.1D, and the rapid ones. */
static void spanning_tree_of_each_vlan_is_heard(void **state)
{
	struct heard heard = { 0 };

	(void)state;
	take(&heard, PVST_HEAD, SNAP_PVST "\0\0\0\0\1" IDS TIMES "\0\0\0\0\2\0\xc8", 50, 4);
	assert_int_equal(heard.spanning.frames, 1);
	assert_int_equal(heard.spanning.state, SPANNING_UNTOLD);
	assert_int_equal(heard.spanning.port, 0x8002);
	take(&heard, PVST_HEAD, SNAP_PVST "\0\0\2\2\x1c" IDS TIMES "\0\0\0\0\2\0\xc8", 50, 4);
	assert_int_equal(heard.spanning.state, SPANNING_LEARNING);
	assert_true(spanning_tree_longest_s(&heard.spanning) == 15.0); /* it has listened */
	take(&heard, PVST_HEAD, SNAP_PVST "\0\0\2\2\x3c" IDS TIMES "\0\0\0\0\2\0\xc8", 50, 4);
	assert_true(heard.spanning.is_rapid);
	assert_int_equal(heard.spanning.state, SPANNING_FORWARDING);
	/* a change, and what else such a switch sends */
	take(&heard, PVST_HEAD, SNAP_PVST "\0\0\0\x80", 12, 4);
	take(&heard, "\2\0\0\0\0\7\2\0\0\0\0\7\x90\0", "\0\0\1\0", 4, 0x9000);
	assert_int_equal(heard.spanning.frames, 3);
	assert_int_equal(heard.foreign, 0);
}

static void cdp_is_heard(void **state)
{
	static const char packet[] = "\xaa\xaa\3\0\0\xc\x20\0\2\xb4\0\0\0\1\0\x9"
				     "core2\0\3\0\xcGi1/0/24\0\6\0\5x";
	struct heard heard = { 0 };

	(void)state;
	take(&heard, "\1\0\xc\xcc\xcc\xcc\2\0\0\0\0\x9\0\x30", packet, sizeof(packet) - 1, 4);
	assert_string_equal(heard.cdp.system, "core2");
	assert_string_equal(heard.cdp.port, "Gi1/0/24");
	/* an item that is longer than the frame, and one without room for its own length */
	take(&heard, "\1\0\xc\xcc\xcc\xcc\2\0\0\0\0\x9\0\x30", "\xaa\xaa\3\0\0\xc\x20\0\2\xb4\0\0\0\1\xff\x9x", 17, 4);
	take(&heard, "\1\0\xc\xcc\xcc\xcc\2\0\0\0\0\x9\0\x30", "\xaa\xaa\3\0\0\xc\x20\0\2\xb4\0\0\0\1\0\3x", 17, 4);
	assert_string_equal(heard.cdp.system, "");
	assert_int_equal(heard.cdp.frames, 3);
	assert_int_equal(heard.foreign, 0);
}

static void lldp_is_heard(void **state)
{
	static const char packet[] = "\2\7\4\2\0\0\0\0\x9\4\5\5eth7\6\2\0\x78\x0a\5core1\0\0";
	struct heard heard = { 0 };

	(void)state;
	take(&heard, "\x01\x80\xc2\0\0\xe\2\0\0\0\0\x9\x88\xcc", packet, 17, 0x88cc);
	assert_string_equal(heard.lldp.system, "02:00:00:00:00:09"); /* its chassis, where it has no name */
	take(&heard, "\x01\x80\xc2\0\0\xe\2\0\0\0\0\x9\x88\xcc", packet, sizeof(packet) - 1, 0x88cc);
	assert_string_equal(heard.lldp.system, "core1");
	assert_string_equal(heard.lldp.port, "eth7");
	/* one that says more than there is */
	take(&heard, "\x01\x80\xc2\0\0\xe\2\0\0\0\0\x9\x88\xcc", "\4\xff\5eth7", 7, 0x88cc);
	assert_string_equal(heard.lldp.system, "");
	assert_int_equal(heard.lldp.frames, 3);
	assert_int_equal(heard.foreign, 0);
}

#define DISCOVER "\x45\0\0\x1c\0\0\0\0\x40\x11\0\0\0\0\0\0\xff\xff\xff\xff\0\x44\0\x43\0\x8\0\0"
#define QUERY    "\x45\0\0\x1c\0\0\0\0\x40\x11\0\0\xc6\x12\0\2\xc6\x12\0\1\xc0\x09\0\xa1\0\x8\0\0"

static void who_sends_is_told_apart(void **state)
{
	struct heard heard = { 0 };

	(void)state;
	take(&heard, "\xff\xff\xff\xff\xff\xff\2\0\0\0\0\2\x8\0", DISCOVER, 28, 0x0800);
	assert_int_equal(heard.own, 1);
	assert_int_equal(heard.own_port, 1);
	assert_true(heard.own_is_dhcp);
	take(&heard, "\xff\xff\xff\xff\xff\xff\2\0\0\0\0\3\x8\0", DISCOVER, 28, 0x0800);
	take(&heard, "\2\0\0\0\0\1\2\0\0\0\0\4\x8\0", QUERY, 28, 0x0800);
	assert_int_equal(heard.own, 1);
	assert_int_equal(heard.dhcp, 2);
	assert_int_equal(heard.foreign, 2);
	assert_int_equal(heard.foreign_from[5], 3);
	take(&heard, "\xff\xff\xff\xff\xff\xff\2\0\0\0\0\4\x8\6", "", 0, 0x0806);
	assert_int_equal(heard.arp, 1);
	assert_int_equal(heard.foreign, 2);
}

static struct between two_ports(uint64_t came)
{
	return (struct between){
		.port_count = 2,
		.is_steady = came == 50,
		.ports = { { .name = "a", .transmits = true, .sent = 50, .left = 50, .came = came, .to = 1 },
			   { .name = "b" } },
	};
}

static void one_sentence_says_it(void **state)
{
	struct between between = two_ports(50);

	(void)state;
	between.passes_reserved = true;
	assert_string_equal(between_sentence(&between, ROOM(BETWEEN_TEXT_SIZE)),
			    "a cable, or what passes every frame on as a cable does");
	between = two_ports(50);
	assert_string_equal(between_sentence(&between, ROOM(BETWEEN_TEXT_SIZE)), "a switch");
	between.ports[0].has_answer = true;
	strcpy(between.ports[0].gateway, "198.18.0.1");
	assert_string_equal(between_sentence(&between, ROOM(BETWEEN_TEXT_SIZE)), "the router 198.18.0.1");
	between = two_ports(40);
	assert_string_equal(between_sentence(&between, ROOM(BETWEEN_TEXT_SIZE)),
			    "a switch; of 50 frames at a small rate 10 did not come");
	between = two_ports(0);
	assert_string_equal(between_sentence(&between, ROOM(BETWEEN_TEXT_SIZE)),
			    "nothing answers: a's frames leave, none arrive at b");
	between.ports[0].heard.lldp = (struct lldp){ .frames = 1, .system = "core1", .port = "7" };
	between.ports[0].left = 0;
	assert_string_equal(
		between_sentence(&between, ROOM(BETWEEN_TEXT_SIZE)),
		"nothing answers: a's frames do not even leave, none arrive at b; the neighbour on a says it is 7 of "
		"core1 (LLDP)");
	/* the protocol that is nobody's own says it where both are spoken; a switch may pass on what bridges should not */
	between = two_ports(50);
	between.ports[0].heard.cdp = (struct lldp){ .frames = 1, .system = "core2", .port = "Gi1/0/24" };
	between.ports[1].heard.lldp = (struct lldp){ .frames = 1, .system = "core1", .port = "7" };
	between.ports[1].heard.cdp = between.ports[0].heard.cdp;
	between.ports[0].heard.spanning.frames = 1;
	between.passes_reserved = true;
	assert_string_equal(
		between_sentence(&between, ROOM(BETWEEN_TEXT_SIZE)),
		"a switch; it speaks spanning tree on a; the neighbour on a says it is Gi1/0/24 of core2 (CDP); the "
		"neighbour on b says it is 7 of core1 (LLDP)");
}

static void what_stops_a_program_is_told(void **state)
{
	struct own_program program = { 7, "udhcpc" };

	(void)state;
	assert_string_equal(own_program_remedy(&program, "eth1", ROOM(OWN_PROGRAM_REMEDY_SIZE)), "kill 7");
	strcpy(program.name, "NetworkManager");
	assert_string_equal(own_program_remedy(&program, "eth1", ROOM(OWN_PROGRAM_REMEDY_SIZE)),
			    "nmcli device set eth1 managed no");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(spanning_tree_is_heard),
		cmocka_unit_test(spanning_tree_of_each_vlan_is_heard),
		cmocka_unit_test(cdp_is_heard),
		cmocka_unit_test(lldp_is_heard),
		cmocka_unit_test(who_sends_is_told_apart),
		cmocka_unit_test(one_sentence_says_it),
		cmocka_unit_test(what_stops_a_program_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
