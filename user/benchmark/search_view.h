/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A search as progress/progress.h shows it. */
#ifndef XDP_MLR_BENCHMARK_SEARCH_VIEW_H
#define XDP_MLR_BENCHMARK_SEARCH_VIEW_H

#include "benchmark/search_state.h"
#include "progress/view.h"

/* The trial that begins, what for, and how far the search is. */
void search_show(const struct search *search, const struct mlr_decision *decision);
/* The search has ended, its outcomes are known. */
void search_show_end(const struct search *search);

/* What is known of a trial that has ended, of whatever it was a part. */
void view_take_measurement(struct view *view, const struct measurement *measurement);

#endif
