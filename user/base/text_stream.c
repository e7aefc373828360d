/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text_stream.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

struct text {
	char **octets;
	size_t *length, own_length, size;
};

/* If fewer octets are written than given, the stream has an error, which stays. */
static ssize_t append(void *context, const char *piece, size_t length)
{
	struct text *text = context;
	size_t size = text->size;
	char *grown;

	while (size <= *text->length + length)
		size *= 2;
	if (size > text->size) {
		grown = realloc(*text->octets, size);
		if (!grown)
			return 0;
		*text->octets = grown;
		text->size = size;
	}
	memcpy(*text->octets + *text->length, piece, length);
	*text->length += length;
	(*text->octets)[*text->length] = '\0';
	return (ssize_t)length;
}

/* Give back the memory behind the end of the text. */
static int close_text(void *context)
{
	struct text *text = context;
	char *shrunk = realloc(*text->octets, *text->length + 1);

	if (shrunk)
		*text->octets = shrunk;
	free(text);
	return 0;
}

FILE *text_stream_open(char **octets, size_t *length)
{
	const cookie_io_functions_t functions = { .write = append, .close = close_text };
	struct text *text = malloc(sizeof(*text));
	FILE *stream = NULL;

	*octets = calloc(1, BUFSIZ);
	if (text && *octets) {
		*text = (struct text){ .octets = octets, .length = length ? length : &text->own_length, .size = BUFSIZ };
		*text->length = 0;
		stream = fopencookie(text, "w", functions);
	}
	if (stream)
		return stream;
	free(text);
	free(*octets);
	*octets = NULL;
	return NULL;
}

char *text_stream_end(FILE *stream, char **text)
{
	bool failed = ferror(stream);

	if (!fclose(stream) && !failed)
		return *text;
	free(*text);
	*text = NULL;
	return NULL;
}

static void add(char *text, size_t size, const char *format, va_list arguments)
{
	size_t used = strlen(text);

	vsnprintf(text + used, size - used, format, arguments);
}

const char *text_print(char *buffer, size_t size, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(buffer, size, format, arguments);
	va_end(arguments);
	return buffer;
}

void text_add(char *text, size_t size, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(text, size, format, arguments);
	va_end(arguments);
}

void text_join(char *text, size_t size, const char *between, const char *format, ...)
{
	va_list arguments;

	if (*text)
		text_add(text, size, "%s", between);
	va_start(arguments, format);
	add(text, size, format, arguments);
	va_end(arguments);
}

const char *text_of_words(const char *const *words, char buffer[WORDS_SIZE])
{
	buffer[0] = '\0';
	for (size_t i = 0; words[i]; i++)
		text_join(buffer, WORDS_SIZE, words[i + 1] ? ", " : " or ", "%s", words[i]);
	return buffer;
}
