/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A campaign ("xdp-mlr/campaign/1") as text. */
#ifndef XDP_MLR_RENDER_CAMPAIGN_TEXT_H
#define XDP_MLR_RENDER_CAMPAIGN_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* NULL without memory; the caller frees it. */
char *render_campaign_text(const json_t *document, bool colours, size_t *ret_length);

#endif
