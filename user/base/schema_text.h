/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The published schemas (docs/schema/), as they stand in the program. */
#ifndef XDP_MLR_BASE_SCHEMA_TEXT_H
#define XDP_MLR_BASE_SCHEMA_TEXT_H

#include <stddef.h>

/* The JSON text of NAME.schema.json ("search", "common", ...); NULL: there is none. */
const char *schema_text(const char *name, size_t *ret_length);

#endif
