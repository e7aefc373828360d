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
	request->family_octets = family_octets;
	return mnl_nlmsg_put_extra_header(request->header, family_octets);
}

/* The function that gets the answers. */
struct listener {
	mnl_cb_t callback;
	void *context;
	size_t family_octets;
};

static int hand_over(const struct nlmsghdr *header, void *context)
{
	const struct listener *listener = context;

	/* libmnl expects a message to end at a multiple of four octets, as the kernel's do. */
	if (header->nlmsg_len % NLMSG_ALIGNTO || mnl_nlmsg_get_payload_len(header) < listener->family_octets) {
		errno = EBADMSG;
		return MNL_CB_ERROR;
	}
	return listener->callback ? listener->callback(header, listener->context) : MNL_CB_OK;
}

int take_answers(const struct request *request, const void *answers, size_t octets, unsigned int port, mnl_cb_t callback,
		 void *context)
{
	struct listener listener = { callback, context, request->family_octets };
	int more = mnl_cb_run(answers, octets, request->header->nlmsg_seq, port, hand_over, &listener);

	return more < 0 ? -errno : more;
}

const struct nlattr *attribute_of(const struct nlmsghdr *header, size_t family_octets, uint16_t type)
{
	const struct nlattr *attribute;

	mnl_attr_for_each (attribute, header, (unsigned int)family_octets)
		if (mnl_attr_get_type(attribute) == type)
			return attribute;
	return NULL;
}

const struct nlattr *attribute_in(const struct nlattr *nest, uint16_t type)
{
	const struct nlattr *attribute;

	if (!nest)
		return NULL;
	mnl_attr_for_each_nested (attribute, nest)
		if (mnl_attr_get_type(attribute) == type)
			return attribute;
	return NULL;
}

uint64_t attribute_number(const struct nlattr *attribute)
{
	switch (attribute ? mnl_attr_get_payload_len(attribute) : 0) {
	case 1:
		return mnl_attr_get_u8(attribute);
	case 2:
		return mnl_attr_get_u16(attribute);
	case 4:
		return mnl_attr_get_u32(attribute);
	case 8:
		return mnl_attr_get_u64(attribute);
	}
	return 0;
}

const char *attribute_text(const struct nlattr *attribute)
{
	return !attribute || mnl_attr_validate(attribute, MNL_TYPE_NUL_STRING) ? "" : mnl_attr_get_str(attribute);
}

int exchange(struct mnl_socket *socket, struct request *request, mnl_cb_t callback, void *context)
{
	static unsigned int last_sequence;
	_Alignas(struct nlmsghdr) char answers[32768];
	const struct nlmsghdr *header = (const void *)answers;
	ssize_t octets;
	int more;

	request->header->nlmsg_seq = ++last_sequence;
	if (mnl_socket_sendto(socket, request->header, request->header->nlmsg_len) < 0)
		return -errno;
	do {
		do {
			octets = mnl_socket_recvfrom(socket, answers, sizeof(answers));
		} while (octets < 0 && errno == EINTR);
		if (octets < 0)
			return -errno;
		more = 1;
		if ((size_t)octets >= sizeof(*header) && header->nlmsg_seq != request->header->nlmsg_seq)
			continue; /* answers that a request which failed halfway left unread */
		more = take_answers(request, answers, (size_t)octets, mnl_socket_get_portid(socket), callback, context);
	} while (more > 0);
	return more;
}

int order(struct mnl_socket *socket, struct request *request)
{
	request->header->nlmsg_flags |= NLM_F_ACK;
	return exchange(socket, request, NULL, NULL);
}
