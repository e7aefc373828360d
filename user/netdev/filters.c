/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netdev/filters.h"

#include <endian.h>
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/pkt_cls.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "netdev/netlink_request.h"

#define NAME_SIZE 160
#define KIND_SIZE 24

struct filters {
	struct mnl_socket *routes;
	struct mnl_socket *tables; /* socket for netfilter; NULL: the kernel has none */
};

/* The function that is called for each counter. */
struct visitor {
	filters_visit *visit;
	void *context;
};

int filters_open(struct filters **ret)
{
	struct filters *filters = calloc(1, sizeof(*filters));
	int error;

	if (!filters)
		return -ENOMEM;
	error = netlink_socket(NETLINK_ROUTE, &filters->routes);
	if (error) {
		free(filters);
		return error;
	}
	if (netlink_socket(NETLINK_NETFILTER, &filters->tables))
		filters->tables = NULL;
	*ret = filters;
	return 0;
}

void filters_close(struct filters *filters)
{
	if (!filters)
		return;
	mnl_socket_close(filters->routes);
	if (filters->tables)
		mnl_socket_close(filters->tables);
	free(filters);
}

/* --- tc ------------------------------------------------------------------------------------------------------------- */

/* Read TCA_STATS2, or TCA_ACT_STATS. The names of the counters follow `what`. */
static void visit_statistics(const struct visitor *visitor, const struct nlattr *statistics, const char *what)
{
	const struct nlattr *attribute;

	mnl_attr_for_each_nested (attribute, statistics) {
		struct gnet_stats_queue queue;
		size_t octets = mnl_attr_get_payload_len(attribute);

		if (mnl_attr_get_type(attribute) != TCA_STATS_QUEUE)
			continue;
		memset(&queue, 0, sizeof(queue));
		memcpy(&queue, mnl_attr_get_payload(attribute), octets < sizeof(queue) ? octets : sizeof(queue));
		visitor->visit(TEXT_OF(NAME_SIZE, "%s/drops", what), false, queue.drops, visitor->context);
		visitor->visit(TEXT_OF(NAME_SIZE, "%s/overlimits", what), false, queue.overlimits, visitor->context);
		visitor->visit(TEXT_OF(NAME_SIZE, "%s/queue_frames", what), true, queue.qlen, visitor->context);
	}
}

static int read_qdisc(const struct nlmsghdr *header, void *context)
{
	const struct tcmsg *message = mnl_nlmsg_get_payload(header);
	const struct nlattr *attribute, *statistics = NULL;
	char link[IF_NAMESIZE], kind[KIND_SIZE] = "";

	mnl_attr_for_each (attribute, header, sizeof(*message)) {
		if (mnl_attr_get_type(attribute) == TCA_KIND)
			snprintf(kind, sizeof(kind), "%s", attribute_text(attribute));
		else if (mnl_attr_get_type(attribute) == TCA_STATS2)
			statistics = attribute;
	}
	if (!if_indextoname((unsigned int)message->tcm_ifindex, link))
		snprintf(link, sizeof(link), "%d", message->tcm_ifindex);
	if (statistics)
		visit_statistics(context, statistics,
				 TEXT_OF(NAME_SIZE, "tc/%s/%s-%x", link, kind, TC_H_MAJ(message->tcm_handle) >> 16));
	return MNL_CB_OK;
}

/* Read one action of a list. The first number in the parameters of all kinds is an index, but its type differs; the place in
 * the list stands for it. */
static void read_action(const struct visitor *visitor, const struct nlattr *action)
{
	const struct nlattr *attribute, *statistics = NULL;
	char kind[KIND_SIZE] = "";

	mnl_attr_for_each_nested (attribute, action) {
		if (mnl_attr_get_type(attribute) == TCA_ACT_KIND)
			snprintf(kind, sizeof(kind), "%s", attribute_text(attribute));
		else if (mnl_attr_get_type(attribute) == TCA_ACT_STATS)
			statistics = attribute;
	}
	if (statistics)
		visit_statistics(visitor, statistics,
				 TEXT_OF(NAME_SIZE, "tc/action/%s-%u", kind, mnl_attr_get_type(action)));
}

static int read_actions(const struct nlmsghdr *header, void *context)
{
	const struct nlattr *attribute, *action;

	mnl_attr_for_each (attribute, header, sizeof(struct tcamsg))
		if (mnl_attr_get_type(attribute) == TCA_ACT_TAB)
			mnl_attr_for_each_nested (action, attribute)
				read_action(context, action);
	return MNL_CB_OK;
}

static void visit_actions(const struct filters *filters, struct visitor *visitor, const char *kind)
{
	struct request request;
	struct nlattr *table, *action;

	request_start(&request, RTM_GETACTION, NLM_F_DUMP, sizeof(struct tcamsg));
	table = mnl_attr_nest_start(request.header, TCA_ACT_TAB);
	action = mnl_attr_nest_start(request.header, 1);
	mnl_attr_put_strz(request.header, TCA_ACT_KIND, kind);
	mnl_attr_nest_end(request.header, action);
	mnl_attr_nest_end(request.header, table);
	exchange(filters->routes, &request, read_actions, visitor);
}

/* --- nftables ------------------------------------------------------------------------------------------------------- */

/* Read what a rule does, as far as it tells: how many frames it counted, and its verdict. */
struct rule {
	const char *table, *chain, *verdict;
	uint64_t handle, packets;
	bool counts;
};

static void read_counter(const struct nlattr *data, uint64_t *ret_packets)
{
	const struct nlattr *attribute;

	mnl_attr_for_each_nested (attribute, data)
		if (mnl_attr_get_type(attribute) == NFTA_COUNTER_PACKETS)
			*ret_packets = be64toh(attribute_number(attribute));
}

