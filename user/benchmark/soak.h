/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Manager of a soak runs PLRsearch (mlr/plr.h) over a measurer, until time is up or the estimate is sharp. The caller
 * owns the soak, which is run once, reported, and freed.
 */
#pragma once

#include <jansson.h>

#include "benchmark/load_range.h"
#include "benchmark/series.h"
#include "mlr/plr.h"

enum soak_end {
	SOAK_RUNNING,
	SOAK_OUT_OF_TIME, /* the regular end */
	SOAK_SHARP,       /* --stdev was reached */
	SOAK_INTERRUPTED,
	SOAK_FAILED, /* a trial could not be performed */
};

struct soak {
	struct series series;
	struct load_range range;
	struct mlr_plr *plr;
	enum soak_end end;
};

/* Soak. In any case the caller frees *ret_soak. Returns EXIT_DONE, EXIT_UNMET if the tester limited a trial or no trial
 * fitted into the time, EXIT_INTERRUPTED, or another code after a message. */
enum exit_code soak_run(const struct config *config, struct measurer *measurer, struct soak *ret_soak);
void soak_free(struct soak *soak);

/* Whether the estimate of a soak with trials is what PLRsearch promises: of one crossing, by a model that fits.
 * It may be the tester's, which series.tester_limited says. */
bool soak_is_regular(const struct soak *soak);

/* Return the result document, "xdp-mlr/soak/1" (soak_report.c): a new reference, or NULL without memory. */
json_t *report_soak(const struct soak *soak);
