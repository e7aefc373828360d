/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/listen.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/stop.h"

#define LOOK_OCTETS     64 /* enough to tell housekeeping from the rest */
#define SHOWN_SIZE      160
#define IPV6_NEXT       20 /* offset of the next header's type in a frame */
#define IPV6_HOP_BY_HOP 0
#define IPV6_ICMP       58
#define ICMPV6_TYPE     54 /* offset in a frame; of an echo, request and reply: */
#define ICMPV6_ECHO     0x80

static bool has_listened; /* in this process */

/* --- the first frame ------------------------------------------------------------------------------------------------ */

/* What the receiver counts as housekeeping (bpf/parse.h). */
static bool is_housekeeping(const uint8_t frame[LOOK_OCTETS], uint16_t type)
{
	static const uint8_t reserved[] = { 0x01, 0x80, 0xc2, 0x00, 0x00 };

	if (type == ETH_P_ARP || type == 0x88cc /* LLDP */)
		return true;
	if (type == ETH_P_IPV6)
		return frame[IPV6_NEXT] == IPV6_HOP_BY_HOP ||
		       (frame[IPV6_NEXT] == IPV6_ICMP && (frame[ICMPV6_TYPE] & 0xfe) != ICMPV6_ECHO);
	return !memcmp(frame, reserved, sizeof(reserved)) && (frame[5] & 0xf0) == 0;
}

static const char *type_name(uint16_t type)
{
	switch (type) {
	case ETH_P_IP:
		return "IPv4, ";
	case ETH_P_IPV6:
		return "IPv6, ";
	case ETH_P_8021Q:
	case ETH_P_8021AD:
		return "VLAN, ";
	default:
		return "";
	}
}

/* ", the first of EtherType 0x0800 (IPv4) from ... to ...", or nothing. */
static void describe_first(int fd, char shown[SHOWN_SIZE])
{
	struct sockaddr_ll from;
	socklen_t size = sizeof(from);
	uint8_t frame[LOOK_OCTETS] = { 0 };

	shown[0] = '\0';
	while (recvfrom(fd, frame, sizeof(frame), 0, (struct sockaddr *)&from, &size) >= (ssize_t)ETH_HLEN) {
		uint16_t type = ntohs(from.sll_protocol);

		if (!is_housekeeping(frame, type)) {
			snprintf(shown, SHOWN_SIZE,
				 ", the first (%sEtherType 0x%04x) from %02x:%02x:%02x:%02x:%02x:%02x to "
				 "%02x:%02x:%02x:%02x:%02x:%02x",
				 type_name(type), (unsigned int)(frame[12] << 8 | frame[13]), frame[6], frame[7], frame[8],
				 frame[9], frame[10], frame[11], frame[0], frame[1], frame[2], frame[3], frame[4], frame[5]);
			return;
		}
		size = sizeof(from);
	}
}

/* --- judging -------------------------------------------------------------------------------------------------------- */

static enum exit_code judge(uint64_t start_ns, const struct port *port, uint64_t foreign, const char *unsafe_reason)
{
	double duration_s = clock_since_s(start_ns);
	char shown[SHOWN_SIZE];

	if (!foreign)
		return EXIT_DONE;
	describe_first(port->listening_fd, shown);
	if (!unsafe_reason)
		return refuse(EXIT_UNSAFE,
			      "port %s: foreign traffic arrives there, %llu frames in %.1f s (%.0f frames/s)%s; connect it "
			      "to the system under test only, or say why it may be used: --allow-unsafe=REASON",
			      port->link.name, (unsigned long long)foreign, duration_s, (double)foreign / duration_s, shown);
	warn("port %s: foreign traffic arrives there, %llu frames in %.1f s (%.0f frames/s)%s; allowed: %s", port->link.name,
	     (unsigned long long)foreign, duration_s, (double)foreign / duration_s, shown, unsafe_reason);
	return EXIT_DONE;
}

/* Nothing more is wanted of the port's socket but that it is open. */
static void stop_listening(const struct port *port)
{
	static struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
	static const struct sock_fprog filter = { .len = 1, .filter = &nothing };

	setsockopt(port->listening_fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter));
}

enum exit_code listen_end(uint64_t start_ns, const struct port *ports, unsigned int port_count, struct rx *const *receivers,
			  const char *unsafe_reason)
{
	enum exit_code code = EXIT_DONE;
	struct rx_counters counters;

	if (!has_listened && stop_sleep_until(start_ns + LISTEN_MIN_NS))
		code = EXIT_INTERRUPTED;
	for (unsigned int i = 0; i < port_count && !code && !has_listened; i++) {
		rx_snapshot(receivers[i], &counters);
		code = judge(start_ns, &ports[i], counters.foreign, unsafe_reason);
	}
	has_listened = true;
	for (unsigned int i = 0; i < port_count; i++)
		stop_listening(&ports[i]);
	return code;
}
