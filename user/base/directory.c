/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"

static bool is_ours(const struct stat *status)
{
	return status->st_uid == 0 || status->st_uid == geteuid();
}

static bool is_open_to_others(const struct stat *status)
{
	return status->st_mode & (S_IWGRP | S_IWOTH);
}

bool directory_is_own(const struct stat *status)
{
	return is_ours(status) && !is_open_to_others(status);
}

static int say(char why[DIRECTORY_WHY_SIZE], int error, const char *path)
{
	snprintf(why, DIRECTORY_WHY_SIZE, "%s: %s", QUOTED(path), strerror(-error));
	return error;
}

static int refuse_owner(char why[DIRECTORY_WHY_SIZE], const char *path, uid_t owner)
{
	snprintf(why, DIRECTORY_WHY_SIZE,
		 "%s belongs to the user %u; use a folder that only this user can change, as below /run", QUOTED(path),
		 owner);
	return -EPERM;
}

static int refuse_others(char why[DIRECTORY_WHY_SIZE], const char *path)
{
	snprintf(why, DIRECTORY_WHY_SIZE,
		 "other users can write into %s; use a folder that only this user can change, as below /run", QUOTED(path));
	return -EPERM;
}

/* Check a directory above: whoever may rename what is in it could replace ours. In a sticky one only the owner may. */
static int check_above(const char *path, char why[DIRECTORY_WHY_SIZE])
{
	struct stat status;

	if (stat(path, &status))
		return say(why, -errno, path);
	if (!is_ours(&status))
		return refuse_owner(why, path, status.st_uid);
	return is_open_to_others(&status) && !(status.st_mode & S_ISVTX) ? refuse_others(why, path) : 0;
}

/* Check all directories above an open one. */
static int check_all_above(int fd, char why[DIRECTORY_WHY_SIZE])
{
	char link[40], path[PATH_MAX], *slash;
	ssize_t length;
	int error = 0;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0)
		return say(why, -errno, link);
	path[length] = '\0';
	while (!error && (slash = strrchr(path, '/')) && path[1]) {
		slash[slash == path] = '\0';
		error = check_above(path, why);
	}
	return error;
}

static int check(int fd, const char *path, char why[DIRECTORY_WHY_SIZE])
{
	struct stat status;

	if (fstat(fd, &status))
		return say(why, -errno, path);
	if (!is_ours(&status))
		return refuse_owner(why, path, status.st_uid);
	return is_open_to_others(&status) ? refuse_others(why, path) : check_all_above(fd, why);
}

/* With O_DIRECTORY the error for a link is another one than with O_NOFOLLOW alone. For the user it is a link in either
 * case. */
static int link_error(int parent_fd, const char *path, int error)
{
	struct stat status;

	return !fstatat(parent_fd, path, &status, AT_SYMLINK_NOFOLLOW) && S_ISLNK(status.st_mode) ? -ELOOP : error;
}

int directory_open_own(int parent_fd, const char *path, char why[DIRECTORY_WHY_SIZE])
{
	int fd, error;

	if (mkdirat(parent_fd, path, 0700) && errno != EEXIST)
		return say(why, -errno, path);
	fd = openat(parent_fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return say(why, link_error(parent_fd, path, -errno), path);
	error = check(fd, path, why);
	if (!error)
		return fd;
	close(fd);
	return error;
}

int directory_open_file(int directory_fd, const char *name)
{
	int fd = openat(directory_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && is_ours(&status) && status.st_nlink == 1)
		return fd;
	close(fd);
	return -EPERM;
}
