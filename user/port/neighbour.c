/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/neighbour.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <net/ethernet.h>
#include <netinet/icmp6.h>
#include <netinet/if_ether.h>
#include <netinet/ip6.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpulist.h"
#include "base/stop.h"
#include "netdev/netlink.h"
#include "port/port.h"

#define ASK_EVERY_NS     (NS_PER_S / 5)
#define GATEWAY_GRACE_NS (NS_PER_S / 5) /* time in which a gateway may answer a question that the other port has answered */
#define ANNOUNCE_NS      (2 * NS_PER_S) /* half of the shortest time for which a bridge with spanning tree keeps an address */
#define FRAME_OCTETS     256
#define ND_HOP_LIMIT     255

/* A neighbour solicitation or advertisement with its one option, behind the IPv6 header. */
struct discovery {
	uint8_t type, code;
	uint16_t checksum;
	uint32_t flags;
	struct in6_addr target;
	uint8_t option, option_units; /* kind of the option, and its length in units of eight octets */
	uint8_t mac[MLR_MAC_OCTETS];
};

_Static_assert(sizeof(struct discovery) == 32, "RFC 4861, 4.3 and 4.4");

/* The answers that the ports have received so far. */
struct resolution {
	struct neighbour_answer answers[MLR_PORTS_MAX];
	bool ports_see_each_other;
	/* A port got an answer with an address that no station can have, and whether that was reported. */
	bool distrusted[MLR_PORTS_MAX], said[MLR_PORTS_MAX];
	uint8_t distrusted_mac[MLR_PORTS_MAX][MLR_MAC_OCTETS];
};

struct neighbours {
	unsigned int port_count;
	struct neighbour_port ports[MLR_PORTS_MAX];
	int sockets[MLR_PORTS_MAX];
	int stop_serving, heard; /* eventfds */
	uint64_t asked_ns;       /* the time of a question before the first neighbours_resolve(); 0: there was none */
	bool serving;
	pthread_t thread;
	pthread_mutex_t lock; /* lock of the members below */
	struct resolution known;
	uint64_t announcements[MLR_PORTS_MAX];
};

/* --- sockets -------------------------------------------------------------------------------------------------------- */

/* Read ARP and ICMPv6, behind at most one VLAN tag: the kernel has taken off the outer one. */
static const struct sock_fprog *questions_and_answers(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETHERTYPE_ARP, 11, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETHERTYPE_IPV6, 6, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, VLAN_TYPE_CUSTOMER, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, VLAN_TYPE_SERVICE, 0, 9),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 16),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETHERTYPE_ARP, 6, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETHERTYPE_IPV6, 3, 6),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 20), /* next header */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_ICMPV6, 2, 3),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 24),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_ICMPV6, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, FRAME_OCTETS),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	static const struct sock_fprog program = { .len = COUNT(code), .filter = code };

	return &program;
}

/* --- sending -------------------------------------------------------------------------------------------------------- */

size_t neighbour_put_link(const struct neighbour_port *port, const uint8_t *to_mac, uint16_t type, uint8_t *frame)
{
	uint8_t *at = frame + (size_t)2 * MLR_MAC_OCTETS;

	memcpy(frame, to_mac, MLR_MAC_OCTETS);
	memcpy(frame + MLR_MAC_OCTETS, port->mac, MLR_MAC_OCTETS);
	for (unsigned int i = 0; i < port->vlan_count; i++, at += 4) {
		mlr_put16(at, port->vlans[i].type);
		mlr_put16(at + 2, port->vlans[i].control);
	}
	mlr_put16(at, type);
	return (size_t)(at + 2 - frame);
}

/* A full queue loses a frame, as a wire would. Whoever asked asks again. */
static void send_frame(const struct neighbours *neighbours, unsigned int port, const uint8_t *frame, size_t octets)
{
	(void)!write(neighbours->sockets[port], frame, octets < ETH_ZLEN ? ETH_ZLEN : octets);
}

