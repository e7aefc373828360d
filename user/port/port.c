/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <math.h>
#include <net/ethernet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "base/text_stream.h"
#include "config/traffic.h"
#include "netdev/ethtool.h"
#include "port/absent.h"
#include "port/journal.h"
#include "port/privileges.h"

#define BPS_PER_MBPS    1e6
#define CARRIER_NS      (10 * NS_PER_S)
#define CARRIER_POLL_NS (NS_PER_S / 50)

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

/* --- usage ---------------------------------------------------------------------------------------------------------- */

/* Return the MTU that the port has, or that --prepare mtu may give it. */
static unsigned int possible_mtu(const struct config *config, const struct link_info *link)
{
	bool may_be_raised = config->prepare.asked & 1u << PREPARE_MTU;

	return may_be_raised && link->max_mtu_octets ? link->max_mtu_octets : link->mtu_octets;
}

/* A NIC with a driver for user space is no port, which people often forget. */
static enum exit_code refuse_absent(const char *name)
{
	const char *where = absent_explain("", name, ROOM(ABSENT_TEXT_SIZE), ABSENT_TEXT_SIZE);

	return refuse(EXIT_USAGE_ERROR, "--ports: there is no port '%s' here; 'ip link' lists what there is%s%s", name,
		      *where ? "; " : "", where);
}

enum exit_code port_find(struct mnl_socket *netlink, const char *name, struct link_info *ret)
{
	int error = netlink_link(netlink, name, ret);

	if (error == -ENODEV)
		return refuse_absent(name);
	if (error)
		return refuse(EXIT_INCAPABLE, "port %s: cannot ask the kernel about it: %s", name, why(-error));
	return EXIT_DONE;
}

static enum exit_code check_usage(struct mnl_socket *netlink, const struct config *config, const char *name,
				  struct port *port)
{
	unsigned int mtu_octets, link_octets = traffic_link_octets(config), needed = traffic_mtu(config);
	enum exit_code code = port_find(netlink, name, &port->link);

	if (code)
		return code;
	mtu_octets = possible_mtu(config, &port->link);
	if (config->suite_mtu > needed)
		needed = config->suite_mtu;
	if (needed > mtu_octets)
		return refuse(EXIT_USAGE_ERROR,
			      "--frame-size: %u octets do not fit the MTU of port %s, %u; use at most %u, or raise the MTU "
			      "(--prepare auto,mtu does for the run)",
			      needed + link_octets, name, mtu_octets, mtu_octets + link_octets);
	return EXIT_DONE;
}

/* --- safety --------------------------------------------------------------------------------------------------------- */

/* The kernel writes routes otherwise than `ip` does: "default/0". */
static int route_length(const char *route)
{
	return strncmp(route, "default", 7) ? (int)strlen(route) : 7;
}

int port_find_use(struct mnl_socket *netlink, const struct link_info *link, struct port_use *ret)
{
	struct link_uses uses;
	int error = netlink_uses(netlink, link, &uses);

	*ret = (struct port_use){ "" };
	if (error)
		return error;
	ret->is_of_ipv6 = uses.is_of_ipv6;
	if (uses.has_default_route) {
		snprintf(ret->what, sizeof(ret->what), "carries this machine's default route");
	} else if (*uses.upper) {
		snprintf(ret->what, sizeof(ret->what), "belongs to %s", uses.upper);
		snprintf(ret->remedy, sizeof(ret->remedy),
			 link->master_ifindex ? "ip link set dev %s nomaster" : "ip link del dev %s",
			 link->master_ifindex ? link->name : uses.upper);
	} else if (*uses.address) {
		snprintf(ret->what, sizeof(ret->what), "has the address %s", uses.address);
		snprintf(ret->remedy, sizeof(ret->remedy), "ip address del %s dev %s", uses.address, link->name);
	} else if (*uses.route) {
		snprintf(ret->what, sizeof(ret->what), "has a route to %s", uses.route);
		snprintf(ret->remedy, sizeof(ret->remedy), "ip route del %.*s dev %s", route_length(uses.route), uses.route,
			 link->name);
	} else if (*uses.nexthop) {
		snprintf(ret->what, sizeof(ret->what), "has the nexthop %s", uses.nexthop);
		snprintf(ret->remedy, sizeof(ret->remedy), "ip nexthop del id %s", uses.nexthop);
	} else if (link->xdp_programs) {
		snprintf(ret->what, sizeof(ret->what), "has an XDP program");
		snprintf(ret->remedy, sizeof(ret->remedy), "ip link set dev %s xdp off", link->name);
	}
	return 0;
}

