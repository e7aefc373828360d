/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal on standard error, and the room that text takes there. */
#ifndef XDP_MLR_BASE_TERMINAL_H
#define XDP_MLR_BASE_TERMINAL_H

/* Its size; 80 and 24 where it does not tell. */
void terminal_size(unsigned int *ret_columns, unsigned int *ret_rows);

/* How many rows text takes on a terminal of that many columns, as its lines may wrap there; escape sequences take none. */
unsigned int terminal_rows(const char *text, unsigned int columns);

#endif
