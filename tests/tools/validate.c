/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Validate JSON by the program's own engine (base/schema.h) against a schema:
 *
 *   validate [--closed] SCHEMA FILE...
 *
 * A file holds one JSON value or several (a stream of events); each is validated. With --closed an object may only have the
 * members that its schema names, unless that says otherwise: so nothing is put out that is not documented. Published
 * schemas are open: a reader must accept what a later version adds.
 *
 * A keyword that is not known is an error in the schema, and so is a reference that leads nowhere. Exit code: 0, 1 for a
 * value that does not fit, 2 for a schema or a file that cannot be used.
 */
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/schema.h"

struct validation {
	const char *directory; /* folder of the schemas */
	const char *schema;    /* name of the schema, without .schema.json */
	enum schema_rigour rigour;
};

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...)
{
	va_list arguments;

	fputs("validate: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(2);
}

static bool is_valid(const struct validation *validation, const json_t *value)
{
	struct schema_fault fault;

	if (schema_check(validation->directory, validation->schema, validation->rigour, value, &fault))
		return true;
	if (fault.of_schema)
		die("%s", fault.text);
	printf("%s: %s\n", *fault.path ? fault.path : "/", fault.text);
	return false;
}

/* Whether the stream goes on with another value. */
static bool has_more(FILE *stream)
{
	char next;

	if (fscanf(stream, " %c", &next) != 1)
		return false;
	ungetc(next, stream);
	return true;
}

static bool is_valid_file(const struct validation *validation, const char *path)
{
	FILE *stream = strcmp(path, "-") ? fopen(path, "re") : stdin;
	bool good = true;
	size_t count;

	if (!stream)
		die("cannot read %s", path);
	for (count = 0; has_more(stream); count++) {
		json_error_t error;
		json_t *value = json_loadf(stream, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &error);

		if (!value)
			die("%s: value %zu: %s", path, count + 1, error.text);
		good &= is_valid(validation, value);
		json_decref(value);
	}
	if (!count)
		die("%s holds no JSON", path);
	if (!good)
		printf("%s does not fit %s\n", path, validation->schema);
	fclose(stream);
	return good;
}

int main(int argc, char **argv)
{
	struct validation validation = { .rigour = SCHEMA_STRICT };
	int next = 1, good = true;
	char *directory, *name;

	if (next < argc && strcmp(argv[next], "--closed") == 0) {
		validation.rigour = SCHEMA_CLOSED;
		next++;
	}
	if (argc - next < 2)
		die("usage: validate [--closed] SCHEMA FILE...");
	directory = strdup(argv[next]);
	name = basename(argv[next++]);
	if (!strstr(name, ".schema.json"))
		die("a schema's file is called NAME.schema.json");
	*strstr(name, ".schema.json") = '\0';
	validation.schema = name;
	validation.directory = dirname(directory);
	for (; next < argc; next++)
		good &= is_valid_file(&validation, argv[next]);
	free(directory);
	return good ? 0 : 1;
}
