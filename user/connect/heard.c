/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "connect/heard.h"

#include <net/ethernet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/json_value.h"
#include "base/message.h"

#define TYPE_LLDP       0x88cc
#define TYPE_LOOP       0x9000 /* a switch looks for loops by it */
#define TYPES_LEAST     0x600  /* below, the field is a length (802.3) */
#define IPV6_HOP_BY_HOP 0
#define ICMPV6_ECHO     0x80 /* request; the reply is one more */
#define SNMP_PORT       161  /* the tester's own management queries */

/* --- spanning tree -------------------------------------------------------------------------------------------------- */

enum { BPDU_CONFIGURATION = 0, BPDU_RAPID = 2, FLAG_LEARNING = 0x10, FLAG_FORWARDING = 0x20 };

#define BPDU_OCTETS  35
#define BPDU_SECONDS 256.0 /* times are in so many parts of one */

/* Return what is behind LLC or SNAP, if it is so long. NULL: it is not, or the frame has something else. */
static const uint8_t *find_behind(const uint8_t *head, size_t head_octets, size_t least, const uint8_t *frame, size_t octets)
{
	const uint8_t *at = frame + ETH_HLEN;

	return octets >= ETH_HLEN + head_octets + least && !memcmp(at, head, head_octets) ? at + head_octets : NULL;
}

/* Return the BPDU of a frame, behind LLC, or Cisco's by VLAN behind SNAP. NULL: it has none. */
static const uint8_t *find_bpdu(const uint8_t *frame, size_t octets)
{
	static const uint8_t llc[] = { 0x42, 0x42, 0x03 }, snap[] = { 0xaa, 0xaa, 0x03, 0x00, 0x00, 0x0c, 0x01, 0x0b };
	const uint8_t *bpdu = find_behind(llc, sizeof(llc), BPDU_OCTETS, frame, octets);

	return bpdu ? bpdu : find_behind(snap, sizeof(snap), BPDU_OCTETS, frame, octets);
}

/* Versions of BPDUs, and the state in the flags of the rapid ones (802.1D-2004, 9.3.3). */
static bool read_bpdu(struct spanning_tree *spanning, const uint8_t *frame, size_t octets)
{
	const uint8_t *bpdu = mlr_get16(frame + 12) < TYPES_LEAST ? find_bpdu(frame, octets) : NULL;

	if (!bpdu || mlr_get16(bpdu) || (bpdu[3] != BPDU_CONFIGURATION && bpdu[3] != BPDU_RAPID))
		return false;
	spanning->frames++;
	spanning->is_rapid = bpdu[3] == BPDU_RAPID;
	spanning->state = !spanning->is_rapid         ? SPANNING_UNTOLD
			  : bpdu[4] & FLAG_FORWARDING ? SPANNING_FORWARDING
			  : bpdu[4] & FLAG_LEARNING   ? SPANNING_LEARNING
						      : SPANNING_DISCARDING;
	memcpy(spanning->root, bpdu + 5, sizeof(spanning->root));
	memcpy(spanning->bridge, bpdu + 17, sizeof(spanning->bridge));
	spanning->port = (uint16_t)mlr_get16(bpdu + 25);
	spanning->hello_s = mlr_get16(bpdu + 31) / BPDU_SECONDS;
	spanning->forward_delay_s = mlr_get16(bpdu + 33) / BPDU_SECONDS;
	return true;
}

/* The bridge listens for one forward delay, and learns for another. */
double spanning_tree_longest_s(const struct spanning_tree *spanning)
{
	return (spanning->state == SPANNING_LEARNING ? 1 : 2) * spanning->forward_delay_s;
}

/* --- LLDP ----------------------------------------------------------------------------------------------------------- */

enum { LLDP_END, LLDP_CHASSIS, LLDP_PORT, LLDP_PORT_DESCRIPTION = 4, LLDP_SYSTEM_NAME = 5 };
enum { CHASSIS_MAC = 4, PORT_MAC = 3 };

/* Copy text of strangers, as far as it can be printed. */
static void put_text(const uint8_t *text, size_t octets, char ret[HEARD_TEXT_SIZE])
{
	quote((const char *)text, octets, ret, HEARD_TEXT_SIZE);
}

