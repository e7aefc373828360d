/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page is a list of rows, in the order in which a reader sees them: headings, paragraphs, facts, tables. A row says what
 * stands there and which members of the document it is made from (phrase.h). Rows are constant, and page_put() writes them
 * from the first to the last.
 *
 *	static const struct part parts[] = {
 *		{ SECTION("results", "Estimates"), .when = "estimates" },
 *		{ TABLE("estimate-table", "/estimates", estimates) },
 *		{ .say = "Of {trials:count} trials[, {late:count} were late]." },
 *	};
 *
 * A row whose condition does not hold is left out. If a section or subsection is left out, so are all rows below it, up to
 * the next one. Rows above the form's level are left out, too, but a form hides sections itself.
 */
#pragma once

#include "render/parts.h"

enum part_directions {
	DIRECTIONS_NONE,
	DIRECTIONS_TOO,   /* a row for each direction in place of a row with several */
	DIRECTIONS_ALONE, /* only such rows, below "By direction"; nothing where there is none */
};

struct part {
	const char *when; /* phrase_holds(), or "sizes[]/latency": one of the list has it. NULL: always */
	enum writer_level level;
	const char *id; /* id of the section or the table */

	/* One of these. */
	const char *section; /* its heading, a phrase */
	const char *subsection, *fold;
	bool fold_end;
	const char *say;           /* a phrase, as a paragraph */
	const struct fact *facts;  /* `count` of them */
	const struct field *table; /* `count` columns, with a row for each object at `rows` */
	void (*put)(struct writer *writer, const json_t *object);

	bool apart; /* it does not belong to the subsection above it */
	size_t count;
	const char *rows; /* a JSON pointer; "/services[]/steps": those within each, and what stands beside them */
	bool most;        /* There may be thousands of rows: shown by table_put_most(). */
	enum part_directions directions;
	enum tone (*tone)(const json_t *row); /* tone of a row; NULL: plain */
};

#define SECTION(id_, heading)   .id = id_, .section = heading
#define FACTS(list)             .facts = list, .count = COUNT(list)
#define TABLE(id_, at, columns) .id = id_, .rows = at, .table = columns, .count = COUNT(columns)

void page_put(struct writer *writer, const json_t *object, const struct part *parts, size_t count);
