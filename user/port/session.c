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
#define TURN_TRIES   15
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

/* --- other runs in the session -------------------------------------------------------------------------------------- */

/* Let one process at a time see who holds the session, and change it. Closing the descriptor ends that. Any user can keep
 * this lock, so nobody waits long for it. */
static int take_turn(void)
{
	const struct timespec gap = { .tv_nsec = 20000000 };
	int fd = open(STATE_DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int tries = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && tries < TURN_TRIES; tries++)
		nanosleep(&gap, NULL);
	return fd;
}

static void end_turn(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Whether a file is that of a living run in this session, and which niceness the session had before. */
static bool is_holder(const char *path, const char *name, int *ret_before)
{
	closing FILE *file = fopen(path, "re");
	struct session before;
	bool holds = file && flock(fileno(file), LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK &&
		     fscanf(file, READ_FORMAT, before.name, &before.niceness) == 2 && strcmp(before.name, name) == 0;

	if (holds)
		*ret_before = before.niceness;
	return holds;
}

/* Find another run that holds the session. `own_path` is no other one. */
static bool find_holder(const char *own_path, const char *name, int *ret_before)
{
	glob_t found = { 0 };
	bool any = false;

	glob(STATE_DIRECTORY "/" FILE_PREFIX "*", 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && !any; i++)
		any = strcmp(found.gl_pathv[i], own_path) != 0 && is_holder(found.gl_pathv[i], name, ret_before);
	globfree(&found);
	return any;
}

/* The session has its niceness until the last run in it has ended. */
static void raise_session(void)
{
	struct session now;

	if (!read_session(OWN, &now) || (now.niceness <= RAISED && !find_holder("", now.name, &now.niceness)))
		return;
	if (remember(&now) && !write_niceness(OWN, RAISED))
		forget();
}

void session_raise(void)
{
	int turn;

	if (taken.fd)
		return;
	session_clean();
	turn = take_turn();
	raise_session();
	end_turn(turn);
}

void session_restore(void)
{
	struct session now;
	int turn, ignored;

	let_sleep();
	if (!taken.fd)
		return;
	turn = take_turn();
	if (read_session(OWN, &now) && now.niceness == RAISED && !find_holder(taken.path, now.name, &ignored))
		write_niceness(OWN, taken.before.niceness);
	forget();
	end_turn(turn);
}

void session_hold(struct keeper_plan *plan)
{
	keeper_plan_give(plan, awake_fd);
	keeper_plan_give(plan, taken.fd);
}

/* --- dead runs ------------------------------------------------------------------------------------------------------ */

/* Restore through any process that still belongs to the session. If there is none, the session is gone, and nothing is left
 * to restore. A run that lives restores it itself. */
static void give_back(const char *path, const struct session *before)
{
	glob_t processes = { 0 };
	struct session now;
	int ignored;

	if (find_holder(path, before->name, &ignored))
		return;
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
	closing FILE *file = fopen(path, "re");
	struct session before;

	if (!file)
		return;
	if (sees_others() && !flock(fileno(file), LOCK_EX | LOCK_NB)) {
		if (fscanf(file, READ_FORMAT, before.name, &before.niceness) == 2)
			give_back(path, &before);
		unlink(path);
	}
}

void session_clean(void)
{
	glob_t found = { 0 };
	int turn = take_turn();

	glob(STATE_DIRECTORY "/" FILE_PREFIX "*", 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		clean_file(found.gl_pathv[i]);
	globfree(&found);
	end_turn(turn);
}
