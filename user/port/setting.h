/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A setting of a port is read and written as a text. So it can be journalled, compared and restored whatever its kind is.
 *
 *	sysctl:net/ipv6/conf/%s/disable_ipv6	a file under /proc/sys; %s stands for the port's name of the moment
 *	feature:rx-gro				an offload: "on" or "off", as it is wanted (XDP may force it meanwhile)
 *	channels				"rx 2 tx 2 combined 0"
 *	pause					"autoneg on rx on tx on"
 *	coalesce				"adaptive-rx 1 rx-usecs 3": those values that the driver has
 *	rings					"rx 512 tx 512"
 *	eee					"on" or "off"
 *	flag:disable-fw-lldp			a private flag of the driver: "on" or "off"
 *	mtu					octets
 *	rss					the queue of each entry of the receive hash's table: "0 1 0 1"
 *	hash:udp4				the fields that the receive hash tells flows apart by, in the letters of
 *						ethtool -N: "sdfn"; "none"
 *	rule:1023				the rule at this place of the receive filter's table: "udp4 source-port
 *						0x400/0xffff queue 1"; "none"; "other", which cannot be written
 *	timestamps				"tx 0 rx 1": which frames the NIC stamps, in numbers of <linux/net_tstamp.h>
 *	irq:38					the CPUs of an interrupt: "0-3,8"
 *
 * Settings belong to the network namespace of the thread that opened them. Functions return 0 or -errno: -ENODEV if the port
 * is gone, -EOPNOTSUPP or -ENOENT if it has no such setting.
 */
#pragma once

#include "netdev/ethtool.h"
#include "netdev/netlink.h"

/* A private flag that some drivers have, and the value it should have. Otherwise frames cost more under XDP, or do not pass
 * as they should. */
struct setting_flag {
	const char *name;
	bool good;
	const char *harm; /* otherwise */
};
#define SETTING_FLAGS 2
extern const struct setting_flag setting_flags[SETTING_FLAGS];

struct settings {
	struct mnl_socket *netlink;
	struct ethtool *ethtool;
};

int settings_open(struct settings *ret);
void settings_close(struct settings *settings);

/* The value of a "rule:" setting; the caller frees it. */
int setting_rule_text(const struct link_rule *rule, char **ret_value);

/* The value of "channels", "pause", "coalesce" or "rings"; the caller frees the text. -EOPNOTSUPP if no number is in it. */
#define NUMBERS_TEXT_SIZE 160
int setting_numbers_text(enum link_setting setting, const struct link_numbers *numbers, char **ret_value);
int setting_parse_numbers(enum link_setting setting, const char *value, struct link_numbers *ret);

/* Write and read the value of "rss". The caller frees the text; NULL without memory. */
char *setting_rss_text(const struct link_rss *rss);
int setting_parse_rss(const char *value, struct link_rss *ret);

/* Read a setting. The caller frees *ret_value. */
int setting_read(const struct settings *settings, int ifindex, const char *setting, char **ret_value);
/* Write a setting. It fails with -EBUSY if the driver took the value and did not follow. */
int setting_write(const struct settings *settings, int ifindex, const char *setting, const char *value);
