/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a report, made from the objects of its document: rows, facts, verdicts, lists. The caller owns facts; a form
 * (writer.h) takes them over when they are put. A part is filled, put once, and is then empty again. */
#pragma once

#include "base/standing.h"
#include "render/values.h"
#include "render/writer.h"

#define CELL_SIZE 640 /* octets of a cell; what is longer is cut */
#define CELLS_MAX 24

/* The number that stands for a value: of a list its length, of a truth 1 or 0; NAN where there is none. */
double number_of(const json_t *value);

/* Return the mean size of the frames of a rate, which follows from the bit rate beside it. Where there is none, as in documents of
 * earlier versions, it is `octets`. */
double rate_octets(const json_t *object, const char *name, double octets);

/* A member of an object, as a column of a table. */
struct field {
	const char *heading;
	const char *at; /* a JSON pointer */
	/* The text of a number, of a list's length, or of a truth as 1 and 0 (values.h). NULL: the member is a text. */
	text_of_number *text;
	/* A JSON pointer to what was agreed: the number reads unlike it, and in full where it is that itself. NULL: nothing was. */
	const char *agreed;
	/* Of a load in frames/s: the rate in bit/s for frames of so many octets (units.h). NULL: the number as it is. */
	double (*bps)(double fps, double octets);
	double octets;
	const char *phrase;                                  /* instead: the cell as a phrase on the row (phrase.h) */
	/* Instead, for what is computed: its text, in the buffer or not. */
	const char *(*write)(const json_t *row, char text[CELL_SIZE]);
	bool is_number;                                      /* instead: the number of the row, from 1 */
	bool numeric;                                        /* The text is aligned to the right, like a number. */
	bool command;                                        /* The column is a command, as in struct writer_column. */
	bool rare;               /* seldom more than 0: where each row has 0, a sentence says so instead */
	enum writer_level level; /* reader that the column is for */
};
/* Write a table with a row for each object of an array. Columns above the form's level, and empty columns, are left out.
 * `tone` may be NULL. */
void table_put(struct writer *writer, const char *id, const struct field *fields, size_t count, const json_t *rows,
	       enum tone (*tone)(const json_t *row));
/* The same, of a table that may have thousands of rows: paper shows the first of them. */
void table_put_long(struct writer *writer, const char *id, const struct field *fields, size_t count, const json_t *rows,
		    enum tone (*tone)(const json_t *row));
/* Write such a table: as many as the form shows, and how many more there are. It takes `rows`
 * over. */
void table_put_most(struct writer *writer, const char *id, const struct field *fields, size_t count, json_t *rows,
		    enum tone (*tone)(const json_t *row));
/* Write objects with all their members. Objects with names are columns, and their members rows. Other objects are rows. The
 * text form leaves out rows of zeros. */
void objects_put(struct writer *writer, const char *id, const char *corner, const json_t *objects);
/* Return the tone of the sentence that everything succeeded. It is TONE_PLAIN if a requirement that is shown above it was
 * not met. */
enum tone tone_of_success(const json_t *document);
/* Write Search Goals with the names that the draft gives their attributes. */
void goals_put(struct writer *writer, const json_t *goals);
/* Collect the objects, or items of arrays, to which the pointer leads from each object of a list. Each also gets the members
 * of that object. Returns a new reference. */
json_t *rows_within(const json_t *list, const char *at);

/* Return the items of a list in the order of a comparison, as of qsort(), of pointers to them. A new reference. */
json_t *rows_sorted(const json_t *list, int (*compare)(const void *a, const void *b));

/* Return the directions of a result that was measured in several, or NULL. The second function writes "t-a to t-b". The
 * third returns results as the rows of a table, a new reference, with a row for each direction where there are several. */
const json_t *several_directions(const json_t *result);
const char *text_direction(const json_t *direction, char buffer[VALUE_SIZE]);
json_t *rows_by_direction(const json_t *results);

/* Its direction, if it is of one, as a phrase (phrase.h). */
#define DIRECTION "[{from} to {to}]"

/* Cells that need several members, and tones of rows. */
/* The direction that one of its figures is of: the first in "worst_direction". */
const char *text_worst_direction(const json_t *result, char text[CELL_SIZE]);
/* "stdev" as a ratio of "mean"; "lost" as one of "sent". */
const char *text_deviation(const json_t *object, char text[CELL_SIZE]);
const char *text_loss_ratio(const json_t *counts, char text[CELL_SIZE]);
/* The standing in one word, with the reason of an irregular result; and the word alone. */
const char *text_result(const json_t *result, char text[CELL_SIZE]);
const char *text_word(const json_t *result, char text[CELL_SIZE]);
enum tone tone_of_standing(enum standing standing);
enum tone tone_of_result(const json_t *result);
/* TONE_WARN if the tester limited it. */
enum tone tone_of_limited(const json_t *trial);
/* A goal of two documents: the verdict on B, and its change. */
const char *text_comparison(const json_t *goal, char text[CELL_SIZE]);
const char *text_difference(const json_t *goal, char text[CELL_SIZE]);
enum tone tone_of_comparison(const json_t *goal);

__attribute__((format(printf, 3, 4))) void facts_add(struct facts *facts, const char *label, const char *format, ...);
/* Add a member, if it exists, as struct field describes. */
void facts_add_member(struct facts *facts, const char *label, const json_t *object, const char *at, text_of_number *text);
/* A label, and its value as a phrase (phrase.h). */
struct fact {
	const char *label, *phrase;
};
/* Add those that are not empty. */
void facts_say(struct facts *facts, const json_t *object, const struct fact *list, size_t count);
/* Add load and frame size in bit/s; nothing if one of them is NAN. */
void facts_add_rates(struct facts *facts, double fps, double octets);
/* Add every member of an object by its name, nested ones too, without those in `known` (see is_one_of()). */
void facts_add_object(struct facts *facts, const json_t *object, const char *known);
void facts_put(struct facts *facts, struct writer *writer); /* also frees them */
void facts_free(struct facts *facts);

/* Set a throughput per interface in frames/s (NAN: there is none), and how far to rely on it. */
void verdict_set(struct writer_verdict *verdict, double throughput_fps, enum standing standing);
/* Return what follows a figure of a result: ", from a limited result", or nothing for a regular one. */
const char *text_source(enum standing standing, char buffer[VALUE_SIZE]);
/* Write a verdict for each item of an array. `fill` names it, sets it and adds facts. */
void verdicts_put(struct writer *writer, enum writer_level level, const json_t *document, const json_t *items,
		  void (*fill)(struct writer_verdict *verdict, const json_t *document, const json_t *item, size_t index));

/* Write a formatted sentence: a paragraph, or what the reader must know before the verdicts. */
#define SENTENCE_MOST                 4096
#define paragraph_put(writer, ...)    (writer)->ops->paragraph(writer, TEXT_OF(SENTENCE_MOST, __VA_ARGS__))
#define banner_put(writer, tone, ...) (writer)->ops->banner(writer, tone, TEXT_OF(SENTENCE_MOST, __VA_ARGS__))

/* Write a section with a list of sentences, or nothing if there are none. */
void content_put_strings(struct writer *writer, const char *id, const char *heading, const json_t *array);

/* What the SUT changed in headers, by kind, in one or two sentences, from counts that have that. Empty: nothing. */
#define CHANGES_SIZE 1024
const char *text_changes(const json_t *counts, char buffer[CHANGES_SIZE]);
