/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands in a Test Report, read from the result document alone: so a stored result can be shown again by a later
 * version. What the program does not know is shown all the same, by its name.
 *
 * A kind of document has a file (kinds.h); what all have in common, and the order, is in content.c.
 */
#ifndef XDP_MLR_RENDER_CONTENT_H
#define XDP_MLR_RENDER_CONTENT_H

#include <jansson.h>

#include "render/writer.h"

/* What the report is called, by the kind of the document. */
const char *content_title(const json_t *document);
void content_put(struct writer *writer, const json_t *document);

#endif
