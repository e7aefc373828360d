/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Manager (RFC 9971, section 4.9.3) carries each Trial Input from the controller to the measurer, and each result back.
 * It keeps the time, and in the end has all that the report needs. The caller owns a search, which is run once and then
 * freed.
 */
#pragma once

#include "benchmark/load_range.h"
#include "benchmark/search_state.h"
#include "measurer/measurer.h"
#include "result/deliver.h"

/* Search. In any case the caller frees *ret_search. If ret_search->end is not SEARCH_RUNNING, there is something to report.
 * Returns EXIT_DONE or EXIT_UNMET once the search is over, EXIT_INTERRUPTED, or another code after a message. */
enum exit_code search_run(const struct config *config, struct measurer *measurer, struct search *ret_search);
/* Do the same between loads that are known already. */
enum exit_code search_run_between(const struct config *config, struct measurer *measurer, const struct load_range *range,
				  struct search *ret_search);
/* Make a search that was stopped before its loads were known. It has no trials, and can be reported. */
void search_stopped(const struct config *config, struct measurer *measurer, struct search *ret_search);

/* Create the controller of the configuration's algorithm. EXIT_USAGE_ERROR for goals that it cannot search for. */
enum exit_code search_new_controller(const struct config *config, const struct mlr_controller_input *input,
				     struct mlr_controller **ret);

/* --- repeat.c -------------------------------------------------------------------------------------------------------- */

/*
 * --repeat N: so many searches, one after another, between the same loads, with mean and standard deviation over them.
 *
 * The result document is that of one search, so it never mixes two. It is the search with the median Conditional Throughput
 * of the first goal; of an even number, the lower median. "repeats" has the statistics, and every search.
 */

/* Search, and show the result. An external measurer is started anew for each search. */
enum exit_code repeat_searches(const struct config *config, struct measurer *measurer, struct report_file *file);
