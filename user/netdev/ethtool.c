/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netdev/ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "netdev/ethtool_ioctl.h"
#include "netdev/netlink.h"
#include "netdev/netlink_request.h"

/* The family "netdev" of Linux 6.3 and later. Its header is missing in older systems. */
#define NETDEV_FAMILY            "netdev"
#define NETDEV_DEV_GET           1
#define NETDEV_IFINDEX           1
#define NETDEV_DEV_XDP_FEATURES  3
#define NETDEV_DEV_RX_METADATA   5
#define NETDEV_DEV_XSK_FEATURES  6
#define NETDEV_QSTATS_GET        12
#define NETDEV_QSTATS_TX_PACKETS 10
#define NETDEV_XDP_BASIC         (1u << 0)
#define NETDEV_XDP_NDO_XMIT      (1u << 2)
#define NETDEV_XDP_XSK_ZEROCOPY  (1u << 3)
#define NETDEV_XDP_RX_SG         (1u << 5)
#define NETDEV_RX_TIMESTAMP      (1u << 0)
#define NETDEV_RX_HASH           (1u << 1)
#define NETDEV_RX_VLAN           (1u << 2)
#define NETDEV_XSK_TX_TIMESTAMP  (1u << 0)
#define NETDEV_XSK_TX_CHECKSUM   (1u << 1)
#define NETDEV_XSK_TX_LAUNCHTIME (1u << 2)

/* The attributes of one answer that are plain numbers, by their type. */
#define NUMBER_TYPES 32
struct numbers {
	uint64_t of[NUMBER_TYPES];
	bool has[NUMBER_TYPES];
};

struct ethtool {
	struct mnl_socket *netlink;
	int fd; /* socket for ioctl(2) */
	uint16_t ethtool_family, netdev_family;
};

/* --- families ------------------------------------------------------------------------------------------------------- */

/* An attribute of an answer. */
static const struct nlattr *member(const struct nlmsghdr *header, uint16_t type)
{
	return attribute_of(header, sizeof(struct genlmsghdr), type);
}

static int read_family(const struct nlmsghdr *header, void *context)
{
	*(uint16_t *)context = (uint16_t)attribute_number(member(header, CTRL_ATTR_FAMILY_ID));
	return MNL_CB_OK;
}

/* Return the number of a family, or 0 if the kernel does not have it. */
static uint16_t find_family(struct mnl_socket *netlink, const char *name)
{
	struct request request;
	struct genlmsghdr *generic = request_start(&request, GENL_ID_CTRL, NLM_F_ACK, sizeof(*generic));
	uint16_t family = 0;

	generic->cmd = CTRL_CMD_GETFAMILY;
	generic->version = 1;
	mnl_attr_put_strz(request.header, CTRL_ATTR_FAMILY_NAME, name);
	return exchange(netlink, &request, read_family, &family) ? 0 : family;
}

int ethtool_open(struct ethtool **ret)
{
	struct ethtool *ethtool = calloc(1, sizeof(*ethtool));
	int error;

	if (!ethtool)
		return -ENOMEM;
	error = netlink_socket(NETLINK_GENERIC, &ethtool->netlink);
	if (error)
		goto no_socket;
	ethtool->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (ethtool->fd < 0) {
		error = -errno;
		goto no_fd;
	}
	ethtool->ethtool_family = find_family(ethtool->netlink, ETHTOOL_GENL_NAME);
	ethtool->netdev_family = find_family(ethtool->netlink, NETDEV_FAMILY);
	*ret = ethtool;
	return 0;

no_fd:
	mnl_socket_close(ethtool->netlink);
no_socket:
	free(ethtool);
	return error;
}

void ethtool_hold(const struct ethtool *ethtool, struct keeper_plan *plan)
{
	keeper_plan_keep(plan, ethtool->fd);
	netlink_hold(ethtool->netlink, plan);
}

