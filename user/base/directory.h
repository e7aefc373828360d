/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory of our own: nobody but root and our own user can put anything into it, take it away, or replace it. A program that
 * runs as root keeps its files in such a directory only, because it would follow the links of others with its own rights. The
 * caller owns the descriptor and closes it; files are opened below it, and no link is followed.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#define DIRECTORY_WHY_SIZE 320

/* Whether nobody but root and our own user can change what is in a directory of these attributes. */
bool directory_is_own(const struct stat *status);

/* Open a directory of our own, and make it (mode 0700) where it is missing. `parent_fd` may be AT_FDCWD. The descriptor, or -errno;
 * `why` is a sentence for the user then. -EPERM: other users can change it, or a directory above it. */
int directory_open_own(int parent_fd, const char *path, char why[DIRECTORY_WHY_SIZE]);

/* Open a regular file of ours in such a directory for reading. The descriptor, or -errno. -EPERM: it belongs to another user, or it
 * has several names. -ELOOP: it is a link. */
int directory_open_file(int directory_fd, const char *name);
