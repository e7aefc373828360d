/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A probe's document as a table for people. */
#ifndef XDP_MLR_RENDER_TEXT_PROBE_H
#define XDP_MLR_RENDER_TEXT_PROBE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* `terminal`: with colours. */
void render_probe(FILE *stream, const json_t *document, bool terminal);

#endif
