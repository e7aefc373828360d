/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far a campaign is, as a document: "xdp-mlr/campaign-status/1". */
#ifndef XDP_MLR_CAMPAIGN_STATUS_H
#define XDP_MLR_CAMPAIGN_STATUS_H

#include <jansson.h>

#include "campaign/campaign.h"
#include "campaign/store.h"

/* `queue` has what a batch system says of points by their names ("RUNNING", "PENDING"); NULL: there is none. A new reference. */
json_t *campaign_status_describe(const struct campaign *campaign, const struct point_status *states, const json_t *queue);

/* Show it as --format says. EXIT_DONE: every point is done; EXIT_UNMET: not yet. */
enum exit_code campaign_status_show(const struct config *config, const struct campaign *campaign,
				    const struct point_status *states, const json_t *queue);

#endif
