/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all pages have in common, the reports and those of the appliance. */
#pragma once

#include <stdio.h>

/* The style sheet (style.css). */
extern const char html_style[];

/* Escaped for text and attributes of HTML and XML; control characters that neither knows become U+FFFD. */
void markup_escape(FILE *stream, const char *text);