static enum exit_code check_safety(struct mnl_socket *netlink, const char *unsafe_reason, struct port *port)
{
	struct port_use use;
	int error = port_find_use(netlink, &port->link, &use);

	if (error)
		return refuse(EXIT_INCAPABLE, "port %s: cannot ask the kernel who uses it: %s", port->link.name,
			      strerror(-error));
	port->uses_ipv6 = use.is_of_ipv6;
	if (!*use.what)
		return EXIT_DONE;
	if (!unsafe_reason && !*use.remedy)
		return refuse(
			EXIT_UNSAFE,
			"port %s is in use: it %s, and a test would cut this machine off from its network; use another "
			"port, or say why it may be used: --allow-unsafe=REASON",
			port->link.name, use.what);
	if (!unsafe_reason)
		return refuse(EXIT_UNSAFE,
			      "port %s is in use: it %s; end that ('%s'), or say why it may be used: --allow-unsafe=REASON",
			      port->link.name, use.what, use.remedy);
	warn("port %s is in use (it %s), allowed: %s", port->link.name, use.what, unsafe_reason);
	return EXIT_DONE;
}

/* --- capability ----------------------------------------------------------------------------------------------------- */

static enum exit_code check_capability(const struct port *port)
{
	if (!port->link.up)
		return refuse(EXIT_INCAPABLE, "port %s is down; 'ip link set dev %s up' brings it up", port->link.name,
			      port->link.name);
	return EXIT_DONE;
}

/* Get driver, bus and speed. Virtual links make up their speed, so it counts as unknown. */
static void read_hardware(struct port *port)
{
	struct ethtool *ethtool;
	struct link_driver driver;
	struct link_mode mode;

	if (ethtool_open(&ethtool))
		return;
	if (!ethtool_driver(ethtool, port->link.ifindex, &driver)) {
		memcpy(port->driver, driver.name, sizeof(port->driver));
		memcpy(port->bus, driver.bus, sizeof(port->bus));
	}
	if (strcmp(port->link.kind, "veth") && strcmp(port->link.kind, "tun") &&
	    !ethtool_mode(ethtool, port->link.ifindex, &mode)) {
		port->link_bps = mode.speed_mbps * BPS_PER_MBPS;
		port->half_duplex = mode.speed_mbps && !mode.full_duplex;
	}
	ethtool_close(ethtool);
}

/* --- preparation ---------------------------------------------------------------------------------------------------- */

int port_socket(int ifindex, const struct sock_fprog *filter)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL), /* behind a VLAN tag no other one matches */
		.sll_ifindex = ifindex,
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1, error;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one));
	if ((!filter || !setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, filter, sizeof(*filter))) &&
	    !bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	error = -errno;
	close(fd);
	return error;
}

/* Receive frames for any MAC address, for as long as this socket is open. */
static enum exit_code make_promiscuous(struct port *port)
{
	struct packet_mreq membership = { .mr_ifindex = port->link.ifindex, .mr_type = PACKET_MR_PROMISC };

	port->listening_fd = port_socket(port->link.ifindex, NULL);
	if (port->listening_fd < 0)
		errno = -port->listening_fd;
	if (port->listening_fd < 0 ||
	    setsockopt(port->listening_fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &membership, sizeof(membership)))
		return refuse(EXIT_INCAPABLE, "port %s: cannot receive frames of all addresses: %s", port->link.name,
			      why(errno));
	return EXIT_DONE;
}

