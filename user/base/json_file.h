/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that anybody may have written: JSON documents one after the other, or lines. Within bounds, as a file of 100 MB may
 * take several GB once it is read.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>
#include <sys/types.h>

#define JSON_OCTETS_MOST ((size_t)256 << 20) /* of a document, or of a line: of a search some 100 000 trials */
#define JSON_MEMORY_MOST ((size_t)1 << 30)   /* of what is kept of a file */

struct json_file {
	FILE *stream;
	int fd;
	size_t octets; /* read since the last document or line began, to a block */
	size_t octets_most, memory_most;
	const char *exceeded; /* which bound, in words: "is longer than ..."; NULL: none */
};

/* 0 or -errno. */
int json_file_open(const char *path, struct json_file *ret);
/* The next document. NULL: there is no more, it is no JSON, or beyond a bound. */
json_t *json_file_next(struct json_file *file);
/* The next line, as getline() has it. */
ssize_t json_file_line(struct json_file *file, char **line, size_t *size);
void json_file_close(struct json_file *file);
