/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ARP for the tester's ports: find the SUT's MAC addresses before a run, answer for the tester's addresses while it lasts.
 *
 * A raw socket a port, closed by the kernel if the process dies. The addresses are never configured on the port, so the
 * kernel neither answers for them nor routes by them. One thread answers; it sleeps unless ARP arrives.
 */
#ifndef XDP_MLR_NEIGHBOUR_H
#define XDP_MLR_NEIGHBOUR_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "mlr/frame.h"
#include "say.h"

/* One port as its neighbours see it. */
struct neighbour_port {
	int ifindex;
	const char *name;
	uint8_t mac[MLR_MAC_OCTETS];
	struct in_addr address; /* the tester's */
	struct in_addr gateway; /* who is asked for */
};

/* What was learned about a port's other end. */
struct neighbour_answer {
	bool gateway_found;
	uint8_t gateway_mac[MLR_MAC_OCTETS];
};

struct neighbours;

/* Open the sockets. Needs CAP_NET_RAW. */
enum exit_code neighbours_open(const struct neighbour_port ports[PORT_COUNT], struct neighbours **ret);
/* Ask for every port's gateway, for a second at most; less once all have answered, or once the ports turned out to see each
 * other directly. EXIT_INTERRUPTED after a stop. */
enum exit_code neighbours_resolve(struct neighbours *neighbours, struct neighbour_answer ret_answers[PORT_COUNT]);
/* Answer from a thread of its own until closed. */
enum exit_code neighbours_serve(struct neighbours *neighbours);
void neighbours_close(struct neighbours *neighbours);

#endif
