/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * This header names the kinds of changes that a SUT may make in the headers of a frame. A set of kinds is a sum of bits.
 * There are only constants, so nothing is owned, and nothing has a life cycle.
 */
#ifndef MLR_CHANGE_H
#define MLR_CHANGE_H

enum mlr_change {
	MLR_CHANGE_VLAN = 1 << 0,     /* VLAN ids, or how many tags there are */
	MLR_CHANGE_PRIORITY = 1 << 1, /* priority or drop eligible indicator of VLAN tags */
	MLR_CHANGE_DSCP = 1 << 2,
	MLR_CHANGE_ECN = 1 << 3,
	MLR_CHANGE_TTL = 1 << 4, /* TTL, or the hop limit of IPv6 */
	MLR_CHANGE_ADDRESS = 1 << 5,
	MLR_CHANGE_PORT = 1 << 6, /* UDP port */
	MLR_CHANGE_MAC = 1 << 7,  /* destination MAC address, where it is compared */
};

#define MLR_CHANGES 7 /* kinds that have a count of their own: all but the last one */

#endif
