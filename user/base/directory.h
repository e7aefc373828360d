/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header opens directories of our own: nobody but root and our own user can put anything into one, take it away, or
 * replace it. A program that runs as root keeps its files in such directories only. Elsewhere it would follow the links of
 * other users with its own rights. The caller owns a descriptor and closes it. Files are opened below it, and no link is
 * followed.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#define DIRECTORY_WHY_SIZE 320

/* Whether nobody but root and our own user can change what is in a directory of these attributes. */
bool directory_is_own(const struct stat *status);

/* Open a directory of our own, and make it (mode 0700) if it is missing. `parent_fd` may be AT_FDCWD. Returns the
 * descriptor or -errno, with a sentence for the user in `why`. -EPERM means that other users can change it, or a directory
 * above it. */
int directory_open_own(int parent_fd, const char *path, char why[DIRECTORY_WHY_SIZE]);

/* Open a regular file of ours in such a directory for reading. Returns the descriptor or -errno. -EPERM means that it
 * belongs to another user or has several names, -ELOOP that it is a link. */
int directory_open_file(int directory_fd, const char *name);
