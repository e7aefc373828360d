/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of a Test Report. Each writes nothing where the form has no figures, or the document no data for it. */
#ifndef XDP_MLR_RENDER_FIGURES_H
#define XDP_MLR_RENDER_FIGURES_H

#include <jansson.h>

#include "paper.h"

/* A search: Trial Load over trial number, and a goal's bounds closing in. */
void figure_course(struct paper *paper, const json_t *document, size_t goal);
/* Trials: Trial Loss Ratio against Trial Load. `goals` and `results` may be NULL. */
void figure_loss(struct paper *paper, const json_t *trials, const json_t *results);
/* Trials that have a latency: its percentiles against Trial Load. */
void figure_latency(struct paper *paper, const json_t *trials);
/* One latency: value by percentile. */
void figure_percentiles(struct paper *paper, const json_t *latency);
/* A soak: PLRsearch's estimate over time. */
void figure_estimate(struct paper *paper, const json_t *document);

#endif