/* Send a frame from `from` to `to`; without a MAC address, to everybody. */
static void send_arp(const struct neighbours *neighbours, unsigned int port, uint16_t operation, struct in_addr from,
		     const uint8_t *to_mac, struct in_addr to)
{
	static const uint8_t everybody[MLR_MAC_OCTETS] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct ether_arp arp = {
		.arp_hrd = htons(ARPHRD_ETHER),
		.arp_pro = htons(ETHERTYPE_IP),
		.arp_hln = MLR_MAC_OCTETS,
		.arp_pln = sizeof(struct in_addr),
		.arp_op = htons(operation),
	};
	uint8_t frame[FRAME_OCTETS] __attribute__((aligned(2))) = { 0 };
	size_t offset = neighbour_put_link(&neighbours->ports[port], to_mac ? to_mac : everybody, ETHERTYPE_ARP, frame);

	memcpy(arp.arp_sha, neighbours->ports[port].mac, MLR_MAC_OCTETS);
	memcpy(arp.arp_spa, &from, sizeof(from));
	if (to_mac)
		memcpy(arp.arp_tha, to_mac, MLR_MAC_OCTETS);
	memcpy(arp.arp_tpa, &to, sizeof(to));
	memcpy(frame + offset, &arp, sizeof(arp));
	send_frame(neighbours, port, frame, offset + sizeof(arp));
}

uint32_t neighbour_sum(uint32_t sum, const void *data, size_t octets)
{
	const uint8_t *at = data;

	for (size_t i = 0; i < octets; i++)
		sum += i % 2 ? at[i] : (uint32_t)at[i] << 8;
	return sum;
}

static void send_discovery(const struct neighbours *neighbours, unsigned int port, const uint8_t *to_mac,
			   const struct in6_addr *from, const struct in6_addr *to, struct discovery *discovery)
{
	struct ip6_hdr ip = { .ip6_plen = htons(sizeof(*discovery)), .ip6_nxt = IPPROTO_ICMPV6, .ip6_hlim = ND_HOP_LIMIT };
	uint8_t frame[FRAME_OCTETS] __attribute__((aligned(2))) = { 0 };
	size_t offset = neighbour_put_link(&neighbours->ports[port], to_mac, ETHERTYPE_IPV6, frame);
	uint32_t sum = IPPROTO_ICMPV6 + sizeof(*discovery);

	ip.ip6_vfc = 6 << 4;
	ip.ip6_src = *from;
	ip.ip6_dst = *to;
	discovery->option_units = 1;
	memcpy(discovery->mac, neighbours->ports[port].mac, MLR_MAC_OCTETS);
	discovery->checksum = 0;
	sum = neighbour_sum(neighbour_sum(neighbour_sum(sum, from, sizeof(*from)), to, sizeof(*to)), discovery,
			    sizeof(*discovery));
	discovery->checksum = htons(mlr_checksum_fold(sum));
	memcpy(frame + offset, &ip, sizeof(ip));
	memcpy(frame + offset + sizeof(ip), discovery, sizeof(*discovery));
	send_frame(neighbours, port, frame, offset + sizeof(ip) + sizeof(*discovery));
}

/* Ask who has an address, at its solicited-node multicast address. */
static void solicit(const struct neighbours *neighbours, unsigned int port, const struct in6_addr *from,
		    const struct in6_addr *target)
{
	struct discovery discovery = { .type = ND_NEIGHBOR_SOLICIT, .target = *target, .option = ND_OPT_SOURCE_LINKADDR };
	struct in6_addr to = { .s6_addr = { 0xff, 2, [11] = 1, [12] = 0xff } };
	uint8_t mac[MLR_MAC_OCTETS] = { 0x33, 0x33, 0xff };

	memcpy(&to.s6_addr[13], &target->s6_addr[13], 3);
	memcpy(mac + 3, &target->s6_addr[13], 3);
	send_discovery(neighbours, port, mac, from, &to, &discovery);
}

