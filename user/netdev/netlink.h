/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header reads links by rtnetlink (libmnl), and makes those of the lab. The caller owns the socket. It is opened in a
 * network namespace, belongs to that one for good, and is closed at the end.
 *
 * Functions return 0 or -errno. -ENODEV means that the link does not exist.
 */
#pragma once

#include <linux/if_link.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/keeper.h"
#include "mlr/frame.h"

struct mnl_socket;
struct nlmsghdr;

/* Facts of one link. */
struct link_info {
	int ifindex;
	char name[IF_NAMESIZE];
	char kind[16]; /* "veth", "bridge" and so on; empty for hardware */
	uint8_t mac[MLR_MAC_OCTETS];
	uint8_t permanent_mac[MLR_MAC_OCTETS]; /* zeros if there is none */
	unsigned int mtu_octets;
	unsigned int max_mtu_octets; /* the largest MTU that can be set; 0: not known */
	bool up, carrier;
	uint32_t carrier_changes; /* number of times that the link gained or lost carrier */
	bool is_ethernet;
	int master_ifindex;        /* the bridge or bond above it; 0: none */
	int lower_ifindex;         /* the link below it, or the peer of a veth, in this namespace; 0: none */
	unsigned int xdp_programs; /* programs that are attached, in any mode */
	struct rtnl_link_stats64 stats;
};

/* What shows that a port is in use. */
struct link_uses {
	char address[INET6_ADDRSTRLEN +
		     4]; /* an address with prefix; empty if none (the kernel's own link-local ones do not count) */
	char route[INET6_ADDRSTRLEN + 4]; /* a route through it; empty if none */
	bool has_default_route;  /* This machine's packets to other networks leave through the link, or one on top of it. */
	char nexthop[12];        /* the number of a nexthop object through it; empty if none */
	bool is_of_ipv6;         /* an address, a route or a nexthop of IPv6 is among them */
	char upper[IF_NAMESIZE]; /* a link on top of it: bridge, bond, VLAN, macvlan */
};

/* The queueing disciplines of a link. */
struct link_queueing {
	char root_kind[16];   /* the kind of the root: "mq", "noqueue" and so on; empty if the kernel named none */
	uint32_t root_handle; /* the handle of the root; 0: the kernel's default, to which nothing can be attached */
	/* One bit for each transmit queue on which the driver must observe launch times. An 'etf' qdisc with 'offload' asked
	 * for that. */
	uint64_t launch_queues;
};

/* Write a MAC address such as "02:00:00:00:00:01" into the buffer, and return it. */
#define MAC_TEXT_SIZE (3 * MLR_MAC_OCTETS)
const char *mac_text(const uint8_t mac[MLR_MAC_OCTETS], char buffer[MAC_TEXT_SIZE]);

int netlink_open(struct mnl_socket **ret);
/* Call it before keeper_split(): the keeper uses the socket from then on. */
void netlink_hold(const struct mnl_socket *netlink, struct keeper_plan *plan);
void netlink_close(struct mnl_socket *socket);

int netlink_link(struct mnl_socket *socket, const char *name, struct link_info *ret);
int netlink_link_by_index(struct mnl_socket *socket, int ifindex, struct link_info *ret);
/* Call `visit` for every link of the namespace. */
int netlink_each_link(struct mnl_socket *socket, void (*visit)(const struct link_info *link, void *context), void *context);
/* Return the MAC address that identifies a link even when it is moved or renamed: the permanent one, if it has one. */
const char *link_identity(const struct link_info *link, char buffer[MAC_TEXT_SIZE]);
/* Find the link with this identity and kind. Of several, take the one with number `ifindex`, which a link keeps if it is
 * free. -ENODEV if there is none. */
int netlink_link_by_identity(struct mnl_socket *socket, const char *identity, const char *kind, int ifindex,
			     struct link_info *ret);
int netlink_queueing(struct mnl_socket *socket, int ifindex, struct link_queueing *ret);
/* Add one qdisc, from the kernel's message, to what is known of a link. Messages about other links are ignored. */
void netlink_read_qdisc(const struct nlmsghdr *header, int ifindex, struct link_queueing *queueing);
int netlink_uses(struct mnl_socket *socket, const struct link_info *link, struct link_uses *ret);

/* Make a veth pair: `name` here, `peer_name` in the namespace of the file descriptor (-1: here, too), with so many queues in
 * each direction. */
int netlink_add_veth(struct mnl_socket *socket, const char *name, const char *peer_name, int peer_namespace_fd,
		     uint32_t queues);
int netlink_add_bridge(struct mnl_socket *socket, const char *name);
int netlink_delete(struct mnl_socket *socket, const char *name);
int netlink_set_up(struct mnl_socket *socket, int ifindex);
int netlink_set_mtu(struct mnl_socket *socket, int ifindex, unsigned int mtu_octets);
int netlink_set_master(struct mnl_socket *socket, int ifindex, int master_ifindex);
int netlink_add_address(struct mnl_socket *socket, int ifindex, struct in_addr address, unsigned int prefix_length);
