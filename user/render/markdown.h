/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result document as Markdown (with GitHub's tables). */
#ifndef XDP_MLR_RENDER_MARKDOWN_H
#define XDP_MLR_RENDER_MARKDOWN_H

#include <jansson.h>
#include <stdio.h>

void render_markdown(FILE *stream, const json_t *document);

#endif