/* Copy an identity, whose first octet says its kind: a MAC address, or text. */
static void put_identity(const uint8_t *value, size_t octets, uint8_t mac_kind, char ret[HEARD_TEXT_SIZE])
{
	if (octets < 2)
		return;
	if (value[0] == mac_kind && octets == 1 + MLR_MAC_OCTETS)
		snprintf(ret, HEARD_TEXT_SIZE, "%02x:%02x:%02x:%02x:%02x:%02x", value[1], value[2], value[3], value[4],
			 value[5], value[6]);
	else
		put_text(value + 1, octets - 1, ret);
}

static void read_lldp(struct lldp *lldp, const uint8_t *at, const uint8_t *end)
{
	*lldp = (struct lldp){ .frames = lldp->frames + 1 };
	while (end - at >= 2) {
		unsigned int head = mlr_get16(at), type = head >> 9;
		size_t octets = head & 0x1ff;

		at += 2;
		if (type == LLDP_END || octets > (size_t)(end - at))
			return;
		if (type == LLDP_CHASSIS)
			put_identity(at, octets, CHASSIS_MAC, lldp->system);
		else if (type == LLDP_PORT)
			put_identity(at, octets, PORT_MAC, lldp->port);
		else if (type == LLDP_SYSTEM_NAME && octets)
			put_text(at, octets, lldp->system);
		at += octets;
	}
}

/* --- CDP, which switches of Cisco speak in its place ---------------------------------------------------------------- */

enum { CDP_DEVICE = 1, CDP_PORT = 3 };

#define CDP_HEAD 4 /* version, time to live and checksum; and of each item the type and its length, with these */

static bool read_cdp(struct lldp *cdp, const uint8_t *frame, size_t octets)
{
	static const uint8_t snap[] = { 0xaa, 0xaa, 0x03, 0x00, 0x00, 0x0c, 0x20, 0x00 };
	const uint8_t *at = find_behind(snap, sizeof(snap), CDP_HEAD, frame, octets), *end = frame + octets;
	size_t item = CDP_HEAD;

	if (!at)
		return false;
	*cdp = (struct lldp){ .frames = cdp->frames + 1 };
	for (at += CDP_HEAD; end - at > CDP_HEAD; at += item) {
		item = mlr_get16(at + 2);
		if (item <= CDP_HEAD || item > (size_t)(end - at))
			break;
		if (mlr_get16(at) == CDP_DEVICE)
			put_text(at + CDP_HEAD, item - CDP_HEAD, cdp->system);
		else if (mlr_get16(at) == CDP_PORT)
			put_text(at + CDP_HEAD, item - CDP_HEAD, cdp->port);
	}
	return true;
}

/* --- others --------------------------------------------------------------------------------------------------------- */

/* Whether the receiver counts a frame as housekeeping (bpf/parse.h). */
static bool is_housekeeping(const uint8_t *frame, size_t octets, uint16_t type)
{
	static const uint8_t reserved[] = { 0x01, 0x80, 0xc2, 0x00, 0x00 }, cisco[] = { 0x01, 0x00, 0x0c, 0xcc, 0xcc };
	const uint8_t *ip = frame + ETH_HLEN;

	if (type == ETHERTYPE_ARP || type == TYPE_LLDP || type == TYPE_LOOP)
		return true;
	if (type == ETHERTYPE_IPV6 && octets > ETH_HLEN + 40)
		return ip[6] == IPV6_HOP_BY_HOP || (ip[6] == IPPROTO_ICMPV6 && (ip[40] & 0xfe) != ICMPV6_ECHO);
	if (type == ETHERTYPE_IP && octets > ETH_HLEN + 9 && ip[9] == IPPROTO_IGMP)
		return true;
	return !memcmp(frame, cisco, sizeof(cisco)) ||
	       (!memcmp(frame, reserved, sizeof(reserved)) && (frame[5] & 0xd0) == 0);
}

