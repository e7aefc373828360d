/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tester listens before its first test frame. A port on which somebody else's frames arrive is connected to something
 * that is in use, and is refused (EXIT_UNSAFE) unless a reason is given.
 *
 * The decision rests on the receivers' count of foreign frames. ARP, neighbour discovery, MLD, LLDP and addresses that
 * 802.1D reserves are no part of it. The ports' own sockets keep a copy of what the receivers passed on, to show the first
 * frame. Listening begins before the receivers attach, and lasts as long as ARP takes anyway, at least LISTEN_MIN_NS. A
 * process listens once, because what follows is the tester's own traffic.
 */
#pragma once

#include "measurer/xdp_private.h"

#define LISTEN_MIN_NS 200000000ull

/* Wait until enough time has passed since receivers began to attach, and judge. EXIT_INTERRUPTED after a stop. From then on
 * the ports' sockets get spanning tree, LLDP and what this machine itself sends over IPv4, and nothing else. */
enum exit_code listen_end(struct measurer_xdp *xdp);

/* Report that this machine itself sends what was heard on a port, with the port and program that send it, and what ends
 * that. */
#define LISTEN_TEXT_SIZE 512
const char *listen_describe_own(const struct measurer_xdp *xdp, unsigned int port, char buffer[LISTEN_TEXT_SIZE]);
