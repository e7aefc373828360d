/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Manager of a sweep performs a trial at each load that --loads names, in that order (mlr/sweep.h). The caller owns the
 * sweep, which is run once, reported, and freed.
 */
#pragma once

#include <jansson.h>

#include "benchmark/series.h"

enum sweep_end {
	SWEEP_RUNNING,
	SWEEP_COMPLETE,
	SWEEP_INTERRUPTED,
	SWEEP_FAILED, /* a trial could not be performed */
};

struct sweep {
	struct series series; /* trials of the first loads */
	double loads_fps[SWEEP_LOADS_MAX];
	size_t load_count; /* 0: they are not known */
	enum sweep_end end;
};

/* Sweep. In any case the caller frees *ret_sweep. Returns EXIT_DONE, EXIT_UNMET if the tester limited a trial,
 * EXIT_INTERRUPTED, or another code after a message. */
enum exit_code sweep_run(const struct config *config, struct measurer *measurer, struct sweep *ret_sweep);
void sweep_free(struct sweep *sweep);

/* Return the result document, "xdp-mlr/sweep/1" (sweep_report.c): a new reference, or NULL without memory. */
json_t *report_sweep(const struct sweep *sweep);
