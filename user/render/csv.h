/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trials of a result document as CSV (RFC 4180), one row a trial; of a campaign its points, one row a point and goal. A column is a
 * member by its name in the document, with dots where it is nested, and its unit: "trial_load [frames/s]", "counts.sent [frames]".
 */
#ifndef XDP_MLR_RENDER_CSV_H
#define XDP_MLR_RENDER_CSV_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* False without memory. */
bool render_csv(FILE *stream, const json_t *document);

#endif
