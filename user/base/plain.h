/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text from others, fit for a terminal: control characters (C0 but line ends and tabs, DEL, and C1, which terminals take in
 * UTF-8, too) become "\x1b", and so does each octet of what is no UTF-8 and goes beyond ASCII: some terminals take 0x9b for a
 * control. What turns the direction of writing (U+202E and the like) becomes "\u202e". Otherwise a file could move the cursor,
 * set the title, make the terminal type, or show a name that is another.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

/* How many octets of a control character stand here, in UTF-8; 0: none does. */
size_t plain_control(const char *text);
/* Which character that is, of so many octets. */
unsigned int plain_code(const char *text, size_t control);
/* The text so, UTF-8 or not; the caller frees it. NULL without memory. */
char *plain_text(const char *text);
/* A text as a cell of CSV (RFC 4180). What a spreadsheet takes for a formula, which may be somebody else's (a name, a path), is
 * made text by an apostrophe. */
void plain_put_cell(FILE *stream, const char *text);
/* The document with all its texts and names so. A new reference, to the document itself where all is plain; NULL without
 * memory. */
json_t *plain_document(json_t *document);
