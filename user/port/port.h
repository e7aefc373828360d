/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tester's ports: what they are, whether they may be used, and their preparation.
 *
 * Refusals come in the order of the contract: usage (2) for either port, then safety (4), then capability (3). What is
 * changed on a port hangs on a file descriptor (promiscuous mode) or is journalled (prepare.h), so that it is undone at the
 * end and after a crash.
 */
#ifndef XDP_MLR_PORT_PORT_H
#define XDP_MLR_PORT_PORT_H

#include "base/message.h"
#include "config/config.h"
#include "port/state.h"

/* Open config->port_count ports for frames of this size. Where a port is in use and a reason is given, that is a warning only. */
enum exit_code ports_open(struct mnl_socket *netlink, const struct config *config, struct port *ret_ports);
/* Wait, for some seconds at most, until both have carrier again: preparing a port or attaching XDP to it may restart it. */
enum exit_code ports_wait_for_carrier(struct mnl_socket *netlink, struct port *ports, unsigned int port_count);
/* Undo everything. Fine for ports that are zero or were not opened. */
void ports_close(struct port *ports, unsigned int port_count);

#endif
