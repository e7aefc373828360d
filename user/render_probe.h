/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A probe's document as a table for people. */
#ifndef XDP_MLR_RENDER_PROBE_H
#define XDP_MLR_RENDER_PROBE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* `terminal`: with colours. NULL without memory; the caller frees it. */
char *render_probe(const json_t *document, bool terminal, size_t *ret_length);

#endif
