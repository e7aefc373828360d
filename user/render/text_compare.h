/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison ("xdp-mlr/compare/1") as text. */
#ifndef XDP_MLR_RENDER_TEXT_COMPARE_H
#define XDP_MLR_RENDER_TEXT_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

void render_compare(FILE *stream, const json_t *document, bool colours);

#endif
