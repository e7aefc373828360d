/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A soak as progress/progress.h shows it. */
#ifndef XDP_MLR_BENCHMARK_SOAK_VIEW_H
#define XDP_MLR_BENCHMARK_SOAK_VIEW_H

#include "benchmark/soak_state.h"

/* The trial that begins, and the estimate so far. */
void soak_show(const struct soak *soak, const struct mlr_trial_input *input);

#endif
