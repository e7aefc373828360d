/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header reads what arrives at a port beside the tester's own frames: spanning tree, LLDP and CDP, DHCP, frames of this
 * machine itself, and the first frame of others. The caller owns a struct heard for each port, which begins as zeros;
 * heard_take() adds one frame to it. Nothing here acts on anything.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlr/frame.h"

#define HEARD_OCTETS    512 /* octets of a frame that are read */
#define HEARD_TEXT_SIZE 64

/* The state in which a bridge has the port that it speaks on. Not all BPDUs say it: those of 802.1D do not. */
enum spanning_state { SPANNING_UNTOLD, SPANNING_DISCARDING, SPANNING_LEARNING, SPANNING_FORWARDING };

/* The last BPDU (802.1D, 9.3). */
struct spanning_tree {
	uint64_t frames; /* 0: none was heard */
	bool is_rapid;   /* a BPDU of RSTP or MSTP, which says the state */
	enum spanning_state state;
	uint8_t root[8], bridge[8]; /* priority, and a MAC address */
	uint16_t port;
	double hello_s, forward_delay_s;
};

/* The last announcement of LLDP (802.1AB), as printable text. */
struct lldp {
	uint64_t frames;
	char system[HEARD_TEXT_SIZE]; /* name of the system, or of its chassis */
	char port[HEARD_TEXT_SIZE];
};

struct heard {
	struct spanning_tree spanning;
	struct lldp lldp, cdp; /* the latter Cisco's own protocol of that purpose */
	uint64_t dhcp;         /* frames of DHCP, from anybody */
	uint64_t arp;
	/* Frames from one of our ports that are not the tester's: a program of this machine sends them. */
	uint64_t own;
	unsigned int own_port;
	bool own_is_dhcp;
	/* Frames of others that are no housekeeping. */
	uint64_t foreign;
	uint16_t
		foreign_type; /* EtherType, of the first; VLAN tags that the NIC or the kernel has taken off are not looked at */
	uint16_t foreign_field; /* value in its place in the frame */
	uint8_t foreign_from[MLR_MAC_OCTETS], foreign_to[MLR_MAC_OCTETS];
};

/* Take a frame that came to a port; of our ports these are the MAC addresses. `type` is its EtherType as the kernel says it. */
void heard_take(struct heard *heard, const uint8_t *frame, size_t octets, uint16_t type,
		const uint8_t (*macs)[MLR_MAC_OCTETS], unsigned int port_count);

/* Return for how long after a link came up a bridge that speaks spanning tree may keep it closed, in s, by its timers. */
double spanning_tree_longest_s(const struct spanning_tree *spanning);

/* Return it as a member of the result, a new reference. */
json_t *heard_json(const struct heard *heard);
