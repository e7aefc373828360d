/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file has what the kernel has no netlink messages for: timestamps, driver, counters, receive side scaling and
 * rules. */
#include "netdev/ethtool_ioctl.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"

static int ask(const struct ethtool *ethtool, int ifindex, void *command)
{
	return ethtool_ioctl(ethtool, ifindex, SIOCETHTOOL, command);
}

int ethtool_timestamps(struct ethtool *ethtool, int ifindex, struct link_timestamps *ret)
{
	struct hwtstamp_config config = { 0 };
	int error = ethtool_ioctl(ethtool, ifindex, SIOCGHWTSTAMP, &config);

	if (!error)
		*ret = (struct link_timestamps){ .tx_type = (unsigned int)config.tx_type,
						 .rx_filter = (unsigned int)config.rx_filter };
	return error;
}

int ethtool_set_timestamps(struct ethtool *ethtool, int ifindex, const struct link_timestamps *timestamps)
{
	struct hwtstamp_config config = { .tx_type = (int)timestamps->tx_type, .rx_filter = (int)timestamps->rx_filter };
	int error = ethtool_ioctl(ethtool, ifindex, SIOCSHWTSTAMP, &config);

	if (error)
		return error;
	return (unsigned int)config.rx_filter == timestamps->rx_filter ? 0 : -EBUSY;
}

int ethtool_driver(struct ethtool *ethtool, int ifindex, struct link_driver *ret)
{
	struct ethtool_drvinfo driver = { .cmd = ETHTOOL_GDRVINFO };
	int error = ask(ethtool, ifindex, &driver);

	if (error)
		return error;
	*ret = (struct link_driver){ 0 };
	snprintf(ret->name, sizeof(ret->name), "%.31s", driver.driver);
	snprintf(ret->version, sizeof(ret->version), "%.31s", driver.version);
	snprintf(ret->firmware, sizeof(ret->firmware), "%.31s", driver.fw_version);
	snprintf(ret->bus, sizeof(ret->bus), "%.31s", driver.bus_info);
	return 0;
}

/* Return how many counters there are now. */
static int count_counters(const struct ethtool *ethtool, int ifindex, uint32_t string_set, uint32_t *ret)
{
	struct {
		struct ethtool_sset_info info;
		uint32_t count;
	} command = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ull << string_set } };
	int error = ask(ethtool, ifindex, &command);

	if (error)
		return error;
	if (!command.info.sset_mask || !command.count)
		return -EOPNOTSUPP;
	*ret = command.count;
	return 0;
}

static uint32_t string_set_of(enum counter_set set)
{
	return set == COUNTERS_PHY ? ETH_SS_PHY_STATS : ETH_SS_STATS;
}

