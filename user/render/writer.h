/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Test Report while it is written: verdicts, headings, facts, tables, figures. What stands in it is written once
 * (content.h); how it looks is the form's affair: html.c, markdown.c, text.c. All texts are plain, and escaped
 * by the form.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "render/values.h"

enum tone { TONE_PLAIN, TONE_GOOD, TONE_WARN, TONE_BAD };

/* Who a part is for. A page shows everything; a text, which has to do with a screenful, leaves out what is beyond its
 * reader. */
enum writer_rank {
	RANK_MAIN,   /* everybody */
	RANK_COURSE, /* who asks how it came about (--explain) */
	RANK_PAGE,   /* who looks something up */
};

struct writer_fact {
	const char *label, *value;
};

/* Labels and values of any number and length (parts.h). */
struct facts {
	struct writer_fact *list;
	size_t count, size;
};

/* The answer to one question, on top of the report. Zeros: an empty one. */
struct writer_verdict {
	char id[32], name[256]; /* of the goal */
	enum tone tone;
	const char *quantity;   /* what the value is */
	char state[VALUE_SIZE]; /* "regular", "IRREGULAR" */
	char value[VALUE_SIZE], unit[VALUE_SIZE], exact[4 * VALUE_SIZE];
	struct facts facts;
	char warning[512]; /* empty: none */
};

struct writer_column {
	const char *heading;
	bool numeric; /* set to the right */
	bool command; /* to be copied: never broken into lines */
};

#define WRITER_HEADING_SIZE 200

struct writer {
	const struct writer_ops *ops;
	FILE *stream;
	size_t columns; /* of the table that is being written */
	const struct writer_column *column_list;
	unsigned int figures;   /* numbered so far */
	enum writer_rank shown; /* up to which parts are shown; the form leaves out the others itself, but for columns */
	size_t items_most;      /* of what there may be thousands, as many are shown; 0: all */
	/* A heading that waits for something to stand below it: for forms that have no figures. */
	char section[WRITER_HEADING_SIZE];
};

struct writer_ops {
	/* What the report is, in a line, and of what. */
	void (*masthead)(struct writer *writer, const char *title, const struct writer_fact *facts, size_t count);
	/* What the reader must know before the verdicts. */
	void (*banner)(struct writer *writer, enum tone tone, const char *text);
	void (*verdicts)(struct writer *writer, enum writer_rank rank, const struct writer_verdict *verdicts, size_t count);
	void (*section)(struct writer *writer, enum writer_rank rank, const char *id, const char *heading);
	void (*subsection)(struct writer *writer, const char *heading);
	void (*paragraph)(struct writer *writer, const char *text);
	void (*facts)(struct writer *writer, const struct writer_fact *facts, size_t count);
	void (*list)(struct writer *writer, const char *const *items, size_t count);
	/* The columns must outlive the table. */
	void (*table)(struct writer *writer, const char *id, const struct writer_column *columns, size_t count);
	void (*row)(struct writer *writer, enum tone tone, const char *const *cells);
	void (*table_end)(struct writer *writer);
	void (*code)(struct writer *writer, const char *text);
	/* What is folded until the reader wants it, where the form can. */
	void (*fold)(struct writer *writer, enum writer_rank rank, const char *id, const char *summary);
	void (*fold_end)(struct writer *writer);
	/* A stream for the SVG of a figure; NULL: the form has none. */
	FILE *(*figure)(struct writer *writer, const char *caption);
	void (*figure_end)(struct writer *writer, const char *explanation);
};
