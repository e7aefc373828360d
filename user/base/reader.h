/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader is a process that parses what others wrote, so that no process with privileges does. The caller opens the file. The
 * reader is a child of it: nobody's, without a capability, with 28 system calls, and no other descriptors than that file
 * and a pipe. What it hands back is a value in flat form (flat.h), or the reason why there is none. It ends with that,
 * or with us.
 *
 * Where there is a keeper (keeper.h), or reader_parse_here() was called, the caller has nothing to lose, and parses by itself.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "base/flat.h"
#include "base/message.h"

/* Parse, in the reader, and write the value's steps. A code other than EXIT_DONE means that a reason was given (refuse()). */
typedef enum exit_code reader_parse(void *context, FILE *flat);

/* Have a function parse; it may read `fd` (-1: none). *ret is the value; `lines` may be NULL. `ret` may be NULL where only the
 * code counts. A reason goes to `error` where that is not NULL, and is reported otherwise. */
struct reader_plan {
	reader_parse *parse;
	void *context;
	int fd;
	const char *name; /* name of the file in messages */
	char *error;
	size_t error_size;
};
enum exit_code reader_run(const struct reader_plan *plan, json_t **ret, struct flat_lines *lines);
/* The same, where nothing is waited for that a signal would have to end: signals are delivered afterwards. */
enum exit_code reader_run_through(const struct reader_plan *plan, json_t **ret);
/* Have a reader parse a JSON text, by the flags of json_loadb(). A new reference, or NULL if it is none; nothing is reported. */
json_t *reader_json(const char *text, size_t length, size_t flags);
/* The same of a file. */
json_t *reader_json_file(const char *path);
/* Give a stream that a reader will read its buffer. The reader may not ask whether it is a terminal. */
void reader_buffer(FILE *stream);
/* Parse without a process, from now on: for a process that has no privileges, and for fuzz targets. */
void reader_parse_here(void);
