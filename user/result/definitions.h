/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result document's own explanations: its units, and what its quantities mean where the drafts leave that open. */
#ifndef XDP_MLR_RESULT_DEFINITIONS_H
#define XDP_MLR_RESULT_DEFINITIONS_H

#include <jansson.h>

#include "config/config.h"

/* New references. */
json_t *report_units(void);
json_t *report_definitions(const struct config *config);

#endif
