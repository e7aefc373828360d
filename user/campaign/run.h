/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * campaign run: points of a campaign, one after the other, each in a process of its own, so that no point's end ends the campaign.
 * A search that did not end goes on from its event stream; what cannot go on begins anew.
 */
#ifndef XDP_MLR_CAMPAIGN_RUN_H
#define XDP_MLR_CAMPAIGN_RUN_H

#include "campaign/campaign.h"
#include "campaign/store.h"

/* Run the chosen points. EXIT_DONE: all of them are done and regular; EXIT_UNMET: done, one is irregular; the code of the first that
 * failed; EXIT_INTERRUPTED. */
enum exit_code campaign_run(const struct config *config, const struct campaign *campaign, const struct point_status *states,
			    const bool *chosen);

#endif
