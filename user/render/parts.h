/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report consists of, made from the objects of its document: rows, facts, cards, lists. */
#pragma once

#include "render/values.h"
#include "render/writer.h"

#define CELL_SIZE 640
#define CELLS_MAX 24

/* The cells of one row. What does not fit is cut. */
struct cells {
	char texts[CELLS_MAX][CELL_SIZE];
	const char *list[CELLS_MAX];
	size_t count, rows;
};
__attribute__((format(printf, 2, 3))) void cells_add(struct cells *cells, const char *format, ...);
/* A number with so many decimals; a dash for NAN. */
void cells_add_number(struct cells *cells, double value, int decimals);
/* Write the row, and begin another. */
void cells_put(struct cells *cells, struct writer *writer, enum tone tone);

/* A member of an object as a column of a table. */
struct field {
	const char *heading;
	const char *at; /* JSON pointer */
	/* Of a number, of a list's length, or of a truth as 1 and 0 (values.h); NULL: the member is a text. */
	text_of_number *text;
	void (*add)(struct cells *cells, const json_t *row); /* instead, for what is of several members */
	bool numeric;                                        /* set to the right, although it is a text */
	bool command;                                        /* as in struct writer_column */
	enum writer_rank rank;                               /* who the column is for */
};
/* A row for each object of an array, without columns that are beyond the form's rank, or in which nothing stands; `tone` may
 * be NULL. */
void table_put(struct writer *writer, const char *id, const struct field *fields, size_t count, const json_t *rows,
	       enum tone (*tone)(const json_t *row));
/* The same where there may be thousands of rows: as many as the form shows, and how many more there are. Takes the rows
 * over. */
void table_put_most(struct writer *writer, const char *id, const struct field *fields, size_t count, json_t *rows,
		    enum tone (*tone)(const json_t *row));
/* Objects with all their members: where they have names a column each, and a row a member; else a row each. A screenful has no
 * row in which all are 0. */
void objects_put(struct writer *writer, const char *id, const char *corner, const json_t *objects);
/* Of the sentence that all went well: TONE_PLAIN where a requirement was not met, which stands above it. */
enum tone tone_of_success(const json_t *document);
/* Search Goals, by the names that the draft has for their attributes. */
void goals_put(struct writer *writer, const json_t *goals);
/* The objects, or those of the arrays, to which the pointer leads from each object of a list, each with the members of that
 * object as well. A new reference. */
json_t *rows_within(const json_t *list, const char *at);

/* Cells of several members, for columns; and tones of rows. */
/* From 1. */
void cells_add_row_number(struct cells *cells, const json_t *row);
/* "stdev" as a part of "mean". */
void cells_add_deviation(struct cells *cells, const json_t *object);
/* Whether it is regular, and if not, why. */
void cells_add_result(struct cells *cells, const json_t *result);
enum tone tone_of_result(const json_t *result);
/* A goal of two documents: the verdict on B, and by how much it changed. */
void cells_add_comparison(struct cells *cells, const json_t *goal);
void cells_add_change(struct cells *cells, const json_t *goal);
enum tone tone_of_comparison(const json_t *goal);

__attribute__((format(printf, 3, 4))) void facts_add(struct facts *facts, const char *label, const char *format, ...);
/* A member, where it is there; shown as struct field says. */
void facts_add_member(struct facts *facts, const char *label, const json_t *object, const char *at, text_of_number *text);
/* Load and frame size in bit/s; nothing where one is NAN. */
void facts_add_rates(struct facts *facts, double fps, double octets);
/* Every member of an object, nested ones too, by their names; all but those that are known, as is_one_of() has them. */
void facts_add_object(struct facts *facts, const json_t *object, const char *known);
void facts_put(struct facts *facts, struct writer *writer); /* and free */
void facts_free(struct facts *facts);

/* A throughput per interface in frames/s (NAN: there is none), and how far to rely on it. */
void verdict_set(struct writer_verdict *verdict, double throughput_fps, bool regular, bool tester_limited);
/* A verdict for each item of an array; `fill` names it, sets it and adds facts. */
void verdicts_put(struct writer *writer, enum writer_rank rank, const json_t *document, const json_t *items,
		  void (*fill)(struct writer_verdict *verdict, const json_t *document, const json_t *item, size_t index));

/* Why the tester was the limit, in how many of the trials at a load (NAN: of all), and what to do about it. */
#define LIMIT_TEXT_SIZE 480
void limit_text(const json_t *trials, double load_fps, char buffer[LIMIT_TEXT_SIZE]);
/* What to do about one such reason; "" where that is not known. */
const char *limit_advice(const char *reason);

/* A section with a list of sentences; nothing where there are none. */
void content_put_strings(struct writer *writer, const char *id, const char *heading, const json_t *array);
