/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions speak ARP and neighbour discovery for the tester's ports. They find the SUT's MAC addresses before a run,
 * answer for the tester's addresses while it lasts, and send learning frames before a trial. The caller owns the handle,
 * which is opened with the ports and closed before them.
 *
 * Each port has a raw socket, which the kernel closes if the process dies. The addresses are never configured on the port,
 * so the kernel neither answers for them nor routes by them. One thread answers and learns, from neighbours_start() until
 * neighbours_close(). It sleeps unless something arrives. Only neighbours_open() needs privileges, and it parses nothing.
 *
 * A bridge would forget where a port is that sends no test frames. So the thread announces such a port every two seconds.
 * Where the test frames carry VLAN tags, all frames sent here carry them, too. Frames received here may have them or not.
 */
#pragma once

#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/message.h"
#include "config/traffic.h"
#include "mlr/profile.h"

/* A port, as its neighbours see it. */
struct neighbour_port {
	int ifindex;
	const char *name;
	uint8_t mac[MLR_MAC_OCTETS];
	bool is_silent;         /* The port sends no test frames. */
	bool ip4, ip6;          /* families whose addresses are used */
	struct in_addr address; /* the tester's: the first of both ranges */
	struct in_addr gateway; /* the gateway that is asked for */
	struct in6_addr address6;
	struct in6_addr gateway6;
	struct mlr_range ranges[TRAFFIC_RANGES]; /* the tester's addresses; of IPv6 the last four octets vary */
	unsigned int vlan_count;
	struct mlr_vlan vlans[MLR_VLANS_MAX];
};

/* The other end of a port, by IP version, as far as it is known. */
struct neighbour_answer {
	bool found4, found6;
	uint8_t mac4[MLR_MAC_OCTETS], mac6[MLR_MAC_OCTETS];
};

struct neighbours;

/* Open the sockets. Needs CAP_NET_RAW. */
enum exit_code neighbours_open(const struct neighbour_port *ports, unsigned int port_count, struct neighbours **ret);
/* Ask for every port's gateway. Answers wait for the thread. */
void neighbours_ask(struct neighbours *neighbours);
/* Start the thread, off these CPUs if it has others. */
enum exit_code neighbours_start(struct neighbours *neighbours, const cpu_set_t *spared_cpus);
/* Ask for every port's gateway that has not answered yet, for so long at most. It ends earlier once all have answered. Where
 * the ports turn out to see each other directly, it ends 0.2 s after the question that showed it. It returns an answer for each port, and whether any two saw each
 * other. EXIT_INTERRUPTED after a stop. */
enum exit_code neighbours_resolve(struct neighbours *neighbours, uint64_t most_ns, struct neighbour_answer *ret_answers,
				  bool *ret_ports_see_each_other);
/* Let every silent port announce itself now. The second function returns how many frames a port has sent for that. */
void neighbours_announce_silent(struct neighbours *neighbours);
uint64_t neighbours_announcements(const struct neighbours *neighbours, unsigned int port);
/* Send so many learning frames from each port: questions for the gateway, from the tester's addresses in turn, so that the
 * SUT learns where these are (RFC 2544, section 23, phase b). */
void neighbours_announce(struct neighbours *neighbours, unsigned int count);
void neighbours_close(struct neighbours *neighbours);

/* --- for whoever else speaks with the neighbours ----------------------------------------------------------------------- */

/* Write the Ethernet header and VLAN tags of a frame from the port; their length. */
size_t neighbour_put_link(const struct neighbour_port *port, const uint8_t *to_mac, uint16_t type, uint8_t *frame);
/* Add octets from an even place on to the sum of a checksum (RFC 1071). */
uint32_t neighbour_sum(uint32_t sum, const void *data, size_t octets);