/* Answer that an address is ours. The answer goes to everybody if the one that asks has no address yet. */
static void advertise(const struct neighbours *neighbours, unsigned int port, const uint8_t *to_mac,
		      const struct in6_addr *to, const struct in6_addr *target)
{
	static const struct in6_addr everybody = { .s6_addr = { 0xff, 2, [15] = 1 } };
	bool anonymous = IN6_IS_ADDR_UNSPECIFIED(to);
	struct discovery discovery = {
		.type = ND_NEIGHBOR_ADVERT,
		.flags = ND_NA_FLAG_OVERRIDE | (anonymous ? 0 : ND_NA_FLAG_SOLICITED),
		.target = *target,
		.option = ND_OPT_TARGET_LINKADDR,
	};

	send_discovery(neighbours, port, to_mac, target, anonymous ? &everybody : to, &discovery);
}

/* --- our addresses -------------------------------------------------------------------------------------------------- */

static bool in_ranges(const struct neighbour_port *port, uint32_t first, uint32_t address)
{
	for (int i = 0; i < TRAFFIC_RANGES; i++) {
		const struct mlr_range *range = &port->ranges[i];
		uint32_t distance = address - first;

		if (distance == 0 || (range->step && distance % range->step == 0 && distance / range->step < range->count))
			return true;
	}
	return false;
}

static bool is_ours4(const struct neighbour_port *port, struct in_addr address)
{
	return port->ip4 && in_ranges(port, ntohl(port->address.s_addr), ntohl(address.s_addr));
}

static bool is_ours6(const struct neighbour_port *port, const struct in6_addr *address)
{
	return port->ip6 && !memcmp(address, &port->address6, TRAFFIC_LOW_WORD) &&
	       in_ranges(port, traffic_low_word(&port->address6), traffic_low_word(address));
}

/* --- receiving ------------------------------------------------------------------------------------------------------ */

/* What a frame of ARP or neighbour discovery says: a question, an answer, or nothing that matters. */
struct message {
	bool answer4, answer6;
	struct in_addr address;
	struct in6_addr address6;
	uint8_t mac[MLR_MAC_OCTETS];
};

static void read_arp(const struct neighbours *neighbours, unsigned int port, const uint8_t *at, struct message *ret)
{
	struct in_addr sender, target;
	struct ether_arp arp;

	memcpy(&arp, at, sizeof(arp));
	memcpy(&sender, arp.arp_spa, sizeof(sender));
	memcpy(&target, arp.arp_tpa, sizeof(target));
	if (arp.arp_op == htons(ARPOP_REQUEST) && is_ours4(&neighbours->ports[port], target))
		send_arp(neighbours, port, ARPOP_REPLY, target, arp.arp_sha, sender);
	ret->answer4 = arp.arp_op == htons(ARPOP_REPLY);
	ret->address = sender;
	memcpy(ret->mac, arp.arp_sha, MLR_MAC_OCTETS);
}

static void read_discovery(const struct neighbours *neighbours, unsigned int port, const uint8_t *from_mac,
			   const uint8_t *at, struct message *ret)
{
	struct discovery discovery;
	struct ip6_hdr ip;

	memcpy(&ip, at, sizeof(ip));
	memcpy(&discovery, at + sizeof(ip), offsetof(struct discovery, option));
	if (ip.ip6_hlim != ND_HOP_LIMIT || ip.ip6_nxt != IPPROTO_ICMPV6)
		return;
	if (discovery.type == ND_NEIGHBOR_SOLICIT && is_ours6(&neighbours->ports[port], &discovery.target))
		advertise(neighbours, port, from_mac, &ip.ip6_src, &discovery.target);
	ret->answer6 = discovery.type == ND_NEIGHBOR_ADVERT;
	ret->address6 = discovery.target;
	memcpy(ret->mac, from_mac, MLR_MAC_OCTETS);
}

