/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rtnetlink answers of links, addresses, routes, nexthops and qdiscs. */
#include "netdev/netlink.c"
#include "netlink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader readers[] = {
		{ visit_link, sizeof(struct ifinfomsg) },   { find_upper, sizeof(struct ifinfomsg) },
		{ find_address, sizeof(struct ifaddrmsg) }, { find_route, sizeof(struct rtmsg) },
		{ find_nexthop, sizeof(struct nhmsg) },     { find_qdisc, sizeof(struct tcmsg) },
	};
	static const struct link_info link = { .ifindex = 1 };
	struct identity_search identity = { .identity = "02:00:00:00:00:01", .kind = "veth" };
	struct tour tour = { find_identity, &identity };
	struct use_search uses = { .link = &link };
	struct queueing_search queueing = { .ifindex = 1 };

	switch (size ? data[0] % 6 : 0) {
	case 0:
		tell(readers, 6, &tour, data, size);
		break;
	case 5:
		tell(readers, 6, &queueing, data, size);
		break;
	default:
		tell(readers, 6, &uses, data, size);
	}
	return 0;
}
