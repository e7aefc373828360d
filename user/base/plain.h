/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header makes text from others safe for a terminal. The caller owns the results. Each text or document is made plain
 * once, before it is shown.
 *
 * Otherwise a file could move the cursor, set the title, make the terminal type, or show another name than its own. Control
 * characters become "\x1b" and so on: C0 without line ends and tabs, DEL, and C1, which terminals also accept in UTF-8. So
 * does each octet beyond ASCII that is not UTF-8, because some terminals take 0x9b for a control. Characters that change the
 * direction of writing (U+202E and the like) become "\u202e".
 */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

/* Return how many octets of UTF-8 a control character takes here; 0: there is none. */
size_t plain_control(const char *text);
/* Return that character, from so many octets. */
unsigned int plain_code(const char *text, size_t control);
/* Return how many octets the UTF-8 character has that begins here; 0: none begins. */
size_t plain_character(const char *text);
/* Return the text made plain, whether it is UTF-8 or not. The caller frees it. NULL without memory. */
char *plain_text(const char *text);
/* Write a text as a cell of CSV (RFC 4180). An apostrophe is written before what a spreadsheet would take for a formula,
 * because the text may be somebody else's (a name, a path). */
void plain_put_cell(FILE *stream, const char *text);
/* Return the document with all its texts and names made plain. It is a new reference, to the same document if nothing
 * changes. NULL without memory. */
json_t *plain_document(json_t *document);
