/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a file is going to be written, and its way there.
 *
 * A regular file is never written in place. Its text goes into a new file of a random name beside it (O_EXCL, so through
 * nobody's link), which takes the name once all of it is there: whoever reads finds the older file or the newer one, and a
 * full disk leaves the older one. The directory is held by a descriptor from the first look to the last step, so that nobody
 * puts another in its place meanwhile.
 *
 * What is no regular file (a device, a FIFO, an open file like /dev/stdout or a shell's >(...)) is opened at once and
 * written as it is. A link as the last part of a path is followed where root or our own user made it; that of somebody else
 * is refused with -EMLINK.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/exit_code.h"

struct destination {
	int directory_fd;
	int fd; /* of what is written as it is; -1 where a file is replaced */
	char name[NAME_MAX + 1];
	bool exists;       /* a file that will be replaced */
	struct stat older; /* its attributes then */
};

/* Look where the path leads (-ENXIO: to a FIFO that nobody reads), and whether a file could be written there now: one is made,
 * and taken away again. 0 or -errno. */
int destination_ready(const char *path, struct destination *ret);
/* Whether two paths, links followed, lead to one file that would be replaced: one name in one directory. */
bool destination_same(const char *one, const char *other);
/* Say that what an option names cannot be written, and why (-errno): EXIT_USAGE_ERROR. */
enum exit_code destination_refuse(const char *option, const char *path, int error);
/* Write all of it, at most once. A new file has this mode, less the umask; one that replaces another has that one's
 * permissions and owner where `keep_mode`. `durable`: not lost in a crash of the machine either, where its file system can
 * keep that. 0 or -errno. */
int destination_write(struct destination *destination, const char *text, size_t length, mode_t mode, bool keep_mode,
		      bool durable);
void destination_close(struct destination *destination);
/* Write a file so that nobody reads half of one, whatever happens to this process; a new one has this mode, less the umask.
 * `durable` as above. 0 or -errno. */
int file_replace(const char *path, const char *text, size_t length, mode_t mode, bool durable);
