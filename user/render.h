/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result document in any of its forms. */
#ifndef XDP_MLR_RENDER_H
#define XDP_MLR_RENDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "render_text.h"

/* What the endings of file names choose, for error messages and --help. */
#define RENDER_ENDINGS ".html, .md, .csv, .json or .txt"

/* The document as text, of whatever kind it is: what is of no kind with a text of its own is shown as Markdown. NULL without
 * memory; the caller frees it. */
char *render_as_text(const json_t *document, struct render_style style, size_t *ret_length);
/* Whether the ending of a file's name chooses a form. */
bool render_knows(const char *path);
/* The document as the ending of the path says; the style is for text. NULL without memory; the caller frees it. */
char *render(const json_t *document, const char *path, struct render_style style, size_t *ret_length);

#endif
