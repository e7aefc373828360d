/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a port of the tester while it is open. port.h opens it, prepare.h prepares it. */
#ifndef XDP_MLR_PORT_STATE_H
#define XDP_MLR_PORT_STATE_H

#include "netdev/netlink.h"

struct claim;

struct port {
	struct link_info link; /* as it was when the port was opened, but for an MTU that was raised */
	char driver[32];
	char bus[32];    /* where the device is, as "0000:03:00.0"; empty for a virtual one */
	double link_bps; /* 0: not known, or made up as by veth */
	int promiscuous_fd;
	struct claim *claim;
};

#endif
