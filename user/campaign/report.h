/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results of a campaign's points as one document, "xdp-mlr/campaign/1", read one after the other. */
#ifndef XDP_MLR_CAMPAIGN_REPORT_H
#define XDP_MLR_CAMPAIGN_REPORT_H

#include <jansson.h>

#include "campaign/campaign.h"
#include "campaign/store.h"

/* EXIT_DONE with *ret_document, a new reference: every point is done and regular, and nothing became slower. EXIT_UNMET with the same:
 * not so. Any other code: the reason was said. */
enum exit_code campaign_merge(const struct config *config, const struct campaign *campaign,
			      const struct point_status *states, json_t **ret_document);

#endif
