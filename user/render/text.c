/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This form is the Test Report as text. Tables have aligned columns; those that do not fit the line follow in a band of
 * their own. Columns in which nothing stands, figures, and what is for pages only are left out.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "render/forms.h"
#include "render/parts.h"

#define LINE_COLUMNS  120 /* columns of a sentence, if the text goes to no terminal */
#define TABLE_COLUMNS 160
#define INDENT        2
#define GAP           2
#define LABEL_LEAST   24 /* columns of a label */
#define LABEL_MOST    32 /* the value of a longer one stands below it */
#define ROOM_LEAST    24 /* least columns of a text that is broken into lines */
#define ITEMS_MOST    20

struct row {
	enum tone tone;
	char *cells; /* owned: one after the other, each with its end */
};

/* A table before it is known how wide its columns are. */
struct table {
	char *headings[CELLS_MAX]; /* owned */
	struct row *rows;
	size_t count, size;
	size_t widths[CELLS_MAX]; /* 0: nothing stands in it, but "no value" */
};

struct page {
	struct writer writer;
	bool terminal;
	bool section_hidden, fold_hidden;
	bool apart;     /* An empty line is due. */
	size_t columns; /* columns of a line */
	size_t table_columns;
	struct table table;
};

static struct page *page_of(struct writer *writer)
{
	return (struct page *)writer;
}

static bool is_hidden(struct writer *writer)
{
	return page_of(writer)->section_hidden || page_of(writer)->fold_hidden;
}

/* --- texts ---------------------------------------------------------------------------------------------------------- */

/* A narrow space within a number, as pages have them: numbers of a text can be copied. */
static bool groups_digits(const char *text, const char *at)
{
	return strncmp(at, NARROW_SPACE, strlen(NARROW_SPACE)) == 0 && at > text && isdigit((unsigned char)at[-1]) &&
	       isdigit((unsigned char)at[strlen(NARROW_SPACE)]);
}

/* Write the text as a terminal shows it, which is no longer, and return what stands behind its end. Control characters were
 * removed before (base/plain.h). */
static char *write_ungrouped(char *end, const char *text)
{
	for (const char *at = text; *at; at++) {
		if (groups_digits(text, at))
			at += strlen(NARROW_SPACE) - 1;
		else
			*end++ = *at == '\t' ? ' ' : *at;
	}
	*end++ = '\0';
	return end;
}

/* Return a copy without grouping characters, or NULL without memory; the caller frees it. */
static char *ungrouped(const char *text)
{
	char *result = memory_noticed(malloc(strlen(text) + 1));

	if (result)
		write_ungrouped(result, text);
	return result;
}

/* Columns that UTF-8 takes. */
static size_t width_of(const char *text, size_t length)
{
	size_t width = 0;

	for (size_t i = 0; i < length; i++)
		width += ((unsigned char)text[i] & 0xc0) != 0x80;
	return width;
}

/* The next line of a text, up to its last word that fits; a word that is longer stands whole. Returns octets, and moves the
 * text to where they begin. */
static size_t take_line(const char **text, size_t room)
{
	size_t length = 0;

	*text += strspn(*text, " ");
	for (;;) {
		size_t end = length + strspn(*text + length, " ");

		end += strcspn(*text + end, " \n");
		while (strncmp(*text + end, " %", 2) == 0) /* stays with its number */
			end += 2 + strcspn(*text + end + 2, " \n");
		if (length && width_of(*text, end) > room)
			return length;
		length = end;
		if ((*text)[length] != ' ')
			return length;
	}
}

/* Behind a line that was taken. */
static void go_on(const char **text, size_t length)
{
	*text += length;
	*text += **text == '\n' ? 1 : strspn(*text, " ");
}

static const char *const tones[] = {
	[TONE_PLAIN] = "\033[1m", [TONE_GOOD] = "\033[32m", [TONE_WARN] = "\033[33m", [TONE_BAD] = "\033[1;31m"
};

static void begin_style(struct writer *writer, enum tone tone)
{
	if (page_of(writer)->terminal)
		fputs(tones[tone], writer->stream);
}

static void end_style(struct writer *writer)
{
	if (page_of(writer)->terminal)
		fputs("\033[0m", writer->stream);
}

/* A text from where the line stands, which is `indent`; further lines begin there, too. */
static void put_lines(struct writer *writer, size_t indent, const char *text)
{
	size_t columns = page_of(writer)->columns;
	size_t room = columns > indent + ROOM_LEAST ? columns - indent : ROOM_LEAST;
	owned char *plain = ungrouped(text);
	const char *rest = plain ? plain : "";

	for (bool first = true; first || *rest; first = false) {
		size_t length = take_line(&rest, room);

		if (!first)
			fprintf(writer->stream, "\n%*s", (int)indent, "");
		fprintf(writer->stream, "%.*s", (int)length, rest);
		go_on(&rest, length);
	}
}

