/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netdev/ethtool.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "netdev/netlink_request.h"

/* Family "netdev" of Linux 6.3 and later; its header is missing in older systems. */
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
	int fd; /* for ioctl */
	uint16_t ethtool_family, netdev_family;
};

/* --- families ------------------------------------------------------------------------------------------------------- */

static int read_family(const struct nlmsghdr *header, void *context)
{
	const struct nlattr *attribute;

	mnl_attr_for_each (attribute, header, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attribute) == CTRL_ATTR_FAMILY_ID)
			*(uint16_t *)context = (uint16_t)attribute_number(attribute);
	return MNL_CB_OK;
}

/* The number of a family, 0 where the kernel does not have it. */
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
	int error = start_ethtool(ethtool, &request, command, ifindex);

	return error ? error : exchange(ethtool->netlink, &request, callback, context);
}

static int get_numbers(struct ethtool *ethtool, uint8_t command, int ifindex, struct numbers *ret)
{
	*ret = (struct numbers){ 0 };
	return get(ethtool, command, ifindex, read_numbers, ret);
}

/* The same of family "netdev", which names the link by its first attribute in all messages. */
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

/* What one bit of a set says: whether it is there under this name, and set. In a set without a mask every bit that is there
 * is set. */
static bool bit_is(const struct nlattr *bit, const char *name, bool *ret_set)
{
	const struct nlattr *attribute;
	bool found = false, set = false;

	mnl_attr_for_each_nested (attribute, bit) {
		if (mnl_attr_get_type(attribute) == ETHTOOL_A_BITSET_BIT_NAME)
			found = strcmp(attribute_text(attribute), name) == 0;
		else if (mnl_attr_get_type(attribute) == ETHTOOL_A_BITSET_BIT_VALUE)
			set = true;
	}
	if (found)
		*ret_set = set;
	return found;
}

/* Whether a set has a bit of this name; *ret_set only then. */
static bool find_bit(const struct nlattr *bitset, const char *name, bool *ret_set)
{
	const struct nlattr *attribute, *bit;
	bool mask = true, found = false, set = false;

	mnl_attr_for_each_nested (attribute, bitset) {
		if (mnl_attr_get_type(attribute) == ETHTOOL_A_BITSET_NOMASK)
			mask = false;
		if (mnl_attr_get_type(attribute) != ETHTOOL_A_BITSET_BITS)
			continue;
		mnl_attr_for_each_nested (bit, attribute)
			found = found || bit_is(bit, name, &set);
	}
	if (found)
		*ret_set = set || !mask;
	return found;
}

/* --- features ------------------------------------------------------------------------------------------------------- */

struct feature_search {
	const char *name;
	bool known, changeable, active, wanted, never_changes;
};

static int find_feature(const struct nlmsghdr *header, void *context)
{
	struct feature_search *search = context;
	const struct nlattr *attribute;

	mnl_attr_for_each (attribute, header, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attribute)) {
		case ETHTOOL_A_FEATURES_HW:
			search->known = find_bit(attribute, search->name, &search->changeable);
			break;
		case ETHTOOL_A_FEATURES_WANTED:
			find_bit(attribute, search->name, &search->wanted);
			break;
		case ETHTOOL_A_FEATURES_ACTIVE:
			find_bit(attribute, search->name, &search->active);
			break;
		case ETHTOOL_A_FEATURES_NOCHANGE:
			find_bit(attribute, search->name, &search->never_changes);
			break;
		}
	}
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

/* A set with this one bit. */
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
	error = order(ethtool->netlink, &request);
	if (!error)
		error = ethtool_feature(ethtool, ifindex, name, &now);
	if (error)
		return error;
	if (now.fixed)
		return now.active == on ? 0 : -EOPNOTSUPP;
	return now.wanted == on ? 0 : -EBUSY;
}

/* --- channels, rings, pause frames, speed --------------------------------------------------------------------------- */

int ethtool_channels(struct ethtool *ethtool, int ifindex, struct link_channels *ret)
{
	struct numbers numbers;
	int error = get_numbers(ethtool, ETHTOOL_MSG_CHANNELS_GET, ifindex, &numbers);

	if (!error)
		*ret = (struct link_channels){
			.rx = (uint32_t)numbers.of[ETHTOOL_A_CHANNELS_RX_COUNT],
			.tx = (uint32_t)numbers.of[ETHTOOL_A_CHANNELS_TX_COUNT],
			.combined = (uint32_t)numbers.of[ETHTOOL_A_CHANNELS_COMBINED_COUNT],
			.rx_max = (uint32_t)numbers.of[ETHTOOL_A_CHANNELS_RX_MAX],
			.tx_max = (uint32_t)numbers.of[ETHTOOL_A_CHANNELS_TX_MAX],
			.combined_max = (uint32_t)numbers.of[ETHTOOL_A_CHANNELS_COMBINED_MAX],
		};
	return error;
}

