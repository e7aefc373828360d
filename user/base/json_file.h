/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A JSON file reads documents or lines, one after the other, from a file that anybody may have written. The caller owns it,
 * and the documents that it returns. It is opened, read to its end, and closed.
 *
 * It has limits, because a file of 100 MB may take several GB once it is read. The trials of a document are packed (packed.h).
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#define JSON_OCTETS_MOST ((size_t)256 << 20) /* the limit of a document or a line: a search of some 100 000 trials */
#define JSON_MEMORY_MOST ((size_t)1 << 30)   /* the memory limit of what is read from a file */

struct json_file {
	FILE *stream;
	int fd;
	size_t octets; /* octets since the last document or line began, to the end of a block */
	size_t octets_most, memory_most;
	const char *exceeded; /* exceeded limit in words: "is longer than ..."; NULL: none */
};

/* Open a file. Returns 0 or -errno. */
int json_file_open(const char *path, struct json_file *ret);
/* Read the next document. Returns NULL if there is none, it is not JSON, a member stands in it twice, or it exceeds a limit. */
json_t *json_file_next(struct json_file *file);
/* Return whether nothing but blanks is left. */
bool json_file_ended(struct json_file *file);
/* Read the next line, as getline() does. */
ssize_t json_file_line(struct json_file *file, char **line, size_t *size);
void json_file_close(struct json_file *file);
