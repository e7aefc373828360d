/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netdev/netlink_request.h"

#include <errno.h>
#include <sys/socket.h>

int netlink_socket(int family, struct mnl_socket **ret)
{
	struct mnl_socket *socket = mnl_socket_open2(family, SOCK_CLOEXEC);
	int error;

	if (!socket)
		return -errno;
	if (mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0) {
		error = errno;
		mnl_socket_close(socket);
		return -error;
	}
	*ret = socket;
	return 0;
}

void *request_start(struct request *request, uint16_t type, uint16_t flags, size_t family_octets)
{
	request->header = mnl_nlmsg_put_header(request->buffer);
	request->header->nlmsg_type = type;
	request->header->nlmsg_flags = NLM_F_REQUEST | flags;
	return mnl_nlmsg_put_extra_header(request->header, family_octets);
}

int exchange(struct mnl_socket *socket, struct request *request, mnl_cb_t callback, void *context)
{
	static unsigned int last_sequence;
	unsigned int sequence = ++last_sequence, port = mnl_socket_get_portid(socket);
	char answer[32768];
	ssize_t octets;
	int more;

	request->header->nlmsg_seq = sequence;
	if (mnl_socket_sendto(socket, request->header, request->header->nlmsg_len) < 0)
		return -errno;
	do {
		do {
			octets = mnl_socket_recvfrom(socket, answer, sizeof(answer));
		} while (octets < 0 && errno == EINTR);
		if (octets < 0)
			return -errno;
		more = 1;
		if (((const struct nlmsghdr *)(const void *)answer)->nlmsg_seq != sequence)
			continue; /* what a request that failed halfway left to be read */
		more = mnl_cb_run(answer, (size_t)octets, sequence, port, callback, context);
		if (more < 0)
			return -errno;
	} while (more > 0);
	return 0;
}

int order(struct mnl_socket *socket, struct request *request)
{
	request->header->nlmsg_flags |= NLM_F_ACK;
	return exchange(socket, request, NULL, NULL);
}
