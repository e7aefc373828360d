/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which points of a campaign are to be taken up, and with which options. */
#ifndef XDP_MLR_CAMPAIGN_CHOOSE_H
#define XDP_MLR_CAMPAIGN_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "campaign/campaign.h"
#include "campaign/store.h"

/* Choose the points that are to be taken up: those of --only that are not done and, without --retry-failed, have not failed. Their
 * options are checked, also those of points that are done: they must be as they were. *ret_chosen has a truth a point, to be freed by
 * the caller. */
enum exit_code campaign_choose(const struct config *config, const struct campaign *campaign,
			       const struct point_status *states, bool **ret_chosen);

/* The options of a point as a file for --config; NULL without memory, else to be freed by the caller. */
char *campaign_point_file(const struct config *point, const char *name, size_t *ret_length);

#endif
