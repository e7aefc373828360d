/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results on their way out: written whole, or said not to be. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

/* The forms that a document may have in a file, and the endings of file names that choose them, for error messages and
 * --help. */
enum document_form { DOCUMENT_HTML, DOCUMENT_MARKDOWN, DOCUMENT_CSV, DOCUMENT_JSON, DOCUMENT_TEXT, DOCUMENT_JUNIT };
#define DOCUMENT_ENDINGS ".html, .md, .csv, .json or .txt"
/* The form that the ending of a file's name chooses; false where it chooses none. */
bool document_form(const char *path, enum document_form *ret);

/* Write all of it to standard output. EXIT_INTERRUPTED where it takes nothing, and a stop was requested, or the terminal was
 * closed. */
enum exit_code output_write(const char *text, size_t length);
/* The same for a text that was made; takes it over. NULL (no memory to make it) is an error, and so is one that is not whole
 * (memory.h). */
enum exit_code output_text(char *text, size_t length);
/* The same for a file; `name` is what errors call it. */
enum exit_code output_write_fd(int fd, const char *name, const char *text, size_t length);
/* One JSON value and a line end; takes the reference over. NULL (no memory to make it) is an error. */
enum exit_code output_json(json_t *value);
