/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_text.h"
#include "base/plain.h"
#include "base/text_stream.h"
#include "render/csv.h"
#include "render/html.h"
#include "render/markdown.h"
#include "render/text_campaign.h"
#include "render/text_campaign_status.h"
#include "render/text_compare.h"
#include "render/text_probe.h"

/* Each writes the document; false without memory. */
typedef bool (*form_writer)(FILE *stream, const json_t *document, struct render_style style);

static bool write_html(FILE *stream, const json_t *document, struct render_style style)
{
	(void)style;
	return render_html(stream, document);
}

static bool write_csv(FILE *stream, const json_t *document, struct render_style style)
{
	(void)style;
	return render_csv(stream, document);
}

static bool write_markdown(FILE *stream, const json_t *document, struct render_style style)
{
	(void)style;
	render_markdown(stream, document);
	return true;
}

static bool is_of_kind(const json_t *document, const char *kind)
{
	const char *schema = read_string(document, "schema");
	size_t length = strlen(kind);

	return schema && strncmp(schema, kind, length) == 0 && schema[length] == '/';
}

static bool is_result(const json_t *document)
{
	static const char *const results[] = { "xdp-mlr/search", "xdp-mlr/trial", "xdp-mlr/soak", "xdp-mlr/selftest",
					       "xdp-mlr/rfc2544" };

	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
		if (is_of_kind(document, results[i]))
			return true;
	return false;
}

static bool write_text(FILE *stream, const json_t *document, struct render_style style)
{
	if (is_result(document))
		render_text(stream, document, style);
	else if (is_of_kind(document, "xdp-mlr/probe"))
		render_probe(stream, document, style.terminal);
	else if (is_of_kind(document, "xdp-mlr/compare"))
		render_compare(stream, document, style.terminal);
	else if (is_of_kind(document, "xdp-mlr/campaign"))
		render_campaign_text(stream, document, style.terminal);
	else if (is_of_kind(document, "xdp-mlr/campaign-status"))
		render_campaign_status(stream, document);
	else
		render_markdown(stream, document);
	return true;
}

static char *written_by(form_writer write, const json_t *document, struct render_style style, size_t *ret_length)
{
	char *text = NULL;
	FILE *stream = open_memstream(&text, ret_length);

	if (!stream)
		return NULL;
	if (write(stream, document, style))
		return text_stream_end(stream, &text);
	fclose(stream);
	free(text);
	return NULL;
}

/* In a form that may be shown by a terminal. */
static char *written_plainly(form_writer write, const json_t *document, struct render_style style, size_t *ret_length)
{
	json_t *plain = plain_document((json_t *)document);
	char *text = plain ? written_by(write, plain, style, ret_length) : NULL;

	json_decref(plain);
	return text;
}

char *render_as_text(const json_t *document, struct render_style style, size_t *ret_length)
{
	return written_plainly(write_text, document, style, ret_length);
}

char *render(const json_t *document, enum document_form form, struct render_style style, size_t *ret_length)
{
	static const form_writer form_writers[] = { [DOCUMENT_HTML] = write_html,
						    [DOCUMENT_MARKDOWN] = write_markdown,
						    [DOCUMENT_CSV] = write_csv,
						    [DOCUMENT_TEXT] = write_text };

	if (form == DOCUMENT_JSON)
		return json_text(document, true, ret_length);
	if (form == DOCUMENT_TEXT || form == DOCUMENT_MARKDOWN)
		return written_plainly(form_writers[form], document, style, ret_length);
	return written_by(form_writers[form], document, style, ret_length);
}