int ethtool_counter_names(struct ethtool *ethtool, int ifindex, enum counter_set set, uint32_t *ret_count,
			  char (**ret_names)[COUNTER_NAME_SIZE])
{
	owned struct ethtool_gstrings *command = NULL;
	char(*names)[COUNTER_NAME_SIZE];
	uint32_t count;
	int error = count_counters(ethtool, ifindex, string_set_of(set), &count);

	if (error)
		return error;
	command = calloc(1, sizeof(*command) + (size_t)count * ETH_GSTRING_LEN);
	if (!command)
		return -ENOMEM;
	*command = (struct ethtool_gstrings){ .cmd = ETHTOOL_GSTRINGS, .string_set = string_set_of(set), .len = count };
	if ((error = ask(ethtool, ifindex, command)))
		return error;
	names = calloc(count, sizeof(*names));
	if (!names)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		memcpy(names[i], command->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
	*ret_count = count;
	*ret_names = names;
	return 0;
}

int ethtool_counters(struct ethtool *ethtool, int ifindex, enum counter_set set, uint32_t count, uint64_t *ret)
{
	owned struct ethtool_stats *command = NULL;
	uint32_t now;
	int error = count_counters(ethtool, ifindex, string_set_of(set), &now);

	if (error || now != count) /* the kernel writes as many as there are */
		return error ?: -EAGAIN;
	command = calloc(1, sizeof(*command) + (size_t)count * sizeof(command->data[0]));
	if (!command)
		return -ENOMEM;
	*command =
		(struct ethtool_stats){ .cmd = set == COUNTERS_PHY ? ETHTOOL_GPHYSTATS : ETHTOOL_GSTATS, .n_stats = count };
	if ((error = ask(ethtool, ifindex, command)))
		return error;
	memcpy(ret, command->data, count * sizeof(*ret));
	return 0;
}

int ethtool_sum(struct ethtool *ethtool, int ifindex, bool (*is_wanted)(const char *name), uint64_t *ret)
{
	owned char(*names)[COUNTER_NAME_SIZE] = NULL;
	owned uint64_t *counters = NULL;
	uint64_t sum = 0;
	uint32_t count;
	int error = ethtool_counter_names(ethtool, ifindex, COUNTERS_DRIVER, &count, &names);

	if (error)
		return error;
	counters = calloc(count, sizeof(*counters));
	if (!counters)
		return -ENOMEM;
	if ((error = ethtool_counters(ethtool, ifindex, COUNTERS_DRIVER, count, counters)))
		return error;
	for (uint32_t i = 0; i < count; i++)
		sum += is_wanted(names[i]) ? counters[i] : 0;
	*ret = sum;
	return 0;
}

int ethtool_rss(struct ethtool *ethtool, int ifindex, struct link_rss *ret)
{
	struct ethtool_rxfh_indir size = { .cmd = ETHTOOL_GRXFHINDIR };
	owned struct ethtool_rxfh_indir *command = NULL;
	int error = ask(ethtool, ifindex, &size);

	if (error)
		return error;
	if (size.size > ETHTOOL_RSS_ENTRIES_MAX)
		return -E2BIG;
	command = calloc(1, sizeof(*command) + size.size * sizeof(uint32_t));
	if (!command)
		return -ENOMEM;
	*command = (struct ethtool_rxfh_indir){ .cmd = ETHTOOL_GRXFHINDIR, .size = size.size };
	error = size.size ? ask(ethtool, ifindex, command) : 0;
	if (!error) {
		ret->count = size.size;
		memcpy(ret->queue, command->ring_index, size.size * sizeof(uint32_t));
	}
	return error;
}

int ethtool_set_rss(struct ethtool *ethtool, int ifindex, const struct link_rss *rss)
{
	owned struct ethtool_rxfh_indir *command = calloc(1, sizeof(*command) + rss->count * sizeof(uint32_t));

	if (!command)
		return -ENOMEM;
	*command = (struct ethtool_rxfh_indir){ .cmd = ETHTOOL_SRXFHINDIR, .size = rss->count };
	memcpy(command->ring_index, rss->queue, rss->count * sizeof(uint32_t));
	return ask(ethtool, ifindex, command);
}

static_assert(LINK_HASH_ADDRESSES == (RXH_IP_SRC | RXH_IP_DST) && LINK_HASH_PORTS == (RXH_L4_B_0_1 | RXH_L4_B_2_3), "");

static uint32_t udp_flow(unsigned int ip_version)
{
	return ip_version == 4 ? UDP_V4_FLOW : UDP_V6_FLOW;
}

int ethtool_udp_hash(struct ethtool *ethtool, int ifindex, unsigned int ip_version, uint64_t *ret_fields)
{
	struct ethtool_rxnfc command = { .cmd = ETHTOOL_GRXFH, .flow_type = udp_flow(ip_version) };
	int error = ask(ethtool, ifindex, &command);

	if (!error)
		*ret_fields = command.data;
	return error;
}

int ethtool_set_udp_hash(struct ethtool *ethtool, int ifindex, unsigned int ip_version, uint64_t fields)
{
	struct ethtool_rxnfc command = { .cmd = ETHTOOL_SRXFH, .flow_type = udp_flow(ip_version), .data = fields };

	return ask(ethtool, ifindex, &command);
}

/* --- rules ---------------------------------------------------------------------------------------------------------- */

/* Drivers differ in how they say that there is no rule. */
static int ask_for_rule(const struct ethtool *ethtool, int ifindex, uint32_t place, struct ethtool_rxnfc *command)
{
	int error;

	*command = (struct ethtool_rxnfc){ .cmd = ETHTOOL_GRXCLSRULE, .fs.location = place };
	error = ask(ethtool, ifindex, command);
	return error == -EINVAL ? -ENOENT : error;
}

/* Where a field is in a flow specification, and how wide it is. */
static void *field_at(union ethtool_flow_union *flow, const struct link_rule *rule, size_t *ret_octets)
{
	struct ethtool_tcpip4_spec *four = &flow->udp_ip4_spec;
	struct ethtool_tcpip6_spec *six = &flow->udp_ip6_spec;
	bool is_four = rule->ip_version == 4;

	*ret_octets = rule->field == RULE_SOURCE_PORT || rule->field == RULE_DESTINATION_PORT ? 2 : 4;
	switch (rule->field) {
	case RULE_SOURCE_ADDRESS:
		return is_four ? &four->ip4src : &six->ip6src[3];
	case RULE_DESTINATION_ADDRESS:
		return is_four ? &four->ip4dst : &six->ip6dst[3];
	case RULE_SOURCE_PORT:
		return is_four ? &four->psrc : &six->psrc;
	case RULE_DESTINATION_PORT:
		break;
	}
	return is_four ? &four->pdst : &six->pdst;
}

static void put_field(union ethtool_flow_union *flow, const struct link_rule *rule, uint32_t value)
{
	size_t octets;
	void *field = field_at(flow, rule, &octets);
	uint32_t wide = htonl(value);
	uint16_t narrow = htons((uint16_t)value);

	memcpy(field, octets == 2 ? (void *)&narrow : (void *)&wide, octets);
}

static uint32_t get_field(union ethtool_flow_union *flow, const struct link_rule *rule)
{
	size_t octets;
	void *field = field_at(flow, rule, &octets);
	uint32_t wide;
	uint16_t narrow;

	memcpy(octets == 2 ? (void *)&narrow : (void *)&wide, field, octets);
	return octets == 2 ? ntohs(narrow) : ntohl(wide);
}

static void fill_rule(const struct link_rule *rule, uint32_t place, struct ethtool_rx_flow_spec *ret)
{
	*ret = (struct ethtool_rx_flow_spec){
		.flow_type = rule->ip_version == 4 ? UDP_V4_FLOW : UDP_V6_FLOW,
		.ring_cookie = rule->queue,
		.location = place,
	};
	put_field(&ret->h_u, rule, rule->value);
	put_field(&ret->m_u, rule, rule->mask);
}

/* Whether a specification matches by this field and nothing else; then *rule has the rest. */
static bool is_by_field(struct ethtool_rx_flow_spec *spec, struct link_rule *rule)
{
	struct ethtool_rx_flow_spec again;

	rule->value = get_field(&spec->h_u, rule);
	rule->mask = get_field(&spec->m_u, rule);
	fill_rule(rule, spec->location, &again);
	return rule->mask && !memcmp(&again.m_u, &spec->m_u, sizeof(again.m_u));
}

int ethtool_rule(struct ethtool *ethtool, int ifindex, uint32_t place, struct link_rule *ret)
{
	struct ethtool_rxnfc command;
	int error = ask_for_rule(ethtool, ifindex, place, &command);
	struct link_rule rule = { .ip_version = command.fs.flow_type == UDP_V4_FLOW ? 4 : 6,
				  .queue = (uint32_t)command.fs.ring_cookie };

	if (error)
		return error;
	if (command.fs.flow_type != UDP_V4_FLOW && command.fs.flow_type != UDP_V6_FLOW)
		return -EPROTO;
	for (int field = RULE_SOURCE_ADDRESS; field <= RULE_DESTINATION_PORT; field++) {
		rule.field = (enum link_rule_field)field;
		if (!is_by_field(&command.fs, &rule))
			continue;
		*ret = rule;
		return 0;
	}
	return -EPROTO;
}

int ethtool_add_rule(struct ethtool *ethtool, int ifindex, uint32_t place, const struct link_rule *rule)
{
	struct ethtool_rxnfc command = { .cmd = ETHTOOL_SRXCLSRLINS };

	fill_rule(rule, place, &command.fs);
	return ask(ethtool, ifindex, &command);
}

int ethtool_remove_rule(struct ethtool *ethtool, int ifindex, uint32_t place)
{
	struct ethtool_rxnfc command = { .cmd = ETHTOOL_SRXCLSRLDEL, .fs.location = place };

	return ask(ethtool, ifindex, &command);
}

/* Get all rules. command->data becomes the size of the table. */
static int list_rules(const struct ethtool *ethtool, int ifindex, struct ethtool_rxnfc **ret)
{
	struct ethtool_rxnfc count = { .cmd = ETHTOOL_GRXCLSRLCNT }, *command;
	int error = ask(ethtool, ifindex, &count);

	if (error)
		return error;
	command = calloc(1, sizeof(*command) + count.rule_cnt * sizeof(uint32_t));
	if (!command)
		return -ENOMEM;
	*command = (struct ethtool_rxnfc){ .cmd = ETHTOOL_GRXCLSRLALL, .rule_cnt = count.rule_cnt };
	error = ask(ethtool, ifindex, command);
	if (command->rule_cnt > count.rule_cnt) /* there was room for so many */
		command->rule_cnt = count.rule_cnt;
	if (error)
		free(command);
	else
		*ret = command;
	return error;
}

static bool is_taken(const struct ethtool_rxnfc *rules, uint32_t place)
{
	for (uint32_t i = 0; i < rules->rule_cnt; i++)
		if (rules->rule_locs[i] == place)
			return true;
	return false;
}

int ethtool_free_places(struct ethtool *ethtool, int ifindex, uint32_t count, uint32_t *ret_places)
{
	owned struct ethtool_rxnfc *rules = NULL;
	int error = list_rules(ethtool, ifindex, &rules);
	uint32_t places, found = 0;

	if (error)
		return error;
	places = (uint32_t)(rules->data & ~(uint64_t)RX_CLS_LOC_SPECIAL);
	if (!places)
		return -EOPNOTSUPP;
	for (uint32_t place = places; place-- > 0 && found < count;)
		if (!is_taken(rules, place))
			ret_places[found++] = place;
	return found < count ? -ENOSPC : 0;
}
