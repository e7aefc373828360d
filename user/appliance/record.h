/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log has the last lines of what the appliance and the program said, each with its time. The appliance owns it, and adds
 * lines until it ends. The consoles take most of them from here.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define RECORD_LINES     1000
#define RECORD_LINE_MOST 1000 /* octets; longer ones are cut */

struct record_line {
	char *text;
	time_t when;
	bool aloud; /* The consoles show it, too. */
};

struct record {
	struct record_line lines[RECORD_LINES]; /* ring of the last lines */
	unsigned long count;                    /* number of all lines ever */
};

/* Control characters are escaped. Nothing happens without memory. */
void record_add(struct record *record, const char *text, bool aloud);
/* The last so many lines, oldest first. */
void record_put(const struct record *record, FILE *stream, unsigned int most);
/* The line for the consoles that follows the first *read lines of all, which grows past it; NULL: there is none yet.
 * *ret_lost: some are no longer there. */
const char *record_next(const struct record *record, unsigned long *read, bool *ret_lost);

void record_free(struct record *record);
