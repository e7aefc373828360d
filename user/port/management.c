/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/management.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/config.h"

#define SNMP_PORT     161
#define OWN_PORT      49161
#define FRAME_OCTETS  512
#define UDP_OCTETS    8
#define PROTOCOL_UDP  17
#define NS_PER_MS     1000000ull
#define NUMBER_OFFSET 17 /* of the request-id in a query */

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

struct management {
	struct neighbour_port port;
	uint8_t gateway_mac[MLR_MAC_OCTETS];
	uint64_t interval_ns;
	int socket;
	int stop; /* eventfd */
	bool running;
	pthread_t thread;
	uint64_t start_ns, until_ns;
	uint32_t first_number; /* of the trial */
	struct management_report report;
};

/* --- SNMP ----------------------------------------------------------------------------------------------------------- */

void management_query(uint32_t number, uint8_t ret[MANAGEMENT_QUERY_OCTETS])
{
	static const uint8_t query[MANAGEMENT_QUERY_OCTETS] = {
		0x30, 40,                                    /* a message: */
		0x02, 1,  0,                                 /* version 1 */
		0x04, 6,  'p',  'u',  'b', 'l', 'i', 'c',    /* community */
		0xa1, 27,                                    /* GetNextRequest: */
		0x02, 4,  0,    0,    0,   0,                /* request-id */
		0x02, 1,  0,    0x02, 1,   0,                /* no error, nowhere */
		0x30, 13, 0x30, 11,                          /* one variable: */
		0x06, 7,  0x2b, 6,    1,   2,   1,   1,   3, /* 1.3.6.1.2.1.1.3, sysUpTime */
		0x05, 0,                                     /* no value */
	};

	memcpy(ret, query, sizeof(query));
	number &= 0x7fffffff; /* an INTEGER has a sign */
	for (int i = 0; i < 4; i++)
		ret[NUMBER_OFFSET + i] = (uint8_t)(number >> (24 - 8 * i));
}

/* What is left of a message in BER. */
struct ber {
	const uint8_t *at, *end;
};

/* Go into, or past, an element of this type with a length of one or two octets. */
static bool take_element(struct ber *ber, uint8_t type, struct ber *ret_content)
{
	size_t octets, room = (size_t)(ber->end - ber->at), header = 2;

	if (room < header || ber->at[0] != type)
		return false;
	octets = ber->at[1];
	if (octets == 0x81 || octets == 0x82) {
		header += octets - 0x80;
		if (room < header)
			return false;
		octets = header == 3 ? ber->at[2] : (size_t)ber->at[2] << 8 | ber->at[3];
	} else if (octets > 0x80) {
		return false;
	}
	if (octets > room - header)
		return false;
	*ret_content = (struct ber){ ber->at + header, ber->at + header + octets };
	ber->at = ret_content->end;
	return true;
}

static bool take_number(struct ber *ber, uint32_t *ret)
{
	struct ber content;

	if (!take_element(ber, 0x02, &content) || content.at == content.end || content.end - content.at > 4)
		return false;
	*ret = 0;
	for (; content.at < content.end; content.at++)
		*ret = *ret << 8 | *content.at;
	return true;
}

bool management_is_answer(const uint8_t *message, size_t octets, uint32_t *ret_number)
{
	struct ber ber = { message, message + octets }, content, community, response;
	uint32_t version, number, error;

	if (!take_element(&ber, 0x30, &content) || !take_number(&content, &version) || version != 0 ||
	    !take_element(&content, 0x04, &community) || !take_element(&content, 0xa2, &response) ||
	    !take_number(&response, &number) || !take_number(&response, &error) || error)
		return false;
	*ret_number = number;
	return true;
}

/* --- frames --------------------------------------------------------------------------------------------------------- */

static uint32_t sum_words(uint32_t sum, const uint8_t *at, size_t octets)
{
	for (size_t i = 0; i < octets; i++)
		sum += i % 2 ? at[i] : (uint32_t)at[i] << 8;
	return sum;
}

static size_t put_link(const struct management *management, uint8_t *frame)
{
	const struct neighbour_port *port = &management->port;
	uint8_t *at = frame + (size_t)2 * MLR_MAC_OCTETS;

	memcpy(frame, management->gateway_mac, MLR_MAC_OCTETS);
	memcpy(frame + MLR_MAC_OCTETS, port->mac, MLR_MAC_OCTETS);
	for (unsigned int i = 0; i < port->vlan_count; i++, at += 4) {
		mlr_put16(at, port->vlans[i].type);
		mlr_put16(at + 2, port->vlans[i].control);
	}
	mlr_put16(at, port->ip4 ? ETHERTYPE_IP : ETHERTYPE_IPV6);
	return (size_t)(at + 2 - frame);
}

/* The IP header; where its addresses stand, and their length. */
static size_t put_ip(const struct neighbour_port *port, size_t payload_octets, uint8_t *ip, uint8_t **ret_addresses)
{
	if (port->ip4) {
		ip[0] = 0x45;
		mlr_put16(ip + 2, (uint16_t)(20 + payload_octets));
		ip[8] = MLR_TTL;
		ip[9] = PROTOCOL_UDP;
		memcpy(ip + 12, &port->address, 4);
		memcpy(ip + 16, &port->gateway, 4);
		mlr_put16(ip + 10, mlr_checksum_fold(sum_words(0, ip, 20)));
		*ret_addresses = ip + 12;
		return 20;
	}
	ip[0] = 0x60;
	mlr_put16(ip + 4, (uint16_t)payload_octets);
	ip[6] = PROTOCOL_UDP;
	ip[7] = MLR_TTL;
	memcpy(ip + 8, &port->address6, 16);
	memcpy(ip + 24, &port->gateway6, 16);
	*ret_addresses = ip + 8;
	return 40;
}

