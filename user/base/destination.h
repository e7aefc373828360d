/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A destination is a file that is going to be written. The caller owns it; it holds the file's directory or the open file.
 * It is tested early by destination_ready(), written once by destination_write(), and then freed.
 *
 * A regular file is never written in place. Its text goes into a new file with a random name in the same directory (O_EXCL,
 * so nobody's link is followed). That file takes the name once the text is complete. So a reader finds the older file or the
 * newer one, and a full disk leaves the older one. A descriptor holds the directory from the first test to the last step, so
 * that nobody can replace it in between.
 *
 * Other kinds (a device, a FIFO, an open file such as /dev/stdout or a shell's >(...)) are opened at once and written in
 * place. A link as the last part of a path is followed if root or our own user made it. Other links are refused with
 * -EMLINK. Everybody may make files in a folder such as /tmp. There a FIFO or device of another user is refused, and so is a
 * file with several names (-ENOTUNIQ). Whoever put such a file there could read the text, block us, or change the file.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/exit_code.h"
#include "base/keeper.h"

struct destination {
	unsigned int held; /* number of the file for the keeper, from 1 (keeper.h); 0: none */
	int directory_fd;
	int fd; /* open if it is written in place; -1 if a file is replaced */
	char name[NAME_MAX + 1];
	bool exists;       /* a file exists and will be replaced */
	struct stat older; /* attributes of the older file, if it exists */
};

/* Find where the path leads (-ENXIO: to a FIFO without a reader), and test whether a file could be written there now. The
 * test makes a file and removes it. Returns 0 or -errno. */
int destination_ready(const char *path, struct destination *ret);
/* Whether two paths, with links followed, lead to the same file that would be replaced: one name in one directory. */
bool destination_same(const char *one, const char *other);
/* Report that the file of an option cannot be written, and why (-errno). Returns EXIT_USAGE_ERROR. */
enum exit_code destination_refuse(const char *option, const char *path, int error);
/* Write the whole text, at most once. A new file has this mode, less the umask. With `keep_mode`, a replacing file takes
 * permissions and owner of the replaced one. With `durable`, a crash of the machine does not lose it, if the file system can
 * ensure that. Returns 0 or -errno. */
int destination_write(struct destination *destination, const char *text, size_t length, mode_t mode, bool keep_mode,
		      bool durable);
void destination_close(struct destination *destination);
/* Call it before keeper_split(): the keeper then puts files in place for this destination, for a process that has no
 * privileges any more. The plan keeps the directory. It does nothing for a file that is written in place. */
void destination_hold(struct destination *destination, struct keeper_plan *plan);
/* Answer a request in the keeper, as keeper_plan.answer(). */
int destination_answer(const struct keeper_request *request, int *ret_fd);
/* Write a file so that nobody ever reads half of one, whatever happens to this process. Mode and `durable` are as above.
 * Returns 0 or -errno. */
int file_replace(const char *path, const char *text, size_t length, mode_t mode, bool durable);
