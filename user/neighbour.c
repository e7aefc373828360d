/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "neighbour.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <netinet/if_ether.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "stop.h"

#define RESOLVE_NS       (1 * NS_PER_S)
#define ASK_EVERY_NS     (NS_PER_S / 5)
#define GATEWAY_GRACE_NS (NS_PER_S / 5) /* how long a gateway may still answer after the other port has */

/* An ARP frame for IPv4 over Ethernet. */
struct arp_frame {
	struct ether_header ethernet;
	struct ether_arp arp;
};

struct neighbours {
	struct neighbour_port ports[PORT_COUNT];
	int sockets[PORT_COUNT];
	int stop_serving; /* eventfd */
	bool serving;
	pthread_t thread;
};

static int open_socket(const struct neighbour_port *port)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ARP),
		.sll_ifindex = port->ifindex,
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error;

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		error = errno;
		close(fd);
		return -error;
	}
	return fd;
}

enum exit_code neighbours_open(const struct neighbour_port ports[PORT_COUNT], struct neighbours **ret)
{
	struct neighbours *neighbours = malloc(sizeof(*neighbours));

	if (!neighbours)
		return refuse(EXIT_INCAPABLE, "out of memory");
	*neighbours = (struct neighbours){ .sockets = { -1, -1 } };
	neighbours->stop_serving = eventfd(0, EFD_CLOEXEC);
	for (int i = 0; i < PORT_COUNT; i++) {
		int fd = open_socket(&ports[i]);

		if (fd < 0) {
			neighbours_close(neighbours);
			return refuse(EXIT_INCAPABLE, "port %s: cannot open a packet socket for ARP: %s", ports[i].name,
				      why(-fd));
		}
		neighbours->ports[i] = ports[i];
		neighbours->sockets[i] = fd;
	}
	*ret = neighbours;
	return EXIT_DONE;
}

static void send_arp(const struct neighbours *neighbours, int port, uint16_t operation, const uint8_t *to_mac,
		     struct in_addr to_address)
{
	const struct neighbour_port *from = &neighbours->ports[port];
	struct arp_frame frame = {
		.ethernet.ether_type = htons(ETHERTYPE_ARP),
		.arp = {
			.arp_hrd = htons(ARPHRD_ETHER), .arp_pro = htons(ETHERTYPE_IP),
			.arp_hln = MLR_MAC_OCTETS, .arp_pln = sizeof(struct in_addr), .arp_op = htons(operation),
		},
	};

	memset(frame.ethernet.ether_dhost, 0xff, MLR_MAC_OCTETS);
	if (to_mac) {
		memcpy(frame.ethernet.ether_dhost, to_mac, MLR_MAC_OCTETS);
		memcpy(frame.arp.arp_tha, to_mac, MLR_MAC_OCTETS);
	}
	memcpy(frame.ethernet.ether_shost, from->mac, MLR_MAC_OCTETS);
	memcpy(frame.arp.arp_sha, from->mac, MLR_MAC_OCTETS);
	memcpy(frame.arp.arp_spa, &from->address, sizeof(from->address));
	memcpy(frame.arp.arp_tpa, &to_address, sizeof(to_address));
	/* a full queue loses an ARP frame, as a wire would: whoever asked asks again */
	(void)!write(neighbours->sockets[port], &frame, sizeof(frame));
}

/* Read one ARP frame of a port, answer it if it asks for the tester, and hand it on. False: there was none. */
static bool read_arp(const struct neighbours *neighbours, int port, struct arp_frame *ret_frame)
{
	struct arp_frame frame;
	struct in_addr sender, target;
	ssize_t octets = read(neighbours->sockets[port], &frame, sizeof(frame));

	if (octets < (ssize_t)sizeof(frame))
		return false;
	memcpy(&sender, frame.arp.arp_spa, sizeof(sender));
	memcpy(&target, frame.arp.arp_tpa, sizeof(target));
	if (frame.arp.arp_op == htons(ARPOP_REQUEST) && target.s_addr == neighbours->ports[port].address.s_addr)
		send_arp(neighbours, port, ARPOP_REPLY, frame.arp.arp_sha, sender);
	*ret_frame = frame;
	return true;
}

/* --- before a run: resolve ------------------------------------------------------------------------------------------ */

struct resolution {
	struct neighbour_answer answers[PORT_COUNT];
	bool ports_see_each_other;
};

