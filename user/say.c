/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool say_quiet;

void say_erase_line(void)
{
	if (isatty(STDERR_FILENO))
		fputs(SAY_ERASE_LINE, stderr);
}

/* One write a line, so that lines of several processes do not mix. */
static void say(const char *prefix, const char *format, va_list arguments)
{
	char text[2048];

	vsnprintf(text, sizeof(text), format, arguments);
	say_erase_line();
	fprintf(stderr, "xdp-mlr: %s%s\n", prefix, text);
}

enum exit_code refuse(enum exit_code code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say("", format, arguments);
	va_end(arguments);
	return code;
}

void warn(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say("warning: ", format, arguments);
	va_end(arguments);
}

void note(const char *format, ...)
{
	va_list arguments;

	if (say_quiet)
		return;
	va_start(arguments, format);
	say("", format, arguments);
	va_end(arguments);
}

const char *why(int error)
{
	static char text[128];
	bool unprivileged = error == EPERM || error == EACCES;

	snprintf(text, sizeof(text), "%s%s", strerror(error), unprivileged && geteuid() ? " (run it as root)" : "");
	return text;
}

const char *quote(const char *text, size_t length, char *buffer, size_t size)
{
	static const char ellipsis[] = "...";
	size_t used = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned char octet = (unsigned char)text[i];
		bool plain = octet >= 0x20 && octet != 0x7f;

		if (used + (plain ? 1 : 4) + sizeof(ellipsis) > size) {
			snprintf(buffer + used, size - used, "%s", ellipsis);
			return buffer;
		}
		if (plain)
			buffer[used++] = text[i];
		else
			used += (size_t)snprintf(buffer + used, size - used, "\\x%02x", octet);
	}
	buffer[used] = '\0';
	return buffer;
}
