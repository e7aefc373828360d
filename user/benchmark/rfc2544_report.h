/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result document of the suite of RFC 2544, "xdp-mlr/rfc2544/1". */
#ifndef XDP_MLR_BENCHMARK_RFC2544_REPORT_H
#define XDP_MLR_BENCHMARK_RFC2544_REPORT_H

#include "benchmark/rfc2544.h"

/* NULL where nothing was measured at all, or without memory. */
json_t *report_rfc2544(const struct rfc2544 *suite);

#endif
