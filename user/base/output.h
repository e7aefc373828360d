/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These functions write results completely, or report that they could not. A function that takes a text or a reference owns
 * it from then on. Each call writes one result. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

/* The forms that a document may have in a file. The endings of file names choose them; the texts are for error messages and
 * --help. */
enum document_form {
	DOCUMENT_HTML,
	DOCUMENT_MARKDOWN,
	DOCUMENT_CSV,
	DOCUMENT_JSON,
	DOCUMENT_TEXT,
	DOCUMENT_JUNIT,
	DOCUMENT_CERTIFICATE,    /* HTML */
	DOCUMENT_CERTIFICATE_PDF /* the same, for a converter */
};
#define DOCUMENT_ENDINGS ".html, .md, .csv, .json or .txt"
/* Get the form that the ending of a file's name chooses. Returns false if it chooses none. */
bool document_form(const char *path, enum document_form *ret);

/* Write the whole text to standard output. Returns EXIT_INTERRUPTED if the reader takes nothing and a stop was requested, or
 * the terminal was closed. */
enum exit_code output_write(const char *text, size_t length);
/* Write a text that was made, and free it. It is an error if it is NULL (no memory) or incomplete (memory.h). */
enum exit_code output_text(char *text, size_t length);
/* Do the same for a file. `name` is its name in errors. */
enum exit_code output_write_fd(int fd, const char *name, const char *text, size_t length);
/* Write one JSON value and a line end, and release the reference. NULL (no memory) is an error. */
enum exit_code output_json(json_t *value);
