/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small files, read and written whole. Standard output is for the main thread alone, standard error for who holds
 * message.c's lock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define FILES_PATH_SIZE 512

/* The file's text, with a NUL behind it; the caller frees it. -EFBIG beyond so many octets. */
int file_read(const char *path, size_t most, char **ret_text, size_t *ret_length);
/* The first line of a file, as /proc and /sys have them, without its end. 0 or -errno, and an empty line then. */
int file_read_line(const char *path, char *line, size_t size);
/* The first that begins so, likewise; an empty one, too, where none does. */
int file_find_line(const char *path, const char *beginning, char *line, size_t size);
/* Write a value into a file of /proc or /sys. 0 or -errno. */
int file_set(const char *path, const char *value);
/* Open a file, made where O_CREAT is among the flags, and lock it: a descriptor. -EBUSY: somebody else has the lock;
 * -EAGAIN: the file was taken away or replaced meanwhile, try again; or -errno. */
int file_lock(const char *path, int flags, mode_t mode);
/* The same, again while it is -EAGAIN, and for so long while it is -EBUSY, or until a stop. */
int file_lock_patiently(const char *path, int flags, mode_t mode, double wait_s);
/* All of it to an open file, waiting for whoever reads it. After a stop a reader who takes nothing for a third of a second
 * is waited for no more (-EINTR), and one of the standard files that was given up is tried no more. 0 or -errno. */
int file_write_all(int fd, const char *text, size_t length);
