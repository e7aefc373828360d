/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What browsers and collectors get of the appliance: pages in the style of the report, without script; and OpenMetrics text. */
#ifndef XDP_MLR_APPLIANCE_PAGES_H
#define XDP_MLR_APPLIANCE_PAGES_H

#include "appliance/appliance.h"

void page_index(FILE *stream, const struct appliance *appliance);
void page_view(FILE *stream, const struct appliance *appliance);
void page_log(FILE *stream, const struct appliance *appliance);
void page_metrics(FILE *stream, const struct appliance *appliance);

#endif
