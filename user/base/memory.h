/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header tells whether memory ran out while a document was made. The process owns one flag and one count for all of it.
 * memory_watch() is called before any JSON is made; the flag is asked before the document leaves (output.h).
 *
 * If memory runs out, a value is missing from a document, or a piece from a report. It would look complete without this
 * flag. One test at the end replaces a test at each member.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

void memory_watch(void); /* call it before any JSON is made */
/* Return the result of an allocation, and record that memory ran out if it is NULL. */
void *memory_noticed(void *memory);
bool memory_ran_out(void);

/* Return how many octets JSON uses now. memory_bound() limits them to that number (0: no limit), which does not count as
 * running out. It returns whether the limit before was reached. */
size_t memory_used(void);
bool memory_bound(size_t octets_most);
