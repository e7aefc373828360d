/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This form is the Test Report as one HTML page: light, dark and on paper. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/base64.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "render/forms.h"
#include "render/markup.h"
#include "render/svg.h"

/* A document larger than this is embedded compressed: a page stays small however many trials it shows. */
#define EMBEDDED_PLAIN_MAX (256 * 1024)
#define BASE64_LINE        76 /* characters */
#define SENTENCE           36 /* octets; a longer cell may be broken into lines */
#define WIDE               11 /* columns; more are printed small */
#define SIDE_LEAST         5  /* least number of short facts that stand side by side */
#define SIDE_SHORT         24 /* octets */
#define ROWS_ON_PAPER      20 /* printed rows of a table that may have thousands (style.css) */

/* --- elements ------------------------------------------------------------------------------------------------------- */

static const char *const tones[] = {
	[TONE_PLAIN] = "plain", [TONE_GOOD] = "good", [TONE_WARN] = "warn", [TONE_BAD] = "bad"
};

/* <TAG>text</TAG>; `open` is the tag with its attributes. */
static void put(struct writer *writer, const char *open, const char *text, const char *tag)
{
	fprintf(writer->stream, "<%s>", open);
	markup_escape(writer->stream, text);
	fprintf(writer->stream, "</%s>", tag);
}

/* Write the text of a tag that is open, its end, and a line end. */
static void put_end(struct writer *writer, const char *text, const char *tag)
{
	markup_escape(writer->stream, text);
	fprintf(writer->stream, "</%s>\n", tag);
}

static void put_pairs(struct writer *writer, const struct writer_fact *facts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		put(writer, "dt", facts[i].label, "dt");
		put(writer, "dd", facts[i].value, "dd");
		fputc('\n', writer->stream);
	}
}

/* Facts that stand beside one another, in as many columns as there is room for. */
static void put_divided(struct writer *writer, const struct writer_fact *facts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fputs("<div>", writer->stream);
		put_pairs(writer, &facts[i], 1);
		fputs("</div>", writer->stream);
	}
}

static void put_masthead(struct writer *writer, const char *title, const struct writer_fact *facts, size_t count)
{
	fputs("<header id=\"top\"><p class=\"brand\">xdp-mlr Test Report</p>", writer->stream);
	put(writer, "h1", title, "h1");
	fputs("\n<dl class=\"about\">", writer->stream);
	put_divided(writer, facts, count);
	fputs("</dl></header>\n", writer->stream);
}

static void put_banner(struct writer *writer, enum tone tone, const char *text)
{
	fprintf(writer->stream, "<p class=\"banner %s\">", tones[tone]);
	put_end(writer, text, "p");
}

static void put_verdict(struct writer *writer, const struct writer_verdict *verdict)
{
	static const char *const signs[] = {
		[TONE_PLAIN] = "", [TONE_GOOD] = "\xe2\x9c\x93 ", [TONE_WARN] = "! ", [TONE_BAD] = "\xe2\x9c\x95 "
	};

	fprintf(writer->stream, "<article class=\"card %s\" id=\"%s\"><header>", tones[verdict->tone], verdict->id);
	put(writer, "h3", verdict->name, "h3");
	fprintf(writer->stream, "<span class=\"state\">%s", signs[verdict->tone]);
	markup_escape(writer->stream, verdict->state);
	fputs("</span></header>\n", writer->stream);
	put(writer, "p class=\"quantity\"", verdict->quantity, "p");
	fputs("<p class=\"value\">", writer->stream);
	markup_escape(writer->stream, verdict->value);
	put(writer, "span", verdict->unit, "span");
	fputs("</p>", writer->stream);
	put(writer, "p class=\"exact\"", verdict->exact, "p");
	fputs("\n<dl>", writer->stream);
	put_pairs(writer, verdict->facts.list, verdict->facts.count);
	fputs("</dl>", writer->stream);
	if (*verdict->warning)
		put(writer, "p class=\"warning\"", verdict->warning, "p");
	fputs("</article>\n", writer->stream);
}

static void put_verdicts(struct writer *writer, enum writer_level, const struct writer_verdict *verdicts, size_t count)
{
	fputs("<div class=\"cards\" id=\"verdicts\">\n", writer->stream);
	for (size_t i = 0; i < count; i++)
		put_verdict(writer, &verdicts[i]);
	fputs("</div>\n", writer->stream);
}

static void put_section(struct writer *writer, enum writer_level, const char *id, const char *heading)
{
	fprintf(writer->stream, "<h2 id=\"%s\">", id);
	put_end(writer, heading, "h2");
}

static void put_subsection(struct writer *writer, const char *heading)
{
	put(writer, "h3", heading, "h3");
	fputc('\n', writer->stream);
}

static void put_paragraph(struct writer *writer, const char *text)
{
	put(writer, "p", text, "p");
	fputc('\n', writer->stream);
}

static bool are_short(const struct writer_fact *facts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(facts[i].value) > SIDE_SHORT)
			return false;
	return count >= SIDE_LEAST;
}

static void put_facts(struct writer *writer, const struct writer_fact *facts, size_t count)
{
	bool side = are_short(facts, count);

	if (!count)
		return;
	fprintf(writer->stream, "<dl class=\"facts%s\">", side ? " side" : "");
	(side ? put_divided : put_pairs)(writer, facts, count);
	fputs("</dl>\n", writer->stream);
}

static void put_list(struct writer *writer, const char *const *items, size_t count)
{
	if (!count)
		return;
	fputs("<ul>", writer->stream);
	for (size_t i = 0; i < count; i++)
		put(writer, "li", items[i], "li");
	fputs("</ul>\n", writer->stream);
}