/* Read one frame of a port, answer it if it asks for the tester, and say what it told. False: there was none. */
static bool read_message(const struct neighbours *neighbours, unsigned int port, struct message *ret)
{
	uint8_t frame[FRAME_OCTETS];
	ssize_t octets = read(neighbours->sockets[port], frame, sizeof(frame));
	size_t type = (size_t)2 * MLR_MAC_OCTETS, rest;

	*ret = (struct message){ 0 };
	if (octets <= 0)
		return false;
	if (octets < (ssize_t)type + 6)
		return true;
	if (frame[type] == 0x81 || frame[type] == 0x88)
		type += 4;
	rest = (size_t)octets - type - 2;
	if (frame[type] == 0x08 && frame[type + 1] == 0x06 && rest >= sizeof(struct ether_arp))
		read_arp(neighbours, port, frame + type + 2, ret);
	else if (frame[type] == 0x86 && rest >= sizeof(struct ip6_hdr) + offsetof(struct discovery, option))
		read_discovery(neighbours, port, frame + MLR_MAC_OCTETS, frame + type + 2, ret);
	return true;
}

/* --- learning ------------------------------------------------------------------------------------------------------- */

static bool found(const struct neighbour_port *port, const struct neighbour_answer *answer)
{
	return (!port->ip4 || answer->found4) && (!port->ip6 || answer->found6);
}

static bool is_other_port(const struct neighbours *neighbours, unsigned int port, const struct message *message)
{
	for (unsigned int other = 0; other < neighbours->port_count; other++) {
		const struct neighbour_port *one = &neighbours->ports[other];

		if (other != port && !memcmp(message->mac, one->mac, MLR_MAC_OCTETS) &&
		    ((message->answer4 && message->address.s_addr == one->address.s_addr) ||
		     (message->answer6 && IN6_ARE_ADDR_EQUAL(&message->address6, &one->address6))))
			return true;
	}
	return false;
}

/* Whether a MAC address can be a station's (RFC 1812, 3.3.2: no broadcast, no multicast). Frames to such a one would reach
 * everybody. */
static bool is_station(const uint8_t mac[MLR_MAC_OCTETS])
{
	static const uint8_t none[MLR_MAC_OCTETS];

	return !(mac[0] & 1) && memcmp(mac, none, sizeof(none)) != 0;
}

/* Keep the answer in a message. Returns false if nobody waits for it. */
static bool learn(const struct neighbours *neighbours, unsigned int port, const struct message *message,
		  struct resolution *known)
{
	const struct neighbour_port *own = &neighbours->ports[port];
	struct neighbour_answer *answer = &known->answers[port];
	bool of_gateway4 = message->answer4 && message->address.s_addr == own->gateway.s_addr,
	     of_gateway6 = message->answer6 && IN6_ARE_ADDR_EQUAL(&message->address6, &own->gateway6);

	if ((of_gateway4 || of_gateway6) && !is_station(message->mac)) {
		known->distrusted[port] = true;
		memcpy(known->distrusted_mac[port], message->mac, MLR_MAC_OCTETS);
	} else if (of_gateway4) {
		answer->found4 = true;
		memcpy(answer->mac4, message->mac, MLR_MAC_OCTETS);
	} else if (of_gateway6) {
		answer->found6 = true;
		memcpy(answer->mac6, message->mac, MLR_MAC_OCTETS);
	} else if (is_other_port(neighbours, port, message)) {
		known->ports_see_each_other = true;
	} else {
		return false;
	}
	return true;
}

static void read_messages(struct neighbours *neighbours, unsigned int port)
{
	struct message message;

	while (read_message(neighbours, port, &message)) {
		pthread_mutex_lock(&neighbours->lock);
		if (learn(neighbours, port, &message, &neighbours->known))
			eventfd_write(neighbours->heard, 1);
		pthread_mutex_unlock(&neighbours->lock);
	}
}

