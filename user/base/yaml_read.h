/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A YAML file is one document that is read strictly, and becomes JSON: mappings are objects, sequences are arrays, and every
 * other value is its text. A process without privileges parses it (reader.h). The caller owns the file; it owns its JSON, and
 * knows the line of each value. It is read by yaml_file_read(), its values are checked against a schema, and it is freed by
 * yaml_file_free().
 *
 * A mapping has a key at most once. Errors name file and line. Reading has limits: libyaml needs time that grows with the
 * square of nested brackets, and much memory.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "base/flat.h"
#include "base/message.h"

#define YAML_OCTETS_MOST (4u << 20)
#define YAML_DEPTH_MOST  1000 /* the limit of nested brackets */

struct yaml_file {
	const char *path;
	char *error; /* buffer for an error; NULL: errors are reported at once */
	size_t error_size;
	json_t *root; /* NULL: the document is empty */
	struct flat_lines lines;
};

/* Read the only document of a stream or a text. Returns EXIT_USAGE_ERROR if there is none. Free it with yaml_file_free(). */
enum exit_code yaml_file_read(struct yaml_file *file, FILE *stream);
enum exit_code yaml_file_read_text(struct yaml_file *file, const char *text);
void yaml_file_free(struct yaml_file *file);

/* Check a value of the file against NAME.schema.json of the program. */
enum exit_code yaml_check(struct yaml_file *file, const json_t *value, const char *schema);

/* Return the line in the file, from 1, of a value or of a key. */
size_t yaml_line(struct yaml_file *file, const json_t *value);
size_t yaml_key_line(struct yaml_file *file, const json_t *mapping, const char *key);

/* Report "FILE:LINE: reason". Returns EXIT_USAGE_ERROR. */
__attribute__((format(printf, 3, 4))) enum exit_code refuse_line(const struct yaml_file *file, size_t line,
								 const char *format, ...);
#define refuse_value(file, value, ...)      refuse_line(file, yaml_line(file, value), __VA_ARGS__)
#define refuse_key(file, mapping, key, ...) refuse_line(file, yaml_key_line(file, mapping, key), __VA_ARGS__)

/* Return a text; anything else is reported as an error, and NULL. */
const char *yaml_text(struct yaml_file *file, const json_t *value);
