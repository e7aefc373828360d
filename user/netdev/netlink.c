/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netdev/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/nexthop.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/text_stream.h"
#include "netdev/netlink_request.h"

const char *mac_text(const uint8_t mac[MLR_MAC_OCTETS], char buffer[MAC_TEXT_SIZE])
{
	snprintf(buffer, MAC_TEXT_SIZE, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
	return buffer;
}

int netlink_open(struct mnl_socket **ret)
{
	return netlink_socket(NETLINK_ROUTE, ret);
}

void netlink_hold(const struct mnl_socket *netlink, struct keeper_plan *plan)
{
	keeper_plan_keep(plan, mnl_socket_get_fd(netlink));
}

void netlink_close(struct mnl_socket *socket)
{
	if (socket)
		mnl_socket_close(socket);
}

/* --- links ---------------------------------------------------------------------------------------------------------- */

static struct ifinfomsg *start_link(struct request *request, uint16_t type, uint16_t flags)
{
	return request_start(request, type, flags, sizeof(struct ifinfomsg));
}

static void read_link(const struct nlmsghdr *header, struct link_info *ret)
{
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(header);
	const struct nlattr *attribute;

	bool lower_elsewhere = false;

	*ret = (struct link_info){
		.ifindex = info->ifi_index,
		.up = info->ifi_flags & IFF_UP,
		.is_ethernet = info->ifi_type == ARPHRD_ETHER,
	};
	mnl_attr_for_each (attribute, header, sizeof(*info)) {
		switch (mnl_attr_get_type(attribute)) {
		case IFLA_IFNAME:
			snprintf(ret->name, sizeof(ret->name), "%s", attribute_text(attribute));
			break;
		case IFLA_ADDRESS:
			if (mnl_attr_get_payload_len(attribute) == MLR_MAC_OCTETS)
				memcpy(ret->mac, mnl_attr_get_payload(attribute), MLR_MAC_OCTETS);
			break;
		case IFLA_PERM_ADDRESS:
			if (mnl_attr_get_payload_len(attribute) == MLR_MAC_OCTETS)
				memcpy(ret->permanent_mac, mnl_attr_get_payload(attribute), MLR_MAC_OCTETS);
			break;
		case IFLA_MTU:
			ret->mtu_octets = (unsigned int)attribute_number(attribute);
			break;
		case IFLA_MAX_MTU:
			ret->max_mtu_octets = (unsigned int)attribute_number(attribute);
			break;
		case IFLA_CARRIER:
			ret->carrier = attribute_number(attribute);
			break;
		case IFLA_CARRIER_CHANGES:
			ret->carrier_changes = (uint32_t)attribute_number(attribute);
			break;
		case IFLA_MASTER:
			ret->master_ifindex = (int)attribute_number(attribute);
			break;
		case IFLA_LINK:
			ret->lower_ifindex = (int)attribute_number(attribute);
			break;
		case IFLA_LINK_NETNSID:
			lower_elsewhere = true;
			break;
		case IFLA_STATS64:
			/* older kernels send fewer fields, newer ones more */
			memcpy(&ret->stats, mnl_attr_get_payload(attribute),
			       mnl_attr_get_payload_len(attribute) < sizeof(ret->stats) ? mnl_attr_get_payload_len(attribute)
											: sizeof(ret->stats));
			break;
		case IFLA_LINKINFO:
			snprintf(ret->kind, sizeof(ret->kind), "%s",
				 attribute_text(attribute_in(attribute, IFLA_INFO_KIND)));
			break;
		case IFLA_XDP:
			ret->xdp_programs =
				attribute_number(attribute_in(attribute, IFLA_XDP_ATTACHED)) != XDP_ATTACHED_NONE;
			break;
		}
	}
	if (lower_elsewhere)
		ret->lower_ifindex = 0;
}

static int read_link_callback(const struct nlmsghdr *header, void *context)
{
	read_link(header, context);
	return MNL_CB_OK;
}

static int ask_for_link(struct mnl_socket *socket, struct request *request, struct link_info *ret)
{
	struct link_info found = { 0 };
	int error = exchange(socket, request, read_link_callback, &found);

	if (!error)
		*ret = found;
	return error;
}

int netlink_link_by_index(struct mnl_socket *socket, int ifindex, struct link_info *ret)
{
	struct request request;

	start_link(&request, RTM_GETLINK, NLM_F_ACK)->ifi_index = ifindex;
	return ask_for_link(socket, &request, ret);
}

int netlink_link(struct mnl_socket *socket, const char *name, struct link_info *ret)
{
	struct request request;

	if (!*name || strlen(name) >= IF_NAMESIZE)
		return -ENODEV;
	start_link(&request, RTM_GETLINK, NLM_F_ACK);
	mnl_attr_put_strz(request.header, IFLA_IFNAME, name);
	return ask_for_link(socket, &request, ret);
}

/* A visit of all links. */
struct tour {
	void (*visit)(const struct link_info *link, void *context);
	void *context;
};

static int visit_link(const struct nlmsghdr *header, void *context)
{
	const struct tour *tour = context;
	struct link_info link;

	read_link(header, &link);
	tour->visit(&link, tour->context);
	return MNL_CB_OK;
}

int netlink_each_link(struct mnl_socket *socket, void (*visit)(const struct link_info *link, void *context), void *context)
{
	struct tour tour = { visit, context };
	struct request request;

	start_link(&request, RTM_GETLINK, NLM_F_DUMP);
	return exchange(socket, &request, visit_link, &tour);
}

const char *link_identity(const struct link_info *link, char buffer[MAC_TEXT_SIZE])
{
	static const uint8_t none[MLR_MAC_OCTETS];

	return mac_text(memcmp(link->permanent_mac, none, sizeof(none)) ? link->permanent_mac : link->mac, buffer);
}

/* A search by identity and kind. */
struct identity_search {
	const char *identity, *kind;
	int ifindex;
	struct link_info found;
	unsigned int count;
};

static void find_identity(const struct link_info *link, void *context)
{
	struct identity_search *search = context;

	if (strcmp(link_identity(link, ROOM(MAC_TEXT_SIZE)), search->identity) || strcmp(link->kind, search->kind))
		return;
	if (!search->count++ || link->ifindex == search->ifindex)
		search->found = *link;
}

int netlink_link_by_identity(struct mnl_socket *socket, const char *identity, const char *kind, int ifindex,
			     struct link_info *ret)
{
	struct identity_search search = { .identity = identity, .kind = kind, .ifindex = ifindex };
	int error = netlink_each_link(socket, find_identity, &search);

	if (error)
		return error;
	if (!search.count || (search.count > 1 && search.found.ifindex != ifindex))
		return -ENODEV;
	*ret = search.found;
	return 0;
}

/* --- queues --------------------------------------------------------------------------------------------------------- */

struct queueing_search {
	int ifindex;
	struct link_queueing found;
};

static bool is_offloaded(const struct nlattr *options)
{
	const struct nlattr *parameters = attribute_in(options, TCA_ETF_PARMS);

	return parameters && mnl_attr_get_payload_len(parameters) >= sizeof(struct tc_etf_qopt) &&
	       ((const struct tc_etf_qopt *)mnl_attr_get_payload(parameters))->flags & TC_ETF_OFFLOAD_ON;
}

/* The qdisc of queue q has the parent X:q+1. A qdisc that is the root itself is that of queue 0. */
static unsigned int number_of_queue(const struct tcmsg *message)
{
	return message->tcm_parent == TC_H_ROOT ? 0 : TC_H_MIN(message->tcm_parent) - 1;
}

void netlink_read_qdisc(const struct nlmsghdr *header, int ifindex, struct link_queueing *queueing)
{
	const struct tcmsg *message = mnl_nlmsg_get_payload(header);
	const char *kind = attribute_text(attribute_of(header, sizeof(*message), TCA_KIND));
	bool offloaded = strcmp(kind, "etf") == 0 && is_offloaded(attribute_of(header, sizeof(*message), TCA_OPTIONS));

	if (message->tcm_ifindex != ifindex)
		return;
	if (message->tcm_parent == TC_H_ROOT) {
		snprintf(queueing->root_kind, sizeof(queueing->root_kind), "%s", kind);
		queueing->root_handle = message->tcm_handle;
	}
	if (offloaded && number_of_queue(message) < 64)
		queueing->launch_queues |= 1ull << number_of_queue(message);
}

static int find_qdisc(const struct nlmsghdr *header, void *context)
{
	struct queueing_search *search = context;

	netlink_read_qdisc(header, search->ifindex, &search->found);
	return MNL_CB_OK;
}

int netlink_queueing(struct mnl_socket *socket, int ifindex, struct link_queueing *ret)
{
	struct queueing_search search = { .ifindex = ifindex };
	struct request request;
	struct tcmsg *message = request_start(&request, RTM_GETQDISC, NLM_F_DUMP, sizeof(*message));
	int error;

	message->tcm_ifindex = ifindex;
	error = exchange(socket, &request, find_qdisc, &search);
	if (!error)
		*ret = search.found;
	return error;
}

/* --- who else uses a link ------------------------------------------------------------------------------------------- */

#define UPPERS_MOST 64 /* links directly on top of one that are looked at */
#define LEVELS_MOST 8  /* as many as the kernel lets links be stacked */

struct use_search {
	const struct link_info *link;
	struct link_uses uses;
	int uppers[UPPERS_MOST]; /* their numbers */
	size_t upper_count;
};

static size_t address_octets(unsigned char family)
{
	return family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
}

/* The IPv6 link-local address that the kernel gives every link by itself. */
static bool is_automatic_address(const struct nlmsghdr *header, const struct ifaddrmsg *message)
{
	return attribute_number(attribute_of(header, sizeof(*message), IFA_PROTO)) == IFAPROT_KERNEL_LL;
}

static int find_address(const struct nlmsghdr *header, void *context)
{
	const struct ifaddrmsg *message = mnl_nlmsg_get_payload(header);
	const struct nlattr *address = attribute_of(header, sizeof(*message), IFA_ADDRESS);
	struct use_search *search = context;
	char text[INET6_ADDRSTRLEN];

	if ((int)message->ifa_index != search->link->ifindex || is_automatic_address(header, message))
		return MNL_CB_OK;
	search->uses.is_of_ipv6 |= message->ifa_family == AF_INET6;
	if (address && mnl_attr_get_payload_len(address) >= address_octets(message->ifa_family) &&
	    inet_ntop(message->ifa_family, mnl_attr_get_payload(address), text, sizeof(text)))
		snprintf(search->uses.address, sizeof(search->uses.address), "%s/%u", text, message->ifa_prefixlen);
	return MNL_CB_OK;
}

/* Routes that the kernel keeps for itself (link-local, multicast, local and broadcast tables) do not show that a port is in
 * use. */
static bool is_automatic_route(const struct rtmsg *message, const void *destination)
{
	if (message->rtm_type != RTN_UNICAST)
		return true;
	return message->rtm_family == AF_INET6 && destination && message->rtm_dst_len &&
	       (IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)destination) ||
		IN6_IS_ADDR_MULTICAST((const struct in6_addr *)destination));
}

