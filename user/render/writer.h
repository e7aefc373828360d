/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A writer puts a report into one form. It owns its stream only while a report is written; all texts belong to the caller. A
 * form begins with an empty report, gets its parts in the order of the page, and ends with the document.
 *
 * content*.c says what a report contains, once for all forms. The form says how it looks: html.c, markdown.c, text.c. All
 * texts are plain, and the form escapes them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "render/values.h"

enum tone { TONE_PLAIN, TONE_GOOD, TONE_WARN, TONE_BAD };

/* The reader that a part is for. A page shows all levels. A text has only a screen, and leaves out parts above its level. */
enum writer_level {
	LEVEL_MAIN,      /* parts for everybody */
	LEVEL_DETAIL,    /* parts for readers who ask how the result came about (--explain) */
	LEVEL_REFERENCE, /* parts for readers who look something up */
};

struct writer_fact {
	const char *label, *value;
};

/* Labels and values of any number and length (parts.h). */
struct facts {
	struct writer_fact *list;
	size_t count, size;
};

/* The answer to one question, at the top of the report. Zeros are an empty one. */
struct writer_verdict {
	char id[32], name[256]; /* id and name of the goal */
	enum tone tone;
	const char *quantity;   /* the meaning of the value */
	char state[VALUE_SIZE]; /* "regular", "limited", "IRREGULAR" */
	char value[VALUE_SIZE], unit[VALUE_SIZE], exact[4 * VALUE_SIZE];
	struct facts facts;
	char warning[1600]; /* empty: no warning */
};

struct writer_column {
	const char *heading;
	bool numeric; /* aligned to the right */
	bool command; /* meant to be copied, so it is never broken into lines */
};

#define WRITER_HEADING_SIZE 200

struct writer {
	const struct writer_ops *ops;
	FILE *stream;
	size_t columns; /* columns of the present table */
	const struct writer_column *column_list;
	size_t rows;             /* rows of the table so far, for forms that tell their number */
	bool many;               /* There may be thousands of rows; paper shows the first ones. */
	unsigned int figures;    /* the number of figures so far */
	enum writer_level shown; /* parts up to this level are shown; the form leaves out others itself, but not columns */
	size_t items_most;       /* the limit for rows of which there may be thousands; 0: no limit */
	/* A heading that is written only when a part follows it. It is for forms without figures. */
	char section[WRITER_HEADING_SIZE];
};

struct writer_ops {
	/* The title of the report in one line, and facts about it. */
	void (*masthead)(struct writer *writer, const char *title, const struct writer_fact *facts, size_t count);
	/* What the reader must know before the verdicts. */
	void (*banner)(struct writer *writer, enum tone tone, const char *text);
	void (*verdicts)(struct writer *writer, enum writer_level level, const struct writer_verdict *verdicts,
			 size_t count);
	void (*section)(struct writer *writer, enum writer_level level, const char *id, const char *heading);
	void (*subsection)(struct writer *writer, const char *heading);
	void (*paragraph)(struct writer *writer, const char *text);
	void (*facts)(struct writer *writer, const struct writer_fact *facts, size_t count);
	void (*list)(struct writer *writer, const char *const *items, size_t count);
	/* The columns must outlive the table. */
	void (*table)(struct writer *writer, const char *id, const struct writer_column *columns, size_t count);
	void (*row)(struct writer *writer, enum tone tone, const char *const *cells);
	void (*table_end)(struct writer *writer);
	void (*code)(struct writer *writer, const char *text);
	/* A part that is folded until the reader opens it, if the form can do that. */
	void (*fold)(struct writer *writer, enum writer_level level, const char *id, const char *summary);
	void (*fold_end)(struct writer *writer);
	/* Return a stream for the SVG of a figure, or NULL if the form has none. */
	FILE *(*figure)(struct writer *writer, const char *caption);
	void (*figure_end)(struct writer *writer, const char *explanation);
};
