/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions read and write small files as a whole. The caller owns the texts that they return. Each call opens and
 * closes its file, but for file_lock().
 *
 * Standard output belongs to the main thread alone, and standard error to whoever holds the lock of message.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define FILES_PATH_SIZE 512

/* A stream with this attribute is closed when its scope is left. It must have a value or NULL from the start. */
static inline void close_stream(FILE **stream)
{
	if (*stream)
		fclose(*stream);
}
#define closing __attribute__((cleanup(close_stream)))

/* Octets that can be read of a file: those of a regular one, but at most so many; `most` of any other. */
size_t file_octets(int fd, size_t most);
/* Read a file's text, with a NUL behind it, which the caller frees. -EFBIG if it is longer than `most` octets. */
int file_read(const char *path, size_t most, char **ret_text, size_t *ret_length);
/* The same of one that is open, from its beginning. */
int file_read_open(int fd, size_t most, char **ret_text, size_t *ret_length);
/* Read the first line of a file, without its end, as in /proc and /sys. Returns 0 or -errno; the line is then empty. */
int file_read_line(const char *path, char *line, size_t size);
/* Read the first line that begins like this. The line is empty if there is none. */
int file_find_line(const char *path, const char *beginning, char *line, size_t size);
/* Write a value into a file of /proc or /sys. Returns 0 or -errno. */
int file_set(const char *path, const char *value);
/* Open a file and lock it; O_CREAT may be among the flags. Returns a descriptor. -EBUSY: somebody else has the lock.
 * -EAGAIN: the file was removed or replaced meanwhile, so try again. Otherwise -errno. */
int file_lock(const char *path, int flags, mode_t mode);
/* Do the same, and repeat it after -EAGAIN, and for `wait_s` seconds after -EBUSY, or until a stop. */
int file_lock_patiently(const char *path, int flags, mode_t mode, double wait_s);
/* Write the whole text to an open file, and wait for its reader. After a stop, a reader that takes nothing for a third of a
 * second is given up (-EINTR). A standard file that was given up is not tried again. Returns 0 or -errno. */
int file_write_all(int fd, const char *text, size_t length);
