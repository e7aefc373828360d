/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What browsers and collectors get of the appliance: pages in the style of the report, without script; and OpenMetrics text. */
#ifndef XDP_MLR_APPLIANCE_PAGES_H
#define XDP_MLR_APPLIANCE_PAGES_H

#include "appliance/appliance.h"

/* Each is a text that the caller frees; NULL without memory. */
char *page_index(const struct appliance *appliance, size_t *ret_length);
char *page_view(const struct appliance *appliance, size_t *ret_length);
char *page_log(const struct appliance *appliance, size_t *ret_length);
char *page_metrics(const struct appliance *appliance, size_t *ret_length);

#endif