void ethtool_close(struct ethtool *ethtool)
{
	if (!ethtool)
		return;
	close(ethtool->fd);
	mnl_socket_close(ethtool->netlink);
	free(ethtool);
}

/* --- requests ------------------------------------------------------------------------------------------------------- */

static void start(struct request *request, uint16_t family, uint8_t command)
{
	struct genlmsghdr *generic = request_start(request, family, NLM_F_ACK, sizeof(*generic));

	generic->cmd = command;
	generic->version = ETHTOOL_GENL_VERSION;
}

/* Every ethtool message begins with a header that names the link. */
static int start_ethtool_with(const struct ethtool *ethtool, struct request *request, uint8_t command, int ifindex,
			      uint32_t flags)
{
	struct nlattr *header;

	if (!ethtool->ethtool_family)
		return -EOPNOTSUPP;
	start(request, ethtool->ethtool_family, command);
	header = mnl_attr_nest_start(request->header, 1); /* ETHTOOL_A_..._HEADER is 1 in all of them */
	mnl_attr_put_u32(request->header, ETHTOOL_A_HEADER_DEV_INDEX, (uint32_t)ifindex);
	mnl_attr_put_u32(request->header, ETHTOOL_A_HEADER_FLAGS, flags);
	mnl_attr_nest_end(request->header, header);
	return 0;
}

static int start_ethtool(const struct ethtool *ethtool, struct request *request, uint8_t command, int ifindex)
{
	return start_ethtool_with(ethtool, request, command, ifindex, ETHTOOL_FLAG_OMIT_REPLY);
}

static int read_numbers(const struct nlmsghdr *header, void *context)
{
	struct numbers *numbers = context;
	const struct nlattr *attribute;

	mnl_attr_for_each (attribute, header, sizeof(struct genlmsghdr)) {
		unsigned int type = mnl_attr_get_type(attribute);

		if (type >= NUMBER_TYPES)
			continue;
		numbers->has[type] = true;
		numbers->of[type] = attribute_number(attribute);
	}
	return MNL_CB_OK;
}

static int get(struct ethtool *ethtool, uint8_t command, int ifindex, mnl_cb_t callback, void *context)
{
	struct request request;

	return start_ethtool(ethtool, &request, command, ifindex) ?: exchange(ethtool->netlink, &request, callback, context);
}

static int get_numbers(struct ethtool *ethtool, uint8_t command, int ifindex, struct numbers *ret)
{
	*ret = (struct numbers){ 0 };
	return get(ethtool, command, ifindex, read_numbers, ret);
}

/* Do the same for family "netdev", which names the link by its first attribute in all messages. */
static int get_netdev(struct ethtool *ethtool, uint8_t command, uint16_t flags, int ifindex, struct numbers *ret)
{
	struct request request;

	*ret = (struct numbers){ 0 };
	if (!ethtool->netdev_family)
		return -EOPNOTSUPP;
	start(&request, ethtool->netdev_family, command);
	request.header->nlmsg_flags |= flags;
	mnl_attr_put_u32(request.header, NETDEV_IFINDEX, (uint32_t)ifindex);
	return exchange(ethtool->netlink, &request, read_numbers, ret);
}

/* --- sets of named bits --------------------------------------------------------------------------------------------- */

/* Whether a set has a bit of this name; *ret_set only then. In a set without a mask every bit that is there is set. */
static bool find_bit(const struct nlattr *bitset, const char *name, bool *ret_set)
{
	const struct nlattr *bits = attribute_in(bitset, ETHTOOL_A_BITSET_BITS), *bit;
	bool all_are_set = attribute_in(bitset, ETHTOOL_A_BITSET_NOMASK);

	if (!bits)
		return false;
	mnl_attr_for_each_nested (bit, bits) {
		if (strcmp(attribute_text(attribute_in(bit, ETHTOOL_A_BITSET_BIT_NAME)), name))
			continue;
		*ret_set = all_are_set || attribute_in(bit, ETHTOOL_A_BITSET_BIT_VALUE);
		return true;
	}
	return false;
}

