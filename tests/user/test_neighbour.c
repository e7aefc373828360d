/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers to ARP and neighbour discovery, on a veth pair in a network namespace of the test's own: whom the tester
 * believes. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/if_ether.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"
#include "base/clock.h"
#include "port/neighbour.h"

static const uint8_t tester_mac[MLR_MAC_OCTETS] = { 2, 0, 0, 0, 0, 1 };
static bool has_pair;

/* Somebody who answers every ARP request with one MAC address. */
struct answerer {
	int fd;
	uint8_t mac[MLR_MAC_OCTETS];
	pthread_t thread;
};

static void *answer(void *context)
{
	const struct answerer *answerer = context;
	uint8_t frame[256];
	ssize_t length;

	while ((length = read(answerer->fd, frame, sizeof(frame))) > 0) {
		struct ether_header ethernet;
		struct ether_arp arp;
		uint8_t asked[4];

		if ((size_t)length < sizeof(ethernet) + sizeof(arp))
			continue;
		memcpy(&ethernet, frame, sizeof(ethernet));
		memcpy(&arp, frame + sizeof(ethernet), sizeof(arp));
		if (arp.arp_op != htons(ARPOP_REQUEST))
			continue;
		memcpy(asked, arp.arp_tpa, sizeof(asked));
		memcpy(ethernet.ether_dhost, tester_mac, ETH_ALEN);
		memcpy(ethernet.ether_shost, (const uint8_t[]){ 2, 0, 0, 0, 0, 2 }, ETH_ALEN);
		arp.arp_op = htons(ARPOP_REPLY);
		memcpy(arp.arp_tha, arp.arp_sha, ETH_ALEN);
		memcpy(arp.arp_tpa, arp.arp_spa, 4);
		memcpy(arp.arp_sha, answerer->mac, ETH_ALEN);
		memcpy(arp.arp_spa, asked, 4);
		memcpy(frame, &ethernet, sizeof(ethernet));
		memcpy(frame + sizeof(ethernet), &arp, sizeof(arp));
		if (write(answerer->fd, frame, (size_t)length) < 0)
			break;
	}
	return NULL;
}

static void start(struct answerer *answerer, const uint8_t *mac)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(ETH_P_ARP),
				  .sll_ifindex = (int)if_nametoindex("sut") };

	memcpy(answerer->mac, mac, sizeof(answerer->mac));
	answerer->fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ARP));
	assert_true(answerer->fd >= 0);
	assert_int_equal(bind(answerer->fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(pthread_create(&answerer->thread, NULL, answer, answerer), 0);
}

/* What the port learns from somebody who answers with this MAC address. */
static struct neighbour_answer learned(const uint8_t *mac)
{
	struct neighbour_port port = { .ifindex = (int)if_nametoindex("tester"), .name = "tester", .ip4 = true };
	struct neighbour_answer learned = { 0 };
	struct neighbours *neighbours;
	const cpu_set_t nothing_spared = { 0 };
	struct answerer answerer;
	bool see_each_other;

	memcpy(port.mac, tester_mac, sizeof(port.mac));
	port.address.s_addr = inet_addr("198.18.0.2");
	port.gateway.s_addr = inet_addr("198.18.0.1");
	start(&answerer, mac);
	assert_int_equal(neighbours_open(&port, 1, &neighbours), EXIT_DONE);
	assert_int_equal(neighbours_start(neighbours, &nothing_spared), EXIT_DONE);
	assert_int_equal(neighbours_resolve(neighbours, NS_PER_S, &learned, &see_each_other), EXIT_DONE);
	neighbours_close(neighbours);
	pthread_cancel(answerer.thread);
	pthread_join(answerer.thread, NULL);
	close(answerer.fd);
	return learned;
}

static void a_station_is_believed(void **state)
{
	static const uint8_t station[] = { 2, 0, 0, 0, 0, 9 };
	struct neighbour_answer answer;

	(void)state;
	if (!has_pair)
		skip();
	answer = learned(station);
	assert_true(answer.found4);
	assert_memory_equal(answer.mac4, station, sizeof(station));
}

static void nobody_is_everybody_or_nobody(void **state)
{
	static const uint8_t impossible[][MLR_MAC_OCTETS] = {
		{ 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		{ 0x01, 0x00, 0x5e, 0, 0, 1 },
		{ 0 },
	};

	(void)state;
	if (!has_pair)
		skip();
	for (size_t i = 0; i < sizeof(impossible) / sizeof(*impossible); i++)
		assert_false(learned(impossible[i]).found4);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_station_is_believed),
		cmocka_unit_test(nobody_is_everybody_or_nobody),
	};

	/* needs root; without it there is nothing to see */
	has_pair =
		!unshare(CLONE_NEWNET) && !system("ip link add tester address 02:00:00:00:00:01 type veth peer name sut && "
						  "ip link set tester up && ip link set sut up");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
