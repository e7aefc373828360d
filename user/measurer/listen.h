/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listening before the first test frame: a port on which somebody else's frames arrive is connected to something that is in
 * use, and is refused (EXIT_UNSAFE) unless a reason is given.
 *
 * What counts is the receivers' count of foreign frames, in which ARP, neighbour discovery, MLD, LLDP and what 802.1D
 * reserves have no part. The ports' own sockets keep a copy of what they passed on, to show the first of it. Listening
 * begins before the receivers attach, takes the time that ARP takes anyway, and LISTEN_MIN_NS at least; once a process,
 * because what follows in it is the tester's own traffic.
 */
#pragma once

#include <stdint.h>

#include "dataplane/rx.h"
#include "port/port.h"

#define LISTEN_MIN_NS 200000000ull

/* Wait until enough time has passed since receivers began to attach, and judge. EXIT_INTERRUPTED after a stop. */
enum exit_code listen_end(uint64_t start_ns, const struct port *ports, unsigned int port_count, struct rx *const *receivers,
			  const char *unsafe_reason);
