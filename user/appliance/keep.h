/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What survives this process, in the directory of its state: where in the schedule it is, and what the next result must tell. A file
 * that cannot be written is told on the consoles, and what runs goes on.
 */
#ifndef XDP_MLR_APPLIANCE_KEEP_H
#define XDP_MLR_APPLIANCE_KEEP_H

#include "appliance/appliance.h"

#define KEEP_METRICS      "metrics" /* what the run says of itself, see --metrics */
#define KEEP_METRICS_MOST (1 << 20) /* octets */

/* Where in the schedule we are. */
struct position {
	unsigned int run, round;
	time_t first_begun, last_begun; /* rounds */
	time_t started;                 /* the run */
};

/* The path of a file in that directory. */
const char *keep_path(const struct appliance *appliance, const char *name, char buffer[FILES_PATH_SIZE]);

/* The position while a run is on: found after a start, it says that we died in it. */
void keep_position(struct appliance *appliance);
void keep_no_position(const struct appliance *appliance);
bool keep_has_position(const struct appliance *appliance);
/* Zeros, as far as it cannot be read. */
struct position keep_read_position(const struct appliance *appliance);

/* A sentence for the next result, which is said now, too. */
__attribute__((format(printf, 2, 3))) void keep_note(struct appliance *appliance, const char *format, ...);
void keep_no_notes(struct appliance *appliance);
/* Those that an earlier process kept, if there are any: the appliance's from now on. */
void keep_read_notes(struct appliance *appliance);

/* Tell init whether nothing runs, so that another configuration may take this one's place. */
void keep_idle(const struct appliance *appliance, bool idle);

#endif
