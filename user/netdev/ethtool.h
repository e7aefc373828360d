/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A handle reads and changes what `ethtool` knows of a link: offloads, channels, rings, pause frames, clock, receive hash,
 * driver. The caller owns the handle. It is opened in a network namespace, belongs to that one, and is closed at the end.
 *
 * It uses generic netlink: the family "ethtool", and "netdev" for what a driver can do with XDP. The table of the receive
 * hash and the driver's name use the older ioctl, because only recent kernels have them in netlink. Functions return 0 or
 * -errno. -ENODEV means that the link does not exist, and -EOPNOTSUPP that driver or kernel does not have the function.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/keeper.h"

struct ethtool;

int ethtool_open(struct ethtool **ret);
/* Call it before keeper_split(): the keeper uses the handle from then on. */
void ethtool_hold(const struct ethtool *ethtool, struct keeper_plan *plan);
void ethtool_close(struct ethtool *ethtool);

/* One offload, by the kernel's name for it ("rx-gro", "rx-lro", "rx-vlan-hw-parse"). */
struct link_feature {
	bool active; /* The feature is in force now. */
	bool wanted; /* The user asked for it, or it is the driver's default; it may take effect later. */
	bool fixed;  /* It cannot be changed. */
};
int ethtool_feature(struct ethtool *ethtool, int ifindex, const char *name, struct link_feature *ret);
/* Whether it is in force, as far as that is known. */
bool ethtool_is_active(struct ethtool *ethtool, int ifindex, const char *name);
/* Returns -EOPNOTSUPP if it is fixed, -EBUSY if the driver did not follow. */
int ethtool_set_feature(struct ethtool *ethtool, int ifindex, const char *name, bool on);

/* Settings of a link that are a few numbers each, by these indices. */
enum link_setting {
	LINK_CHANNELS,   /* queues */
	LINK_RINGS,      /* descriptors of each queue */
	LINK_COALESCING, /* how long interrupts are put off, and for how many frames */
	LINK_PAUSE,      /* Ethernet flow control */
	LINK_EEE,        /* energy-efficient Ethernet: a link that sleeps between frames */
	LINK_SETTINGS
};
enum { CHANNELS_RX, CHANNELS_TX, CHANNELS_COMBINED };
enum { RINGS_RX, RINGS_TX };
enum {
	COALESCE_ADAPTIVE_RX, /* 1: the driver chooses */
	COALESCE_ADAPTIVE_TX,
	COALESCE_RX_USECS,
	COALESCE_RX_FRAMES,
	COALESCE_TX_USECS,
	COALESCE_TX_FRAMES,
};
enum { PAUSE_AUTONEGOTIATED, PAUSE_RX, PAUSE_TX };
enum { EEE_ON };
#define LINK_NUMBERS 6 /* the most numbers of a setting */
struct link_numbers {
	bool has[LINK_NUMBERS];                           /* Drivers have some of the numbers only. */
	uint32_t value[LINK_NUMBERS], most[LINK_NUMBERS]; /* most 0: there is none, or no limit is told */
};
int ethtool_numbers(struct ethtool *ethtool, int ifindex, enum link_setting setting, struct link_numbers *ret);
/* Set the values that `has` says, as far as the driver has them. */
int ethtool_set_numbers(struct ethtool *ethtool, int ifindex, enum link_setting setting, const struct link_numbers *numbers);

/* A private flag of the driver, by its name. -EOPNOTSUPP if it has no such flag. */
int ethtool_flag(struct ethtool *ethtool, int ifindex, const char *name, bool *ret_on);
int ethtool_set_flag(struct ethtool *ethtool, int ifindex, const char *name, bool on);

/* The table by which the receive hash chooses a queue. */
#define ETHTOOL_RSS_ENTRIES_MAX 4096
struct link_rss {
	uint32_t count; /* 0: no table */
	uint32_t queue[ETHTOOL_RSS_ENTRIES_MAX];
};
int ethtool_rss(struct ethtool *ethtool, int ifindex, struct link_rss *ret);
/* A count of 0 sets the driver's default. */
int ethtool_set_rss(struct ethtool *ethtool, int ifindex, const struct link_rss *rss);

/* The fields of UDP frames by which the receive hash tells flows apart: RXH_* of <linux/ethtool.h>. */
#define LINK_HASH_ADDRESSES ((uint64_t)0x30) /* RXH_IP_SRC, RXH_IP_DST */
#define LINK_HASH_PORTS     ((uint64_t)0xc0) /* RXH_L4_B_0_1, RXH_L4_B_2_3 */
int ethtool_udp_hash(struct ethtool *ethtool, int ifindex, unsigned int ip_version, uint64_t *ret_fields);
int ethtool_set_udp_hash(struct ethtool *ethtool, int ifindex, unsigned int ip_version, uint64_t fields);

