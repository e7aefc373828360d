/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/session.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "port/journal.h"

#define NAME_SIZE    64
#define FILE_PREFIX  "session-"
#define RAISED       (-20)
#define READ_FORMAT  "/%63s nice %d"
#define WRITE_FORMAT "/%s nice %d\n"

/* A session by the kernel's name for it, "autogroup-592", and its niceness. */
struct session {
	char name[NAME_SIZE];
	int niceness;
};

/* The file that says what we took: locked while we live. */
static struct {
	int fd; /* 0: nothing was taken */
	char path[PATH_MAX];
	struct session before;
} taken;

static bool read_session(const char *process, struct session *ret)
{
	char path[PATH_MAX];
	FILE *file;
	bool found;

	snprintf(path, sizeof(path), "/proc/%s/autogroup", process);
	file = fopen(path, "re");
	if (!file)
		return false;
	found = fscanf(file, READ_FORMAT, ret->name, &ret->niceness) == 2;
	fclose(file);
	return found;
}

static bool write_niceness(const char *process, int niceness)
{
	char path[PATH_MAX], text[16];
	int fd, length = snprintf(text, sizeof(text), "%d", niceness);
	bool written;

	snprintf(path, sizeof(path), "/proc/%s/autogroup", process);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	written = write(fd, text, (size_t)length) == length;
	close(fd);
	return written;
}

/* Locked, and written before anything is changed. */
static bool remember(const struct session *before)
{
	snprintf(taken.path, sizeof(taken.path), "%s/%s%d", STATE_DIRECTORY, FILE_PREFIX, (int)getpid());
	taken.fd = open(taken.path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (taken.fd < 0)
		goto nothing;
	taken.before = *before;
	if (!flock(taken.fd, LOCK_EX | LOCK_NB) && dprintf(taken.fd, WRITE_FORMAT, before->name, before->niceness) > 0)
		return true;
	close(taken.fd);
	unlink(taken.path);
nothing:
	taken.fd = 0;
	return false;
}

static void forget(void)
{
	unlink(taken.path);
	close(taken.fd);
	taken.fd = 0;
}

void session_raise(void)
{
	struct session now;

	if (taken.fd)
		return;
	session_clean();
	if (!read_session("self", &now) || now.niceness <= RAISED || !remember(&now))
		return;
	if (!write_niceness("self", RAISED))
		forget();
}

void session_restore(void)
{
	struct session now;

	if (!taken.fd)
		return;
	if (read_session("self", &now) && now.niceness == RAISED)
		write_niceness("self", taken.before.niceness);
	forget();
}

/* --- dead runs ------------------------------------------------------------------------------------------------------ */

/* Through any process that still belongs to the session. There may be none: then it is gone, and nothing is left to give back. */
static void give_back(const struct session *before)
{
	DIR *processes = opendir("/proc");
	const struct dirent *entry;
	struct session now;

	if (!processes)
		return;
	while ((entry = readdir(processes))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || !read_session(entry->d_name, &now) ||
		    strcmp(now.name, before->name) != 0)
			continue;
		if (now.niceness == RAISED)
			write_niceness(entry->d_name, before->niceness);
		break;
	}
	closedir(processes);
}

static void clean_file(const char *path)
{
	FILE *file = fopen(path, "re");
	struct session before;

	if (!file)
		return;
	if (!flock(fileno(file), LOCK_EX | LOCK_NB)) {
		if (fscanf(file, READ_FORMAT, before.name, &before.niceness) == 2)
			give_back(&before);
		unlink(path);
	}
	fclose(file);
}

void session_clean(void)
{
	DIR *directory = opendir(STATE_DIRECTORY);
	const struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory))) {
		char path[PATH_MAX];

		if (strncmp(entry->d_name, FILE_PREFIX, strlen(FILE_PREFIX)) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", STATE_DIRECTORY, entry->d_name);
		clean_file(path);
	}
	closedir(directory);
}