/* --- asking --------------------------------------------------------------------------------------------------------- */

/* Ask for the gateways that did not answer yet, and for the other ports. */
static void ask(const struct neighbours *neighbours, const struct resolution *known)
{
	for (unsigned int i = 0; i < neighbours->port_count; i++) {
		const struct neighbour_port *port = &neighbours->ports[i];

		if (port->ip4 && !known->answers[i].found4)
			send_arp(neighbours, i, ARPOP_REQUEST, port->address, NULL, port->gateway);
		if (port->ip6 && !known->answers[i].found6)
			solicit(neighbours, i, &port->address6, &port->gateway6);
		for (unsigned int other = 0; other < neighbours->port_count; other++) {
			if (other == i || found(port, &known->answers[i]))
				continue;
			if (port->ip4)
				send_arp(neighbours, i, ARPOP_REQUEST, port->address, NULL,
					 neighbours->ports[other].address);
			if (port->ip6)
				solicit(neighbours, i, &port->address6, &neighbours->ports[other].address6);
		}
	}
}

void neighbours_ask(struct neighbours *neighbours)
{
	ask(neighbours, &neighbours->known);
	neighbours->asked_ns = clock_ns();
}

/* Report once of a port that somebody's answer is not believed. */
static void say_distrusted(struct neighbours *neighbours, const struct resolution *known)
{
	for (unsigned int i = 0; i < neighbours->port_count; i++) {
		if (!known->distrusted[i] || known->said[i])
			continue;
		neighbours->known.said[i] = true;
		warn("port %s: an answer for its gateway names the MAC address %s, which no station can have; it is not "
		     "believed",
		     neighbours->ports[i].name, mac_text(known->distrusted_mac[i], ROOM(MAC_TEXT_SIZE)));
	}
}

static struct resolution look(struct neighbours *neighbours)
{
	struct resolution known;

	pthread_mutex_lock(&neighbours->lock);
	known = neighbours->known;
	say_distrusted(neighbours, &known);
	pthread_mutex_unlock(&neighbours->lock);
	return known;
}

static bool all_found(const struct neighbours *neighbours, const struct resolution *known)
{
	for (unsigned int i = 0; i < neighbours->port_count; i++)
		if (!found(&neighbours->ports[i], &known->answers[i]))
			return false;
	return true;
}

/* Sleep until something was received, or a stop. */
static void wait_for_news(const struct neighbours *neighbours, uint64_t now_ns, uint64_t until_ns)
{
	struct pollfd polled[] = { { .fd = neighbours->heard, .events = POLLIN }, { .fd = stop_fd(), .events = POLLIN } };
	eventfd_t ignored;

	poll(polled, COUNT(polled), until_ns > now_ns ? (int)((until_ns - now_ns) / 1000000) + 1 : 0);
	eventfd_read(neighbours->heard, &ignored);
}

/* Return when a gateway has had time enough for its answer, where the other port's came now. Both were asked at one time. */
static uint64_t patience_end_ns(uint64_t asked_ns, uint64_t now_ns)
{
	uint64_t twice_ns = now_ns + (now_ns - asked_ns), grace_ns = asked_ns + GATEWAY_GRACE_NS;

	return twice_ns > grace_ns ? twice_ns : grace_ns;
}

