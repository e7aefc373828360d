/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config_dump.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/text_stream.h"
#include "config/echo.h"

/* Whether YAML reads a text as that text without quotes: letters, digits and what cannot begin anything else. */
static bool is_plain(const char *text)
{
	if (!isalnum((unsigned char)text[0]))
		return false;
	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-_.,/=%+@<>", *c))
			return false;
	return true;
}

/* A value; quoted as JSON quotes, which YAML understands. */
static void put_value(FILE *stream, const json_t *value)
{
	char *quoted;

	if (is_plain(json_string_value(value))) {
		fputs(json_string_value(value), stream);
		return;
	}
	quoted = json_dumps(value, JSON_ENCODE_ANY);
	fputs(quoted ? quoted : "\"\"", stream);
	free(quoted);
}

static void put_key(FILE *stream, const char *name, const json_t *value)
{
	fprintf(stream, "%s:", name);
	for (size_t i = 0; i < json_array_size(value); i++) {
		fputs("\n  - ", stream);
		put_value(stream, json_array_get(value, i));
	}
	if (json_is_string(value)) {
		fputc(' ', stream);
		put_value(stream, value);
	}
	fputc('\n', stream);
}

void config_dump_values(FILE *stream, const json_t *values)
{
	json_t *value;
	const char *name;

	json_object_foreach ((json_t *)values, name, value)
		put_key(stream, name, value);
}

void config_dump_to(FILE *stream, const struct config *config)
{
	json_t *values = config_describe_all(config);

	config_dump_values(stream, values);
	json_decref(values);
}

enum exit_code config_dump(const struct config *config)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	if (!stream)
		return refuse(EXIT_INCAPABLE, "out of memory");
	fprintf(stream, "# The configuration in force, for: xdp-mlr %s --config FILE\n", verb_name(config->verb));
	config_dump_to(stream, config);
	text_stream_end(stream, &text);
	return output_text(text, length);
}