static void put_table(struct writer *writer, const char *id, const struct writer_column *columns, size_t count)
{
	writer->column_list = columns;
	writer->columns = count;
	writer->rows = 0;
	fprintf(writer->stream, "<div class=\"sheet%s%s\"><table id=\"%s\"><thead><tr>", count > WIDE ? " wide" : "",
		writer->many ? " many" : "", id);
	for (size_t i = 0; i < count; i++)
		put(writer, columns[i].numeric ? "th scope=\"col\" class=\"n\"" : "th scope=\"col\"", columns[i].heading,
		    "th");
	fputs("</tr></thead><tbody>\n", writer->stream);
}

static const char *cell_element(bool numeric, bool sentence)
{
	if (sentence)
		return numeric ? "td class=\"n s\"" : "td class=\"s\"";
	return numeric ? "td class=\"n\"" : "td";
}

static void put_row(struct writer *writer, enum tone tone, const char *const *cells)
{
	if (tone == TONE_PLAIN)
		fputs("<tr>", writer->stream);
	else
		fprintf(writer->stream, "<tr class=\"%s\">", tones[tone]);
	for (size_t i = 0; i < writer->columns; i++)
		put(writer, cell_element(writer->column_list[i].numeric, strlen(cells[i]) > SENTENCE), cells[i], "td");
	fputs("</tr>\n", writer->stream);
	writer->rows++;
}

static void end_table(struct writer *writer)
{
	fputs("</tbody></table></div>\n", writer->stream);
	if (writer->many && writer->rows > ROWS_ON_PAPER)
		fprintf(writer->stream,
			"<p class=\"paper\">On paper stand the first %d of %zu rows. "
			"The page on a screen and the result document have all.</p>\n",
			ROWS_ON_PAPER, writer->rows);
}

static void put_code(struct writer *writer, const char *text)
{
	fputs("<pre><code>", writer->stream);
	markup_escape(writer->stream, text);
	fputs("</code></pre>\n", writer->stream);
}

static void put_fold(struct writer *writer, enum writer_level, const char *id, const char *summary)
{
	fprintf(writer->stream, "<details id=\"%s\">", id);
	put(writer, "summary", summary, "summary");
	fputc('\n', writer->stream);
}

static void end_fold(struct writer *writer)
{
	fputs("</details>\n", writer->stream);
}

static FILE *put_figure(struct writer *writer, const char *caption)
{
	fprintf(writer->stream, "<figure><figcaption><span>Figure %u</span>", ++writer->figures);
	markup_escape(writer->stream, caption);
	fputs("</figcaption>\n", writer->stream);
	return writer->stream;
}

static void end_figure(struct writer *writer, const char *explanation)
{
	if (explanation)
		put(writer, "p class=\"explain\"", explanation, "p");
	fputs("</figure>\n", writer->stream);
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
	.figure = put_figure,
	.figure_end = end_figure,
};

/* --- the document within the page ----------------------------------------------------------------------------------- */

/* JSON in a script element: "<" is written as \u003c, so that no text of the document can end the element. */
static void put_json(FILE *stream, const char *text)
{
	fputs("<script type=\"application/json\" id=\"result\">", stream);
	for (; *text; text++) {
		if (*text == '<')
			fputs("\\u003c", stream);
		else
			fputc(*text, stream);
	}
	fputs("</script>\n", stream);
}

/* The text in gzip's format; NULL without memory. */
static unsigned char *compress_text(const char *text, size_t length, size_t *ret_length)
{
	enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 9 };
	z_stream stream = { .next_in = (unsigned char *)text, .avail_in = (unsigned int)length };
	unsigned char *data;
	size_t room;

	if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	room = deflateBound(&stream, length);
	data = memory_noticed(malloc(room));
	stream.next_out = data;
	stream.avail_out = (unsigned int)room;
	if (data && deflate(&stream, Z_FINISH) != Z_STREAM_END) {
		free(data);
		data = NULL;
	}
	*ret_length = stream.total_out;
	deflateEnd(&stream);
	return data;
}

/* The whole result document: what the page shows can be checked against it, and taken out again. */
static bool embed(FILE *stream, const json_t *document)
{
	size_t length, packed_length;
	owned char *text = json_text(document, false, &length);
	owned unsigned char *packed = NULL;

	if (!text)
		return false;
	if (length <= EMBEDDED_PLAIN_MAX) {
		put_json(stream, text);
		return true;
	}
	packed = compress_text(text, length, &packed_length);
	if (!packed)
		return false;
	fputs("<script type=\"application/gzip\" id=\"result\" data-encoding=\"base64\">\n", stream);
	base64_put(stream, packed, packed_length, BASE64_LINE);
	fputs("\n</script>\n", stream);
	return true;
}

/* --- the page ------------------------------------------------------------------------------------------------------- */

static void put_head(struct writer *writer, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta name=\"generator\" content=\"xdp-mlr " XDP_MLR_VERSION "\">\n",
	      writer->stream);
	put(writer, "title", title, "title");
	fprintf(writer->stream, "\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", html_style);
	svg_put_marks(writer->stream);
}

static void put_foot(struct writer *writer)
{
	fputs("<footer>Rendered by xdp-mlr " XDP_MLR_VERSION
	      " from the result document, which this page carries in its script "
	      "element \xe2\x80\x9cresult\xe2\x80\x9d. Terms are those of RFC 9971 and RFC "
	      "2544.</footer>\n"
	      "</main>\n",
	      writer->stream);
}

bool render_html(FILE *stream, const json_t *document, struct render_style)
{
	struct writer writer = { .ops = &ops, .stream = stream, .shown = LEVEL_REFERENCE };
	bool embedded;

	put_head(&writer, content_title(document));
	content_put(&writer, document);
	put_foot(&writer);
	embedded = embed(stream, document);
	fputs("</body>\n</html>\n", stream);
	return embedded;
}
