/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results on their way out: written whole, or said not to be. */
#ifndef XDP_MLR_OUTPUT_H
#define XDP_MLR_OUTPUT_H

#include <jansson.h>
#include <stddef.h>

#include "say.h"

/* Write all of it to standard output. */
enum exit_code output_write(const char *text, size_t length);
/* The same for a text that was made; takes it over. NULL (no memory to make it) is an error. */
enum exit_code output_text(char *text, size_t length);
/* The same for a file; `name` is what errors call it. */
enum exit_code output_write_fd(int fd, const char *name, const char *text, size_t length);
/* One JSON value and a line end; takes the reference over. NULL (no memory to make it) is an error. */
enum exit_code output_json(json_t *value);

#endif