/* A rule that sends received UDP frames to a queue by one of their fields ("ntuple"). Of an IPv6 address it compares the
 * last 32 bits. */
enum link_rule_field { RULE_SOURCE_ADDRESS, RULE_DESTINATION_ADDRESS, RULE_SOURCE_PORT, RULE_DESTINATION_PORT };
struct link_rule {
	unsigned int ip_version; /* 4 or 6 */
	enum link_rule_field field;
	uint32_t value, mask; /* the bits in `mask` must equal those of `value` */
	uint32_t queue;
};
/* Get the rule at a place of the port's table. -ENOENT if there is none, -EPROTO if it is of another kind. */
int ethtool_rule(struct ethtool *ethtool, int ifindex, uint32_t place, struct link_rule *ret);
int ethtool_add_rule(struct ethtool *ethtool, int ifindex, uint32_t place, const struct link_rule *rule);
int ethtool_remove_rule(struct ethtool *ethtool, int ifindex, uint32_t place);
/* Get the last `count` free places, the last one first. Where rules contradict, the lower place wins. -ENOSPC if there are
 * fewer, -EOPNOTSUPP if rules have no places. */
int ethtool_free_places(struct ethtool *ethtool, int ifindex, uint32_t count, uint32_t *ret_places);

/* The hardware clock of a link, and what it stamps. */
struct link_clock {
	int phc_index; /* the N of /dev/ptpN; -1: no hardware clock */
	bool stamps_transmitted, stamps_received;
	bool stamps_every_received; /* The NIC stamps all received frames, not only PTP. */
};
int ethtool_clock(struct ethtool *ethtool, int ifindex, struct link_clock *ret);

/* The frames that the NIC stamps: HWTSTAMP_TX_*, HWTSTAMP_FILTER_* of <linux/net_tstamp.h>. */
struct link_timestamps {
	unsigned int tx_type, rx_filter;
};
int ethtool_timestamps(struct ethtool *ethtool, int ifindex, struct link_timestamps *ret);
/* Returns -EBUSY if the driver stamps other frames than asked. */
int ethtool_set_timestamps(struct ethtool *ethtool, int ifindex, const struct link_timestamps *timestamps);

struct link_mode {
	uint32_t speed_mbps; /* 0: not known */
	bool full_duplex, autonegotiated;
};
int ethtool_mode(struct ethtool *ethtool, int ifindex, struct link_mode *ret);

struct link_driver {
	char name[32], version[32], firmware[32], bus[32];
};
int ethtool_driver(struct ethtool *ethtool, int ifindex, struct link_driver *ret);

/* Count the frames that the transmit queues of a link sent. -EOPNOTSUPP before Linux 6.10, or if the driver does not report
 * it. */
int ethtool_queue_packets(struct ethtool *ethtool, int ifindex, uint64_t *ret);
/* Counters that have names, of the driver (`ethtool -S`) or of its PHY (`ethtool --phy-statistics`). */
enum counter_set { COUNTERS_DRIVER, COUNTERS_PHY };
#define COUNTER_NAME_SIZE 33
/* Their number may change with the channels. The caller frees *ret_names. -EOPNOTSUPP if there are none. */
int ethtool_counter_names(struct ethtool *ethtool, int ifindex, enum counter_set set, uint32_t *ret_count,
			  char (**ret_names)[COUNTER_NAME_SIZE]);
/* Read them. -EAGAIN if there are not `count` of them any more. */
int ethtool_counters(struct ethtool *ethtool, int ifindex, enum counter_set set, uint32_t count, uint64_t *ret);
/* Counters that the kernel has of pause frames and of forward error correction. A counter that it does not tell is 0. */
enum standard_counter {
	COUNTER_PAUSE_SENT,
	COUNTER_PAUSE_RECEIVED,
	COUNTER_FEC_CORRECTED,
	COUNTER_FEC_UNCORRECTABLE,
	STANDARD_COUNTERS
};
void ethtool_standard_counters(struct ethtool *ethtool, int ifindex, uint64_t ret[STANDARD_COUNTERS]);
/* Add up the driver's own counters (`ethtool -S`) whose names are wanted. */
int ethtool_sum(struct ethtool *ethtool, int ifindex, bool (*is_wanted)(const char *name), uint64_t *ret);

/* What the driver reports that it can do with XDP. -EOPNOTSUPP before Linux 6.3. */
struct link_xdp {
	bool native, is_redirect_target, zero_copy, rx_frags;
	bool rx_timestamp, rx_hash, rx_vlan; /* metadata kfuncs */
	bool tx_timestamp, tx_checksum, tx_launch_time,
		tx_is_told; /* AF_XDP transmit metadata; the kernel tells it from Linux 6.8 on */
};
int ethtool_xdp(struct ethtool *ethtool, int ifindex, struct link_xdp *ret);
