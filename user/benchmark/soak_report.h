/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result document of a soak, "xdp-mlr/soak/1". */
#ifndef XDP_MLR_BENCHMARK_SOAK_REPORT_H
#define XDP_MLR_BENCHMARK_SOAK_REPORT_H

#include <jansson.h>

#include "benchmark/soak_state.h"

/* A new reference, or NULL without memory. */
json_t *report_soak(const struct soak *soak);

#endif
