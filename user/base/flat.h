/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flat form of a JSON value is a list of steps that build it. A process that parsed a file writes it, and another one,
 * which must not trust that process, builds the value again. There is nothing to parse: a step has a fixed head, and says how
 * many octets follow. A stack holds the values that are not complete. A stream belongs to the caller, and a value that was
 * built, too.
 *
 * flat_read() refuses whatever is no JSON value. Examples are a text that is not UTF-8 or has a NUL, an infinite number, a
 * repeated key, and a value that contains itself. It also refuses more depth or memory than a file of ours may take.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define FLAT_DEPTH_MOST  2100       /* a JSON document has at most 2048 */
#define FLAT_VALUES_MOST (1u << 22) /* most values whose lines are kept */

/* Write the steps of a value, then its end. Errors stay in the stream. */
void flat_write(FILE *stream, const json_t *value);

/* These are the steps of a value that comes from elsewhere. Values are numbered from 0, in the order of their beginnings;
 * flat_again() takes one that is complete once more. flat_line() is where in a file the next value or key stands. */
void flat_line(FILE *stream, size_t line);
void flat_begin(FILE *stream, json_type type); /* an array or an object */
void flat_text(FILE *stream, const char *text, size_t length);
void flat_again(FILE *stream, size_t number);
void flat_append(FILE *stream);               /* the value that was made last, to the array before it */
void flat_set(FILE *stream, const char *key); /* the same, to the object before it */
void flat_end(FILE *stream);

/* The lines of values, and of keys of objects. */
struct flat_lines {
	struct flat_value {
		json_t *value; /* borrowed from the value that was read */
		size_t line;
		unsigned int depth;
		bool complete;
	} * values;
	size_t value_count;
	struct flat_key {
		const json_t *object;
		char *name;
		size_t line;
	} * keys;
	size_t key_count;
};

/* Read a value, which is NULL if there is no good one. Without `lines` no value is taken twice, and lines are ignored. JSON may
 * use so many octets of memory. The lines are to be freed in any case. */
json_t *flat_read(FILE *stream, size_t memory_most, struct flat_lines *lines);
void flat_lines_free(struct flat_lines *lines);
