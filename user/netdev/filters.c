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

#define NAME_SIZE   160
#define KIND_LENGTH "23" /* octets of a kind that are shown */

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

/* Read TCA_STATS2, or TCA_ACT_STATS, if there is one. The names of the counters follow `what`. */
static void visit_statistics(const struct visitor *visitor, const struct nlattr *statistics, const char *what)
{
	const struct nlattr *attribute = attribute_in(statistics, TCA_STATS_QUEUE);
	size_t octets = attribute ? mnl_attr_get_payload_len(attribute) : 0;
	struct gnet_stats_queue queue = { 0 };

	if (!attribute)
		return;
	memcpy(&queue, mnl_attr_get_payload(attribute), octets < sizeof(queue) ? octets : sizeof(queue));
	visitor->visit(TEXT_OF(NAME_SIZE, "%s/drops", what), false, queue.drops, visitor->context);
	visitor->visit(TEXT_OF(NAME_SIZE, "%s/overlimits", what), false, queue.overlimits, visitor->context);
	visitor->visit(TEXT_OF(NAME_SIZE, "%s/queue_frames", what), true, queue.qlen, visitor->context);
}

static int read_qdisc(const struct nlmsghdr *header, void *context)
{
	const struct tcmsg *message = mnl_nlmsg_get_payload(header);
	const char *kind = attribute_text(attribute_of(header, sizeof(*message), TCA_KIND));
	char link[IF_NAMESIZE];

	if (!if_indextoname((unsigned int)message->tcm_ifindex, link))
		snprintf(link, sizeof(link), "%d", message->tcm_ifindex);
	visit_statistics(context, attribute_of(header, sizeof(*message), TCA_STATS2),
			 TEXT_OF(NAME_SIZE, "tc/%s/%." KIND_LENGTH "s-%x", link, kind, TC_H_MAJ(message->tcm_handle) >> 16));
	return MNL_CB_OK;
}

/* Read one action of a list. The first number in the parameters of all kinds is an index, but its type differs; the place in
 * the list stands for it. */
static void read_action(const struct visitor *visitor, const struct nlattr *action)
{
	visit_statistics(visitor, attribute_in(action, TCA_ACT_STATS),
			 TEXT_OF(NAME_SIZE, "tc/action/%." KIND_LENGTH "s-%u",
				 attribute_text(attribute_in(action, TCA_ACT_KIND)), mnl_attr_get_type(action)));
}

static int read_actions(const struct nlmsghdr *header, void *context)
{
	const struct nlattr *table = attribute_of(header, sizeof(struct tcamsg), TCA_ACT_TAB), *action;

	if (table)
		mnl_attr_for_each_nested (action, table)
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

static uint64_t packets_of(const struct nlattr *counter)
{
	return be64toh(attribute_number(attribute_in(counter, NFTA_COUNTER_PACKETS)));
}

/* Read the code of the verdict in an immediate value. */
static void read_verdict(const struct nlattr *data, struct rule *rule)
{
	const struct nlattr *value = attribute_in(attribute_in(data, NFTA_IMMEDIATE_DATA), NFTA_DATA_VERDICT),
			    *code = attribute_in(value, NFTA_VERDICT_CODE);

	if (code)
		rule->verdict = be32toh((uint32_t)attribute_number(code)) == 0 ? "drop" : "";
}

static void read_expression(const struct nlattr *expression, struct rule *rule)
{
	const struct nlattr *data = attribute_in(expression, NFTA_EXPR_DATA);
	const char *name = attribute_text(attribute_in(expression, NFTA_EXPR_NAME));

	if (data && strcmp(name, "counter") == 0) {
		rule->counts = true;
		rule->packets = packets_of(data);
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
	const struct nlattr *expressions = attribute_of(header, sizeof(*message), NFTA_RULE_EXPRESSIONS), *expression;
	struct rule rule = {
		.table = attribute_text(attribute_of(header, sizeof(*message), NFTA_RULE_TABLE)),
		.chain = attribute_text(attribute_of(header, sizeof(*message), NFTA_RULE_CHAIN)),
		.handle = be64toh(attribute_number(attribute_of(header, sizeof(*message), NFTA_RULE_HANDLE))),
		.verdict = "",
	};

	if (expressions)
		mnl_attr_for_each_nested (expression, expressions)
			read_expression(expression, &rule);
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
	const struct nlattr *data = attribute_of(header, sizeof(*message), NFTA_OBJ_DATA);

	if (!data ||
	    be32toh((uint32_t)attribute_number(attribute_of(header, sizeof(*message), NFTA_OBJ_TYPE))) != NFT_OBJECT_COUNTER)
		return MNL_CB_OK;
	visitor->visit(TEXT_OF(NAME_SIZE, "nft/%s/%.40s/counter/%.40s/packets", family_name(message->nfgen_family),
			       attribute_text(attribute_of(header, sizeof(*message), NFTA_OBJ_TABLE)),
			       attribute_text(attribute_of(header, sizeof(*message), NFTA_OBJ_NAME))),
		       false, packets_of(data), visitor->context);
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
