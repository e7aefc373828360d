/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A campaign ("xdp-mlr/campaign/1") as text. */
#ifndef XDP_MLR_RENDER_TEXT_CAMPAIGN_H
#define XDP_MLR_RENDER_TEXT_CAMPAIGN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

void render_campaign_text(FILE *stream, const json_t *document, bool colours);

#endif
