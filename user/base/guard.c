/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/guard.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text_stream.h"

#define STAT_SIZE 512

static void fill_awaited(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGCHLD);
	sigaddset(ret, SIGTERM);
}

int guard_begin(sigset_t *ret_mask)
{
	sigset_t awaited;

	fill_awaited(&awaited);
	signal(SIGTERM, SIG_DFL); /* A signal that is ignored is not waited for. */
	prctl(PR_SET_NAME, "mlr-guard");
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) || sigprocmask(SIG_BLOCK, &awaited, ret_mask))
		return -errno;
	return 0;
}

/* Return the parent of a process, or 0. Its name, in brackets, may have any character. */
static pid_t parent_of(const char *pid)
{
	closing FILE *file = fopen(TEXT_OF(64, "/proc/%.20s/stat", pid), "re");
	char stat[STAT_SIZE] = "";
	const char *behind;
	int parent = 0;

	if (file && fgets(stat, sizeof(stat), file) && (behind = strrchr(stat, ')')))
		sscanf(behind, ") %*c %d", &parent);
	return parent;
}

/* Return whether there were any. */
static bool kill_children(void)
{
	DIR *processes = opendir("/proc");
	const struct dirent *entry;
	bool any = false;

	while (processes && (entry = readdir(processes)))
		if (atoi(entry->d_name) > 0 && parent_of(entry->d_name) == getpid())
			any |= kill(atoi(entry->d_name), SIGKILL) == 0;
	if (processes)
		closedir(processes);
	return any;
}

/* End as the program did. */
static _Noreturn void end_like(int status)
{
	const struct rlimit no_core = { 0, 0 };
	sigset_t all;

	if (WIFSIGNALED(status)) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(WTERMSIG(status), SIG_DFL);
		sigfillset(&all);
		sigprocmask(SIG_UNBLOCK, &all, NULL);
		raise(WTERMSIG(status));
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

_Noreturn void guard_program(pid_t program)
{
	int status = 0, one;
	pid_t ended = 0;
	sigset_t awaited;

	fill_awaited(&awaited);
	close_range(0, ~0u, 0); /* The program's pipes end with it. */
	while (ended >= 0 && sigwaitinfo(&awaited, NULL) != SIGTERM)
		while ((ended = waitpid(-1, &one, WNOHANG)) > 0)
			if (ended == program)
				status = one;
	/* Those of a process that is killed come to us. */
	while (kill_children() && waitpid(-1, &one, 0) > 0)
		;
	end_like(status);
}