static void put_text(struct writer *writer, size_t indent, const char *text)
{
	put_lines(writer, indent, text);
	fputc('\n', writer->stream);
}

static void put_styled(struct writer *writer, enum tone tone, size_t indent, const char *text)
{
	begin_style(writer, tone);
	put_lines(writer, indent, text);
	end_style(writer);
}

/* The heading that waits for something to stand below it. */
static void begin(struct writer *writer)
{
	struct page *page = page_of(writer);

	if (page->apart && !*writer->section)
		fputc('\n', writer->stream);
	page->apart = false;
	if (!*writer->section)
		return;
	fputc('\n', writer->stream);
	put_styled(writer, TONE_PLAIN, 0, writer->section);
	fputc('\n', writer->stream);
	writer->section[0] = '\0';
}

/* --- what stands in a report ---------------------------------------------------------------------------------------- */

static void put_fact(struct writer *writer, size_t column, const struct writer_fact *fact)
{
	size_t width = width_of(fact->label, strlen(fact->label)), pad = INDENT + column + GAP;

	fprintf(writer->stream, "%*s", INDENT, "");
	put_lines(writer, INDENT, fact->label);
	if (width > column)
		fputc('\n', writer->stream);
	else
		pad -= INDENT + width;
	fprintf(writer->stream, "%*s", (int)pad, "");
	put_text(writer, INDENT + column + GAP, fact->value);
}

static void put_facts(struct writer *writer, const struct writer_fact *facts, size_t count)
{
	size_t column = LABEL_LEAST;

	if (is_hidden(writer) || !count)
		return;
	begin(writer);
	for (size_t i = 0; i < count; i++) {
		size_t width = width_of(facts[i].label, strlen(facts[i].label));

		if (width > column && width <= LABEL_MOST)
			column = width;
	}
	for (size_t i = 0; i < count; i++)
		put_fact(writer, column, &facts[i]);
}

static void put_masthead(struct writer *writer, const char *title, const struct writer_fact *facts, size_t count)
{
	put_styled(writer, TONE_PLAIN, 0, title);
	fputc('\n', writer->stream);
	put_facts(writer, facts, count);
}

static void put_banner(struct writer *writer, enum tone tone, const char *text)
{
	if (is_hidden(writer))
		return;
	page_of(writer)->apart = false;
	begin(writer);
	fputc('\n', writer->stream);
	put_styled(writer, tone, 0, text);
	fputc('\n', writer->stream);
	page_of(writer)->apart = true;
}

static void put_verdict(struct writer *writer, const struct writer_verdict *verdict)
{
	struct facts facts = { .count = 0 };

	page_of(writer)->apart = false;
	fputc('\n', writer->stream);
	put_styled(writer, TONE_PLAIN, 0, verdict->name);
	fputs(": ", writer->stream);
	put_styled(writer, verdict->tone, INDENT, verdict->state);
	fputc('\n', writer->stream);
	/* "1.003 Mframes/s, 1003326.9 frames/s per interface" */
	facts_add(&facts, verdict->quantity, "%s%s%s%s%s", verdict->value, *verdict->unit ? " " : "", verdict->unit,
		  *verdict->exact ? ", " : "", verdict->exact);
	for (size_t i = 0; i < verdict->facts.count; i++)
		facts_add(&facts, verdict->facts.list[i].label, "%s", verdict->facts.list[i].value);
	facts_put(&facts, writer);
	if (*verdict->warning) {
		fprintf(writer->stream, "%*s", INDENT, "");
		put_styled(writer, TONE_BAD, INDENT, verdict->warning);
		fputc('\n', writer->stream);
	}
}

static void put_verdicts(struct writer *writer, enum writer_level level, const struct writer_verdict *verdicts, size_t count)
{
	for (size_t i = 0; level <= writer->shown && i < count; i++)
		put_verdict(writer, &verdicts[i]);
}

static void put_section(struct writer *writer, enum writer_level level, const char *, const char *heading)
{
	page_of(writer)->section_hidden = level > writer->shown;
	snprintf(writer->section, sizeof(writer->section), "%s", heading);
	if (page_of(writer)->section_hidden)
		writer->section[0] = '\0';
}

static void put_subsection(struct writer *writer, const char *heading)
{
	if (is_hidden(writer))
		return;
	begin(writer);
	fprintf(writer->stream, "\n%*s", INDENT / 2, "");
	put_text(writer, INDENT / 2, heading);
}

