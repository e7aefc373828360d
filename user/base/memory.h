/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether memory ran out while a document was made. A value that cannot be made is left out by whoever puts it into a document,
 * and a piece of a report by whoever renders it, so that either would look whole, and not be. One question before it leaves
 * (output.h) takes the place of one at each of its members.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

void memory_watch(void); /* before any JSON is made */
/* What an allocation came to: where that is NULL, memory ran out. */
void *memory_noticed(void *memory);
bool memory_ran_out(void);

/* Octets that JSON has now. From now on it gets no more than that in all (0: what there are), which is no running out; and
 * whether the bound before was met. */
size_t memory_used(void);
bool memory_bound(size_t octets_most);
