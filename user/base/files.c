/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/destination.h"

/* As much of a file as there is, up to the size. */
static int read_all(int fd, char *text, size_t size, size_t *ret_length)
{
	size_t used = 0;

	while (used < size) {
		ssize_t count = read(fd, text + used, size - used);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -errno;
		if (count == 0)
			break;
		used += (size_t)count;
	}
	*ret_length = used;
	return 0;
}

int file_read(const char *path, size_t most, char **ret_text, size_t *ret_length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error;
	struct stat status;
	char *text;

	if (fd < 0)
		return -errno;
	error = fstat(fd, &status) ? -errno : (size_t)status.st_size > most ? -EFBIG : 0;
	text = error ? NULL : malloc((size_t)status.st_size + 1);
	if (!error && !text)
		error = -ENOMEM;
	if (!error)
		error = read_all(fd, text, (size_t)status.st_size, ret_length);
	close(fd);
	if (error) {
		free(text);
		return error;
	}
	text[*ret_length] = '\0';
	*ret_text = text;
	return 0;
}

int file_write_all(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t written = write(fd, text, length);

		if (written < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
		else if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0) {
			text += written;
			length -= (size_t)written;
		}
	}
	return 0;
}

int file_replace(const char *path, const char *text, size_t length, mode_t mode, bool durable)
{
	struct destination destination;
	int error = destination_open(path, &destination);

	if (error)
		return error;
	error = destination_write(&destination, text, length, mode, false, durable);
	destination_close(&destination);
	return error;
}