static void ask(const struct neighbours *neighbours, const struct resolution *state)
{
	for (int i = 0; i < PORT_COUNT; i++) {
		if (state->answers[i].gateway_found)
			continue;
		send_arp(neighbours, i, ARPOP_REQUEST, NULL, neighbours->ports[i].gateway);
		send_arp(neighbours, i, ARPOP_REQUEST, NULL, neighbours->ports[!i].address);
	}
}

static void learn(const struct neighbours *neighbours, int port, struct resolution *state)
{
	struct neighbour_answer *answer = &state->answers[port];
	struct arp_frame frame;
	struct in_addr sender;

	while (read_arp(neighbours, port, &frame)) {
		if (frame.arp.arp_op != htons(ARPOP_REPLY))
			continue;
		memcpy(&sender, frame.arp.arp_spa, sizeof(sender));
		if (sender.s_addr == neighbours->ports[port].gateway.s_addr) {
			answer->gateway_found = true;
			memcpy(answer->gateway_mac, frame.arp.arp_sha, MLR_MAC_OCTETS);
		} else if (sender.s_addr == neighbours->ports[!port].address.s_addr &&
			   !memcmp(frame.arp.arp_sha, neighbours->ports[!port].mac, MLR_MAC_OCTETS)) {
			state->ports_see_each_other = true;
		}
	}
}

static bool all_found(const struct resolution *state)
{
	return state->answers[PORT_A].gateway_found && state->answers[PORT_B].gateway_found;
}

enum exit_code neighbours_resolve(struct neighbours *neighbours, struct neighbour_answer ret_answers[PORT_COUNT])
{
	struct pollfd polled[] = {
		{ .fd = neighbours->sockets[PORT_A], .events = POLLIN },
		{ .fd = neighbours->sockets[PORT_B], .events = POLLIN },
		{ .fd = stop_fd(), .events = POLLIN },
	};
	struct resolution state = { 0 };
	uint64_t now_ns = clock_ns(), deadline_ns = now_ns + RESOLVE_NS, next_ask_ns = now_ns;

	while (!all_found(&state) && now_ns < deadline_ns) {
		if (stop_requested())
			return EXIT_INTERRUPTED;
		if (now_ns >= next_ask_ns) {
			ask(neighbours, &state);
			next_ask_ns += ASK_EVERY_NS;
		}
		poll(polled, 3, (int)((next_ask_ns - now_ns) / 1000000) + 1);
		for (int i = 0; i < PORT_COUNT; i++)
			learn(neighbours, i, &state);
		now_ns = clock_ns();
		if (state.ports_see_each_other && now_ns + GATEWAY_GRACE_NS < deadline_ns)
			deadline_ns = now_ns + GATEWAY_GRACE_NS;
	}
	memcpy(ret_answers, state.answers, sizeof(state.answers));
	return EXIT_DONE;
}

/* --- during a run: answer ------------------------------------------------------------------------------------------- */

static void *serve(void *argument)
{
	struct neighbours *neighbours = argument;
	struct arp_frame frame;
	struct pollfd polled[] = {
		{ .fd = neighbours->sockets[PORT_A], .events = POLLIN },
		{ .fd = neighbours->sockets[PORT_B], .events = POLLIN },
		{ .fd = neighbours->stop_serving, .events = POLLIN },
	};

	while (poll(polled, 3, -1) >= 0 || errno == EINTR) {
		if (polled[2].revents)
			break;
		for (int i = 0; i < PORT_COUNT; i++)
			while (polled[i].revents && read_arp(neighbours, i, &frame))
				;
	}
	return NULL;
}

enum exit_code neighbours_serve(struct neighbours *neighbours)
{
	int error = pthread_create(&neighbours->thread, NULL, serve, neighbours);

	if (error)
		return refuse(EXIT_INCAPABLE, "cannot start the ARP thread: %s", strerror(error));
	neighbours->serving = true;
	return EXIT_DONE;
}

void neighbours_close(struct neighbours *neighbours)
{
	if (!neighbours)
		return;
	if (neighbours->serving) {
		eventfd_write(neighbours->stop_serving, 1);
		pthread_join(neighbours->thread, NULL);
	}
	for (int i = 0; i < PORT_COUNT; i++)
		if (neighbours->sockets[i] >= 0)
			close(neighbours->sockets[i]);
	close(neighbours->stop_serving);
	free(neighbours);
}
