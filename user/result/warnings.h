/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What draft-15 advises against in the goals and loads of a search, and what RFC 2544 makes of its results. */
#ifndef XDP_MLR_RESULT_WARNINGS_H
#define XDP_MLR_RESULT_WARNINGS_H

#include <jansson.h>

#include "config/config.h"
#include "mlr/results.h"

/* The result document's "warnings": sentences, each with its section. A new reference. NAN: Min Load is not known. */
json_t *warnings_describe(const struct config *config, double min_load_fps);

/* Whether the result of a goal is the throughput of RFC 2544 section 24 (4.10.2): "unconditional", "conditional" (but for the
 * length of trials) or "none". What is irregular, or where the tester was the limit, is the throughput of nothing. */
const char *rfc2544_compliance(const struct mlr_goal *goal, const struct mlr_goal_result *result, bool tester_limited);

/* The length of a trial by RFC 2544 section 24. */
#define RFC2544_TRIAL_S 60

#endif
