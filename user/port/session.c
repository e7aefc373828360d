/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/session.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "port/journal.h"

#define NAME_SIZE    64
#define FILE_PREFIX  "session-"
#define OWN          "/proc/self/autogroup"
#define RAISED       (-20)
#define TRIES        50
#define READ_FORMAT  "/%63s nice %d"
#define WRITE_FORMAT "/%s nice %d\n"

/* A session by the kernel's name for it, "autogroup-592", and its niceness. */
struct session {
	char name[NAME_SIZE];
	int niceness;
};

/* The file that says what we changed. It is locked while we live. */
static struct {
	int fd; /* 0: nothing was taken */
	char path[PATH_MAX];
	struct session before;
} taken;

#define AWAKE "/dev/cpu_dma_latency"
static int awake_fd = -1; /* the wish lasts for as long as this is open */

int session_stay_awake(void)
{
	const int32_t latency_us = 0;

	if (awake_fd >= 0)
		return 0;
	awake_fd = open(AWAKE, O_WRONLY | O_CLOEXEC);
	if (awake_fd >= 0 && write(awake_fd, &latency_us, sizeof(latency_us)) == sizeof(latency_us))
		return 0;
	return -errno;
}

static void let_sleep(void)
{
	if (awake_fd >= 0)
		close(awake_fd);
	awake_fd = -1;
}

static bool read_session(const char *path, struct session *ret)
{
	char line[NAME_SIZE + 16];

	return !file_read_line(path, line, sizeof(line)) && sscanf(line, READ_FORMAT, ret->name, &ret->niceness) == 2;
}

static bool write_niceness(const char *path, int niceness)
{
	const struct timespec gap = { .tv_nsec = 20000000 };
	int error;

	/* Without CAP_SYS_ADMIN the kernel allows ten changes a second, of all processes. */
	for (int tries = 0; (error = file_set(path, TEXT_OF(16, "%d", niceness))) == -EAGAIN && tries < TRIES; tries++)
		nanosleep(&gap, NULL);
	return !error;
}

/* Lock the file, and write it before anything is changed. */
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
	if (!read_session(OWN, &now) || now.niceness <= RAISED || !remember(&now))
		return;
	if (!write_niceness(OWN, RAISED))
		forget();
}

void session_restore(void)
{
	struct session now;

	let_sleep();
	if (!taken.fd)
		return;
	if (read_session(OWN, &now) && now.niceness == RAISED)
		write_niceness(OWN, taken.before.niceness);
	forget();
}

void session_hold(struct keeper_plan *plan)
{
	keeper_plan_give(plan, awake_fd);
	keeper_plan_give(plan, taken.fd);
}

/* --- dead runs ------------------------------------------------------------------------------------------------------ */

/* Restore through any process that still belongs to the session. If there is none, the session is gone, and nothing is left
 * to restore. */
static void give_back(const struct session *before)
{
	glob_t processes = { 0 };
	struct session now;

	glob("/proc/[1-9]*/autogroup", GLOB_NOSORT, NULL, &processes);
	for (size_t i = 0; i < processes.gl_pathc; i++) {
		if (!read_session(processes.gl_pathv[i], &now) || strcmp(now.name, before->name) != 0)
			continue;
		if (now.niceness == RAISED)
			write_niceness(processes.gl_pathv[i], before->niceness);
		break;
	}
	globfree(&processes);
}

/* Whether /proc shows the processes of others, as it may not to a service (hidepid). */
static bool sees_others(void)
{
	return !access("/proc/1", F_OK);
}

static void clean_file(const char *path)
{
	FILE *file = fopen(path, "re");
	struct session before;

	if (!file)
		return;
	if (sees_others() && !flock(fileno(file), LOCK_EX | LOCK_NB)) {
		if (fscanf(file, READ_FORMAT, before.name, &before.niceness) == 2)
			give_back(&before);
		unlink(path);
	}
	fclose(file);
}

void session_clean(void)
{
	glob_t found = { 0 };

	glob(STATE_DIRECTORY "/" FILE_PREFIX "*", 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		clean_file(found.gl_pathv[i]);
	globfree(&found);
}
