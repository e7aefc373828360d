/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtnetlink by libmnl: what the program asks of links, and what the lab builds of them.
 *
 * A socket belongs to the network namespace in which it was opened, for good. Functions return 0 or -errno, -ENODEV for a
 * link that does not exist.
 */
#pragma once

#include <linux/if_link.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "mlr/frame.h"

struct mnl_socket;
struct nlmsghdr;

/* Facts of one link. */
struct link_info {
	int ifindex;
	char name[IF_NAMESIZE];
	char kind[16]; /* "veth", "bridge", ...; empty for hardware */
	uint8_t mac[MLR_MAC_OCTETS];
	uint8_t permanent_mac[MLR_MAC_OCTETS]; /* zeros if it has none */
	unsigned int mtu_octets;
	unsigned int max_mtu_octets; /* what it can be raised to; 0: not known */
	bool up, carrier;
	uint32_t carrier_changes; /* how often it has gained or lost carrier so far */
	bool is_ethernet;
	int master_ifindex;        /* bridge or bond above it, 0 if none */
	int lower_ifindex;         /* the link it sits on, or the peer of a veth, in this namespace; 0 if none */
	unsigned int xdp_programs; /* attached, in any mode */
	struct rtnl_link_stats64 stats;
};

/* What makes a port one that is in use. */
struct link_uses {
	char address[INET6_ADDRSTRLEN +
		     4];                  /* an address with prefix; empty if none (kernel's link-local ones do not count) */
	char route[INET6_ADDRSTRLEN + 4]; /* a route through it, likewise */
	char nexthop[12];                 /* the number of a nexthop object through it */
	char upper[IF_NAMESIZE];          /* a link stacked on it: bridge, bond, VLAN, macvlan */
};

/* The queueing disciplines of a link. */
struct link_queueing {
	char root_kind[16];   /* of the root: "mq", "noqueue", ...; empty if the kernel named none */
	uint32_t root_handle; /* its handle; 0: the kernel's default, to which nothing can be attached */
	/* A bit for each transmit queue that the driver was told, by an 'etf' qdisc with 'offload', to heed launch times
	 * on. */
	uint64_t launch_queues;
};

/* "02:00:00:00:00:01", written into the buffer and returned. */
#define MAC_TEXT_SIZE (3 * MLR_MAC_OCTETS)
const char *mac_text(const uint8_t mac[MLR_MAC_OCTETS], char buffer[MAC_TEXT_SIZE]);

int netlink_open(struct mnl_socket **ret);
void netlink_close(struct mnl_socket *socket);

int netlink_link(struct mnl_socket *socket, const char *name, struct link_info *ret);
int netlink_link_by_index(struct mnl_socket *socket, int ifindex, struct link_info *ret);
/* Call `visit` for every link of the namespace. */
int netlink_each_link(struct mnl_socket *socket, void (*visit)(const struct link_info *link, void *context), void *context);
/* The MAC address by which a link is known wherever it goes, "02:00:00:00:00:01": the permanent one, where it has one. */
const char *link_identity(const struct link_info *link, char buffer[MAC_TEXT_SIZE]);
/* The one link with this identity and kind, of several the one with this number, which a link keeps where it is free;
 * -ENODEV if there is none. */
int netlink_link_by_identity(struct mnl_socket *socket, const char *identity, const char *kind, int ifindex,
			     struct link_info *ret);
int netlink_queueing(struct mnl_socket *socket, int ifindex, struct link_queueing *ret);
/* Add one qdisc, as the kernel tells of it, to what is known of a link's; other links' are left out. */
void netlink_read_qdisc(const struct nlmsghdr *header, int ifindex, struct link_queueing *queueing);
int netlink_uses(struct mnl_socket *socket, const struct link_info *link, struct link_uses *ret);

/* A veth pair: `name` here, `peer_name` in the namespace of the file descriptor (-1: here too), with so many queues each
 * way. */
int netlink_add_veth(struct mnl_socket *socket, const char *name, const char *peer_name, int peer_namespace_fd,
		     uint32_t queues);
int netlink_add_bridge(struct mnl_socket *socket, const char *name);
int netlink_delete(struct mnl_socket *socket, const char *name);
int netlink_set_up(struct mnl_socket *socket, int ifindex);
int netlink_set_mtu(struct mnl_socket *socket, int ifindex, unsigned int mtu_octets);
int netlink_set_master(struct mnl_socket *socket, int ifindex, int master_ifindex);
int netlink_add_address(struct mnl_socket *socket, int ifindex, struct in_addr address, unsigned int prefix_length);
