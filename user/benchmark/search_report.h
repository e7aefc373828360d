/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result document of a search, and its parts, which events carry as well. Each returns a new reference, or NULL without memory. */
#ifndef XDP_MLR_BENCHMARK_SEARCH_REPORT_H
#define XDP_MLR_BENCHMARK_SEARCH_REPORT_H

#include <jansson.h>

#include "benchmark/search_state.h"

/* One trial, as in "trials": with why it was chosen. */
json_t *report_search_trial(const struct search *search, const struct search_trial *trial);
/* One Goal Result, as in "search_result". */
json_t *report_goal_result(const struct search *search, size_t goal, const struct goal_outcome *outcome);
/* How a search was set up: what --resume needs, beside its trials. */
json_t *report_setting(const struct search *search);
/* "xdp-mlr/search/1" */
json_t *report_search(const struct search *search);

#endif