/* Whether one of several ways of a route leads through the link. */
static bool has_hop(const struct nlattr *hops, int ifindex)
{
	const char *at = mnl_attr_get_payload(hops);
	size_t left = mnl_attr_get_payload_len(hops);

	while (left >= sizeof(struct rtnexthop)) {
		struct rtnexthop hop;
		size_t length;

		memcpy(&hop, at, sizeof(hop));
		if (hop.rtnh_ifindex == ifindex)
			return true;
		length = RTNH_ALIGN(hop.rtnh_len);
		if (hop.rtnh_len < sizeof(hop) || length > left)
			return false;
		at += length;
		left -= length;
	}
	return false;
}

static int find_route(const struct nlmsghdr *header, void *context)
{
	const struct rtmsg *message = mnl_nlmsg_get_payload(header);
	struct use_search *search = context;
	const struct nlattr *hops = attribute_of(header, sizeof(*message), RTA_MULTIPATH);
	const struct nlattr *to = attribute_of(header, sizeof(*message), RTA_DST);
	const void *destination = NULL;
	char text[INET6_ADDRSTRLEN] = "default";
	bool through = (int)attribute_number(attribute_of(header, sizeof(*message), RTA_OIF)) == search->link->ifindex ||
		       (hops && has_hop(hops, search->link->ifindex));

	if (to && mnl_attr_get_payload_len(to) >= address_octets(message->rtm_family))
		destination = mnl_attr_get_payload(to);
	if (!through || is_automatic_route(message, destination))
		return MNL_CB_OK;
	search->uses.has_default_route |= message->rtm_dst_len == 0;
	search->uses.is_of_ipv6 |= message->rtm_family == AF_INET6;
	if (destination)
		inet_ntop(message->rtm_family, destination, text, sizeof(text));
	snprintf(search->uses.route, sizeof(search->uses.route), "%s/%u", text, message->rtm_dst_len);
	return MNL_CB_OK;
}

