/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "base/text_stream.h"

#define STOPPED_WAIT_MS 300
#define LOCK_GAP_NS     (NS_PER_S / 50)

size_t file_octets(int fd, size_t most)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISREG(status.st_mode) && (size_t)status.st_size < most ? (size_t)status.st_size : most;
}

/* Read as much of a file as there is, up to the size. */
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

int file_read_open(int fd, size_t most, char **ret_text, size_t *ret_length)
{
	struct stat status;
	char *text;
	int error = fstat(fd, &status) ? -errno : (size_t)status.st_size > most ? -EFBIG : 0;

	text = error ? NULL : malloc((size_t)status.st_size + 1);
	if (!error && !text)
		error = -ENOMEM;
	if (!error && lseek(fd, 0, SEEK_SET) < 0 && errno != ESPIPE)
		error = -errno;
	if (!error)
		error = read_all(fd, text, (size_t)status.st_size, ret_length);
	if (error) {
		free(text);
		return error;
	}
	text[*ret_length] = '\0';
	*ret_text = text;
	return 0;
}

int file_read(const char *path, size_t most, char **ret_text, size_t *ret_length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error;

	if (fd < 0)
		return -errno;
	error = file_read_open(fd, most, ret_text, ret_length);
	close(fd);
	return error;
}

int file_find_line(const char *path, const char *beginning, char *line, size_t size)
{
	closing FILE *stream = fopen(path, "re");
	int error = stream ? 0 : -errno;

	line[0] = '\0';
	while (stream && fgets(line, (int)size, stream) && strncmp(line, beginning, strlen(beginning)))
		line[0] = '\0';
	if (stream && ferror(stream))
		error = -EIO;
	line[strcspn(line, "\n")] = '\0';
	return error;
}

int file_read_line(const char *path, char *line, size_t size)
{
	return file_find_line(path, "", line, size);
}

int file_set(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		error = -errno;
	close(fd);
	return error;
}

int file_lock(const char *path, int flags, mode_t mode)
{
	struct stat ours, current;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, mode), error;

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB))
		error = errno == EWOULDBLOCK ? -EBUSY : -errno;
	else if (fstat(fd, &ours) || stat(path, &current) || ours.st_ino != current.st_ino)
		error = -EAGAIN; /* the file that we locked is no longer there */
	else
		return fd;
	close(fd);
	return error;
}

int file_lock_patiently(const char *path, int flags, mode_t mode, double wait_s)
{
	uint64_t deadline_ns = clock_ns() + clock_ns_of(wait_s);
	int fd;

	for (;;) {
		fd = file_lock(path, flags, mode);
		if (fd == -EAGAIN)
			continue;
		if (fd != -EBUSY || clock_ns() >= deadline_ns || stop_sleep_until(clock_ns() + LOCK_GAP_NS))
			return fd;
	}
}

/* --- writing -------------------------------------------------------------------------------------------------------- */

/* The state of standard output and standard error. */
static struct {
	bool asked;
	int fd; /* the same pipe or terminal, opened by us: one that does not block, which others who share the given one would not expect of it */
	bool given_up;
} standard[STDERR_FILENO + 1];

/* Return the descriptor by which to write a file. */
static int own_fd(int fd)
{
	struct stat status;

	if (fd != STDOUT_FILENO && fd != STDERR_FILENO)
		return fd;
	if (!standard[fd].asked) {
		standard[fd].asked = true;
		standard[fd].fd = -1;
		if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY && !fstat(fd, &status) &&
		    (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)))
			standard[fd].fd = open(TEXT_OF(32, "/proc/self/fd/%d", fd),
					       O_WRONLY | O_NONBLOCK | O_NOCTTY | O_APPEND | O_CLOEXEC);
	}
	return standard[fd].fd >= 0 ? standard[fd].fd : fd;
}

/* Wait until it takes something. After a stop, wait a moment only. */
static int wait_for_room(int fd)
{
	bool stopped = stop_requested();
	struct pollfd files[] = { { .fd = fd, .events = POLLOUT }, { .fd = stopped ? -1 : stop_fd(), .events = POLLIN } };
	int ready = poll(files, 2, stopped ? STOPPED_WAIT_MS : -1);

	return stopped && ready == 0 ? -EINTR : 0;
}

static int write_all(int fd, const char *text, size_t length)
{
	/* Write to what blocks in pieces for which a pipe that takes anything has room. */
	size_t most = fcntl(fd, F_GETFL) & O_NONBLOCK ? SIZE_MAX : PIPE_BUF;

	while (length > 0) {
		int error = wait_for_room(fd);
		ssize_t written = error ? 0 : write(fd, text, length < most ? length : most);

		if (error)
			return error;
		if (written < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (written > 0) {
			text += written;
			length -= (size_t)written;
		}
	}
	return 0;
}

int file_write_all(int fd, const char *text, size_t length)
{
	bool is_standard = fd == STDOUT_FILENO || fd == STDERR_FILENO;
	int error;

	if (is_standard && standard[fd].given_up)
		return -EINTR;
	error = write_all(own_fd(fd), text, length);
	if (is_standard && error == -EINTR)
		standard[fd].given_up = true;
	return error;
}