static void send_query(struct management *management)
{
	uint8_t frame[FRAME_OCTETS] __attribute__((aligned(2))) = { 0 }, *addresses, *udp;
	size_t udp_octets = UDP_OCTETS + MANAGEMENT_QUERY_OCTETS, offset = put_link(management, frame);
	uint16_t checksum;

	offset += put_ip(&management->port, udp_octets, frame + offset, &addresses);
	udp = frame + offset;
	mlr_put16(udp, OWN_PORT);
	mlr_put16(udp + 2, SNMP_PORT);
	mlr_put16(udp + 4, (uint16_t)udp_octets);
	management_query(management->first_number + (uint32_t)management->report.queries, udp + UDP_OCTETS);
	checksum = mlr_checksum_fold(sum_words(
		sum_words(PROTOCOL_UDP + (uint32_t)udp_octets, addresses, management->port.ip4 ? 8 : 32), udp, udp_octets));
	mlr_put16(udp + 6, checksum ? checksum : 0xffff);
	(void)!write(management->socket, frame, offset + udp_octets);
	management->report.queries++;
}

static unsigned int get16(const uint8_t *at)
{
	return (unsigned int)at[0] << 8 | at[1];
}

/* The UDP header of a frame, behind at most one VLAN tag: the kernel took off the outer one. NULL: it has none. */
static const uint8_t *find_udp(const uint8_t *frame, size_t octets)
{
	const uint8_t *ip = frame + ETHER_HDR_LEN, *end = frame + octets, *udp;

	if (octets < ETHER_HDR_LEN + 4)
		return NULL;
	if (get16(ip - 2) == VLAN_TYPE_CUSTOMER || get16(ip - 2) == VLAN_TYPE_SERVICE)
		ip += 4;
	if (end - ip < 40)
		return NULL;
	if (get16(ip - 2) == ETHERTYPE_IP && ip[9] == PROTOCOL_UDP)
		udp = ip + (ptrdiff_t)(ip[0] & 15) * 4;
	else if (get16(ip - 2) == ETHERTYPE_IPV6 && ip[6] == PROTOCOL_UDP)
		udp = ip + 40;
	else
		return NULL;
	return end - udp >= UDP_OCTETS ? udp : NULL;
}

static void take_answers(struct management *management)
{
	uint8_t frame[FRAME_OCTETS];
	ssize_t octets;

	while ((octets = read(management->socket, frame, sizeof(frame))) > 0) {
		const uint8_t *udp = find_udp(frame, (size_t)octets);
		uint32_t number;

		if (udp && get16(udp) == SNMP_PORT && get16(udp + 2) == OWN_PORT &&
		    management_is_answer(udp + UDP_OCTETS, (size_t)(frame + octets - udp) - UDP_OCTETS, &number) &&
		    ((number - management->first_number) & 0x7fffffff) < management->report.queries)
			management->report.answers++;
	}
}

/* --- the thread ----------------------------------------------------------------------------------------------------- */

static void *run(void *argument)
{
	struct management *management = argument;
	struct pollfd polled[] = { { .fd = management->socket, .events = POLLIN },
				   { .fd = management->stop, .events = POLLIN } };
	uint64_t next_ns = management->start_ns;

	for (;;) {
		uint64_t now_ns = clock_ns();

		while (next_ns <= now_ns && next_ns < management->until_ns) {
			send_query(management);
			next_ns += management->interval_ns;
		}
		poll(polled, 2, next_ns < management->until_ns ? (int)((next_ns - now_ns) / NS_PER_MS) + 1 : -1);
		take_answers(management);
		if (polled[1].revents)
			return NULL;
	}
}

enum exit_code management_start(struct management *management, uint64_t start_ns, uint64_t until_ns)
{
	eventfd_t ignored;
	int error;

	management->first_number += (uint32_t)management->report.queries;
	management->report = (struct management_report){ 0 };
	management->start_ns = start_ns;
	management->until_ns = until_ns;
	eventfd_read(management->stop, &ignored);
	error = pthread_create(&management->thread, NULL, run, management);
	if (error)
		return refuse(EXIT_INCAPABLE, "cannot start the thread of management queries: %s", strerror(error));
	management->running = true;
	return EXIT_DONE;
}

struct management_report management_stop(struct management *management)
{
	if (management->running) {
		eventfd_write(management->stop, 1);
		pthread_join(management->thread, NULL);
		management->running = false;
	}
	return management->report;
}

enum exit_code management_open(const struct neighbour_port *port, const uint8_t *gateway_mac, unsigned int queries_per_s,
			       struct management **ret)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = port->ifindex,
	};
	struct management *management = calloc(1, sizeof(*management));
	int one = 1, error;

	if (!management)
		return refuse(EXIT_INCAPABLE, "out of memory");
	management->port = *port;
	memcpy(management->gateway_mac, gateway_mac, MLR_MAC_OCTETS);
	management->interval_ns =
		(NS_PER_S + queries_per_s - 1) / queries_per_s; /* rounded up: in a second there is none too many */
	management->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	management->socket = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	setsockopt(management->socket, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one));
	if (management->socket < 0 || bind(management->socket, (struct sockaddr *)&address, sizeof(address))) {
		error = errno;
		management_close(management);
		return refuse(EXIT_INCAPABLE, "port %s: cannot open a packet socket for management queries: %s", port->name,
			      why(error));
	}
	*ret = management;
	return EXIT_DONE;
}

void management_close(struct management *management)
{
	if (!management)
		return;
	management_stop(management);
	if (management->socket >= 0)
		close(management->socket);
	close(management->stop);
	free(management);
}
