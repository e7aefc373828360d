/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nic.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAC_OCTETS 6

/* ethtool's permanent address with room for it. */
struct permanent_address {
	struct ethtool_perm_addr head;
	uint8_t octets[32];
};

static bool ask(int fd, const char *port, void *command)
{
	struct ifreq request = { 0 };

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", port);
	request.ifr_data = command;
	return ioctl(fd, SIOCETHTOOL, &request) == 0;
}

static void read_driver(int fd, struct nic *nic)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

	if (!ask(fd, nic->name, &info))
		return;
	snprintf(nic->driver, sizeof(nic->driver), "%s", info.driver);
	snprintf(nic->driver_version, sizeof(nic->driver_version), "%s", info.version);
	snprintf(nic->firmware, sizeof(nic->firmware), "%s", info.fw_version);
	if (strcmp(info.bus_info, "N/A"))
		snprintf(nic->id, sizeof(nic->id), "%s", info.bus_info);
}

static void read_permanent_address(int fd, struct nic *nic)
{
	static const uint8_t none[MAC_OCTETS];
	struct permanent_address address = { .head = { .cmd = ETHTOOL_GPERMADDR, .size = sizeof(address.octets) } };
	const uint8_t *mac = address.head.data;

	if (!ask(fd, nic->name, &address) || address.head.size != MAC_OCTETS || !memcmp(mac, none, MAC_OCTETS))
		return;
	snprintf(nic->id, sizeof(nic->id), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}

static void read_queues(int fd, struct nic *nic)
{
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };

	if (ask(fd, nic->name, &channels))
		nic->queues = channels.combined_count + channels.tx_count;
}

void nic_identify(const char *port, struct nic *ret)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	*ret = (struct nic){ 0 };
	snprintf(ret->name, sizeof(ret->name), "%s", port);
	if (fd >= 0) {
		read_driver(fd, ret);
		if (!*ret->id)
			read_permanent_address(fd, ret);
		read_queues(fd, ret);
		close(fd);
	}
	if (!*ret->id)
		snprintf(ret->id, sizeof(ret->id), "%s", port);
}