/* Get the ports of a UDP packet over IPv4 or, without extension headers, IPv6. */
static bool find_udp_ports(const uint8_t *frame, size_t octets, uint16_t type, unsigned int ret[2])
{
	const uint8_t *ip = frame + ETH_HLEN;
	size_t header = 40;

	if (octets < ETH_HLEN + 20)
		return false;
	if (type == ETHERTYPE_IP && ip[9] == IPPROTO_UDP)
		header = (size_t)(ip[0] & 15) * 4;
	else if (type != ETHERTYPE_IPV6 || ip[6] != IPPROTO_UDP)
		return false;
	if (octets < ETH_HLEN + header + 4)
		return false;
	ret[0] = mlr_get16(ip + header);
	ret[1] = mlr_get16(ip + header + 2);
	return true;
}

static bool is_dhcp(const unsigned int ports[2])
{
	unsigned int sum = ports[0] + ports[1];

	return (sum == 67 + 68 && (ports[0] == 67 || ports[0] == 68)) ||
	       (sum == 546 + 547 && (ports[0] == 546 || ports[0] == 547));
}

static void read_foreign(struct heard *heard, const uint8_t *frame, uint16_t type)
{
	if (heard->foreign++)
		return;
	heard->foreign_type = type;
	heard->foreign_field = (uint16_t)mlr_get16(frame + 12);
	memcpy(heard->foreign_to, frame, MLR_MAC_OCTETS);
	memcpy(heard->foreign_from, frame + MLR_MAC_OCTETS, MLR_MAC_OCTETS);
}

/* Return which of our ports a frame is from; port_count: none. */
static unsigned int find_own(const uint8_t *frame, const uint8_t (*macs)[MLR_MAC_OCTETS], unsigned int port_count)
{
	unsigned int port = 0;

	while (port < port_count && memcmp(frame + MLR_MAC_OCTETS, macs[port], MLR_MAC_OCTETS) != 0)
		port++;
	return port;
}

void heard_take(struct heard *heard, const uint8_t *frame, size_t octets, uint16_t type,
		const uint8_t (*macs)[MLR_MAC_OCTETS], unsigned int port_count)
{
	unsigned int ports[2] = { 0 }, own;
	bool has_ports;

	if (octets < ETH_HLEN || read_bpdu(&heard->spanning, frame, octets) || read_cdp(&heard->cdp, frame, octets))
		return;
	if (type == TYPE_LLDP)
		read_lldp(&heard->lldp, frame + ETH_HLEN, frame + octets);
	heard->arp += type == ETHERTYPE_ARP;
	if (is_housekeeping(frame, octets, type))
		return;
	has_ports = find_udp_ports(frame, octets, type, ports);
	own = find_own(frame, macs, port_count);
	heard->dhcp += has_ports && is_dhcp(ports);
	if (own == port_count || ports[0] == SNMP_PORT || ports[1] == SNMP_PORT) {
		read_foreign(heard, frame, type);
		return;
	}
	heard->own++;
	heard->own_port = own;
	heard->own_is_dhcp |= has_ports && is_dhcp(ports);
}

/* --- the result ----------------------------------------------------------------------------------------------------- */

static json_t *bridge_json(const uint8_t id[8])
{
	return json_sprintf("%u/%02x:%02x:%02x:%02x:%02x:%02x", mlr_get16(id), id[2], id[3], id[4], id[5], id[6], id[7]);
}

static json_t *spanning_json(const struct spanning_tree *spanning)
{
	static const char *const states[] = { NULL, "discarding", "learning", "forwarding" };

	return json_with("version", spanning->is_rapid ? "rapid" : "802.1D", "state", states[spanning->state], "root",
			 bridge_json(spanning->root), "bridge", bridge_json(spanning->bridge), "port", spanning->port,
			 "hello_time", spanning->hello_s, "forward_delay", spanning->forward_delay_s);
}

json_t *heard_json(const struct heard *heard)
{
	json_t *json = json_of_members(heard, arp, dhcp);

	json_put(json, "of_this_machine", heard->own);
	json_put_members(json, heard, foreign);
	if (heard->spanning.frames)
		json_put(json, "spanning_tree", spanning_json(&heard->spanning));
	if (heard->lldp.frames)
		json_put(json, "lldp", json_of_members(&heard->lldp, system, port));
	if (heard->cdp.frames)
		json_put(json, "cdp", json_of_members(&heard->cdp, system, port));
	return json;
}
