/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log: the last lines of what the appliance and the program said, each with its time. */
#ifndef XDP_MLR_APPLIANCE_RECORD_H
#define XDP_MLR_APPLIANCE_RECORD_H

#include <stdio.h>

#define RECORD_LINES     1000
#define RECORD_LINE_MOST 1000 /* octets; longer ones are cut */

struct record {
	char *lines[RECORD_LINES]; /* a ring */
	unsigned int next;
	unsigned long count; /* of all lines ever */
};

/* Control characters are escaped. Nothing happens without memory. */
void record_add(struct record *record, const char *text);
/* The last so many lines, oldest first. */
void record_put(const struct record *record, FILE *stream, unsigned int most);

void record_free(struct record *record);

#endif
