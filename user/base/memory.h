/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether memory ran out while JSON was made. A value that cannot be made is left out by whoever puts it into a document, so
 * that the document would look whole, and not be. One question before it leaves (output.h) takes the place of one at each of
 * its members.
 */
#ifndef XDP_MLR_BASE_MEMORY_H
#define XDP_MLR_BASE_MEMORY_H

#include <stdbool.h>

void memory_watch(void); /* before any JSON is made */
bool memory_ran_out(void);

#endif