static enum exit_code prepare(const struct config *config, struct port *port)
{
	enum exit_code code = make_promiscuous(port);

	if (code)
		return code;
	read_hardware(port);
	if (port->half_duplex)
		warn("port %s: its link is half duplex: what it sends and what it receives collide, and that looks like the "
		     "SUT's loss; let both ends negotiate ('ethtool -s %s autoneg on')",
		     port->link.name, port->link.name);
	return port_prepare(port, config, traffic_mtu(config));
}

/* Return 0 once the port has carrier, -ETIMEDOUT, -EINTR after a stop, or the kernel's error. */
static int await_carrier(struct mnl_socket *netlink, const struct port *port)
{
	uint64_t deadline_ns = clock_ns() + CARRIER_NS;
	struct link_info link;

	for (;;) {
		int error = netlink_link_by_index(netlink, port->link.ifindex, &link);

		if (error || link.carrier)
			return error;
		if (clock_ns() > deadline_ns)
			return -ETIMEDOUT;
		if (stop_sleep_until(clock_ns() + CARRIER_POLL_NS))
			return -EINTR;
	}
}

/* Report a link without carrier. `remedy` continues the sentence after "within 10 s". */
static enum exit_code wait_for_carrier(struct mnl_socket *netlink, const struct port *port, const char *remedy)
{
	int error = await_carrier(netlink, port);

	if (!error)
		return EXIT_DONE;
	if (error == -EINTR)
		return EXIT_INTERRUPTED;
	if (error == -ETIMEDOUT)
		return refuse(EXIT_INCAPABLE, "port %s has no carrier, and got none within %d s%s", port->link.name,
			      (int)(CARRIER_NS / NS_PER_S), remedy);
	return refuse(EXIT_INCAPABLE, "port %s: cannot ask the kernel about it: %s", port->link.name, strerror(-error));
}

/* The carrier may be on its way: the driver restarts the link where an XDP program is detached, which another run may just
 * have done. */
static enum exit_code find_carrier(struct mnl_socket *netlink, struct port *port)
{
	enum exit_code code;

	if (!port->link.carrier)
		note("port %s has no carrier; waiting for it, %d s at most", port->link.name, (int)(CARRIER_NS / NS_PER_S));
	code = wait_for_carrier(netlink, port, ": check the cable and the other end");
	port->link.carrier = !code;
	return code;
}

enum exit_code ports_wait_for_carrier(struct mnl_socket *netlink, struct port *ports, unsigned int port_count)
{
	enum exit_code code = EXIT_DONE;

	for (unsigned int i = 0; i < port_count && !code; i++)
		code = wait_for_carrier(netlink, &ports[i],
					" of its preparation: look at its other end, or prepare less (--prepare)");
	return code;
}

/* Two names may mean the same port. */
static enum exit_code check_different(const struct port *ports, unsigned int port)
{
	for (unsigned int i = 0; i < port; i++)
		if (ports[i].link.ifindex == ports[port].link.ifindex)
			return refuse(EXIT_USAGE_ERROR, "--ports: '%s' is named twice; different ports are needed",
				      ports[port].link.name);
	return EXIT_DONE;
}

static enum exit_code look_at_ports(struct mnl_socket *netlink, const struct config *config, struct port *ports)
{
	enum exit_code code = EXIT_DONE;

	for (unsigned int i = 0; i < config->port_count && !code; i++)
		code = check_usage(netlink, config, config->ports[i].name, &ports[i]);
	for (unsigned int i = 0; i < config->port_count && !code; i++)
		code = check_different(ports, i);
	return code;
}

static enum exit_code check_ports(struct mnl_socket *netlink, const struct config *config, struct port *ports)
{
	enum exit_code code = EXIT_DONE;

	for (unsigned int i = 0; i < config->port_count && !code; i++)
		code = check_safety(netlink, config->unsafe_reason, &ports[i]);
	if (!code && !config->dry_run)
		code = privileges_check();
	for (unsigned int i = 0; i < config->port_count && !code; i++)
		code = check_capability(&ports[i]);
	return code;
}

