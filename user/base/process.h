/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting other programs. What is started is told to end when we die, whatever kills us. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define PROCESS_NOT_STARTED 127 /* the exit status where the program could not be executed, as of a shell */

struct process {
	pid_t pid; /* ours until it is waited for: a signal reaches it, or its group, and nobody else */
	int fd;    /* readable once it has ended */
};

struct process_plan {
	const char *const *arguments; /* NULL behind the last; the first is looked for in PATH */
	int input_fd, output_fd,
		errors_fd; /* what become its three standard files; -1: /dev/null for the first, else ours */
	int kept_fd;       /* that it inherits, beside the three; 0: none */
	int death_signal;  /* that it gets when we die */
	bool own_group;    /* in a process group of its own, whose number is its process id */
};

/* Start it. It inherits no other descriptor, whoever opened it: libraries' sockets neither. 0 or -errno. The descriptors of
 * the plan stay the caller's. */
int process_start(const struct process_plan *plan, struct process *ret);
/* The same with a pipe as each of two of its standard files. Our ends do not block; its ends, which do, are put into the plan,
 * and not ours once it has started. */
int process_start_piped(struct process_plan *plan, const int standard[2], struct process *ret, int ret_fds[2]);
