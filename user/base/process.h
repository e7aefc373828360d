/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These functions start other programs. The caller owns the structures and the descriptors in them. A process is started
 * from a plan, and lives until it is waited for. The kernel ends it when we die for any reason. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define PROCESS_NOT_STARTED 127 /* the exit status if the program could not be executed, as a shell has it */

struct process {
	pid_t pid; /* valid until it is waited for, so a signal cannot reach another process */
	int fd;    /* readable once the process has ended */
};

struct process_plan {
	const char *const *arguments;       /* ends with NULL; the first is searched in PATH */
	int input_fd, output_fd, errors_fd; /* its three standard files; -1: /dev/null for the first, ours for the others */
	int kept_fd;                        /* a further descriptor that it inherits, see process_kept_fd(); 0: none */
	int death_signal;                   /* the signal that it gets when we die */
	bool is_nobody; /* The process has no privileges and, where we are root, no network (confine_converter()). */
	bool own_group; /* The process has a process group of its own, whose number is its process id. */
	/* What it starts ends with it, and SIGTERM ends all of them (guard.h). The process is then the guard, which needs a group of
	 * its own and gets SIGTERM when we die. */
	bool is_guarded;
};

/* Start a process. It inherits no other descriptor, whoever opened it, not even sockets of libraries. Returns 0 or -errno.
 * The descriptors of the plan still belong to the caller. */
int process_start(const struct process_plan *plan, struct process *ret);
/* Return the descriptor that whoever started this program by a plan has it keep open to its end, such as a lock; -1: none. */
int process_kept_fd(void);
/* Start a process with a pipe as each of two of its standard files. Our ends do not block. Its ends block; they are put into
 * the plan, and are closed here once it has started. */
int process_start_piped(struct process_plan *plan, const int standard[2], struct process *ret, int ret_fds[2]);
