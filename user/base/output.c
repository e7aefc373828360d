/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/stop.h"

bool document_form(const char *path, enum document_form *ret)
{
	static const char *const endings[] = { [DOCUMENT_HTML] = ".html",
					       [DOCUMENT_MARKDOWN] = ".md",
					       [DOCUMENT_CSV] = ".csv",
					       [DOCUMENT_JSON] = ".json",
					       [DOCUMENT_TEXT] = ".txt" };
	const char *ending = strrchr(path, '.');

	for (size_t i = 0; ending && i < COUNT(endings); i++) {
		if (strcmp(endings[i], ending) == 0) {
			*ret = (enum document_form)i;
			return true;
		}
	}
	return false;
}

enum exit_code output_write_fd(int fd, const char *name, const char *text, size_t length)
{
	int error = file_write_all(fd, text, length);

	if (error == -EIO && !isatty(fd) && errno == EIO)
		raise(SIGHUP); /* the terminal is gone, and the signal that says so not yet here */
	if (error && stop_requested()) {
		warn("stopped, and %s takes nothing: not all of the result is there", name);
		return EXIT_INTERRUPTED;
	}
	return error ? refuse(EXIT_INCAPABLE, "cannot write to %s: %s", name, strerror(-error)) : EXIT_DONE;
}

enum exit_code output_write(const char *text, size_t length)
{
	static enum exit_code failed = EXIT_DONE;

	/* A stream with a hole is none. What was said once is not said again. */
	if (failed == EXIT_DONE)
		failed = output_write_fd(STDOUT_FILENO, "standard output", text, length);
	return failed;
}

enum exit_code output_text(char *text, size_t length)
{
	enum exit_code code = text && !memory_ran_out() ? output_write(text, length) : out_of_memory();

	free(text);
	return code;
}

enum exit_code output_json(json_t *value)
{
	size_t length = 0;
	char *text = json_text(value, false, &length);

	json_decref(value);
	return output_text(text, length);
}
