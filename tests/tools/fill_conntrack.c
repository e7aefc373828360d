/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fill the connection tracking of this network namespace, so that so many entries are left of the machine's limit: with assured
 * connections of UDP, which the kernel does not drop for new ones. They are gone with the namespace.
 *
 *	fill_conntrack LEFT
 */
#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH     256
#define TIMEOUT_S 600

static long read_limit(void)
{
	FILE *file = fopen("/proc/sys/net/netfilter/nf_conntrack_max", "r");
	long limit = -1;

	if (file && fscanf(file, "%ld", &limit) != 1)
		limit = -1;
	if (file)
		fclose(file);
	return limit;
}

/* 10.N.N.N to 10.0.0.1, or back. */
static void put_tuple(struct nlmsghdr *header, uint16_t type, uint32_t from, uint32_t to)
{
	struct nlattr *tuple = mnl_attr_nest_start(header, type), *part = mnl_attr_nest_start(header, CTA_TUPLE_IP);

	mnl_attr_put_u32(header, CTA_IP_V4_SRC, htonl(from));
	mnl_attr_put_u32(header, CTA_IP_V4_DST, htonl(to));
	mnl_attr_nest_end(header, part);
	part = mnl_attr_nest_start(header, CTA_TUPLE_PROTO);
	mnl_attr_put_u8(header, CTA_PROTO_NUM, IPPROTO_UDP);
	mnl_attr_put_u16(header, CTA_PROTO_SRC_PORT, htons(9));
	mnl_attr_put_u16(header, CTA_PROTO_DST_PORT, htons(9));
	mnl_attr_nest_end(header, part);
	mnl_attr_nest_end(header, tuple);
}

static size_t put_entry(char *buffer, uint32_t number)
{
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct nfgenmsg *message;

	header->nlmsg_type = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_NEW;
	header->nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE;
	message = mnl_nlmsg_put_extra_header(header, sizeof(*message));
	message->nfgen_family = AF_INET;
	put_tuple(header, CTA_TUPLE_ORIG, 0x0b000000 + number, 0x0a000001);
	put_tuple(header, CTA_TUPLE_REPLY, 0x0a000001, 0x0b000000 + number);
	mnl_attr_put_u32(header, CTA_STATUS, htonl(IPS_CONFIRMED | IPS_ASSURED | IPS_SEEN_REPLY));
	mnl_attr_put_u32(header, CTA_TIMEOUT, htonl(TIMEOUT_S));
	return header->nlmsg_len;
}

int main(int argc, char **argv)
{
	struct mnl_socket *socket = mnl_socket_open(NETLINK_NETFILTER);
	long limit = read_limit(), count = argc == 2 ? limit - atol(argv[1]) : -1;
	char buffer[BATCH * 256];

	if (!socket || limit < 0 || count < 0 || mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID)) {
		fprintf(stderr, "fill_conntrack LEFT: %s\n", socket && limit >= 0 ? "how many?" : strerror(errno));
		return 2;
	}
	for (long done = 0; done < count;) {
		size_t octets = 0;

		for (int i = 0; i < BATCH && done < count; i++)
			octets += put_entry(buffer + octets, (uint32_t)done++);
		if (mnl_socket_sendto(socket, buffer, octets) < 0) {
			perror("fill_conntrack");
			return 1;
		}
	}
	mnl_socket_close(socket);
	return 0;
}
