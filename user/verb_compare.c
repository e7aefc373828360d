/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare: two stored results, and whether the SUT became slower between them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "json_text.h"
#include "output.h"
#include "render_compare.h"
#include "verbs.h"

/* The result document in a file: the whole file, or the last line of a stream of events. */
static json_t *load(FILE *stream)
{
	json_t *document = NULL, *line;

	while ((line = json_loadf(stream, JSON_DISABLE_EOF_CHECK, NULL))) {
		json_decref(document);
		document = line;
	}
	return document;
}

static enum exit_code read_result(const char *path, json_t **ret)
{
	FILE *stream = fopen(path, "re");
	const char *schema;
	json_t *document;

	if (!stream)
		return refuse(EXIT_USAGE_ERROR, "cannot read %s: %s", path, strerror(errno));
	document = load(stream);
	fclose(stream);
	schema = json_string_value(json_object_get(document, "schema"));
	if (schema && (strncmp(schema, "xdp-mlr/search/", 15) == 0 || strncmp(schema, "xdp-mlr/soak/", 13) == 0)) {
		*ret = document;
		return EXIT_DONE;
	}
	if (schema)
		refuse(EXIT_USAGE_ERROR, "%s is a document '%s'; compare takes results of search or soak", path, schema);
	else
		refuse(EXIT_USAGE_ERROR, "%s is no result: write one by 'search --format json'", path);
	json_decref(document);
	return EXIT_USAGE_ERROR;
}

static enum exit_code show(const json_t *document, const struct config *config)
{
	bool colours = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	enum exit_code code;
	size_t length;
	char *text;

	if (config->format == FORMAT_TEXT)
		text = render_compare(document, colours, &length);
	else
		text = json_text(document, config->format == FORMAT_JSON, &length);
	if (!text)
		return refuse(EXIT_INCAPABLE, "out of memory");
	code = output_write(text, length);
	free(text);
	return code;
}

static enum exit_code compare(const struct config *config, const json_t *a, const json_t *b)
{
	json_t *document = NULL;
	enum exit_code code = compare_documents(config, a, b, &document), shown;

	if (!document)
		return code;
	shown = show(document, config);
	json_decref(document);
	return shown == EXIT_DONE ? code : shown;
}

enum exit_code verb_compare(const struct config *config)
{
	json_t *a = NULL, *b = NULL;
	enum exit_code code = read_result(config->files[0], &a);

	if (code == EXIT_DONE)
		code = read_result(config->files[1], &b);
	if (code == EXIT_DONE)
		code = compare(config, a, b);
	json_decref(a);
	json_decref(b);
	return code;
}
