/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netdev/nic.h"

#include <stdio.h>
#include <string.h>

#include "netdev/ethtool.h"
#include "netdev/netlink.h"

static void read_driver(struct ethtool *ethtool, int ifindex, struct nic *nic)
{
	struct link_numbers channels;
	struct link_driver driver;

	if (!ethtool_driver(ethtool, ifindex, &driver)) {
		memcpy(nic->driver, driver.name, sizeof(driver.name));
		memcpy(nic->driver_version, driver.version, sizeof(driver.version));
		memcpy(nic->firmware, driver.firmware, sizeof(driver.firmware));
		memcpy(nic->id, driver.bus, sizeof(driver.bus));
	}
	if (!ethtool_numbers(ethtool, ifindex, LINK_CHANNELS, &channels))
		nic->queues = channels.value[CHANNELS_COMBINED] + channels.value[CHANNELS_TX];
}

void nic_identify(const char *port, struct nic *ret)
{
	static const uint8_t none[MLR_MAC_OCTETS];
	struct link_info link;
	struct ethtool *ethtool;
	struct mnl_socket *netlink;
	bool found = false;

	*ret = (struct nic){ 0 };
	snprintf(ret->name, sizeof(ret->name), "%s", port);
	if (!netlink_open(&netlink)) {
		found = !netlink_link(netlink, port, &link);
		netlink_close(netlink);
	}
	if (found && !ethtool_open(&ethtool)) {
		read_driver(ethtool, link.ifindex, ret);
		ethtool_close(ethtool);
	}
	if (found && !*ret->id && memcmp(link.permanent_mac, none, MLR_MAC_OCTETS))
		mac_text(link.permanent_mac, ret->id);
	if (!*ret->id)
		snprintf(ret->id, sizeof(ret->id), "%s", port);
}
