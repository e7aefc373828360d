/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Test Report as Markdown: for wikis, merge requests and mails. Figures are left to HTML. */
#include "render/markdown.h"

#include <string.h>

#include "render/content.h"
#include "render/paper.h"

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

static void put_masthead(struct paper *paper, const char *title, const struct paper_fact *facts, size_t count)
{
	fputs("# ", paper->stream);
	escape(paper->stream, title);
	fputs("\n\n", paper->stream);
	paper->ops->facts(paper, facts, count);
}

/* Before whatever stands in a section. */
static void begin(struct paper *paper)
{
	if (!*paper->section)
		return;
	fputs("## ", paper->stream);
	escape(paper->stream, paper->section);
	fputs("\n\n", paper->stream);
	paper->section[0] = '\0';
}

static void put_banner(struct paper *paper, enum tone tone, const char *text)
{
	(void)tone;
	begin(paper);
	fputs("> **", paper->stream);
	escape(paper->stream, text);
	fputs("**\n\n", paper->stream);
}

/* "| label | value |" */
static void put_pair(struct paper *paper, const char *label, const char *value)
{
	fputs("| ", paper->stream);
	escape(paper->stream, label);
	fputs(" | ", paper->stream);
	escape(paper->stream, value);
	fputs(" |\n", paper->stream);
}

static void put_verdict(struct paper *paper, const struct paper_verdict *verdict)
{
	begin(paper);
	fputs("### ", paper->stream);
	escape(paper->stream, verdict->name);
	fputs(": ", paper->stream);
	escape(paper->stream, verdict->state);
	fputs("\n\n| ", paper->stream);
	escape(paper->stream, verdict->quantity);
	fputs(" | **", paper->stream);
	escape(paper->stream, verdict->value);
	if (verdict->unit)
		fprintf(paper->stream, " %s", verdict->unit);
	fputs("** |\n|---|---|\n", paper->stream);
	if (verdict->exact && *verdict->exact)
		put_pair(paper, "exactly", verdict->exact);
	for (size_t i = 0; i < verdict->fact_count; i++)
		put_pair(paper, verdict->facts[i].label, verdict->facts[i].value);
	fputc('\n', paper->stream);
	if (verdict->warning)
		paper->ops->banner(paper, TONE_WARN, verdict->warning);
}

static void put_verdicts(struct paper *paper, const struct paper_verdict *verdicts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_verdict(paper, &verdicts[i]);
}

/* Where nothing comes to stand below it, as where figures would be, it is left out. */
static void put_section(struct paper *paper, const char *id, const char *heading)
{
	(void)id;
	snprintf(paper->section, sizeof(paper->section), "%s", heading);
}

static void put_subsection(struct paper *paper, const char *id, const char *heading)
{
	(void)id;
	begin(paper);
	fputs("### ", paper->stream);
	escape(paper->stream, heading);
	fputs("\n\n", paper->stream);
}

static void put_paragraph(struct paper *paper, const char *text)
{
	begin(paper);
	escape(paper->stream, text);
	fputs("\n\n", paper->stream);
}

static void put_facts(struct paper *paper, const struct paper_fact *facts, size_t count)
{
	if (!count)
		return;
	begin(paper);
	fputs("| | |\n|---|---|\n", paper->stream);
	for (size_t i = 0; i < count; i++)
		put_pair(paper, facts[i].label, facts[i].value);
	fputc('\n', paper->stream);
}

static void put_list(struct paper *paper, const char *const *items, size_t count)
{
	begin(paper);
	for (size_t i = 0; i < count; i++) {
		fputs("- ", paper->stream);
		escape(paper->stream, items[i]);
		fputc('\n', paper->stream);
	}
	fputc('\n', paper->stream);
}

static void put_table(struct paper *paper, const char *id, const struct paper_column *columns, size_t count)
{
	(void)id;
	begin(paper);
	paper->column_list = columns;
	paper->columns = count;
	for (size_t i = 0; i < count; i++) {
		fputs("| ", paper->stream);
		escape(paper->stream, columns[i].heading);
		fputc(' ', paper->stream);
	}
	fputs("|\n", paper->stream);
	for (size_t i = 0; i < count; i++)
		fputs(columns[i].numeric ? "|---:" : "|---", paper->stream);
	fputs("|\n", paper->stream);
}

static void put_row(struct paper *paper, enum tone tone, const char *const *cells)
{
	(void)tone;
	for (size_t i = 0; i < paper->columns; i++) {
		fputs("| ", paper->stream);
		escape(paper->stream, cells[i]);
		fputc(' ', paper->stream);
	}
	fputs("|\n", paper->stream);
}

static void end_table(struct paper *paper)
{
	fputc('\n', paper->stream);
}

/* Indented by four: no text can end such a block. */
static void put_code(struct paper *paper, const char *text)
{
	bool fresh = true;

	begin(paper);
	for (; *text; text++) {
		if (fresh && *text != '\n')
			fputs("    ", paper->stream);
		fresh = *text == '\n';
		fputc(*text, paper->stream);
	}
	fputs(fresh ? "\n" : "\n\n", paper->stream);
}

static void put_fold(struct paper *paper, const char *id, const char *summary)
{
	(void)id;
	paper->ops->subsection(paper, NULL, summary);
}

static void end_fold(struct paper *paper)
{
	(void)paper;
}

static FILE *no_figure(struct paper *paper, const char *caption)
{
	(void)paper;
	(void)caption;
	return NULL;
}

static void end_figure(struct paper *paper, const char *explanation)
{
	(void)paper;
	(void)explanation;
}

static const struct paper_ops ops = {
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
	.figure = no_figure,
	.figure_end = end_figure,
};

void render_markdown(FILE *stream, const json_t *document)
{
	struct paper paper = { .ops = &ops, .stream = stream };

	content_put(&paper, document);
	fputs("Rendered by xdp-mlr " XDP_MLR_VERSION " from the result document.\n", stream);
}
