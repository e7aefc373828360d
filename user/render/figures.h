/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of a Test Report. Each writes nothing where the form has no figures, or the document no data for it. */
#ifndef XDP_MLR_RENDER_FIGURES_H
#define XDP_MLR_RENDER_FIGURES_H

#include <jansson.h>

#include "render/svg.h"
#include "render/writer.h"

/* Where panels stand in a figure. */
#define FIGURE_LEFT       78.0
#define FIGURE_WIDTH      (SVG_WIDTH - FIGURE_LEFT - 16)
#define FIGURE_LEGEND_TOP 18.0

/* A search: Trial Load over trial number, and a goal's bounds closing in. `number` is unique among these figures of a page, `of`
 * says what the search is of. */
void figure_course(struct writer *writer, const json_t *document, size_t goal, unsigned int number, const char *of);
/* Trials: Trial Loss Ratio against Trial Load. `goals` and `results` may be NULL. */
void figure_loss(struct writer *writer, const json_t *trials, const json_t *results);
/* Trials that have a latency: its percentiles against Trial Load. */
void figure_latency(struct writer *writer, const json_t *trials);
/* One latency: value by percentile. */
void figure_percentiles(struct writer *writer, const json_t *latency);
/* A soak: PLRsearch's estimate over time. */
void figure_estimate(struct writer *writer, const json_t *document);

/* The suite: throughput over frame size with the theoretical line (RFC 2544 section 26.1), latency over frame size (26.2), and
 * loss over load, both from 0 to 100 %, a curve a frame size (26.3). */
void figure_throughput_by_size(struct writer *writer, const json_t *document);
void figure_latency_by_size(struct writer *writer, const json_t *document);
void figure_loss_curves(struct writer *writer, const json_t *document);

/* A campaign: the mean of each combination over frame size, or over another axis; a figure a goal and place on the other axes. */
void figures_campaign(struct writer *writer, const json_t *document);

#endif
