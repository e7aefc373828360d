/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/plain.h"
#include "base/text_stream.h"
#include "render/forms.h"

static char *written_by(render_form *write, const json_t *document, struct render_style style, size_t *ret_length)
{
	char *text = NULL;
	FILE *stream = text_stream_open(&text, ret_length);

	if (!stream)
		return NULL;
	if (write(stream, document, style))
		return text_stream_end(stream, &text);
	fclose(stream);
	free(text);
	return NULL;
}

/* Write the document without control characters, for forms that a terminal may show. */
static char *written_plainly(render_form *write, const json_t *document, struct render_style style, size_t *ret_length)
{
	json_auto_t *plain = plain_document((json_t *)document);
	char *text = plain ? written_by(write, plain, style, ret_length) : NULL;

	return text;
}

/* A text that was cut to its room may end within a character. Leave out what is no UTF-8: no reader of XML takes it. Returns the
 * text, which may be NULL. */
static char *in_characters(char *text, size_t *length)
{
	size_t kept = 0;

	for (size_t i = 0, octets; text && i < *length; i += octets ? octets : 1) {
		octets = plain_character(text + i);
		memmove(text + kept, text + i, octets);
		kept += octets;
	}
	if (text) {
		text[kept] = '\0';
		*length = kept;
	}
	return text;
}

char *render(const json_t *document, enum document_form form, struct render_style style, size_t *ret_length)
{
	static render_form *const forms[] = { [DOCUMENT_HTML] = render_html,
					      [DOCUMENT_MARKDOWN] = render_markdown,
					      [DOCUMENT_CSV] = render_csv,
					      [DOCUMENT_TEXT] = render_text,
					      [DOCUMENT_JUNIT] = render_junit,
					      [DOCUMENT_CERTIFICATE] = render_certificate,
					      [DOCUMENT_CERTIFICATE_PDF] = render_certificate };

	if (form == DOCUMENT_JSON)
		return json_text(document, true, ret_length);
	/* These forms hold the document as it is, escaped. */
	if (form == DOCUMENT_HTML || form == DOCUMENT_CERTIFICATE || form == DOCUMENT_CERTIFICATE_PDF)
		return in_characters(written_by(forms[form], document, style, ret_length), ret_length);
	return in_characters(written_plainly(forms[form], document, style, ret_length), ret_length);
}
