/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "journal.h"

#define ETHERNET_HEADER_OCTETS 14
#define BPS_PER_MBPS           1e6

/* --- usage ---------------------------------------------------------------------------------------------------------- */

static enum exit_code check_usage(struct mnl_socket *netlink, const char *name, unsigned int frame_size_octets,
				  struct port *port)
{
	unsigned int packet_octets = frame_size_octets - MLR_FCS_OCTETS - ETHERNET_HEADER_OCTETS;
	int error = netlink_link(netlink, name, &port->link);

	if (error == -ENODEV)
		return refuse(EXIT_USAGE_ERROR, "--ports: there is no port '%s' here; 'ip link' lists what there is", name);
	if (error)
		return refuse(EXIT_INCAPABLE, "port %s: cannot ask the kernel about it: %s", name, strerror(-error));
	if (packet_octets > port->link.mtu_octets)
		return refuse(EXIT_USAGE_ERROR,
			      "--frame-size: %u octets do not fit the MTU of port %s, %u; use at most %u, or raise the MTU",
			      frame_size_octets, name, port->link.mtu_octets,
			      port->link.mtu_octets + ETHERNET_HEADER_OCTETS + MLR_FCS_OCTETS);
	return EXIT_DONE;
}

/* --- safety --------------------------------------------------------------------------------------------------------- */

static enum exit_code in_use(const struct port *port, const char *unsafe_reason, const char *what, const char *which,
			     const char *remedy)
{
	if (!unsafe_reason)
		return refuse(EXIT_UNSAFE, "port %s is in use: %s %s; %s, or say why it may be used: --allow-unsafe=REASON",
			      port->link.name, what, which, remedy);
	warn("port %s is in use (%s %s), allowed: %s", port->link.name, what, which, unsafe_reason);
	return EXIT_DONE;
}

static enum exit_code check_safety(struct mnl_socket *netlink, const char *unsafe_reason, const struct port *port)
{
	struct link_uses uses;
	int error = netlink_uses(netlink, &port->link, &uses);

	if (error)
		return refuse(EXIT_INCAPABLE, "port %s: cannot ask the kernel who uses it: %s", port->link.name,
			      strerror(-error));
	if (*uses.upper)
		return in_use(port, unsafe_reason, "it belongs to", uses.upper, "take it out of that");
	if (*uses.address)
		return in_use(port, unsafe_reason, "it has the address", uses.address, "remove that ('ip address del')");
	if (*uses.route)
		return in_use(port, unsafe_reason, "it has a route to", uses.route, "remove that ('ip route del')");
	if (port->link.xdp_programs)
		return in_use(port, unsafe_reason, "it has", "an XDP program",
			      "detach that ('ip link set dev PORT xdp off')");
	return EXIT_DONE;
}

/* --- capability ----------------------------------------------------------------------------------------------------- */

static enum exit_code check_capability(const struct port *port)
{
	if (!port->link.up)
		return refuse(EXIT_INCAPABLE, "port %s is down; 'ip link set dev %s up' brings it up", port->link.name,
			      port->link.name);
	if (!port->link.carrier)
		return refuse(EXIT_INCAPABLE, "port %s has no carrier: check the cable and the other end", port->link.name);
	return EXIT_DONE;
}

static void ask_ethtool(int fd, const char *name, void *command)
{
	struct ifreq request = { 0 };

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	request.ifr_data = command;
	ioctl(fd, SIOCETHTOOL, &request); /* where it fails, the command stays as it was */
}

/* Driver and speed. What a veth says of its speed is made up, so it counts as unknown. */
static void read_hardware(struct port *port)
{
	struct ethtool_drvinfo driver = { .cmd = ETHTOOL_GDRVINFO };
	/* the legacy command: it needs no negotiation, and knows every speed as a number */
	struct ethtool_cmd settings = { .cmd = ETHTOOL_GSET };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint32_t speed_mbps;

	if (fd < 0)
		return;
	ask_ethtool(fd, port->link.name, &driver);
	snprintf(port->driver, sizeof(port->driver), "%s", driver.driver);
	ask_ethtool(fd, port->link.name, &settings);
	close(fd);
	speed_mbps = ethtool_cmd_speed(&settings);
	if (strcmp(port->link.kind, "veth") && speed_mbps && speed_mbps != (uint32_t)SPEED_UNKNOWN)
		port->link_bps = speed_mbps * BPS_PER_MBPS;
}

/* --- preparation ---------------------------------------------------------------------------------------------------- */

/* Receive frames for any MAC address, for as long as this socket is open. */
static enum exit_code make_promiscuous(struct port *port)
{
	struct packet_mreq membership = { .mr_ifindex = port->link.ifindex, .mr_type = PACKET_MR_PROMISC };

	port->promiscuous_fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (port->promiscuous_fd < 0 ||
	    setsockopt(port->promiscuous_fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &membership, sizeof(membership)))
		return refuse(EXIT_INCAPABLE, "port %s: cannot receive frames of all addresses: %s", port->link.name,
			      why(errno));
	return EXIT_DONE;
}

static enum exit_code prepare(struct port *port)
{
	char path[64 + IF_NAMESIZE];
	enum exit_code code = make_promiscuous(port);

	if (code)
		return code;
	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6", port->link.name);
	code = claim_set_sysctl(port->claim, path, "1");
	if (!code)
		read_hardware(port);
	return code;
}

static enum exit_code open_in_order(struct mnl_socket *netlink, const struct config *config, struct port *ports)
{
	enum exit_code code = EXIT_DONE;

	for (int i = 0; i < PORT_COUNT && !code; i++)
		code = check_usage(netlink, config->ports[i].name, config->frame_size_octets, &ports[i]);
	if (!code && ports[PORT_A].link.ifindex == ports[PORT_B].link.ifindex)
		code = refuse(EXIT_USAGE_ERROR, "--ports: '%s' and '%s' are the same port; two different ones are needed",
			      config->ports[PORT_A].name, config->ports[PORT_B].name);
	for (int i = 0; i < PORT_COUNT && !code; i++)
		code = claim_port(ports[i].link.name, ports[i].link.ifindex, &ports[i].claim);
	for (int i = 0; i < PORT_COUNT && !code; i++)
		code = check_safety(netlink, config->unsafe_reason, &ports[i]);
	for (int i = 0; i < PORT_COUNT && !code; i++)
		code = check_capability(&ports[i]);
	for (int i = 0; i < PORT_COUNT && !code; i++)
		code = prepare(&ports[i]);
	return code;
}

enum exit_code ports_open(struct mnl_socket *netlink, const struct config *config, struct port ret_ports[PORT_COUNT])
{
	struct port ports[PORT_COUNT] = { { .promiscuous_fd = -1 }, { .promiscuous_fd = -1 } };
	enum exit_code code = open_in_order(netlink, config, ports);

	if (code)
		ports_close(ports);
	else
		memcpy(ret_ports, ports, sizeof(ports));
	return code;
}

void ports_close(struct port ports[PORT_COUNT])
{
	for (int i = 0; i < PORT_COUNT; i++) {
		if (ports[i].promiscuous_fd > 0)
			close(ports[i].promiscuous_fd);
		claim_release(ports[i].claim);
		ports[i] = (struct port){ .promiscuous_fd = -1 };
	}
}