enum exit_code neighbours_resolve(struct neighbours *neighbours, uint64_t most_ns, struct neighbour_answer *ret_answers,
				  bool *ret_ports_see_each_other)
{
	struct resolution known = look(neighbours);
	bool met = known.ports_see_each_other && !neighbours->asked_ns;
	uint64_t now_ns = clock_ns(), deadline_ns = now_ns + most_ns, asked_ns = neighbours->asked_ns,
		 next_ask_ns = asked_ns ? asked_ns + ASK_EVERY_NS : now_ns;

	neighbours->asked_ns = 0;
	while (!all_found(neighbours, &known) && now_ns < deadline_ns) {
		if (stop_requested())
			return EXIT_INTERRUPTED;
		if (now_ns >= next_ask_ns) {
			ask(neighbours, &known);
			asked_ns = now_ns;
			next_ask_ns += ASK_EVERY_NS;
		}
		wait_for_news(neighbours, now_ns, next_ask_ns < deadline_ns ? next_ask_ns : deadline_ns);
		known = look(neighbours);
		now_ns = clock_ns();
		if (known.ports_see_each_other && !met && patience_end_ns(asked_ns, now_ns) < deadline_ns)
			deadline_ns = patience_end_ns(asked_ns, now_ns);
		met = known.ports_see_each_other;
	}
	memcpy(ret_answers, known.answers, neighbours->port_count * sizeof(*ret_answers));
	*ret_ports_see_each_other = known.ports_see_each_other;
	return EXIT_DONE;
}

/* --- before a trial: teach ------------------------------------------------------------------------------------------ */

/* Return address number n of a port, of either range. */
static uint32_t nth_offset(const struct neighbour_port *port, unsigned int n)
{
	const struct mlr_range *longer = &port->ranges[port->ranges[1].count > port->ranges[0].count];

	return n % longer->count * longer->step;
}

void neighbours_announce(struct neighbours *neighbours, unsigned int count)
{
	for (unsigned int n = 0; n < count; n++) {
		for (unsigned int i = 0; i < neighbours->port_count; i++) {
			const struct neighbour_port *port = &neighbours->ports[i];
			struct in_addr from = { .s_addr = htonl(ntohl(port->address.s_addr) + nth_offset(port, n)) };
			uint32_t low = htonl(traffic_low_word(&port->address6) + nth_offset(port, n));
			struct in6_addr from6 = port->address6;

			memcpy(&from6.s6_addr[TRAFFIC_LOW_WORD], &low, sizeof(low));
			if (port->ip4)
				send_arp(neighbours, i, ARPOP_REQUEST, from, NULL, port->gateway);
			if (port->ip6)
				solicit(neighbours, i, &from6, &port->gateway6);
		}
	}
}

/* Announce a port by its own address. Nobody needs to answer (RFC 5227, 2.3; RFC 4861, 7.2.6). */
static void announce_port(struct neighbours *neighbours, unsigned int number)
{
	static const uint8_t all_nodes[MLR_MAC_OCTETS] = { 0x33, 0x33, 0, 0, 0, 1 };
	const struct neighbour_port *port = &neighbours->ports[number];

	if (port->ip4)
		send_arp(neighbours, number, ARPOP_REQUEST, port->address, NULL, port->address);
	if (port->ip6)
		advertise(neighbours, number, all_nodes, &in6addr_any, &port->address6);
	__atomic_fetch_add(&neighbours->announcements[number], (uint64_t)port->ip4 + port->ip6, __ATOMIC_RELAXED);
}

void neighbours_announce_silent(struct neighbours *neighbours)
{
	for (unsigned int i = 0; i < neighbours->port_count; i++)
		if (neighbours->ports[i].is_silent)
			announce_port(neighbours, i);
}

uint64_t neighbours_announcements(const struct neighbours *neighbours, unsigned int port)
{
	return __atomic_load_n(&neighbours->announcements[port], __ATOMIC_RELAXED);
}

/* --- the thread ----------------------------------------------------------------------------------------------------- */

static bool has_silent_port(const struct neighbours *neighbours)
{
	for (unsigned int i = 0; i < neighbours->port_count; i++)
		if (neighbours->ports[i].is_silent)
			return true;
	return false;
}

/* Fill in every port's socket, and the descriptor that ends the thread. Returns how many there are. */
static nfds_t poll_set(const struct neighbours *neighbours, struct pollfd polled[MLR_PORTS_MAX + 1])
{
	for (unsigned int i = 0; i < neighbours->port_count; i++)
		polled[i] = (struct pollfd){ .fd = neighbours->sockets[i], .events = POLLIN };
	polled[neighbours->port_count] = (struct pollfd){ .fd = neighbours->stop_serving, .events = POLLIN };
	return neighbours->port_count + 1;
}