/* --- features ------------------------------------------------------------------------------------------------------- */

struct feature_search {
	const char *name;
	bool known, changeable, active, wanted, never_changes;
};

static int find_feature(const struct nlmsghdr *header, void *context)
{
	struct feature_search *search = context;

	search->known = find_bit(member(header, ETHTOOL_A_FEATURES_HW), search->name, &search->changeable);
	find_bit(member(header, ETHTOOL_A_FEATURES_WANTED), search->name, &search->wanted);
	find_bit(member(header, ETHTOOL_A_FEATURES_ACTIVE), search->name, &search->active);
	find_bit(member(header, ETHTOOL_A_FEATURES_NOCHANGE), search->name, &search->never_changes);
	return MNL_CB_OK;
}

int ethtool_feature(struct ethtool *ethtool, int ifindex, const char *name, struct link_feature *ret)
{
	struct feature_search search = { .name = name };
	int error = get(ethtool, ETHTOOL_MSG_FEATURES_GET, ifindex, find_feature, &search);

	if (error)
		return error;
	if (!search.known)
		return -EOPNOTSUPP; /* this kernel has no such feature */
	*ret = (struct link_feature){
		.active = search.active,
		.wanted = search.wanted,
		.fixed = !search.changeable || search.never_changes,
	};
	return 0;
}

bool ethtool_is_active(struct ethtool *ethtool, int ifindex, const char *name)
{
	struct link_feature feature;

	return !ethtool_feature(ethtool, ifindex, name, &feature) && feature.active;
}

/* Write a set with this one bit. */
static void put_bit(struct request *request, uint16_t type, const char *name, bool on)
{
	struct nlattr *set = mnl_attr_nest_start(request->header, type);
	struct nlattr *bits = mnl_attr_nest_start(request->header, ETHTOOL_A_BITSET_BITS);
	struct nlattr *bit = mnl_attr_nest_start(request->header, ETHTOOL_A_BITSET_BITS_BIT);

	mnl_attr_put_strz(request->header, ETHTOOL_A_BITSET_BIT_NAME, name);
	if (on)
		mnl_attr_put(request->header, ETHTOOL_A_BITSET_BIT_VALUE, 0, NULL);
	mnl_attr_nest_end(request->header, bit);
	mnl_attr_nest_end(request->header, bits);
	mnl_attr_nest_end(request->header, set);
}

int ethtool_set_feature(struct ethtool *ethtool, int ifindex, const char *name, bool on)
{
	struct link_feature now;
	struct request request;
	int error = start_ethtool(ethtool, &request, ETHTOOL_MSG_FEATURES_SET, ifindex);

	if (error)
		return error;
	put_bit(&request, ETHTOOL_A_FEATURES_WANTED, name, on);
	error = order(ethtool->netlink, &request) ?: ethtool_feature(ethtool, ifindex, name, &now);
	if (error)
		return error;
	if (now.fixed)
		return now.active == on ? 0 : -EOPNOTSUPP;
	return now.wanted == on ? 0 : -EBUSY;
}

/* --- channels, rings, pause frames, flags, speed ---------------------------------------------------------------------- */

