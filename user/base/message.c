/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/message.h"

#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/text_stream.h"

#define WARNINGS_KEPT 64

bool message_quiet;
const char *message_subject;

/* --- messages ------------------------------------------------------------------------------------------------------- */

/* Several threads may write messages and draw the view. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *view; /* the lines that stand on the terminal; NULL: none */
static char *warnings[WARNINGS_KEPT];
static size_t warning_count;

static void put(const char *text)
{
	file_write_all(STDERR_FILENO, text, strlen(text)); /* If this fails, nobody can be told. */
}

/* Go to the first line of the view, which ends here. The view is erased line by line if nothing replaces it. If the rest of
 * the screen were erased from the first line on, tmux would keep the old text above. A terminal that became narrower has
 * wrapped its lines. */
static void leave_view(FILE *stream, bool erase)
{
	unsigned int columns, rows, height;

	if (!view)
		return;
	terminal_size(STDERR_FILENO, &columns, &rows);
	height = terminal_rows(view, columns);
	if (height > rows)
		height = rows;
	fputs(erase ? "\r\033[K" : "\r", stream);
	for (unsigned int i = 1; i < height; i++)
		fputs(erase ? "\033[A\033[K" : "\033[A", stream);
	free(view);
	view = NULL;
}

/* Write each line over the one before it, and erase the rest of that. Unchanged text never vanishes, so nothing flickers. */
static void write_view(FILE *stream, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\033[K", stream);
		fputc(*text, stream);
	}
	fputs("\033[K\033[J", stream);
}

/* Write, at once, text in place of the view, or nothing (NULL). */
static void replace_view(const char *text)
{
	owned char *written = NULL;
	FILE *stream = view || text ? text_stream_open(&written, NULL) : NULL;

	if (!stream)
		return;
	leave_view(stream, !text);
	if (text)
		write_view(stream, text);
	if (text_stream_end(stream, &written))
		put(written);
}

void message_draw_view(const char *text)
{
	pthread_mutex_lock(&lock);
	replace_view(text);
	view = strdup(text);
	pthread_mutex_unlock(&lock);
}

void message_erase_view(void)
{
	pthread_mutex_lock(&lock);
	replace_view(NULL);
	pthread_mutex_unlock(&lock);
}

/* Keep a warning for the result, each text once. The caller holds the lock. */
static void keep_warning(const char *text)
{
	for (size_t i = 0; i < warning_count; i++)
		if (strcmp(warnings[i], text) == 0)
			return;
	if (warning_count < WARNINGS_KEPT && (warnings[warning_count] = strdup(text)))
		warning_count++;
}

size_t message_warnings(char *const **ret_texts)
{
	*ret_texts = warnings;
	return warning_count;
}

static void (*pass_on)(enum message_kind kind, const char *text);

void message_pass(void (*pass)(enum message_kind kind, const char *text))
{
	pass_on = pass;
}

/* Write each line at once, so that lines of several processes do not mix. */
static void say(enum message_kind kind, const char *format, va_list arguments)
{
	char raw[2048], *line = NULL, *text;
	bool is_warning = kind == MESSAGE_WARNING;

	vsnprintf(raw, sizeof(raw), format, arguments);
	if (pass_on) {
		pass_on(kind, raw);
		return;
	}
	text = plain_text(raw); /* file names, and what documents hold */
	if (!text || asprintf(&line, "xdp-mlr: %s%s%s%s\n", is_warning ? "warning: " : "",
			      message_subject ? message_subject : "", message_subject ? ": " : "", text) < 0)
		line = NULL;
	pthread_mutex_lock(&lock);
	if (is_warning && text)
		keep_warning(text);
	replace_view(NULL);
	put(line ? line : "xdp-mlr: out of memory\n");
	pthread_mutex_unlock(&lock);
	free(line);
	free(text);
}

static _Thread_local char refused[1024];

const char *message_refused(void)
{
	return refused;
}

enum exit_code refuse(enum exit_code code, const char *format, ...)
{
	static atomic_bool said;
	bool ran_out = memory_ran_out(); /* If memory ran out, that is the reason, whatever the caller reports. */
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(refused, sizeof(refused), format, arguments);
	va_end(arguments);
	va_start(arguments, format);
	if (!ran_out || !atomic_exchange(&said, true))
		say(MESSAGE_REFUSAL, ran_out ? "out of memory" : format, arguments);
	va_end(arguments);
	return ran_out ? EXIT_INCAPABLE : code;
}

enum exit_code out_of_memory(void)
{
	return refuse(EXIT_INCAPABLE, "out of memory");
}

void warn(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(MESSAGE_WARNING, format, arguments);
	va_end(arguments);
}

void note(const char *format, ...)
{
	va_list arguments;

	if (message_quiet)
		return;
	va_start(arguments, format);
	say(MESSAGE_NOTE, format, arguments);
	va_end(arguments);
}

const char *why(int error)
{
	static char text[128];
	bool unprivileged = error == EPERM || error == EACCES;

	snprintf(text, sizeof(text), "%s%s", strerror(error), unprivileged && geteuid() ? " (run it as root)" : "");
	return text;
}

const char *why_not_locked(int error)
{
	static char text[200];
	struct rlimit limit;

	if ((error != ENOBUFS && error != ENOMEM && error != EPERM) || getrlimit(RLIMIT_MEMLOCK, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY || confine_capabilities() & CONFINE_BIT(CAP_IPC_LOCK))
		return why(error);
	snprintf(text, sizeof(text),
		 "%s; it may lock %lu KiB of memory (RLIMIT_MEMLOCK): 'ulimit -l unlimited' before it, or CAP_IPC_LOCK, "
		 "allows more",
		 strerror(error), (unsigned long)limit.rlim_cur >> 10);
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
