/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_read.h"
#include "json_text.h"
#include "render_campaign_text.h"
#include "render_compare.h"
#include "render_csv.h"
#include "render_html.h"
#include "render_markdown.h"
#include "render_probe.h"
#include "text_stream.h"

/* Each writes the document; false without memory. */
typedef bool (*writer)(FILE *stream, const json_t *document);

static bool write_markdown(FILE *stream, const json_t *document)
{
	render_markdown(stream, document);
	return true;
}

static const struct form {
	const char *ending;
	writer write; /* NULL: it is made otherwise */
} forms[] = {
	{ ".html", render_html }, { ".md", write_markdown }, { ".csv", render_csv }, { ".json", NULL }, { ".txt", NULL },
};

static const struct form *form_of(const char *path)
{
	const char *ending = strrchr(path, '.');

	for (size_t i = 0; ending && i < sizeof(forms) / sizeof(*forms); i++)
		if (strcmp(forms[i].ending, ending) == 0)
			return &forms[i];
	return NULL;
}

bool render_knows(const char *path)
{
	return form_of(path);
}

static char *written_by(writer write, const json_t *document, size_t *ret_length)
{
	char *text = NULL;
	FILE *stream = open_memstream(&text, ret_length);

	if (!stream)
		return NULL;
	if (write(stream, document))
		return text_stream_end(stream, &text);
	fclose(stream);
	free(text);
	return NULL;
}

static bool is_of_kind(const json_t *document, const char *kind)
{
	const char *schema = read_string(document, "schema");
	size_t length = strlen(kind);

	return schema && strncmp(schema, kind, length) == 0 && schema[length] == '/';
}

char *render_as_text(const json_t *document, struct render_style style, size_t *ret_length)
{
	static const char *const results[] = { "xdp-mlr/search", "xdp-mlr/trial", "xdp-mlr/soak", "xdp-mlr/selftest",
					       "xdp-mlr/rfc2544" };

	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
		if (is_of_kind(document, results[i]))
			return render_text(document, style, ret_length);
	if (is_of_kind(document, "xdp-mlr/probe"))
		return render_probe(document, style.terminal, ret_length);
	if (is_of_kind(document, "xdp-mlr/compare"))
		return render_compare(document, style.terminal, ret_length);
	if (is_of_kind(document, "xdp-mlr/campaign"))
		return render_campaign_text(document, style.terminal, ret_length);
	return written_by(write_markdown, document, ret_length);
}

char *render(const json_t *document, const char *path, struct render_style style, size_t *ret_length)
{
	const struct form *form = form_of(path);

	if (form->write)
		return written_by(form->write, document, ret_length);
	if (strcmp(form->ending, ".json") == 0)
		return json_text(document, true, ret_length);
	return render_as_text(document, style, ret_length);
}