static const struct setting {
	uint8_t get, set; /* messages */
	struct number {
		uint16_t type, most_type; /* attributes; 0: there is none */
		bool is_switch;
	} numbers[LINK_NUMBERS];
} settings[LINK_SETTINGS] = {
	[LINK_CHANNELS] = { ETHTOOL_MSG_CHANNELS_GET,
			    ETHTOOL_MSG_CHANNELS_SET,
			    { [CHANNELS_RX] = { ETHTOOL_A_CHANNELS_RX_COUNT, ETHTOOL_A_CHANNELS_RX_MAX },
			      [CHANNELS_TX] = { ETHTOOL_A_CHANNELS_TX_COUNT, ETHTOOL_A_CHANNELS_TX_MAX },
			      [CHANNELS_COMBINED] = { ETHTOOL_A_CHANNELS_COMBINED_COUNT,
						      ETHTOOL_A_CHANNELS_COMBINED_MAX } } },
	[LINK_RINGS] = { ETHTOOL_MSG_RINGS_GET,
			 ETHTOOL_MSG_RINGS_SET,
			 { [RINGS_RX] = { ETHTOOL_A_RINGS_RX, ETHTOOL_A_RINGS_RX_MAX },
			   [RINGS_TX] = { ETHTOOL_A_RINGS_TX, ETHTOOL_A_RINGS_TX_MAX } } },
	[LINK_COALESCING] = { ETHTOOL_MSG_COALESCE_GET,
			      ETHTOOL_MSG_COALESCE_SET,
			      { [COALESCE_ADAPTIVE_RX] = { ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX, .is_switch = true },
				[COALESCE_ADAPTIVE_TX] = { ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX, .is_switch = true },
				[COALESCE_RX_USECS] = { ETHTOOL_A_COALESCE_RX_USECS },
				[COALESCE_RX_FRAMES] = { ETHTOOL_A_COALESCE_RX_MAX_FRAMES },
				[COALESCE_TX_USECS] = { ETHTOOL_A_COALESCE_TX_USECS },
				[COALESCE_TX_FRAMES] = { ETHTOOL_A_COALESCE_TX_MAX_FRAMES } } },
	[LINK_PAUSE] = { ETHTOOL_MSG_PAUSE_GET,
			 ETHTOOL_MSG_PAUSE_SET,
			 { [PAUSE_AUTONEGOTIATED] = { ETHTOOL_A_PAUSE_AUTONEG, .is_switch = true },
			   [PAUSE_RX] = { ETHTOOL_A_PAUSE_RX, .is_switch = true },
			   [PAUSE_TX] = { ETHTOOL_A_PAUSE_TX, .is_switch = true } } },
	[LINK_EEE] = { ETHTOOL_MSG_EEE_GET,
		       ETHTOOL_MSG_EEE_SET,
		       { [EEE_ON] = { ETHTOOL_A_EEE_ENABLED, .is_switch = true } } },
};

int ethtool_numbers(struct ethtool *ethtool, int ifindex, enum link_setting setting, struct link_numbers *ret)
{
	struct numbers numbers;
	int error = get_numbers(ethtool, settings[setting].get, ifindex, &numbers);

	for (size_t i = 0; i < LINK_NUMBERS && !error; i++) {
		const struct number *number = &settings[setting].numbers[i];

		ret->has[i] = number->type && numbers.has[number->type];
		ret->value[i] = ret->has[i] ? (uint32_t)numbers.of[number->type] : 0;
		ret->most[i] = number->most_type ? (uint32_t)numbers.of[number->most_type] : 0;
	}
	return error;
}

int ethtool_set_numbers(struct ethtool *ethtool, int ifindex, enum link_setting setting, const struct link_numbers *numbers)
{
	struct link_numbers now;
	struct request request;
	int error = ethtool_numbers(ethtool, ifindex, setting, &now)
			    ?: start_ethtool(ethtool, &request, settings[setting].set, ifindex);

	if (error)
		return error;
	for (size_t i = 0; i < LINK_NUMBERS; i++) {
		const struct number *number = &settings[setting].numbers[i];

		if (!numbers->has[i] || !now.has[i])
			continue;
		if (number->is_switch)
			mnl_attr_put_u8(request.header, number->type, numbers->value[i] != 0);
		else
			mnl_attr_put_u32(request.header, number->type, numbers->value[i]);
	}
	return order(ethtool->netlink, &request);
}

/* A private flag that is searched for. */
struct flag_search {
	const char *name;
	bool known, on;
};

static int find_flag(const struct nlmsghdr *header, void *context)
{
	struct flag_search *search = context;

	search->known = find_bit(member(header, ETHTOOL_A_PRIVFLAGS_FLAGS), search->name, &search->on);
	return MNL_CB_OK;
}

