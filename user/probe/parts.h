/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to probe: its parts. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "netdev/netlink.h"
#include "probe/probe.h"

/* Append a check; what comes back is the list's. */
__attribute__((format(printf, 4, 5))) json_t *probe_say(json_t *checks, enum probe_state state, const char *name,
							const char *format, ...);
#define OK(checks, ...)   probe_say(checks, PROBE_OK, __VA_ARGS__)
#define WARN(checks, ...) probe_say(checks, PROBE_WARN, __VA_ARGS__)
/* The command that mends it. */
__attribute__((format(printf, 2, 3))) void probe_fix(json_t *check, const char *format, ...);

/* The checks of the machine: a new array. Files are read below `root`, "" for the real ones. */
json_t *probe_machine(const char *root);
/* The checks of what this process may do, and of its clock: a new array. */
json_t *probe_process(void);
/* {"name", "driver", ..., "checks"}: a new object. `named`: somebody wants to use it; it is tried, and being in use is a
 * failure. */
json_t *probe_port(struct mnl_socket *netlink, const struct link_info *link, bool named);

/* What is known of launch time on a port. */
struct launch_facts {
	bool is_told;                 /* by the kernel, what the driver can do */
	bool has;                     /* launch time for AF_XDP */
	bool stamps;                  /* departures for AF_XDP, by a clock, which prove that it is kept */
	unsigned int transmit_queues; /* 0: not told */
	bool may_fix;                 /* whether to offer a command: not for a port that somebody else uses */
	struct link_queueing queueing;
};

/* The check "launch-time": whether a run would use it, and what keeps it from that. */
void probe_launch_time(json_t *checks, const char *port, const struct launch_facts *facts);

/* --- trying: each 0 or -errno ----------------------------------------------------------------------------------------- */

int probe_try_load(void);             /* an XDP program into the kernel */
int probe_try_native(int ifindex);    /* the same, attached to a port in native mode, and detached */
int probe_try_zero_copy(int ifindex); /* an AF_XDP socket on queue 0 in zero-copy mode, with that program attached */
