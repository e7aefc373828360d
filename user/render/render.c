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

static bool write_text(FILE *stream, const json_t *document, struct render_style style)
{
	render_text(stream, document, style);
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
