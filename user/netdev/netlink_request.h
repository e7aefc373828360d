/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A netlink request and its answers, by libmnl: what netlink.c (rtnetlink) and ethtool.c (generic netlink) share.
 *
 * A socket belongs to the network namespace in which it was opened, for good. Functions return 0 or -errno.
 */
#pragma once

#include <libmnl/libmnl.h>
#include <stddef.h>
#include <stdint.h>

/* A request under construction, on the caller's stack. */
struct request {
	struct nlmsghdr *header;
	size_t family_octets; /* of its family header, and of that of its answers */
	char buffer[1024];
};

/* Open a socket of a netlink family (NETLINK_ROUTE, NETLINK_GENERIC). Close with mnl_socket_close. */
int netlink_socket(int family, struct mnl_socket **ret);

/* Start a request; returns its zeroed family header. */
void *request_start(struct request *request, uint16_t type, uint16_t flags, size_t family_octets);
/* Send a request and hand every answer to `callback`; the kernel's error comes back as -errno. An answer has at least its
 * family header. */
int exchange(struct mnl_socket *socket, struct request *request, mnl_cb_t callback, void *context);
/* The answers in a buffer, aligned as a struct nlmsghdr, to this socket's port: above 0 where more are to come, 0, or
 * -errno. */
int take_answers(const struct request *request, const void *answers, size_t octets, unsigned int port, mnl_cb_t callback,
		 void *context);
/* A request that is only acknowledged. */
int order(struct mnl_socket *socket, struct request *request);

/* What an attribute says, whatever its length: a number of 1, 2, 4 or 8 octets, else 0; a text that ends within it, else
 * "". */
uint64_t attribute_number(const struct nlattr *attribute);
const char *attribute_text(const struct nlattr *attribute);
