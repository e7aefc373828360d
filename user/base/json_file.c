/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json_file.h"

#include <ctype.h>
#include <errno.h>
#include <unistd.h>

#include "base/keeper.h"
#include "base/memory.h"

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

json_t *json_file_next(struct json_file *file)
{
	json_t *document;

	file->octets = 0;
	memory_bound(file->memory_most);
	document = json_loadf(file->stream, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, NULL);
	if (memory_bound(0))
		file->exceeded = "takes more memory than any result (1 GiB)";
	return document;
}

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
