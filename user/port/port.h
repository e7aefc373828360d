/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header opens the tester's ports: it tells what they are, whether they may be used, and prepares them. The caller owns
 * them, opens them once, and closes them at the end.
 *
 * Refusals come in the order of the contract: usage (2) for either port, then safety (4), then capability (3). What is
 * changed on a port hangs on a file descriptor (promiscuous mode) or is journalled (journal.h), so that it is undone at the
 * end and after a crash.
 */
#pragma once

#include <sched.h>

#include "base/message.h"
#include "config/config.h"
#include "mlr/profile.h"
#include "netdev/netlink.h"

/* A port of the tester while it is open. */
struct claim;

struct port {
	struct link_info link; /* link when the port was opened; only a raised MTU is updated */
	char driver[32];
	char bus[32];    /* address of the device, such as "0000:03:00.0"; empty for a virtual one */
	double link_bps; /* 0: not known, or made up as by veth */
	bool half_duplex;
	bool uses_ipv6;   /* an address, a route or a nexthop of IPv6 leads through it */
	int listening_fd; /* its socket, which also keeps the port promiscuous */
	struct claim *claim;
};

/* Check all that can be seen without changing anything or being root, in the same order of refusals. `ports` are zeros
 * before. The speed of a port without carrier is INFINITY, so it does not limit the others. */
enum exit_code ports_check(struct mnl_socket *netlink, const struct config *config, struct port *ports);
/* Open config->port_count ports for frames of this size. Where a port is in use and a reason is given, that is a warning
 * only. One without carrier is waited for, for some seconds. */
enum exit_code ports_open(struct mnl_socket *netlink, const struct config *config, struct port *ret_ports);
/* Wait, for some seconds at most, until both have carrier again: preparing a port or attaching XDP to it may restart it. */
enum exit_code ports_wait_for_carrier(struct mnl_socket *netlink, struct port *ports, unsigned int port_count);
/* Undo everything, and wait, for some seconds at most, until the ports that had carrier have it again. A caller that opened
 * more than ports_open() notes, before undoing that, who has carrier. It accepts ports that are zero or were not opened. */
void ports_note_carrier(struct mnl_socket *netlink, struct port *ports, unsigned int port_count);
void ports_close(struct mnl_socket *netlink, struct port *ports, unsigned int port_count);
/* Call it before keeper_split(): the keeper closes the ports. It knows by bits which of them have carrier. In the process
 * that was divided off ports_leave() ends them. */
void ports_hold(struct mnl_socket *netlink, const struct port *ports, unsigned int port_count, struct keeper_plan *plan);
void ports_undo(struct mnl_socket *netlink, struct port *ports, unsigned int port_count, uint32_t with_carrier);
void ports_leave(struct port *ports, unsigned int port_count);

/* Get what the kernel knows of the interface of this name. EXIT_USAGE_ERROR if there is none. */
enum exit_code port_find(struct mnl_socket *netlink, const char *name, struct link_info *ret);

/* Tell who else uses a link, as "has the address 10.0.0.1/24", and the command that ends that. Both are empty if nobody
 * does. */
struct port_use {
	char what[96];
	char remedy[128]; /* a command; empty: none is offered, for it would cut this machine off */
	bool is_of_ipv6;  /* an address, a route or a nexthop of IPv6 is among the uses */
};
/* Returns 0 or -errno; on an error both texts are empty. */
int port_find_use(struct mnl_socket *netlink, const struct link_info *link, struct port_use *ret);

struct sock_fprog;
/* Open a packet socket of a port. It does not block, and gets the arriving frames that the filter (NULL: none) lets pass,
 * but none that are sent. Returns the descriptor or -errno. The kernel takes some 10 ms to close each, so have few. */
int port_socket(int ifindex, const struct sock_fprog *filter);

/* --- preparing a claimed port, in prepare.c ----------------------------------------------------------------------- */

/*
 * Make the changes that --prepare names, each journalled (journal.h). docs/reference/safety.md lists them.
 *
 * What is asked for by name and cannot be done ends the run (EXIT_INCAPABLE); what `auto` stands for is a warning then. What
 * a port does not have need not be switched off.
 */

/* Make all changes but those of interrupts. `mtu_octets` is what the frames need. */
enum exit_code port_prepare(struct port *port, const struct config *config, unsigned int mtu_octets);
/* Have the NIC distribute over its receive queues what port number `number` of the profile receives. */
enum exit_code port_steer(struct port *port, const struct config *config, const struct mlr_profile *profile,
			  unsigned int number);
/* Keep the port's interrupts off these CPUs. */
enum exit_code port_spare_cpus(struct port *port, const struct config *config, const cpu_set_t *cpus);
/* Have the NIC stamp every frame that it receives. Returns 0 or -errno without a message; -EPERM if --prepare does not allow
 * it. */
int port_stamp_received(struct port *port, const struct config *config);
/* Have the NIC stamp frames that it sends, where they ask for it. Returns the same. */
int port_stamp_sent(struct port *port, const struct config *config);
