/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/hearing.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>

#include "base/message.h"

void hear_programs(struct measurer_xdp *xdp)
{
	xdp->between.port_count = xdp->port_count;
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		xdp->between.ports[i].name = xdp->ports[i].link.name;
		own_program_find(xdp->ports[i].link.ifindex, &xdp->between.ports[i].program);
	}
}

void hear_ports(struct measurer_xdp *xdp)
{
	uint8_t macs[MLR_PORTS_MAX][MLR_MAC_OCTETS], frame[HEARD_OCTETS];

	for (unsigned int i = 0; i < xdp->port_count; i++)
		memcpy(macs[i], xdp->ports[i].link.mac, MLR_MAC_OCTETS);
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		struct sockaddr_ll from;
		socklen_t size = sizeof(from);
		ssize_t octets;

		while ((octets = recvfrom(xdp->ports[i].listening_fd, frame, sizeof(frame), 0, (struct sockaddr *)&from,
					  &size)) > 0) {
			heard_take(&xdp->between.ports[i].heard, frame, (size_t)octets, ntohs(from.sll_protocol),
				   (const uint8_t(*)[MLR_MAC_OCTETS])macs, xdp->port_count);
			size = sizeof(from);
		}
	}
}

uint64_t spanning_patience_ns(struct measurer_xdp *xdp)
{
	const struct between_port *port = between_spanning(&xdp->between);
	double longest_s;

	if (!port)
		return 0;
	longest_s = spanning_tree_longest_s(&port->heard.spanning);
	if (!xdp->said_spanning)
		note("port %s: a switch with spanning tree, which needs up to %.0f s more to let frames pass; make the "
		     "switch's port an edge port",
		     port->name, longest_s);
	xdp->said_spanning = true;
	return port->heard.spanning.is_rapid ? SPANNING_MOST_NS : (uint64_t)(fmin(longest_s, SPANNING_MOST_NS / 1e9) * 1e9);
}
