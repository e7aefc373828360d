/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json_file.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/keeper.h"
#include "base/memory.h"
#include "base/packed.h"

#define FLAGS (JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES)

static ssize_t read_some(void *context, char *buffer, size_t size)
{
	struct json_file *file = context;
	ssize_t count = read(file->fd, buffer, size);

	if (count > 0)
		file->octets += (size_t)count;
	if (file->octets <= file->octets_most)
		return count;
	file->exceeded = "is longer than any result (256 MiB for a document or a line)";
	errno = EFBIG;
	return -1;
}

int json_file_open(const char *path, struct json_file *ret)
{
	const cookie_io_functions_t functions = { .read = read_some };
	struct json_file file = { .fd = keeper_open(path, true),
				  .octets_most = JSON_OCTETS_MOST,
				  .memory_most = memory_used() + JSON_MEMORY_MOST };

	if (file.fd < 0)
		return file.fd;
	file.stream = fopencookie(ret, "r", functions);
	if (!file.stream) {
		close(file.fd);
		return -ENOMEM;
	}
	*ret = file;
	return 0;
}

/* --- a document, whose trials are packed one by one ----------------------------------------------------------------- */

struct octets {
	FILE *stream;
	size_t count;
	int last;
};

/* jansson asks for the next one only where it needs it. */
static size_t next_octet(void *buffer, size_t, void *context)
{
	struct octets *octets = context;

	octets->last = getc_unlocked(octets->stream);
	if (octets->last == EOF)
		return 0;
	*(unsigned char *)buffer = (unsigned char)octets->last;
	octets->count++;
	return 1;
}

/* Read any value, and nothing behind it: only the octet behind a number tells where it ends. */
static json_t *read_value(FILE *stream)
{
	struct octets octets = { .stream = stream };
	json_error_t error;
	json_t *value = json_load_callback(next_octet, &octets, FLAGS | JSON_DECODE_ANY, &error);

	if (value && octets.count > (size_t)error.position)
		ungetc(octets.last, stream);
	return value;
}

/* Get the first octet that is no blank. */
static int next_token(FILE *stream)
{
	int c;

	while ((c = getc(stream)) != EOF && strchr(" \t\n\r", c) && c)
		;
	return c;
}

/* Whether another item or member follows. If not, *ret is what stands there: the bracket, if all is well. */
static bool goes_on(FILE *stream, bool is_first, int bracket, int *ret)
{
	int c = next_token(stream);

	if (is_first && c != bracket)
		return ungetc(c, stream) != EOF;
	*ret = c;
	return c == ',';
}

static json_t *read_trials(FILE *stream)
{
	json_auto_t *trials = json_array();
	int end = EOF;

	while (goes_on(stream, !json_array_size(trials), ']', &end))
		if (json_append_packed(trials, read_value(stream)))
			return NULL;
	return end == ']' ? json_incref(trials) : NULL;
}

static json_t *read_member(FILE *stream, const char *name)
{
	int c = strcmp(name, "trials") == 0 ? next_token(stream) : EOF;

	if (c == '[')
		return read_trials(stream);
	ungetc(c, stream);
	return read_value(stream);
}

static json_t *read_object(FILE *stream)
{
	json_auto_t *object = json_object();
	int end = EOF;

	while (goes_on(stream, !json_object_size(object), '}', &end)) {
		json_auto_t *key = read_value(stream);
		const char *name = json_string_value(key);

		if (!name || json_object_get(object, name) || next_token(stream) != ':' ||
		    json_object_set_new(object, name, read_member(stream, name)))
			return NULL;
	}
	return end == '}' ? json_incref(object) : NULL;
}

static json_t *read_document(FILE *stream)
{
	int c = next_token(stream);

	if (c == '{')
		return read_object(stream);
	ungetc(c, stream);
	return json_loadf(stream, FLAGS, NULL);
}

json_t *json_file_next(struct json_file *file)
{
	json_t *document;

	file->octets = 0;
	memory_bound(file->memory_most);
	document = read_document(file->stream);
	if (!memory_bound(0))
		return document;
	file->exceeded = "takes more memory than any result (1 GiB)";
	json_decref(document);
	return NULL;
}

/* --- its end, and lines --------------------------------------------------------------------------------------------- */

bool json_file_ended(struct json_file *file)
{
	int c;

	file->octets = 0;
	while (isspace(c = getc(file->stream)))
		;
	return c == EOF && !file->exceeded;
}

ssize_t json_file_line(struct json_file *file, char **line, size_t *size)
{
	ssize_t length;

	file->octets = 0;
	length = getline(line, size, file->stream);
	return file->exceeded ? -1 : length; /* An exceeded limit leaves a part of a line. */
}

void json_file_close(struct json_file *file)
{
	fclose(file->stream);
	close(file->fd);
}