int ethtool_set_channels(struct ethtool *ethtool, int ifindex, const struct link_channels *channels)
{
	struct link_channels now;
	struct request request;
	int error = ethtool_channels(ethtool, ifindex, &now);

	if (!error)
		error = start_ethtool(ethtool, &request, ETHTOOL_MSG_CHANNELS_SET, ifindex);
	if (error)
		return error;
	/* only kinds that the driver has may stand in the request */
	if (now.rx_max)
		mnl_attr_put_u32(request.header, ETHTOOL_A_CHANNELS_RX_COUNT, channels->rx);
	if (now.tx_max)
		mnl_attr_put_u32(request.header, ETHTOOL_A_CHANNELS_TX_COUNT, channels->tx);
	if (now.combined_max)
		mnl_attr_put_u32(request.header, ETHTOOL_A_CHANNELS_COMBINED_COUNT, channels->combined);
	return order(ethtool->netlink, &request);
}

int ethtool_rings(struct ethtool *ethtool, int ifindex, struct link_rings *ret)
{
	struct numbers numbers;
	int error = get_numbers(ethtool, ETHTOOL_MSG_RINGS_GET, ifindex, &numbers);

	if (!error)
		*ret = (struct link_rings){
			.rx = (uint32_t)numbers.of[ETHTOOL_A_RINGS_RX],
			.tx = (uint32_t)numbers.of[ETHTOOL_A_RINGS_TX],
			.rx_max = (uint32_t)numbers.of[ETHTOOL_A_RINGS_RX_MAX],
			.tx_max = (uint32_t)numbers.of[ETHTOOL_A_RINGS_TX_MAX],
		};
	return error;
}

int ethtool_set_rings(struct ethtool *ethtool, int ifindex, const struct link_rings *rings)
{
	struct link_rings now;
	struct request request;
	int error = ethtool_rings(ethtool, ifindex, &now);

	if (!error)
		error = start_ethtool(ethtool, &request, ETHTOOL_MSG_RINGS_SET, ifindex);
	if (error)
		return error;
	if (now.rx_max)
		mnl_attr_put_u32(request.header, ETHTOOL_A_RINGS_RX, rings->rx);
	if (now.tx_max)
		mnl_attr_put_u32(request.header, ETHTOOL_A_RINGS_TX, rings->tx);
	return order(ethtool->netlink, &request);
}

static const uint16_t coalescing_types[COALESCING_VALUES] = {
	[COALESCE_ADAPTIVE_RX] = ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX,
	[COALESCE_ADAPTIVE_TX] = ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX,
	[COALESCE_RX_USECS] = ETHTOOL_A_COALESCE_RX_USECS,
	[COALESCE_RX_FRAMES] = ETHTOOL_A_COALESCE_RX_MAX_FRAMES,
	[COALESCE_TX_USECS] = ETHTOOL_A_COALESCE_TX_USECS,
	[COALESCE_TX_FRAMES] = ETHTOOL_A_COALESCE_TX_MAX_FRAMES,
};

int ethtool_coalescing(struct ethtool *ethtool, int ifindex, struct link_coalescing *ret)
{
	struct numbers numbers;
	int error = get_numbers(ethtool, ETHTOOL_MSG_COALESCE_GET, ifindex, &numbers);

	for (int i = 0; i < COALESCING_VALUES && !error; i++) {
		ret->has[i] = numbers.has[coalescing_types[i]];
		ret->value[i] = (uint32_t)numbers.of[coalescing_types[i]];
	}
	return error;
}

int ethtool_set_coalescing(struct ethtool *ethtool, int ifindex, const struct link_coalescing *coalescing)
{
	struct request request;
	int error = start_ethtool(ethtool, &request, ETHTOOL_MSG_COALESCE_SET, ifindex);

	if (error)
		return error;
	for (int i = 0; i < COALESCING_VALUES; i++) {
		if (!coalescing->has[i])
			continue;
		if (i == COALESCE_ADAPTIVE_RX || i == COALESCE_ADAPTIVE_TX)
			mnl_attr_put_u8(request.header, coalescing_types[i], coalescing->value[i] != 0);
		else
			mnl_attr_put_u32(request.header, coalescing_types[i], coalescing->value[i]);
	}
	return order(ethtool->netlink, &request);
}

int ethtool_eee(struct ethtool *ethtool, int ifindex, bool *ret_on)
{
	struct numbers numbers;
	int error = get_numbers(ethtool, ETHTOOL_MSG_EEE_GET, ifindex, &numbers);

	if (!error)
		*ret_on = numbers.of[ETHTOOL_A_EEE_ENABLED];
	return error;
}

int ethtool_set_eee(struct ethtool *ethtool, int ifindex, bool on)
{
	struct request request;
	int error = start_ethtool(ethtool, &request, ETHTOOL_MSG_EEE_SET, ifindex);

	if (error)
		return error;
	mnl_attr_put_u8(request.header, ETHTOOL_A_EEE_ENABLED, on);
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
	const struct nlattr *attribute;

	mnl_attr_for_each (attribute, header, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attribute) == ETHTOOL_A_PRIVFLAGS_FLAGS)
			search->known = find_bit(attribute, search->name, &search->on);
	return MNL_CB_OK;
}