/* Return how long the thread may sleep, in ms. */
static int patience_ms(uint64_t next_ns)
{
	uint64_t now_ns = clock_ns();

	if (next_ns == UINT64_MAX)
		return -1;
	return next_ns > now_ns ? (int)((next_ns - now_ns) / 1000000) + 1 : 0;
}

static void *serve(void *argument)
{
	struct neighbours *neighbours = argument;
	struct pollfd polled[MLR_PORTS_MAX + 1];
	nfds_t polled_count = poll_set(neighbours, polled);
	uint64_t next_ns = has_silent_port(neighbours) ? clock_ns() : UINT64_MAX;

	while (poll(polled, polled_count, patience_ms(next_ns)) >= 0 || errno == EINTR) {
		if (polled[neighbours->port_count].revents)
			break;
		for (unsigned int i = 0; i < neighbours->port_count; i++)
			if (polled[i].revents)
				read_messages(neighbours, i);
		if (clock_ns() < next_ns)
			continue;
		neighbours_announce_silent(neighbours);
		next_ns = clock_ns() + ANNOUNCE_NS;
	}
	return NULL;
}

static void spare_cpus(struct neighbours *neighbours, const cpu_set_t *cpus)
{
	cpu_set_t allowed, left;

	if (pthread_getaffinity_np(neighbours->thread, sizeof(allowed), &allowed))
		return;
	left = cpulist_without(&allowed, cpus);
	if (CPU_COUNT(&left))
		pthread_setaffinity_np(neighbours->thread, sizeof(left), &left);
}

enum exit_code neighbours_start(struct neighbours *neighbours, const cpu_set_t *spared_cpus)
{
	int error = pthread_create(&neighbours->thread, NULL, serve, neighbours);

	if (error)
		return refuse(EXIT_INCAPABLE, "cannot start the ARP thread: %s", strerror(error));
	neighbours->serving = true;
	spare_cpus(neighbours, spared_cpus);
	return EXIT_DONE;
}

/* --- opening -------------------------------------------------------------------------------------------------------- */

static enum exit_code open_port(struct neighbours *neighbours, const struct neighbour_port *port)
{
	int fd = port_socket(port->ifindex, questions_and_answers());

	if (fd < 0)
		return refuse(EXIT_INCAPABLE, "port %s: cannot open a packet socket for ARP: %s", port->name, why(-fd));
	neighbours->ports[neighbours->port_count] = *port;
	neighbours->sockets[neighbours->port_count++] = fd;
	return EXIT_DONE;
}

enum exit_code neighbours_open(const struct neighbour_port *ports, unsigned int port_count, struct neighbours **ret)
{
	struct neighbours *neighbours = calloc(1, sizeof(*neighbours));
	enum exit_code code = EXIT_DONE;

	if (!neighbours)
		return out_of_memory();
	pthread_mutex_init(&neighbours->lock, NULL);
	neighbours->stop_serving = eventfd(0, EFD_CLOEXEC);
	neighbours->heard = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (unsigned int i = 0; i < port_count && !code; i++)
		code = open_port(neighbours, &ports[i]);
	if (code)
		neighbours_close(neighbours);
	else
		*ret = neighbours;
	return code;
}

void neighbours_close(struct neighbours *neighbours)
{
	if (!neighbours)
		return;
	if (neighbours->serving) {
		eventfd_write(neighbours->stop_serving, 1);
		pthread_join(neighbours->thread, NULL);
	}
	for (unsigned int i = 0; i < neighbours->port_count; i++)
		close(neighbours->sockets[i]);
	close(neighbours->stop_serving);
	close(neighbours->heard);
	pthread_mutex_destroy(&neighbours->lock);
	free(neighbours);
}