/* Note a nexthop object. Routes that name it, alone or in a group, lead through the link, and need not say so themselves. */
static int find_nexthop(const struct nlmsghdr *header, void *context)
{
	const struct nhmsg *message = mnl_nlmsg_get_payload(header);
	struct use_search *search = context;

	if ((int)attribute_number(attribute_of(header, sizeof(*message), NHA_OIF)) != search->link->ifindex)
		return MNL_CB_OK;
	search->uses.is_of_ipv6 |= message->nh_family == AF_INET6;
	snprintf(search->uses.nexthop, sizeof(search->uses.nexthop), "%u",
		 (uint32_t)attribute_number(attribute_of(header, sizeof(*message), NHA_ID)));
	return MNL_CB_OK;
}

/* Kinds of links that sit on the link that IFLA_LINK names (a veth's IFLA_LINK is its peer: that is no use). */
static bool is_stacked_kind(const char *kind)
{
	return is_one_of(kind, "vlan macvlan macvtap ipvlan ipvtap macsec ipoib vxlan");
}

static int find_upper(const struct nlmsghdr *header, void *context)
{
	struct use_search *search = context;
	struct link_info other;

	read_link(header, &other);
	if (other.ifindex != search->link->master_ifindex &&
	    (other.lower_ifindex != search->link->ifindex || !is_stacked_kind(other.kind)))
		return MNL_CB_OK;
	snprintf(search->uses.upper, sizeof(search->uses.upper), "%s", other.name);
	if (search->upper_count < UPPERS_MOST)
		search->uppers[search->upper_count++] = other.ifindex;
	return MNL_CB_OK;
}

