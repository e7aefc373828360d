/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of probe. The header is private to this room. The caller owns the arrays and objects that the functions
 * return. */
#pragma once

#include <jansson.h>
#include <sched.h>
#include <stdbool.h>

#include "netdev/netlink.h"
#include "probe/probe.h"

/* Append a check. The list owns what is returned. */
__attribute__((format(printf, 4, 5))) json_t *probe_say(json_t *checks, enum probe_state state, const char *name,
							const char *format, ...);
#define OK(checks, ...)   probe_say(checks, PROBE_OK, __VA_ARGS__)
#define WARN(checks, ...) probe_say(checks, PROBE_WARN, __VA_ARGS__)
/* Set the command that mends it. */
__attribute__((format(printf, 2, 3))) void probe_fix(json_t *check, const char *format, ...);

/* Read the first line of a file below the root, without its end. Returns false and an empty line if there is none, or it is
 * empty. */
#define PROBE_LINE_SIZE 256
__attribute__((format(printf, 3, 4))) bool probe_read_line(const char *root, char line[PROBE_LINE_SIZE], const char *format,
							   ...);
/* Read the CPUs that a file lists, which may be none. Returns false and no CPU if there is no such file, or it has no
 * list. */
bool probe_read_cpus(const char *root, const char *path, cpu_set_t *ret);

/* Return the checks of the machine, a new array. Files are read below `root`, "" for the real ones. */
json_t *probe_machine(const char *root);
/* Return the checks of what may stop a thread that transmits on one of these CPUs, a new array. An empty set means any
 * CPU. */
json_t *probe_transmit_cpus(const char *root, const cpu_set_t *transmit);
/* Return the checks of the privileges of this process, and of its clock, a new array. */
json_t *probe_process(void);
/* Return {"name", "driver", ..., "checks"}, a new object. `named` says that somebody wants to use the port: it is tried, and
 * being in use is a failure. `transmit` has the CPUs of all transmit threads of a run. */
json_t *probe_port(struct mnl_socket *netlink, const struct link_info *link, bool named, const cpu_set_t *transmit);

/* Make the check "interrupts" of a port whose device has this directory of /sys, such as
 * "/sys/bus/pci/devices/0000:01:00.0"; NULL: it has none. */
void probe_interrupts(json_t *checks, const char *root, const char *device, const cpu_set_t *transmit);

/* Measure stalls on each of these CPUs, one after the other; on any, if there are none. A new array, for the document:
 * {"cpu", "duration_s", "threshold_ns", "count", "longest_ns", "sum_ns", "others_ns", "stolen_ns", "raised"}. JSON's null, and
 * nothing is measured, while a run goes on, which would be disturbed. */
json_t *probe_measure_stalls(const cpu_set_t *transmit);
/* Make the check "stalls". */
void probe_say_stalls(json_t *checks, const json_t *measured);

/* The facts of launch time on a port. */
struct launch_facts {
	bool is_told;                 /* The kernel tells what the driver can do. */
	bool has;                     /* The driver has launch time for AF_XDP. */
	bool stamps;                  /* The driver stamps departures of AF_XDP, which prove that launch times are kept. */
	unsigned int transmit_queues; /* 0: not told */
	bool may_fix;                 /* A command may be offered: nobody else uses the port. */
	struct link_queueing queueing;
};

/* Make the check "launch-time": whether a run would use it, and why not. */
void probe_launch_time(json_t *checks, const char *port, const struct launch_facts *facts);

/* --- trying: each 0 or -errno ----------------------------------------------------------------------------------------- */

int probe_try_load(void);             /* an XDP program into the kernel */
int probe_try_native(int ifindex);    /* the same, attached to a port in native mode, and detached */
int probe_try_zero_copy(int ifindex); /* an AF_XDP socket on queue 0 in zero-copy mode, with that program attached */
