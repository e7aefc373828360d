/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Manager of a soak: PLRsearch (mlr/plr.h) over a measurer, until time is up or the estimate is sharp.
 */
#ifndef XDP_MLR_BENCHMARK_SOAK_H
#define XDP_MLR_BENCHMARK_SOAK_H

#include "benchmark/soak_state.h"

/* Soak. Whatever it returns, *ret_soak is to be freed. EXIT_DONE, EXIT_UNMET where the tester was the limit in a trial or not
 * one trial fitted into the time, EXIT_INTERRUPTED; else the reason was said. */
enum exit_code soak_run(const struct config *config, struct measurer *measurer, struct soak *ret_soak);

#endif