static void put_indented(struct writer *writer, const char *sign, const char *text)
{
	if (is_hidden(writer))
		return;
	begin(writer);
	fprintf(writer->stream, "%*s%s", INDENT, "", sign);
	put_text(writer, INDENT + strlen(sign), text);
}

static void put_paragraph(struct writer *writer, const char *text)
{
	put_indented(writer, "", text);
}

static void put_list(struct writer *writer, const char *const *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_indented(writer, "- ", items[i]);
}

/* Its lines stand whole, to be copied. */
static void put_code(struct writer *writer, const char *text)
{
	owned char *plain = ungrouped(text);

	if (plain && !is_hidden(writer)) {
		begin(writer);
		for (const char *line = plain; *line;) {
			size_t length = strcspn(line, "\n");

			fprintf(writer->stream, "%*s%.*s\n", 2 * INDENT, "", (int)length, line);
			line += length + (line[length] == '\n');
		}
	}
}

static void put_fold(struct writer *writer, enum writer_level level, const char *, const char *summary)
{
	page_of(writer)->fold_hidden = level > writer->shown;
	put_subsection(writer, summary);
}

static void end_fold(struct writer *writer)
{
	page_of(writer)->fold_hidden = false;
}

/* --- tables --------------------------------------------------------------------------------------------------------- */

static void put_table(struct writer *writer, const char *, const struct writer_column *columns, size_t count)
{
	writer->column_list = columns;
	writer->columns = count;
	page_of(writer)->table = (struct table){ .count = 0 };
	for (size_t i = 0; i < count; i++)
		page_of(writer)->table.headings[i] = ungrouped(columns[i].heading);
}

/* A page has hundreds of thousands of cells, so a row is one piece of memory. NULL without memory. */
static char *join_cells(const char *const *cells, size_t count)
{
	size_t size = 1;
	char *joined, *end;

	for (size_t i = 0; i < count; i++)
		size += strlen(cells[i]) + 1;
	end = joined = memory_noticed(malloc(size));
	for (size_t i = 0; joined && i < count; i++)
		end = write_ungrouped(end, cells[i]);
	return joined;
}

static void put_row(struct writer *writer, enum tone tone, const char *const *cells)
{
	struct table *table = &page_of(writer)->table;
	char *joined;

	if (is_hidden(writer))
		return;
	if (table->count == table->size) {
		size_t size = table->size ? 2 * table->size : 16;
		struct row *grown = memory_noticed(reallocarray(table->rows, size, sizeof(*grown)));

		if (!grown)
			return;
		table->rows = grown;
		table->size = size;
	}
	joined = join_cells(cells, writer->columns);
	if (joined)
		table->rows[table->count++] = (struct row){ .tone = tone, .cells = joined };
}

static const char *cell_of(const struct row *row, size_t column)
{
	const char *cell = row->cells;

	while (column--)
		cell += strlen(cell) + 1;
	return cell;
}

static size_t longest_word(const char *text)
{
	size_t most = 0;

	while (*text) {
		size_t length = strcspn(text, " ");

		most = width_of(text, length) > most ? width_of(text, length) : most;
		text += length + strspn(text + length, " ");
	}
	return most;
}

static void measure_column(struct writer *writer, size_t column)
{
	struct table *table = &page_of(writer)->table;
	size_t least = longest_word(table->headings[column] ? table->headings[column] : ""), most = 0;
	bool told = false;

	for (size_t i = 0; i < table->count; i++) {
		const char *text = cell_of(&table->rows[i], column);
		size_t width = width_of(text, strlen(text));

		told |= *text && strcmp(text, DASH) != 0;
		most = width > most ? width : most;
	}
	table->widths[column] = !told || writer->column_list[column].command ? 0 : most > least ? most : least;
}

/* The cells of one line of columns, which may take several lines of text. */
static void put_cells(struct writer *writer, enum tone tone, bool styled, const size_t *band, size_t count,
		      const char *const *cells)
{
	const size_t *widths = page_of(writer)->table.widths;
	const char *rest[CELLS_MAX];
	bool more;

	for (size_t i = 0; i < count; i++)
		rest[i] = cells[band[i]];
	do {
		size_t gap = INDENT;

		more = false;
		if (styled)
			begin_style(writer, tone);
		for (size_t i = 0; i < count; i++) {
			size_t length = take_line(&rest[i], widths[band[i]]), width = width_of(rest[i], length);
			size_t pad = widths[band[i]] > width ? widths[band[i]] - width : 0;
			bool numeric = writer->column_list[band[i]].numeric;

			if (length)
				fprintf(writer->stream, "%*s%.*s", (int)(gap + (numeric ? pad : 0)), "", (int)length,
					rest[i]);
			gap = length ? (numeric ? 0 : pad) + GAP : gap + width + pad + GAP;
			go_on(&rest[i], length);
			more |= *rest[i];
		}
		if (styled)
			end_style(writer);
		fputc('\n', writer->stream);
	} while (more);
}