enum exit_code ports_check(struct mnl_socket *netlink, const struct config *config, struct port *ports)
{
	enum exit_code code = look_at_ports(netlink, config, ports) ?: check_ports(netlink, config, ports);

	for (unsigned int i = 0; i < config->port_count && !code; i++) {
		read_hardware(&ports[i]);
		if (!ports[i].link.carrier)
			ports[i].link_bps = INFINITY;
	}
	return code;
}

static enum exit_code open_in_order(struct mnl_socket *netlink, const struct config *config, struct port *ports)
{
	enum exit_code code = look_at_ports(netlink, config, ports);

	for (unsigned int i = 0; i < config->port_count && !code; i++)
		code = claim_port(&ports[i].link, &ports[i].claim);
	/* Look again: the claim has undone what a run that died left, such as a larger MTU. */
	if (!code)
		code = look_at_ports(netlink, config, ports);
	if (!code)
		code = check_ports(netlink, config, ports);
	for (unsigned int i = 0; i < config->port_count && !code; i++)
		code = find_carrier(netlink, &ports[i]);
	for (unsigned int i = 0; i < config->port_count && !code; i++)
		code = prepare(config, &ports[i]);
	return code;
}

enum exit_code ports_open(struct mnl_socket *netlink, const struct config *config, struct port *ret_ports)
{
	struct port ports[MLR_PORTS_MAX] = { 0 };
	enum exit_code code;

	for (unsigned int i = 0; i < config->port_count; i++)
		ports[i].listening_fd = -1;
	code = open_in_order(netlink, config, ports);
	if (code)
		ports_close(netlink, ports, config->port_count);
	else
		memcpy(ret_ports, ports, config->port_count * sizeof(ports[0]));
	return code;
}

void ports_note_carrier(struct mnl_socket *netlink, struct port *ports, unsigned int port_count)
{
	struct link_info now;

	for (unsigned int i = 0; i < port_count; i++)
		ports[i].link.carrier = ports[i].claim && !netlink_link_by_index(netlink, ports[i].link.ifindex, &now) &&
					now.up && now.carrier;
}

void ports_close(struct mnl_socket *netlink, struct port *ports, unsigned int port_count)
{
	for (unsigned int i = 0; i < port_count; i++) {
		if (ports[i].listening_fd > 0)
			close(ports[i].listening_fd);
		claim_release(ports[i].claim);
	}
	for (unsigned int i = 0; i < port_count; i++) {
		if (ports[i].claim && ports[i].link.carrier && await_carrier(netlink, &ports[i]) == -ETIMEDOUT)
			warn("port %s: its link has not come back within %d s of its restoring; look at its other end",
			     ports[i].link.name, (int)(CARRIER_NS / NS_PER_S));
		ports[i] = (struct port){ .listening_fd = -1 };
	}
}

/* --- by the keeper ---------------------------------------------------------------------------------------------------- */

void ports_hold(struct mnl_socket *netlink, const struct port *ports, unsigned int port_count, struct keeper_plan *plan)
{
	netlink_hold(netlink, plan);
	for (unsigned int i = 0; i < port_count; i++)
		claim_hold(ports[i].claim, plan);
}

void ports_undo(struct mnl_socket *netlink, struct port *ports, unsigned int port_count, uint32_t with_carrier)
{
	for (unsigned int i = 0; i < port_count; i++) {
		ports[i].listening_fd = -1; /* the keeper has none */
		ports[i].link.carrier = with_carrier >> i & 1;
	}
	ports_close(netlink, ports, port_count);
}

void ports_leave(struct port *ports, unsigned int port_count)
{
	for (unsigned int i = 0; i < port_count; i++) {
		if (ports[i].listening_fd > 0)
			close(ports[i].listening_fd);
		claim_leave(ports[i].claim);
		ports[i] = (struct port){ .listening_fd = -1 };
	}
}
