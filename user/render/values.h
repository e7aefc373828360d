/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of a result document as the texts of a report: with units, rounded for people. */
#ifndef XDP_MLR_RENDER_VALUES_H
#define XDP_MLR_RENDER_VALUES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "render/writer.h"

#define CELL_SIZE 640
#define CELLS_MAX 24

/* The cells of one row. What does not fit is cut. */
struct cells {
	char texts[CELLS_MAX][CELL_SIZE];
	const char *list[CELLS_MAX];
	size_t count;
};
__attribute__((format(printf, 2, 3))) void cells_add(struct cells *cells, const char *format, ...);
/* A number with so many decimals; a dash for NAN. */
void cells_add_number(struct cells *cells, double value, int decimals);
/* Write the row, and begin another. */
void cells_put(struct cells *cells, struct writer *writer, enum tone tone);

/* Labels and values of any number and length. */
struct facts {
	struct writer_fact *list;
	size_t count, size;
};
__attribute__((format(printf, 3, 4))) void facts_add(struct facts *facts, const char *label, const char *format, ...);
/* Every member of an object, nested ones too, by their names; those whose names are in the NULL-terminated list are left out
 * (NULL: none). */
void facts_add_object(struct facts *facts, const json_t *object, const char *const *known);
void facts_put(struct facts *facts, struct writer *writer); /* and free */
void facts_free(struct facts *facts);

bool name_in(const char *const *names, const char *name);

#define NARROW_SPACE "\xe2\x80\xaf" /* between groups of three digits */
#define DASH         "\xe2\x80\x93" /* no value */

/* Every function below writes into the buffer and returns it. NAN becomes a dash. */
#define VALUE_SIZE 96
/* "1 003 326.9": groups of three, apart by narrow spaces. */
const char *text_number(double value, int decimals, char buffer[VALUE_SIZE]);
/* "1 003 326.9 frames/s" */
const char *text_fps(double value, char buffer[VALUE_SIZE]);
/* "0.5 %" */
const char *text_percent(double ratio, char buffer[VALUE_SIZE]);
/* "12.5 \xc2\xb5s" from ns. */
const char *text_ns(double ns, char buffer[VALUE_SIZE]);
/* "674.2 Mbit/s" */
const char *text_bps(double bps, char buffer[VALUE_SIZE]);
/* "1.003" and "Mframes/s" */
void text_split(double value, const char *unit, char number[VALUE_SIZE], char prefixed_unit[VALUE_SIZE]);
/* "relevant_lower_bound" as "Relevant lower bound", "frame_size_octets" as "Frame size (octets)". */
const char *text_label(const char *name, char buffer[VALUE_SIZE]);

/* What a campaign compares, as people call it: "conditional_throughput" is "Conditional Throughput". */
const char *text_quantity(const char *quantity);

/* The words of a comparison's verdict on B. */
const char *text_comparison(const char *verdict);
enum tone tone_of_comparison(const char *verdict);

/* Octets of a frame of the document's Traffic Profile, the mean of a mix; NAN where it has none. */
double frame_octets(const json_t *document);
/* "64 octets", or what the mix is called; "" where there is none. */
const char *text_frame(const json_t *document, char buffer[VALUE_SIZE]);
double frame_l1_bps(double load_fps, double octets);
double frame_l2_bps(double load_fps, double octets);

#endif