int ethtool_flag(struct ethtool *ethtool, int ifindex, const char *name, bool *ret_on)
{
	struct flag_search search = { .name = name };
	int error = get(ethtool, ETHTOOL_MSG_PRIVFLAGS_GET, ifindex, find_flag, &search);

	if (error || !search.known)
		return error ? error : -EOPNOTSUPP;
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

int ethtool_pause(struct ethtool *ethtool, int ifindex, struct link_pause *ret)
{
	struct numbers numbers;
	int error = get_numbers(ethtool, ETHTOOL_MSG_PAUSE_GET, ifindex, &numbers);

	if (!error)
		*ret = (struct link_pause){
			.autonegotiated = numbers.of[ETHTOOL_A_PAUSE_AUTONEG],
			.rx = numbers.of[ETHTOOL_A_PAUSE_RX],
			.tx = numbers.of[ETHTOOL_A_PAUSE_TX],
		};
	return error;
}

int ethtool_set_pause(struct ethtool *ethtool, int ifindex, const struct link_pause *pause)
{
	struct request request;
	int error = start_ethtool(ethtool, &request, ETHTOOL_MSG_PAUSE_SET, ifindex);

	if (error)
		return error;
	mnl_attr_put_u8(request.header, ETHTOOL_A_PAUSE_AUTONEG, pause->autonegotiated);
	mnl_attr_put_u8(request.header, ETHTOOL_A_PAUSE_RX, pause->rx);
	mnl_attr_put_u8(request.header, ETHTOOL_A_PAUSE_TX, pause->tx);
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
	const struct nlattr *attribute;

	mnl_attr_for_each (attribute, header, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attribute)) {
		case ETHTOOL_A_TSINFO_TIMESTAMPING:
			find_bit(attribute, "hardware-transmit", &clock->stamps_transmitted);
			find_bit(attribute, "hardware-receive", &clock->stamps_received);
			break;
		case ETHTOOL_A_TSINFO_RX_FILTERS:
			find_bit(attribute, "all", &clock->stamps_every_received);
			break;
		case ETHTOOL_A_TSINFO_PHC_INDEX:
			clock->phc_index = (int)attribute_number(attribute);
			break;
		}
	}
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
	/* a dump it is though it is one link's, summed */
	int error = get_netdev(ethtool, NETDEV_QSTATS_GET, NLM_F_DUMP, ifindex, &numbers);

	if (!error && !numbers.has[NETDEV_QSTATS_TX_PACKETS])
		error = -EOPNOTSUPP;
	if (!error)
		*ret = numbers.of[NETDEV_QSTATS_TX_PACKETS];
	return error;
}

/* Members of a nest of statistics, and the counters that they are. What is an array has its sum first. */
struct standard_reader {
	unsigned int nest, types[2];
	enum standard_counter counters[2];
	uint64_t *values;
};

static int read_standard(const struct nlmsghdr *header, void *context)
{
	const struct standard_reader *reader = context;
	const struct nlattr *attribute, *inner;

	mnl_attr_for_each (attribute, header, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attribute) != reader->nest)
			continue;
		mnl_attr_for_each_nested (inner, attribute)
			for (size_t i = 0; i < COUNT(reader->types); i++)
				if (mnl_attr_get_type(inner) == reader->types[i] &&
				    mnl_attr_get_payload_len(inner) >= sizeof(uint64_t))
					memcpy(&reader->values[reader->counters[i]], mnl_attr_get_payload(inner),
					       sizeof(uint64_t));
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

/* --- by ioctl ------------------------------------------------------------------------------------------------------- */

static int ask_for(const struct ethtool *ethtool, int ifindex, unsigned long what, void *command)
{
	struct ifreq request = { .ifr_ifindex = ifindex };

	if (ioctl(ethtool->fd, SIOCGIFNAME, &request))
		return -errno;
	request.ifr_data = command;
	return ioctl(ethtool->fd, what, &request) ? -errno : 0;
}

static int ask(const struct ethtool *ethtool, int ifindex, void *command)
{
	return ask_for(ethtool, ifindex, SIOCETHTOOL, command);
}

int ethtool_timestamps(struct ethtool *ethtool, int ifindex, struct link_timestamps *ret)
{
	struct hwtstamp_config config = { 0 };
	int error = ask_for(ethtool, ifindex, SIOCGHWTSTAMP, &config);

	if (!error)
		*ret = (struct link_timestamps){ .tx_type = (unsigned int)config.tx_type,
						 .rx_filter = (unsigned int)config.rx_filter };
	return error;
}

int ethtool_set_timestamps(struct ethtool *ethtool, int ifindex, const struct link_timestamps *timestamps)
{
	struct hwtstamp_config config = { .tx_type = (int)timestamps->tx_type, .rx_filter = (int)timestamps->rx_filter };
	int error = ask_for(ethtool, ifindex, SIOCSHWTSTAMP, &config);

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

/* How many counters there are now. */
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
		return error ? error : -EAGAIN;
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

/* Where a field is in a flow specification, and how wide. */
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

/* All rules that there are; in command->data the size of the table. */
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
