/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Test Report as one HTML page: no script, nothing from elsewhere, light, dark and on paper. */
#include "render/html.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/json_text.h"
#include "render/content.h"
#include "render/html_style.h"
#include "render/paper.h"
#include "render/svg.h"

/* A document larger than this is embedded compressed: a page stays small however many trials it shows. */
#define EMBEDDED_PLAIN_MAX (256 * 1024)
#define BASE64_LINE        76

/* --- elements ------------------------------------------------------------------------------------------------------- */

static const char *const tones[] = {
	[TONE_PLAIN] = "plain", [TONE_GOOD] = "good", [TONE_WARN] = "warn", [TONE_BAD] = "bad"
};

/* <TAG>text</TAG>; `open` is the tag with its attributes. */
static void put(struct paper *paper, const char *open, const char *text, const char *tag)
{
	fprintf(paper->stream, "<%s>", open);
	markup_escape(paper->stream, text);
	fprintf(paper->stream, "</%s>", tag);
}

static void put_pairs(struct paper *paper, const struct paper_fact *facts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		put(paper, "dt", facts[i].label, "dt");
		put(paper, "dd", facts[i].value, "dd");
		fputc('\n', paper->stream);
	}
}

static void put_masthead(struct paper *paper, const char *title, const struct paper_fact *facts, size_t count)
{
	fputs("<header id=\"top\"><p class=\"brand\">xdp-mlr Test Report</p>", paper->stream);
	put(paper, "h1", title, "h1");
	fputs("\n<dl class=\"about\">", paper->stream);
	for (size_t i = 0; i < count; i++) {
		fputs("<div>", paper->stream);
		put_pairs(paper, &facts[i], 1);
		fputs("</div>", paper->stream);
	}
	fputs("</dl></header>\n", paper->stream);
}

static void put_banner(struct paper *paper, enum tone tone, const char *text)
{
	fprintf(paper->stream, "<p class=\"banner %s\">", tones[tone]);
	markup_escape(paper->stream, text);
	fputs("</p>\n", paper->stream);
}

static void put_verdict(struct paper *paper, const struct paper_verdict *verdict)
{
	static const char *const signs[] = {
		[TONE_PLAIN] = "", [TONE_GOOD] = "\xe2\x9c\x93 ", [TONE_WARN] = "! ", [TONE_BAD] = "\xe2\x9c\x95 "
	};

	fprintf(paper->stream, "<article class=\"card %s\" id=\"%s\"><header>", tones[verdict->tone], verdict->id);
	put(paper, "h3", verdict->name, "h3");
	fprintf(paper->stream, "<span class=\"state\">%s", signs[verdict->tone]);
	markup_escape(paper->stream, verdict->state);
	fputs("</span></header>\n", paper->stream);
	put(paper, "p class=\"quantity\"", verdict->quantity, "p");
	fputs("<p class=\"value\">", paper->stream);
	markup_escape(paper->stream, verdict->value);
	if (verdict->unit)
		put(paper, "span", verdict->unit, "span");
	fputs("</p>", paper->stream);
	put(paper, "p class=\"exact\"", verdict->exact ? verdict->exact : "", "p");
	fputs("\n<dl>", paper->stream);
	put_pairs(paper, verdict->facts, verdict->fact_count);
	fputs("</dl>", paper->stream);
	if (verdict->warning)
		put(paper, "p class=\"warning\"", verdict->warning, "p");
	fputs("</article>\n", paper->stream);
}

static void put_verdicts(struct paper *paper, const struct paper_verdict *verdicts, size_t count)
{
	fputs("<div class=\"cards\" id=\"verdicts\">\n", paper->stream);
	for (size_t i = 0; i < count; i++)
		put_verdict(paper, &verdicts[i]);
	fputs("</div>\n", paper->stream);
}

static void put_section(struct paper *paper, const char *id, const char *heading)
{
	fprintf(paper->stream, "<h2 id=\"%s\">", id);
	markup_escape(paper->stream, heading);
	fputs("</h2>\n", paper->stream);
}

static void put_subsection(struct paper *paper, const char *id, const char *heading)
{
	fputs("<h3", paper->stream);
	if (id)
		fprintf(paper->stream, " id=\"%s\"", id);
	fputc('>', paper->stream);
	markup_escape(paper->stream, heading);
	fputs("</h3>\n", paper->stream);
}

static void put_paragraph(struct paper *paper, const char *text)
{
	put(paper, "p", text, "p");
	fputc('\n', paper->stream);
}

static void put_facts(struct paper *paper, const struct paper_fact *facts, size_t count)
{
	if (!count)
		return;
	fputs("<dl class=\"facts\">", paper->stream);
	put_pairs(paper, facts, count);
	fputs("</dl>\n", paper->stream);
}

