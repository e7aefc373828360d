/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tester's ports: what they are, whether they may be used, and their preparation.
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

/* What is known of a port of the tester while it is open. */
struct claim;

struct port {
	struct link_info link; /* as it was when the port was opened, but for an MTU that was raised */
	char driver[32];
	char bus[32];    /* where the device is, as "0000:03:00.0"; empty for a virtual one */
	double link_bps; /* 0: not known, or made up as by veth */
	bool half_duplex;
	int listening_fd; /* which is what keeps the port promiscuous, too */
	struct claim *claim;
};

/* What can be seen of them without changing anything or being root, in the same order of refusals. `ports` are zeros before; the
 * speed of one without carrier is INFINITY: that does not limit the others. */
enum exit_code ports_check(struct mnl_socket *netlink, const struct config *config, struct port *ports);
/* Open config->port_count ports for frames of this size. Where a port is in use and a reason is given, that is a warning
 * only. One without carrier is waited for, for some seconds. */
enum exit_code ports_open(struct mnl_socket *netlink, const struct config *config, struct port *ret_ports);
/* Wait, for some seconds at most, until both have carrier again: preparing a port or attaching XDP to it may restart it. */
enum exit_code ports_wait_for_carrier(struct mnl_socket *netlink, struct port *ports, unsigned int port_count);
/* Undo everything, and wait, for some seconds at most, until the ports that had carrier have it again. Whoever made more of
 * them than ports_open() notes before undoing that who has carrier. Fine for ports that are zero or were not opened. */
void ports_note_carrier(struct mnl_socket *netlink, struct port *ports, unsigned int port_count);
void ports_close(struct mnl_socket *netlink, struct port *ports, unsigned int port_count);
/* Before keeper_split(): the keeper is who closes them. It knows by bits who has carrier. In the process that was divided off
 * ports_leave() is the end of them. */
void ports_hold(struct mnl_socket *netlink, const struct port *ports, unsigned int port_count, struct keeper_plan *plan);
void ports_undo(struct mnl_socket *netlink, struct port *ports, unsigned int port_count, uint32_t with_carrier);
void ports_leave(struct port *ports, unsigned int port_count);

/* What the kernel says of the interface of this name. EXIT_USAGE_ERROR where there is none. */
enum exit_code port_find(struct mnl_socket *netlink, const char *name, struct link_info *ret);

/* Who else uses a link: "has the address 10.0.0.1/24", and the command that ends that; both empty where nobody does. */
struct port_use {
	char what[96];
	char remedy[128]; /* a command; empty: none is offered, for it would cut this machine off */
};
/* 0 or -errno, and nobody then. */
int port_find_use(struct mnl_socket *netlink, const struct link_info *link, struct port_use *ret);

struct sock_fprog;
/* A packet socket of a port that does not block and gets what arrives and the filter (NULL: none) lets pass, nothing of what is
 * sent. Or -errno. The kernel takes some 10 ms to close each: have few. */
int port_socket(int ifindex, const struct sock_fprog *filter);

/* --- preparing a claimed port, in prepare.c ----------------------------------------------------------------------- */

/*
 * What --prepare names, each change journalled (journal.h). docs/reference/safety.md lists them.
 *
 * What is asked for by name and cannot be done ends the run (EXIT_INCAPABLE); what `auto` stands for is a warning then. What
 * a port does not have need not be switched off.
 */

/* All but interrupts. `mtu_octets` is what the frames need. */
enum exit_code port_prepare(struct port *port, const struct config *config, unsigned int mtu_octets);
/* Have the NIC deal out to its receive queues what port number `number` of the profile receives. */
enum exit_code port_steer(struct port *port, const struct config *config, const struct mlr_profile *profile,
			  unsigned int number);
/* Keep the port's interrupts off these CPUs. */
enum exit_code port_spare_cpus(struct port *port, const struct config *config, const cpu_set_t *cpus);
/* Have the NIC stamp every frame that it receives. 0 or -errno, unsaid: -EPERM if --prepare does not allow it. */
int port_stamp_received(struct port *port, const struct config *config);
/* Have it stamp frames that it sends, where they ask for it. Likewise. */
int port_stamp_sent(struct port *port, const struct config *config);
