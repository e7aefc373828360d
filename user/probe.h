/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this machine and a port can do: checks, each OK, WARN or FAIL, with the command that mends it.
 *
 *	CHECK = {"name", "state": "OK"|"WARN"|"FAIL", "value": text, "fix": a command for a shell of root's, or null}
 *
 * A check that fails says that a run would be refused or its result wrong; one that warns, that a result may be worse than it
 * could be, or that something cannot be told. Nothing lasting is changed. A port is tried (an XDP program attached and
 * detached, an AF_XDP socket bound and closed) only where that is asked for and nobody uses it.
 */
#ifndef XDP_MLR_PROBE_H
#define XDP_MLR_PROBE_H

#include <jansson.h>
#include <stdbool.h>

#include "netlink.h"
#include "say.h"

enum probe_state { PROBE_OK, PROBE_WARN, PROBE_FAIL };

/* The checks of the machine: a new array. Files are read below `root`, "" for the real ones. */
json_t *probe_machine(const char *root);
/* The checks of what this process may do, and of its clock: a new array. */
json_t *probe_process(void);
/* {"name", "driver", ..., "checks"}: a new object. `named`: somebody wants to use it; it is tried, and being in use is a
 * failure. */
json_t *probe_port(struct mnl_socket *netlink, const struct link_info *link, bool named);
/* Names of ports, "A,B,..."; NULL: all that may be meant. The whole document (schema xdp-mlr/probe/1). EXIT_USAGE_ERROR for a
 * port that does not exist. */
enum exit_code probe(const char *ports, json_t **ret_document);
/* Compare the line rates of ports as probe_port() describes them: a check more for each that has one. */
void probe_compare_speeds(json_t *ports);
/* The worst state in a list of checks, or in all of a document. */
enum probe_state probe_worst(const json_t *checks);

/* --- for the parts of probe ----------------------------------------------------------------------------------------- */

/* Append a check; what comes back is the list's. */
__attribute__((format(printf, 4, 5))) json_t *probe_say(json_t *checks, enum probe_state state, const char *name,
							const char *format, ...);
/* The command that mends it. */
__attribute__((format(printf, 2, 3))) void probe_fix(json_t *check, const char *format, ...);

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

/* --- trying --------------------------------------------------------------------------------------------------------- */

/* Each 0 or -errno. */
int probe_try_load(void);             /* an XDP program into the kernel */
int probe_try_native(int ifindex);    /* the same, attached to a port in native mode, and detached */
int probe_try_zero_copy(int ifindex); /* an AF_XDP socket on queue 0 in zero-copy mode, with that program attached */

#endif
