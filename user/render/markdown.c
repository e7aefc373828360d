/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This form is the Test Report as Markdown. Figures are left to HTML. */
#include <string.h>

#include "render/forms.h"

/* Everything that Markdown, or HTML within it, would take for markup; a line end would end a cell. */
static void escape(FILE *stream, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			fputs("<br>", stream);
		else if ((unsigned char)*text < ' ')
			fputc(' ', stream);
		else if (*text == '<')
			fputs("&lt;", stream);
		else if (*text == '&')
			fputs("&amp;", stream);
		else if (strchr("\\`*_[]|#~$", *text))
			fprintf(stream, "\\%c", *text);
		else
			fputc(*text, stream);
	}
}

/* A text between what is Markdown. */
static void put(struct writer *writer, const char *before, const char *text, const char *behind)
{
	fputs(before, writer->stream);
	escape(writer->stream, text);
	fputs(behind, writer->stream);
}

static void put_masthead(struct writer *writer, const char *title, const struct writer_fact *facts, size_t count)
{
	put(writer, "# ", title, "\n\n");
	writer->ops->facts(writer, facts, count);
}

/* Write the heading of the section, if it is still due. */
static void begin(struct writer *writer)
{
	if (!*writer->section)
		return;
	put(writer, "## ", writer->section, "\n\n");
	writer->section[0] = '\0';
}

static void put_banner(struct writer *writer, enum tone, const char *text)
{
	begin(writer);
	put(writer, "> **", text, "**\n\n");
}

/* "| label | value |" */
static void put_pair(struct writer *writer, const char *label, const char *value)
{
	put(writer, "| ", label, " | ");
	escape(writer->stream, value);
	fputs(" |\n", writer->stream);
}

static void put_verdict(struct writer *writer, const struct writer_verdict *verdict)
{
	begin(writer);
	put(writer, "### ", verdict->name, ": ");
	escape(writer->stream, verdict->state);
	put(writer, "\n\n| ", verdict->quantity, " | **");
	escape(writer->stream, verdict->value);
	fprintf(writer->stream, "%s%s", *verdict->unit ? " " : "", verdict->unit);
	fputs("** |\n|---|---|\n", writer->stream);
	if (*verdict->exact)
		put_pair(writer, "exactly", verdict->exact);
	for (size_t i = 0; i < verdict->facts.count; i++)
		put_pair(writer, verdict->facts.list[i].label, verdict->facts.list[i].value);
	fputc('\n', writer->stream);
	if (*verdict->warning)
		writer->ops->banner(writer, TONE_WARN, verdict->warning);
}

static void put_verdicts(struct writer *writer, enum writer_level, const struct writer_verdict *verdicts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_verdict(writer, &verdicts[i]);
}

/* Where nothing comes to stand below it, as where figures would be, it is left out. */
static void put_section(struct writer *writer, enum writer_level, const char *, const char *heading)
{
	snprintf(writer->section, sizeof(writer->section), "%s", heading);
}

static void put_subsection(struct writer *writer, const char *heading)
{
	begin(writer);
	put(writer, "### ", heading, "\n\n");
}

static void put_paragraph(struct writer *writer, const char *text)
{
	begin(writer);
	escape(writer->stream, text);
	fputs("\n\n", writer->stream);
}

static void put_facts(struct writer *writer, const struct writer_fact *facts, size_t count)
{
	if (!count)
		return;
	begin(writer);
	fputs("| | |\n|---|---|\n", writer->stream);
	for (size_t i = 0; i < count; i++)
		put_pair(writer, facts[i].label, facts[i].value);
	fputc('\n', writer->stream);
}

static void put_list(struct writer *writer, const char *const *items, size_t count)
{
	begin(writer);
	for (size_t i = 0; i < count; i++)
		put(writer, "- ", items[i], "\n");
	fputc('\n', writer->stream);
}

static void put_table(struct writer *writer, const char *, const struct writer_column *columns, size_t count)
{
	begin(writer);
	writer->column_list = columns;
	writer->columns = count;
	for (size_t i = 0; i < count; i++)
		put(writer, "| ", columns[i].heading, " ");
	fputs("|\n", writer->stream);
	for (size_t i = 0; i < count; i++)
		fputs(columns[i].numeric ? "|---:" : "|---", writer->stream);
	fputs("|\n", writer->stream);
}

static void put_row(struct writer *writer, enum tone, const char *const *cells)
{
	for (size_t i = 0; i < writer->columns; i++)
		put(writer, "| ", cells[i], " ");
	fputs("|\n", writer->stream);
}

static void end_table(struct writer *writer)
{
	fputc('\n', writer->stream);
}

/* Indented by four: no text can end such a block. A carriage return, which would be a line end, is not in it (plain.h). */
static void put_code(struct writer *writer, const char *text)
{
	bool fresh = true;

	begin(writer);
	for (; *text; text++) {
		if (fresh && *text != '\n')
			fputs("    ", writer->stream);
		fresh = *text == '\n';
		fputc(*text, writer->stream);
	}
	fputs(fresh ? "\n" : "\n\n", writer->stream);
}

static void put_fold(struct writer *writer, enum writer_level, const char *, const char *summary)
{
	writer->ops->subsection(writer, summary);
}

static void end_fold(struct writer *)
{
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

bool render_markdown(FILE *stream, const json_t *document, struct render_style)
{
	struct writer writer = { .ops = &ops, .stream = stream, .shown = LEVEL_REFERENCE };

	content_put(&writer, document);
	fputs("Rendered by xdp-mlr " XDP_MLR_VERSION " from the result document.\n", stream);
	return true;
}