int ethtool_flag(struct ethtool *ethtool, int ifindex, const char *name, bool *ret_on)
{
	struct flag_search search = { .name = name };
	int error = get(ethtool, ETHTOOL_MSG_PRIVFLAGS_GET, ifindex, find_flag, &search);

	if (error || !search.known)
		return error ?: -EOPNOTSUPP;
	*ret_on = search.on;
	return 0;
}

int ethtool_set_flag(struct ethtool *ethtool, int ifindex, const char *name, bool on)
{
	struct request request;
	int error = start_ethtool(ethtool, &request, ETHTOOL_MSG_PRIVFLAGS_SET, ifindex);

	if (error)
		return error;
	put_bit(&request, ETHTOOL_A_PRIVFLAGS_FLAGS, name, on);
	return order(ethtool->netlink, &request);
}

int ethtool_mode(struct ethtool *ethtool, int ifindex, struct link_mode *ret)
{
	struct numbers numbers;
	int error = get_numbers(ethtool, ETHTOOL_MSG_LINKMODES_GET, ifindex, &numbers);
	uint32_t speed_mbps = (uint32_t)numbers.of[ETHTOOL_A_LINKMODES_SPEED];

	if (!error)
		*ret = (struct link_mode){
			.speed_mbps = speed_mbps == (uint32_t)SPEED_UNKNOWN ? 0 : speed_mbps,
			.full_duplex = numbers.of[ETHTOOL_A_LINKMODES_DUPLEX] == DUPLEX_FULL,
			.autonegotiated = numbers.of[ETHTOOL_A_LINKMODES_AUTONEG],
		};
	return error;
}

/* --- the clock ------------------------------------------------------------------------------------------------------ */

static int read_clock(const struct nlmsghdr *header, void *context)
{
	struct link_clock *clock = context;
	const struct nlattr *stamps = member(header, ETHTOOL_A_TSINFO_TIMESTAMPING),
			    *index = member(header, ETHTOOL_A_TSINFO_PHC_INDEX);

	find_bit(stamps, "hardware-transmit", &clock->stamps_transmitted);
	find_bit(stamps, "hardware-receive", &clock->stamps_received);
	find_bit(member(header, ETHTOOL_A_TSINFO_RX_FILTERS), "all", &clock->stamps_every_received);
	if (index)
		clock->phc_index = (int)attribute_number(index);
	return MNL_CB_OK;
}

int ethtool_clock(struct ethtool *ethtool, int ifindex, struct link_clock *ret)
{
	struct link_clock clock = { .phc_index = -1 };
	int error = get(ethtool, ETHTOOL_MSG_TSINFO_GET, ifindex, read_clock, &clock);

	if (!error)
		*ret = clock;
	return error;
}

/* --- XDP ------------------------------------------------------------------------------------------------------------ */

int ethtool_xdp(struct ethtool *ethtool, int ifindex, struct link_xdp *ret)
{
	struct numbers numbers;
	uint64_t xdp, metadata, xsk;
	int error = get_netdev(ethtool, NETDEV_DEV_GET, 0, ifindex, &numbers);

	if (error)
		return error;
	xdp = numbers.of[NETDEV_DEV_XDP_FEATURES];
	metadata = numbers.of[NETDEV_DEV_RX_METADATA];
	xsk = numbers.of[NETDEV_DEV_XSK_FEATURES];
	*ret = (struct link_xdp){
		.native = xdp & NETDEV_XDP_BASIC,
		.is_redirect_target = xdp & NETDEV_XDP_NDO_XMIT,
		.zero_copy = xdp & NETDEV_XDP_XSK_ZEROCOPY,
		.rx_frags = xdp & NETDEV_XDP_RX_SG,
		.rx_timestamp = metadata & NETDEV_RX_TIMESTAMP,
		.rx_hash = metadata & NETDEV_RX_HASH,
		.rx_vlan = metadata & NETDEV_RX_VLAN,
		.tx_timestamp = xsk & NETDEV_XSK_TX_TIMESTAMP,
		.tx_checksum = xsk & NETDEV_XSK_TX_CHECKSUM,
		.tx_launch_time = xsk & NETDEV_XSK_TX_LAUNCHTIME,
		.tx_is_told = numbers.has[NETDEV_DEV_XSK_FEATURES],
	};
	return 0;
}