static void put_list(struct paper *paper, const char *const *items, size_t count)
{
	if (!count)
		return;
	fputs("<ul>", paper->stream);
	for (size_t i = 0; i < count; i++)
		put(paper, "li", items[i], "li");
	fputs("</ul>\n", paper->stream);
}

static void put_table(struct paper *paper, const char *id, const struct paper_column *columns, size_t count)
{
	paper->column_list = columns;
	paper->columns = count;
	fprintf(paper->stream, "<div class=\"sheet\"><table id=\"%s\"><thead><tr>", id);
	for (size_t i = 0; i < count; i++)
		put(paper, columns[i].numeric ? "th scope=\"col\" class=\"n\"" : "th scope=\"col\"", columns[i].heading,
		    "th");
	fputs("</tr></thead><tbody>\n", paper->stream);
}

static void put_row(struct paper *paper, enum tone tone, const char *const *cells)
{
	if (tone == TONE_PLAIN)
		fputs("<tr>", paper->stream);
	else
		fprintf(paper->stream, "<tr class=\"%s\">", tones[tone]);
	for (size_t i = 0; i < paper->columns; i++)
		put(paper, paper->column_list[i].numeric ? "td class=\"n\"" : "td", cells[i], "td");
	fputs("</tr>\n", paper->stream);
}

static void end_table(struct paper *paper)
{
	fputs("</tbody></table></div>\n", paper->stream);
}

static void put_code(struct paper *paper, const char *text)
{
	fputs("<pre><code>", paper->stream);
	markup_escape(paper->stream, text);
	fputs("</code></pre>\n", paper->stream);
}

static void put_fold(struct paper *paper, const char *id, const char *summary)
{
	fprintf(paper->stream, "<details id=\"%s\">", id);
	put(paper, "summary", summary, "summary");
	fputc('\n', paper->stream);
}

static void end_fold(struct paper *paper)
{
	fputs("</details>\n", paper->stream);
}

static FILE *put_figure(struct paper *paper, const char *caption)
{
	fprintf(paper->stream, "<figure><figcaption><span>Figure %u</span>", ++paper->figures);
	markup_escape(paper->stream, caption);
	fputs("</figcaption><div class=\"scroll\">\n", paper->stream);
	return paper->stream;
}

static void end_figure(struct paper *paper, const char *explanation)
{
	fputs("</div>", paper->stream);
	if (explanation)
		put(paper, "p class=\"explain\"", explanation, "p");
	fputs("</figure>\n", paper->stream);
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

static void put_base64(FILE *stream, const unsigned char *data, size_t length)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < length; i += 3) {
		size_t rest = length - i;
		unsigned int bits = (unsigned int)data[i] << 16 | (rest > 1 ? (unsigned int)data[i + 1] << 8 : 0) |
				    (rest > 2 ? data[i + 2] : 0);

		if (i && i % (BASE64_LINE / 4 * 3) == 0)
			fputc('\n', stream);
		fputc(digits[bits >> 18], stream);
		fputc(digits[bits >> 12 & 63], stream);
		fputc(rest > 1 ? digits[bits >> 6 & 63] : '=', stream);
		fputc(rest > 2 ? digits[bits & 63] : '=', stream);
	}
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
	data = malloc(room);
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
	char *text = json_text(document, false, &length);
	unsigned char *packed;

	if (!text)
		return false;
	if (length <= EMBEDDED_PLAIN_MAX) {
		put_json(stream, text);
		free(text);
		return true;
	}
	packed = compress_text(text, length, &packed_length);
	free(text);
	if (!packed)
		return false;
	fputs("<script type=\"application/gzip\" id=\"result\" data-encoding=\"base64\">\n", stream);
	put_base64(stream, packed, packed_length);
	fputs("\n</script>\n", stream);
	free(packed);
	return true;
}

/* --- the page ------------------------------------------------------------------------------------------------------- */

static void put_head(struct paper *paper, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta name=\"generator\" content=\"xdp-mlr " XDP_MLR_VERSION "\">\n",
	      paper->stream);
	put(paper, "title", title, "title");
	fprintf(paper->stream, "\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", html_style);
	svg_put_marks(paper->stream);
}

static void put_foot(struct paper *paper)
{
	fputs("<footer>Rendered by xdp-mlr " XDP_MLR_VERSION
	      " from the result document, which this page carries in its script "
	      "element \xe2\x80\x9cresult\xe2\x80\x9d. Terms are those of draft-ietf-bmwg-mlrsearch-15 and RFC "
	      "2544.</footer>\n"
	      "</main>\n",
	      paper->stream);
}

bool render_html(FILE *stream, const json_t *document)
{
	struct paper paper = { .ops = &ops, .stream = stream };
	bool embedded;

	put_head(&paper, content_title(document));
	content_put(&paper, document);
	put_foot(&paper);
	embedded = embed(stream, document);
	fputs("</body>\n</html>\n", stream);
	return embedded;
}
