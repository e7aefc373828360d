/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small files, read and written whole. Standard output is for the main thread alone, standard error for who holds message.c's lock. */
#ifndef XDP_MLR_BASE_FILES_H
#define XDP_MLR_BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define FILES_PATH_SIZE 512

/* The file's text, with a NUL behind it; the caller frees it. -EFBIG beyond so many octets. */
int file_read(const char *path, size_t most, char **ret_text, size_t *ret_length);
/* All of it to an open file, waiting for whoever reads it. After a stop a reader who takes nothing for a third of a second is waited for no more
 * (-EINTR), and one of the standard files that was given up is tried no more. 0 or -errno. */
int file_write_all(int fd, const char *text, size_t length);
/* Write it beside the file, and let it take the file's name (destination.h): nobody reads half of one, whatever happens to this process.
 * `durable`: nor after a crash of the machine, where its file system can keep that. 0 or -errno. */
int file_replace(const char *path, const char *text, size_t length, mode_t mode, bool durable);

#endif
