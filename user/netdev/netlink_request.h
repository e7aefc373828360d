/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A netlink request and its answers, by libmnl: what netlink.c (rtnetlink) and ethtool.c (generic netlink) share.
 *
 * A socket belongs to the network namespace in which it was opened, for good. Functions return 0 or -errno.
 */
#ifndef XDP_MLR_NETDEV_NETLINK_REQUEST_H
#define XDP_MLR_NETDEV_NETLINK_REQUEST_H

#include <libmnl/libmnl.h>
#include <stddef.h>
#include <stdint.h>

/* A request under construction, on the caller's stack. */
struct request {
	struct nlmsghdr *header;
	char buffer[1024];
};

/* Open a socket of a netlink family (NETLINK_ROUTE, NETLINK_GENERIC). Close with mnl_socket_close. */
int netlink_socket(int family, struct mnl_socket **ret);

/* Start a request; returns its zeroed family header. */
void *request_start(struct request *request, uint16_t type, uint16_t flags, size_t family_octets);
/* Send a request and hand every answer to `callback`; the kernel's error comes back as -errno. */
int exchange(struct mnl_socket *socket, struct request *request, mnl_cb_t callback, void *context);
/* A request that is only acknowledged. */
int order(struct mnl_socket *socket, struct request *request);

#endif