static int find_uses(struct mnl_socket *socket, const struct link_info *link, unsigned int level, struct link_uses *ret);

/* Whether one of the links on top carries the default route. 0 or -errno; a link that has gone meanwhile carries none. */
static int look_above(struct mnl_socket *socket, struct use_search *search, unsigned int level)
{
	for (size_t i = 0; level < LEVELS_MOST && i < search->upper_count && !search->uses.has_default_route; i++) {
		struct link_info upper;
		struct link_uses uses = { .has_default_route = false };
		int error = netlink_link_by_index(socket, search->uppers[i], &upper);

		if (!error)
			error = find_uses(socket, &upper, level + 1, &uses);
		if (error && error != -ENODEV)
			return error;
		search->uses.has_default_route = uses.has_default_route;
	}
	return 0;
}

static int find_uses(struct mnl_socket *socket, const struct link_info *link, unsigned int level, struct link_uses *ret)
{
	static const struct {
		uint16_t type;
		size_t family_octets;
		mnl_cb_t find;
	} dumps[] = {
		{ RTM_GETADDR, sizeof(struct ifaddrmsg), find_address },
		{ RTM_GETROUTE, sizeof(struct rtmsg), find_route },
		{ RTM_GETNEXTHOP, sizeof(struct nhmsg), find_nexthop },
		{ RTM_GETLINK, sizeof(struct ifinfomsg), find_upper },
	};
	struct use_search search = { .link = link };
	int error;

	for (size_t i = 0; i < COUNT(dumps); i++) {
		struct request request;

		request_start(&request, dumps[i].type, NLM_F_DUMP, dumps[i].family_octets);
		error = exchange(socket, &request, dumps[i].find, &search);
		if (error == -EOPNOTSUPP && dumps[i].type == RTM_GETNEXTHOP)
			error = 0; /* before Linux 5.3 there are none */
		if (error)
			return error;
	}
	error = look_above(socket, &search, level);
	if (!error)
		*ret = search.uses;
	return error;
}

