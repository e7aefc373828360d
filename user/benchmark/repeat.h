/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --repeat N: so many searches, one after another, between the same loads, with mean and standard deviation over them.
 *
 * The result document is that of one of them, so that nothing in it is of two searches: the one with the median (of an even
 * number, the lower) Conditional Throughput of the first goal. "repeats" has the statistics, and every search.
 */
#ifndef XDP_MLR_BENCHMARK_REPEAT_H
#define XDP_MLR_BENCHMARK_REPEAT_H

#include "measurer/measurer.h"
#include "result/deliver.h"

/* Search, and show what was found. *measurer may be replaced: an external measurer is started anew for each search. */
enum exit_code repeat_searches(const struct config *config, struct measurer **measurer, struct report_file *file);

#endif
