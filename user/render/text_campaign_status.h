/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far a campaign is ("xdp-mlr/campaign-status/1") as text. */
#ifndef XDP_MLR_RENDER_TEXT_CAMPAIGN_STATUS_H
#define XDP_MLR_RENDER_TEXT_CAMPAIGN_STATUS_H

#include <jansson.h>
#include <stdio.h>

void render_campaign_status(FILE *stream, const json_t *document);

#endif
