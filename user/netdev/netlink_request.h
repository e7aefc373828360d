/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions send netlink requests and read the answers, by libmnl. netlink.c (rtnetlink) and ethtool.c (generic
 * netlink) use them. The caller owns the socket, and has the request on its stack. A request is started, gets its
 * attributes, and is exchanged once.
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
	size_t family_octets; /* the length of its family header, and of that of the answers */
	char buffer[1024];
};

/* Open a socket of a netlink family (NETLINK_ROUTE, NETLINK_GENERIC). Close it with mnl_socket_close(). */
int netlink_socket(int family, struct mnl_socket **ret);

/* Start a request. Returns its family header, filled with zeros. */
void *request_start(struct request *request, uint16_t type, uint16_t flags, size_t family_octets);
/* Send a request and give every answer to `callback`. An error of the kernel is returned as -errno. An answer has at least
 * its family header. */
int exchange(struct mnl_socket *socket, struct request *request, mnl_cb_t callback, void *context);
/* Read the answers in a buffer, which is aligned as a struct nlmsghdr, for this socket's port. Returns more than 0 if more
 * are to come, 0, or -errno. */
int take_answers(const struct request *request, const void *answers, size_t octets, unsigned int port, mnl_cb_t callback,
		 void *context);
/* Send a request that is only acknowledged. */
int order(struct mnl_socket *socket, struct request *request);

/* Return the first attribute of this type in a message, behind its family header; or within another attribute. NULL: there is
 * none, or nothing that it could be in. */
const struct nlattr *attribute_of(const struct nlmsghdr *header, size_t family_octets, uint16_t type);
const struct nlattr *attribute_in(const struct nlattr *nest, uint16_t type);
/* Return the value of an attribute of any length, or of none: a number of 1, 2, 4 or 8 octets, else 0; or a text that ends
 * within it, else "". */
uint64_t attribute_number(const struct nlattr *attribute);
const char *attribute_text(const struct nlattr *attribute);