/* Read the code of the verdict in an immediate value. */
static void read_verdict(const struct nlattr *data, struct rule *rule)
{
	const struct nlattr *outer, *value, *code;

	mnl_attr_for_each_nested (outer, data)
		if (mnl_attr_get_type(outer) == NFTA_IMMEDIATE_DATA)
			mnl_attr_for_each_nested (value, outer)
				if (mnl_attr_get_type(value) == NFTA_DATA_VERDICT)
					mnl_attr_for_each_nested (code, value)
						if (mnl_attr_get_type(code) == NFTA_VERDICT_CODE)
							rule->verdict =
								be32toh((uint32_t)attribute_number(code)) == 0 ? "drop" : "";
}

static void read_expression(const struct nlattr *expression, struct rule *rule)
{
	const struct nlattr *attribute, *data = NULL;
	const char *name = "";

	mnl_attr_for_each_nested (attribute, expression) {
		if (mnl_attr_get_type(attribute) == NFTA_EXPR_NAME)
			name = attribute_text(attribute);
		else if (mnl_attr_get_type(attribute) == NFTA_EXPR_DATA)
			data = attribute;
	}
	if (data && strcmp(name, "counter") == 0) {
		rule->counts = true;
		read_counter(data, &rule->packets);
	} else if (data && strcmp(name, "immediate") == 0) {
		read_verdict(data, rule);
	} else if (strcmp(name, "reject") == 0) {
		rule->verdict = "reject";
	}
}

static const char *family_name(uint8_t family)
{
	switch (family) {
	case NFPROTO_INET:
		return "inet";
	case NFPROTO_IPV4:
		return "ip";
	case NFPROTO_IPV6:
		return "ip6";
	case NFPROTO_ARP:
		return "arp";
	case NFPROTO_BRIDGE:
		return "bridge";
	case NFPROTO_NETDEV:
		return "netdev";
	}
	return "other";
}

static int read_rule(const struct nlmsghdr *header, void *context)
{
	const struct nfgenmsg *message = mnl_nlmsg_get_payload(header);
	const struct visitor *visitor = context;
	const struct nlattr *attribute, *expression;
	struct rule rule = { .table = "", .chain = "", .verdict = "" };

	mnl_attr_for_each (attribute, header, sizeof(*message)) {
		switch (mnl_attr_get_type(attribute)) {
		case NFTA_RULE_TABLE:
			rule.table = attribute_text(attribute);
			break;
		case NFTA_RULE_CHAIN:
			rule.chain = attribute_text(attribute);
			break;
		case NFTA_RULE_HANDLE:
			rule.handle = be64toh(attribute_number(attribute));
			break;
		case NFTA_RULE_EXPRESSIONS:
			mnl_attr_for_each_nested (expression, attribute)
				read_expression(expression, &rule);
			break;
		}
	}
	if (rule.counts)
		visitor->visit(TEXT_OF(NAME_SIZE, "nft/%s/%.40s/%.40s/%llu%s%s/packets", family_name(message->nfgen_family),
				       rule.table, rule.chain, (unsigned long long)rule.handle, *rule.verdict ? "-" : "",
				       rule.verdict),
			       false, rule.packets, visitor->context);
	return MNL_CB_OK;
}

static int read_object(const struct nlmsghdr *header, void *context)
{
	const struct nfgenmsg *message = mnl_nlmsg_get_payload(header);
	const struct visitor *visitor = context;
	const struct nlattr *attribute, *data = NULL;
	const char *table = "", *name = "";
	uint32_t type = 0;
	uint64_t packets = 0;

	mnl_attr_for_each (attribute, header, sizeof(*message)) {
		switch (mnl_attr_get_type(attribute)) {
		case NFTA_OBJ_TABLE:
			table = attribute_text(attribute);
			break;
		case NFTA_OBJ_NAME:
			name = attribute_text(attribute);
			break;
		case NFTA_OBJ_TYPE:
			type = be32toh((uint32_t)attribute_number(attribute));
			break;
		case NFTA_OBJ_DATA:
			data = attribute;
			break;
		}
	}
	if (type != NFT_OBJECT_COUNTER || !data)
		return MNL_CB_OK;
	read_counter(data, &packets);
	visitor->visit(
		TEXT_OF(NAME_SIZE, "nft/%s/%.40s/counter/%.40s/packets", family_name(message->nfgen_family), table, name),
		false, packets, visitor->context);
	return MNL_CB_OK;
}

static void visit_tables(const struct filters *filters, struct visitor *visitor, uint16_t type, mnl_cb_t take)
{
	struct request request;
	struct nfgenmsg *message =
		request_start(&request, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type), NLM_F_DUMP, sizeof(*message));

	message->nfgen_family = NFPROTO_UNSPEC;
	message->version = NFNETLINK_V0;
	exchange(filters->tables, &request, take, visitor);
}

void filters_each(struct filters *filters, filters_visit *visit, void *context)
{
	static const char *const actions[] = { "police", "gact", "mirred" };
	struct visitor visitor = { visit, context };
	struct request request;

	if (!filters)
		return;
	request_start(&request, RTM_GETQDISC, NLM_F_DUMP, sizeof(struct tcmsg));
	exchange(filters->routes, &request, read_qdisc, &visitor);
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		visit_actions(filters, &visitor, actions[i]);
	if (!filters->tables)
		return;
	visit_tables(filters, &visitor, NFT_MSG_GETRULE, read_rule);
	visit_tables(filters, &visitor, NFT_MSG_GETOBJ, read_object);
}