/* --- counters ------------------------------------------------------------------------------------------------------- */

int ethtool_queue_packets(struct ethtool *ethtool, int ifindex, uint64_t *ret)
{
	struct numbers numbers;
	/* The request is a dump, though its answer is the sum of one link. */
	int error = get_netdev(ethtool, NETDEV_QSTATS_GET, NLM_F_DUMP, ifindex, &numbers);

	if (!error && !numbers.has[NETDEV_QSTATS_TX_PACKETS])
		error = -EOPNOTSUPP;
	if (!error)
		*ret = numbers.of[NETDEV_QSTATS_TX_PACKETS];
	return error;
}

/* Members of a nest of statistics, and the counters that they are. An array has its sum first. */
struct standard_reader {
	uint16_t nest, types[2];
	enum standard_counter counters[2];
	uint64_t *values;
};

static int read_standard(const struct nlmsghdr *header, void *context)
{
	const struct standard_reader *reader = context;
	const struct nlattr *statistics = member(header, reader->nest);

	for (size_t i = 0; i < COUNT(reader->types); i++) {
		const struct nlattr *counter = attribute_in(statistics, reader->types[i]);

		if (counter && mnl_attr_get_payload_len(counter) >= sizeof(uint64_t))
			memcpy(&reader->values[reader->counters[i]], mnl_attr_get_payload(counter), sizeof(uint64_t));
	}
	return MNL_CB_OK;
}

static const struct standard_source {
	uint8_t command;
	struct standard_reader reader;
} standard_sources[] = {
	{ ETHTOOL_MSG_PAUSE_GET,
	  { .nest = ETHTOOL_A_PAUSE_STATS,
	    .types = { ETHTOOL_A_PAUSE_STAT_TX_FRAMES, ETHTOOL_A_PAUSE_STAT_RX_FRAMES },
	    .counters = { COUNTER_PAUSE_SENT, COUNTER_PAUSE_RECEIVED } } },
	{ ETHTOOL_MSG_FEC_GET,
	  { .nest = ETHTOOL_A_FEC_STATS,
	    .types = { ETHTOOL_A_FEC_STAT_CORRECTED, ETHTOOL_A_FEC_STAT_UNCORR },
	    .counters = { COUNTER_FEC_CORRECTED, COUNTER_FEC_UNCORRECTABLE } } },
};

void ethtool_standard_counters(struct ethtool *ethtool, int ifindex, uint64_t ret[STANDARD_COUNTERS])
{
	memset(ret, 0, STANDARD_COUNTERS * sizeof(*ret));
	for (size_t i = 0; i < COUNT(standard_sources); i++) {
		struct standard_reader reader = standard_sources[i].reader;
		struct request request;

		reader.values = ret;
		if (!start_ethtool_with(ethtool, &request, standard_sources[i].command, ifindex,
					ETHTOOL_FLAG_OMIT_REPLY | ETHTOOL_FLAG_STATS))
			exchange(ethtool->netlink, &request, read_standard, &reader);
	}
}

/* --- requests by ioctl ---------------------------------------------------------------------------------------------- */

int ethtool_ioctl(const struct ethtool *ethtool, int ifindex, unsigned long what, void *command)
{
	struct ifreq request = { .ifr_ifindex = ifindex };

	if (ioctl(ethtool->fd, SIOCGIFNAME, &request))
		return -errno;
	request.ifr_data = command;
	return ioctl(ethtool->fd, what, &request) ? -errno : 0;
}
