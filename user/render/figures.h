/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These functions draw the figures of a Test Report. They write into the stream of the form, which owns it. A function
 * writes nothing if the form has no figures, or the document no data for it. */
#pragma once

#include <jansson.h>

#include "render/svg.h"
#include "render/writer.h"

#define NS_PER_US   1000.0
#define MICROSECOND "\xc2\xb5s"

/* What the figures share (figures.c). */
struct figure {
	const char *id; /* unique on the page */
	const char *caption, *description;
	const struct svg_key *keys; /* keys of the legend */
	size_t key_count;
	double below; /* height of further panels below the first one */
};
/* Room between two panels of which the upper one hides its axis x: that of the title. */
#define FIGURE_PANELS_APART 42.0
/* Begin one: its legend, and a panel's axes. NULL where the form has no figures. */
FILE *figure_open(struct writer *writer, const struct figure *figure, const struct svg_panel *panel);
void figure_close(struct writer *writer, FILE *stream, const char *explanation);
/* Return the numbers that `count` pointers lead to from each object of a list, one pointer after the other. The caller frees
 * them; NULL: there are none. */
double *figure_columns(const json_t *rows, const char *const *pointers, size_t count);
/* A panel at the top. */
struct svg_panel figure_panel(double height, struct svg_axis x, struct svg_axis y);
/* The key, and the style, of the curve of this number. No two are alike up to CURVES_MAX, where they begin again; lines alone
 * up to LINES_MAX. */
#define CURVE_COLOURS    6
#define CURVES_MAX       (CURVE_COLOURS * CURVE_COLOURS)
#define LINES_MAX        (3 * CURVE_COLOURS) /* style.css has so many widths */
#define CURVE_STYLE_SIZE 40
struct svg_key figure_curve(size_t number, const char *text, char style[CURVE_STYLE_SIZE]);

/* Trials in figures: whether one counts (it has a load, and is no warm-up); whether one that counts, or any, was limited by the
 * tester. */
bool trial_counts(const json_t *trial);
bool trial_is_limited(const json_t *trial);
bool trials_any_limited(const json_t *trials);
/* "Trial 7: 1 003 326.9 frames/s for 1 s, loss 0.5 %". NULL if there are so many trials that the page would grow too large. */
const char *trial_hint(size_t number, const json_t *trial, size_t total, char *buffer, size_t size);
/* A trial, the number-th of `total`, above its load, at this height, by whether it lost frames or was limited. */
void figure_put_trial(FILE *stream, const struct svg_panel *panel, double y, const json_t *trial, size_t number,
		      size_t total);
/* Where a load is drawn: outside the panel at its edge, as a triangle that points there. */
double figure_place_load(const struct svg_panel *panel, double load, enum svg_mark *mark);

/* A search: Trial Load over trial number, and the bounds closing in, of `count` goals from `goal` on. `number` is unique among
 * these figures of a page, `of` says what the search is of. */
#define COURSE_GOALS 2 /* most of a figure */
void figure_course(struct writer *writer, const json_t *document, size_t goal, size_t count, unsigned int number,
		   const char *of);
/* Trials: Trial Loss Ratio against Trial Load. `goals` and `results` may be NULL. */
void figure_loss(struct writer *writer, const json_t *trials, const json_t *results);
/* Trials that have a latency: its percentiles against Trial Load. */
void figure_latency(struct writer *writer, const json_t *trials);
/* One latency: value by percentile. */
void figure_percentiles(struct writer *writer, const json_t *latency);
/* Latency by percentile at parts of the bounds: a figure a goal and direction, where histograms are there. */
void figures_latency_at(struct writer *writer, const json_t *entries, const json_t *goals);
/* A soak: PLRsearch's estimate over time. */
void figure_estimate(struct writer *writer, const json_t *document);

/* A sweep: the forwarding rate, and how many frames came out of order, against load. The latter only where any did. */
void figure_forwarding(struct writer *writer, const json_t *trials);
void figure_order(struct writer *writer, const json_t *trials);
/* Widen an axis to all loads of trials, from 0 on. False if there are none. */
bool figure_cover_loads(struct svg_axis *axis, const json_t *trials);
/* Trials in the order of their loads: a new reference. */
json_t *trials_by_load(const json_t *trials);

/* The suite: throughput over frame size with the theoretical line (RFC 2544 section 26.1), latency over frame size (26.2),
 * and loss over load, both from 0 to 100 %, a curve a frame size (26.3). */
void figure_throughput_by_size(struct writer *writer, const json_t *document);
void figure_latency_by_size(struct writer *writer, const json_t *document);
void figure_loss_curves(struct writer *writer, const json_t *document);

/* A campaign: the mean of each combination over frame size, or over another axis; a figure a goal and place on the other
 * axes. */
void figures_campaign(struct writer *writer, const json_t *document);
