/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "json_text.h"

enum exit_code output_write_fd(int fd, const char *name, const char *text, size_t length)
{
	int error = file_write_all(fd, text, length);

	return error ? refuse(EXIT_INCAPABLE, "cannot write to %s: %s", name, strerror(-error)) : EXIT_DONE;
}

enum exit_code output_write(const char *text, size_t length)
{
	return output_write_fd(STDOUT_FILENO, "standard output", text, length);
}

enum exit_code output_text(char *text, size_t length)
{
	enum exit_code code = text ? output_write(text, length) : refuse(EXIT_INCAPABLE, "out of memory");

	free(text);
	return code;
}

enum exit_code output_json(json_t *value)
{
	size_t length = 0;
	char *text = value ? json_text(value, false, &length) : NULL;

	json_decref(value);
	return output_text(text, length);
}
