/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A soak: what has been measured, and how it ended. soak.h fills it; the view and the report read it. */
#ifndef XDP_MLR_BENCHMARK_SOAK_STATE_H
#define XDP_MLR_BENCHMARK_SOAK_STATE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "benchmark/load_range.h"
#include "config/config.h"
#include "measurer/measurer.h"
#include "mlr/plr.h"

enum soak_end {
	SOAK_RUNNING,
	SOAK_OUT_OF_TIME, /* the regular end */
	SOAK_SHARP,       /* --stdev was reached */
	SOAK_INTERRUPTED,
	SOAK_FAILED, /* a trial could not be performed */
};

struct soak {
	const struct config *config;
	struct measurer *measurer;
	struct load_range range;
	struct mlr_plr *plr;
	struct measurement *trials;
	size_t trial_count;
	time_t start_time;
	uint64_t start_ns;
	double virtual_s;  /* time that would have passed, where none does */
	double duration_s; /* once it has ended */
	enum soak_end end;
	bool tester_limited; /* some trial was */
};

/* Seconds since its start, by the clock that counts for it. */
double soak_elapsed_s(const struct soak *soak);

void soak_free(struct soak *soak);

#endif
