/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result document as one self-contained HTML page. */
#ifndef XDP_MLR_RENDER_HTML_H
#define XDP_MLR_RENDER_HTML_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* False without memory. */
bool render_html(FILE *stream, const json_t *document);

#endif