int netlink_uses(struct mnl_socket *socket, const struct link_info *link, struct link_uses *ret)
{
	return find_uses(socket, link, 0, ret);
}

/* --- building a lab ------------------------------------------------------------------------------------------------- */

static void start_new_link(struct request *request, const char *name)
{
	start_link(request, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	mnl_attr_put_strz(request->header, IFLA_IFNAME, name);
}

static void put_queues(struct request *request, uint32_t queues)
{
	mnl_attr_put_u32(request->header, IFLA_NUM_TX_QUEUES, queues);
	mnl_attr_put_u32(request->header, IFLA_NUM_RX_QUEUES, queues);
}

int netlink_add_veth(struct mnl_socket *socket, const char *name, const char *peer_name, int peer_namespace_fd,
		     uint32_t queues)
{
	struct nlattr *linkinfo, *data, *peer;
	struct request request;

	start_new_link(&request, name);
	put_queues(&request, queues);
	linkinfo = mnl_attr_nest_start(request.header, IFLA_LINKINFO);
	mnl_attr_put_strz(request.header, IFLA_INFO_KIND, "veth");
	data = mnl_attr_nest_start(request.header, IFLA_INFO_DATA);
	peer = mnl_attr_nest_start(request.header, VETH_INFO_PEER);
	mnl_nlmsg_put_extra_header(request.header, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(request.header, IFLA_IFNAME, peer_name);
	put_queues(&request, queues);
	if (peer_namespace_fd >= 0)
		mnl_attr_put_u32(request.header, IFLA_NET_NS_FD, (uint32_t)peer_namespace_fd);
	mnl_attr_nest_end(request.header, peer);
	mnl_attr_nest_end(request.header, data);
	mnl_attr_nest_end(request.header, linkinfo);
	return order(socket, &request);
}

int netlink_add_bridge(struct mnl_socket *socket, const char *name)
{
	struct nlattr *linkinfo;
	struct request request;

	start_new_link(&request, name);
	linkinfo = mnl_attr_nest_start(request.header, IFLA_LINKINFO);
	mnl_attr_put_strz(request.header, IFLA_INFO_KIND, "bridge");
	mnl_attr_nest_end(request.header, linkinfo);
	return order(socket, &request);
}

int netlink_delete(struct mnl_socket *socket, const char *name)
{
	struct request request;

	start_link(&request, RTM_DELLINK, 0);
	mnl_attr_put_strz(request.header, IFLA_IFNAME, name);
	return order(socket, &request);
}

int netlink_set_up(struct mnl_socket *socket, int ifindex)
{
	struct request request;
	struct ifinfomsg *info = start_link(&request, RTM_NEWLINK, 0);

	info->ifi_index = ifindex;
	info->ifi_flags = IFF_UP;
	info->ifi_change = IFF_UP;
	return order(socket, &request);
}

static int set_number(struct mnl_socket *socket, int ifindex, uint16_t attribute, uint32_t value)
{
	struct request request;

	start_link(&request, RTM_NEWLINK, 0)->ifi_index = ifindex;
	mnl_attr_put_u32(request.header, attribute, value);
	return order(socket, &request);
}

int netlink_set_mtu(struct mnl_socket *socket, int ifindex, unsigned int mtu_octets)
{
	return set_number(socket, ifindex, IFLA_MTU, mtu_octets);
}

int netlink_set_master(struct mnl_socket *socket, int ifindex, int master_ifindex)
{
	return set_number(socket, ifindex, IFLA_MASTER, (uint32_t)master_ifindex);
}

int netlink_add_address(struct mnl_socket *socket, int ifindex, struct in_addr address, unsigned int prefix_length)
{
	struct request request;
	struct ifaddrmsg *message = request_start(&request, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, sizeof(*message));

	message->ifa_family = AF_INET;
	message->ifa_prefixlen = (uint8_t)prefix_length;
	message->ifa_index = (uint32_t)ifindex;
	mnl_attr_put_u32(request.header, IFA_LOCAL, address.s_addr);
	mnl_attr_put_u32(request.header, IFA_ADDRESS, address.s_addr);
	return order(socket, &request);
}
