/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A campaign as a YAML file describes it: the section "campaign" with its matrix, and beside it every option that all points have in
 * common, as in a --config file. docs/scale-out.md shows one.
 */
#ifndef XDP_MLR_CAMPAIGN_FILE_H
#define XDP_MLR_CAMPAIGN_FILE_H

#include "base/message.h"
#include "campaign/campaign.h"

/* Read a file; EXIT_USAGE_ERROR with file, line and what is wrong. `path` must outlive the campaign. Free with campaign_free. */
enum exit_code campaign_read(const char *path, struct campaign *ret);

#endif