/* What is to be copied stands whole, on a line of its own. */
static void put_commands(struct writer *writer, const struct row *row)
{
	for (size_t i = 0; i < writer->columns; i++)
		if (writer->column_list[i].command && *cell_of(row, i))
			fprintf(writer->stream, "%*s%s\n", 2 * INDENT, "", cell_of(row, i));
}

static void put_band(struct writer *writer, const size_t *band, size_t count, bool last)
{
	const struct table *table = &page_of(writer)->table;
	const char *headings[CELLS_MAX];

	for (size_t i = 0; i < writer->columns; i++)
		headings[i] = table->headings[i] ? table->headings[i] : "";
	put_cells(writer, TONE_PLAIN, true, band, count, headings);
	for (size_t i = 0; i < table->count; i++) {
		const struct row *row = &table->rows[i];
		const char *cells[CELLS_MAX];

		for (size_t j = 0; j < writer->columns; j++)
			cells[j] = cell_of(row, j);
		put_cells(writer, row->tone, row->tone == TONE_WARN || row->tone == TONE_BAD, band, count, cells);
		if (last)
			put_commands(writer, row);
	}
}

/* A text that is too wide for the rest of the line is broken. */
static size_t fit(struct writer *writer, size_t used, size_t column)
{
	const struct page *page = page_of(writer);
	size_t width = page->table.widths[column], room = page->table_columns > used ? page->table_columns - used : 0;

	return width <= room || writer->column_list[column].numeric || room < ROOM_LEAST ? width : room;
}

/* Get as many columns as the line holds, from `column` on. The first column is repeated where rows have to be told apart.
 * Returns the next column. */
static size_t take_band(struct writer *writer, size_t column, size_t *band, size_t *ret_count)
{
	struct page *page = page_of(writer);
	size_t *widths = page->table.widths, used = INDENT, count = 0;

	if (column && page->table.count > 1 && widths[0]) {
		band[count++] = 0;
		used += widths[0] + GAP;
	}
	for (size_t fresh = 0; column < writer->columns; column++) {
		if (!widths[column])
			continue;
		widths[column] = fit(writer, used, column);
		if (fresh && used + widths[column] > page->table_columns)
			break;
		band[count++] = column;
		used += widths[column] + GAP;
		fresh++;
	}
	*ret_count = count;
	return column;
}

static void end_table(struct writer *writer)
{
	struct table *table = &page_of(writer)->table;
	size_t band[CELLS_MAX], count;

	if (table->count && !is_hidden(writer)) {
		begin(writer);
		for (size_t i = 0; i < writer->columns; i++)
			measure_column(writer, i);
		for (size_t next = 0; next < writer->columns;) {
			next = take_band(writer, next, band, &count);
			if (count)
				put_band(writer, band, count, next == writer->columns);
		}
	}
	for (size_t i = 0; i < writer->columns; i++)
		free(table->headings[i]);
	for (size_t i = 0; i < table->count; i++)
		free(table->rows[i].cells);
	free(table->rows);
	*table = (struct table){ .count = 0 };
}

static const struct writer_ops ops = {
	.masthead = put_masthead,
	.banner = put_banner,
	.verdicts = put_verdicts,
	.section = put_section,
	.subsection = put_subsection,
	.paragraph = put_paragraph,
	.facts = put_facts,
	.list = put_list,
	.table = put_table,
	.row = put_row,
	.table_end = end_table,
	.code = put_code,
	.fold = put_fold,
	.fold_end = end_fold,
};

bool render_text(FILE *stream, const json_t *document, struct render_style style)
{
	struct page page = {
		.writer = { .ops = &ops,
			    .stream = stream,
			    .shown = style.whole     ? LEVEL_REFERENCE
				     : style.explain ? LEVEL_DETAIL
						     : LEVEL_MAIN,
			    .items_most = style.whole ? 0 : ITEMS_MOST },
		.terminal = style.terminal,
		.columns = style.columns ? style.columns : LINE_COLUMNS,
		.table_columns = style.columns ? style.columns : TABLE_COLUMNS,
	};

	content_put(&page.writer, document);
	return true;
}
