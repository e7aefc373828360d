/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/snmp.h"

#include <net/ethernet.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/ber.h"
#include "base/clock.h"
#include "config/config.h"
#include "port/port.h"

#define SNMP_PORT     161
#define OWN_PORT      49161
#define FRAME_OCTETS  512
#define UDP_OCTETS    8
#define PROTOCOL_UDP  17
#define NS_PER_MS     1000000ull
#define NUMBER_OFFSET 17 /* offset of the request-id in a query */

struct snmp {
	struct neighbour_port port;
	uint8_t gateway_mac[MLR_MAC_OCTETS];
	uint64_t interval_ns;
	int socket;
	int stop; /* eventfd */
	bool running;
	pthread_t thread;
	uint64_t start_ns, until_ns;
	uint32_t first_number; /* first request-id of the trial */
	struct snmp_report report;
};

/* --- SNMP ----------------------------------------------------------------------------------------------------------- */

void snmp_query(uint32_t number, uint8_t ret[SNMP_QUERY_OCTETS])
{
	static const uint8_t query[SNMP_QUERY_OCTETS] = {
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

bool snmp_is_answer(const uint8_t *message, size_t octets, uint32_t *ret_number)
{
	struct ber ber = { message, message + octets }, content, community, response;
	uint32_t version, number, error;

	if (!ber_take(&ber, BER_SEQUENCE, &content) || !ber_take_number(&content, &version) || version != 0 ||
	    !ber_take(&content, BER_TEXT, &community) || !ber_take(&content, 0xa2, &response) ||
	    !ber_take_number(&response, &number) || !ber_take_number(&response, &error) || error)
		return false;
	*ret_number = number;
	return true;
}

/* --- frames --------------------------------------------------------------------------------------------------------- */

/* Write the IP header. Returns where its addresses are, and their length. */
static size_t put_ip(const struct neighbour_port *port, size_t payload_octets, uint8_t *ip, uint8_t **ret_addresses)
{
	if (port->ip4) {
		ip[0] = 0x45;
		mlr_put16(ip + 2, (uint16_t)(20 + payload_octets));
		ip[8] = MLR_TTL;
		ip[9] = PROTOCOL_UDP;
		memcpy(ip + 12, &port->address, 4);
		memcpy(ip + 16, &port->gateway, 4);
		mlr_put16(ip + 10, mlr_checksum_fold(neighbour_sum(0, ip, 20)));
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

static void send_query(struct snmp *snmp)
{
	uint8_t frame[FRAME_OCTETS] __attribute__((aligned(2))) = { 0 }, *addresses, *udp;
	size_t udp_octets = UDP_OCTETS + SNMP_QUERY_OCTETS,
	       offset = neighbour_put_link(&snmp->port, snmp->gateway_mac, snmp->port.ip4 ? ETHERTYPE_IP : ETHERTYPE_IPV6,
					   frame);
	uint16_t checksum;

	offset += put_ip(&snmp->port, udp_octets, frame + offset, &addresses);
	udp = frame + offset;
	mlr_put16(udp, OWN_PORT);
	mlr_put16(udp + 2, SNMP_PORT);
	mlr_put16(udp + 4, (uint16_t)udp_octets);
	snmp_query(snmp->first_number + (uint32_t)snmp->report.queries, udp + UDP_OCTETS);
	checksum = mlr_checksum_fold(neighbour_sum(
		neighbour_sum(PROTOCOL_UDP + (uint32_t)udp_octets, addresses, snmp->port.ip4 ? 8 : 32), udp, udp_octets));
	mlr_put16(udp + 6, checksum ? checksum : 0xffff);
	(void)!write(snmp->socket, frame, offset + udp_octets);
	snmp->report.queries++;
}

/* Return the UDP header of a frame, behind at most one VLAN tag: the kernel took off the outer one. NULL: it has none. */
static const uint8_t *find_udp(const uint8_t *frame, size_t octets)
{
	const uint8_t *ip = frame + ETHER_HDR_LEN, *end = frame + octets, *udp;

	if (octets < ETHER_HDR_LEN + 4)
		return NULL;
	if (mlr_get16(ip - 2) == VLAN_TYPE_CUSTOMER || mlr_get16(ip - 2) == VLAN_TYPE_SERVICE)
		ip += 4;
	if (end - ip < 40)
		return NULL;
	if (mlr_get16(ip - 2) == ETHERTYPE_IP && ip[9] == PROTOCOL_UDP)
		udp = ip + (ptrdiff_t)(ip[0] & 15) * 4;
	else if (mlr_get16(ip - 2) == ETHERTYPE_IPV6 && ip[6] == PROTOCOL_UDP)
		udp = ip + 40;
	else
		return NULL;
	return end - udp >= UDP_OCTETS ? udp : NULL;
}

static void read_answers(struct snmp *snmp)
{
	uint8_t frame[FRAME_OCTETS];
	ssize_t octets;

	while ((octets = read(snmp->socket, frame, sizeof(frame))) > 0) {
		const uint8_t *udp = find_udp(frame, (size_t)octets);
		uint32_t number;

		if (udp && mlr_get16(udp) == SNMP_PORT && mlr_get16(udp + 2) == OWN_PORT &&
		    snmp_is_answer(udp + UDP_OCTETS, (size_t)(frame + octets - udp) - UDP_OCTETS, &number) &&
		    ((number - snmp->first_number) & 0x7fffffff) < snmp->report.queries)
			snmp->report.answers++;
	}
}

/* --- the thread ----------------------------------------------------------------------------------------------------- */

static void *run(void *argument)
{
	struct snmp *snmp = argument;
	struct pollfd polled[] = { { .fd = snmp->socket, .events = POLLIN }, { .fd = snmp->stop, .events = POLLIN } };
	uint64_t next_ns = snmp->start_ns;

	for (;;) {
		uint64_t now_ns = clock_ns();

		while (next_ns <= now_ns && next_ns < snmp->until_ns) {
			send_query(snmp);
			next_ns += snmp->interval_ns;
		}
		poll(polled, 2, next_ns < snmp->until_ns ? (int)((next_ns - now_ns) / NS_PER_MS) + 1 : -1);
		read_answers(snmp);
		if (polled[1].revents)
			return NULL;
	}
}

enum exit_code snmp_start(struct snmp *snmp, uint64_t start_ns, uint64_t until_ns)
{
	eventfd_t ignored;
	int error;

	snmp->first_number += (uint32_t)snmp->report.queries;
	snmp->report = (struct snmp_report){ 0 };
	snmp->start_ns = start_ns;
	snmp->until_ns = until_ns;
	eventfd_read(snmp->stop, &ignored);
	error = pthread_create(&snmp->thread, NULL, run, snmp);
	if (error)
		return refuse(EXIT_INCAPABLE, "cannot start the thread of management queries: %s", strerror(error));
	snmp->running = true;
	return EXIT_DONE;
}

struct snmp_report snmp_stop(struct snmp *snmp)
{
	if (snmp->running) {
		eventfd_write(snmp->stop, 1);
		pthread_join(snmp->thread, NULL);
		snmp->running = false;
	}
	return snmp->report;
}

enum exit_code snmp_open(const struct neighbour_port *port, unsigned int queries_per_s, struct snmp **ret)
{
	struct snmp *snmp = calloc(1, sizeof(*snmp));
	int error;

	if (!snmp)
		return out_of_memory();
	snmp->port = *port;
	snmp->interval_ns =
		(NS_PER_S + queries_per_s - 1) / queries_per_s; /* rounded up, so that no second has one query too many */
	snmp->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	snmp->socket = port_socket(port->ifindex, NULL);
	if (snmp->socket < 0) {
		error = -snmp->socket;
		snmp_close(snmp);
		return refuse(EXIT_INCAPABLE, "port %s: cannot open a packet socket for management queries: %s", port->name,
			      why(error));
	}
	*ret = snmp;
	return EXIT_DONE;
}

void snmp_readdress(struct snmp *snmp, const uint8_t *gateway_mac)
{
	memcpy(snmp->gateway_mac, gateway_mac, MLR_MAC_OCTETS);
}

void snmp_close(struct snmp *snmp)
{
	if (!snmp)
		return;
	snmp_stop(snmp);
	if (snmp->socket >= 0)
		close(snmp->socket);
	close(snmp->stop);
	free(snmp);
}
