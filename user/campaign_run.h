/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * campaign run: points of a campaign, one after the other, each in a process of its own, so that no point's end ends the campaign.
 * A search that did not end goes on from its event stream; what cannot go on begins anew.
 */
#ifndef XDP_MLR_CAMPAIGN_RUN_H
#define XDP_MLR_CAMPAIGN_RUN_H

#include "campaign_file.h"
#include "campaign_store.h"

/* Choose the points that are to be taken up: those of --only that are not done and, without --retry-failed, have not failed. Their
 * options are checked, also those of points that are done: they must be as they were. *ret_chosen has a truth a point, to be freed by
 * the caller. */
enum exit_code campaign_choose(const struct config *config, const struct campaign *campaign,
			       const struct point_status *states, bool **ret_chosen);

/* Run the chosen points. EXIT_DONE: all of them are done and regular; EXIT_UNMET: done, one is irregular; the code of the first that
 * failed; EXIT_INTERRUPTED. */
enum exit_code campaign_run(const struct config *config, const struct campaign *campaign, const struct point_status *states,
			    const bool *chosen);

/* The options of a point as a file for --config; NULL without memory, else to be freed by the caller. */
char *campaign_point_file(const struct config *point, const char *name, size_t *ret_length);

#endif
