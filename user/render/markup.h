/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These functions write what all pages have in common, those of reports and of the appliance. The texts are constants, and
 * the caller owns the stream. Everything is written to it at once. */
#pragma once

#include <stdio.h>

/* The style sheet (style.css). */
extern const char html_style[];

/* Write a text with escapes for text and attributes of HTML and XML. Control characters that neither allows become
 * U+FFFD. */
void markup_escape(FILE *stream, const char *text);
