/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/guard.h"

#define KEPT_VARIABLE "XDP_MLR_KEPT_FD"

int process_kept_fd(void)
{
	const char *number = getenv(KEPT_VARIABLE);

	return number ? atoi(number) : -1;
}

/* Close all descriptors from the third on but this one; 0: close all. */
static void close_others(int kept_fd)
{
	const unsigned int first = STDERR_FILENO + 1;
	static char kept[sizeof(KEPT_VARIABLE) + 12];

	if (kept_fd < (int)first) {
		close_range(first, ~0u, 0);
		return;
	}
	if (kept_fd > (int)first)
		close_range(first, (unsigned int)kept_fd - 1, 0);
	close_range((unsigned int)kept_fd + 1, ~0u, 0);
	fcntl(kept_fd, F_SETFD, 0);
	snprintf(kept, sizeof(kept), KEPT_VARIABLE "=%d", kept_fd);
	putenv(kept);
}

/* The terminal may be that of a shell of root's. A process that has left it cannot put input there (TIOCSTI). 0 or -errno. */
static int leave_terminal(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_CLOEXEC);
	int error = fd >= 0 && ioctl(fd, TIOCNOTTY) ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return error;
}

/* Become the program, in the child. It has only the standard files of ours. Never returns. */
static void become(const struct process_plan *plan, pid_t parent)
{
	struct sigaction by_default = { .sa_handler = SIG_DFL };
	int input_fd = plan->input_fd >= 0 ? plan->input_fd : open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (plan->own_group)
		setpgid(0, 0);
	if (plan->is_nobody && (leave_terminal() || confine_converter()))
		_exit(EXIT_FAILURE);
	prctl(PR_SET_PDEATHSIG, plan->death_signal); /* A change of the user resets it. */
	if (getppid() != parent)
		_exit(EXIT_FAILURE); /* we died before the line above */
	sigaction(SIGPIPE, &by_default, NULL);
	sigaction(SIGXFSZ, &by_default, NULL);
	if (input_fd < 0 || dup2(input_fd, STDIN_FILENO) < 0 ||
	    (plan->output_fd >= 0 && dup2(plan->output_fd, STDOUT_FILENO) < 0) ||
	    (plan->errors_fd >= 0 && dup2(plan->errors_fd, STDERR_FILENO) < 0))
		_exit(EXIT_FAILURE);
	close_others(plan->kept_fd);
	execvp(plan->arguments[0], (char *const *)plan->arguments);
	dprintf(STDERR_FILENO, "%s: %s\n", plan->arguments[0], strerror(errno));
	_exit(PROCESS_NOT_STARTED);
}

/* Become the guard of the program, in the child. Never returns. */
static void become_guard(const struct process_plan *plan, pid_t parent)
{
	struct process_plan guarded = *plan;
	sigset_t mask;
	pid_t self, program;

	setpgid(0, 0);
	if (guard_begin(&mask) || prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != parent)
		_exit(EXIT_FAILURE);
	guarded.own_group = false; /* It has the guard's. */
	guarded.death_signal = SIGKILL;
	self = getpid();
	program = fork();
	if (program == 0) {
		sigprocmask(SIG_SETMASK, &mask, NULL);
		become(&guarded, self);
	}
	if (program < 0)
		_exit(EXIT_FAILURE);
	guard_program(program);
}

int process_start(const struct process_plan *plan, struct process *ret)
{
	pid_t parent = getpid(), pid = fork();
	int fd, error;

	if (pid == 0 && plan->is_guarded)
		become_guard(plan, parent);
	if (pid == 0)
		become(plan, parent);
	if (pid < 0)
		return -errno;
	if (plan->own_group)
		setpgid(pid, pid); /* parent and child both set the group, so it is set whoever comes first */
	fd = pidfd_open(pid, 0);
	if (fd < 0) {
		error = -errno;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return error;
	}
	*ret = (struct process){ .pid = pid, .fd = fd };
	return 0;
}

/* Make a pipe of which our end (0 reads, 1 writes) does not block and the other end does. Returns 0 or -errno. */
static int make_pipe(int ret_fds[2], int our_end)
{
	int error;

	if (pipe2(ret_fds, O_CLOEXEC))
		return -errno;
	if (fcntl(ret_fds[our_end], F_SETFL, O_NONBLOCK) == 0)
		return 0;
	error = -errno;
	close(ret_fds[0]);
	close(ret_fds[1]);
	return error;
}

int process_start_piped(struct process_plan *plan, const int standard[2], struct process *ret, int ret_fds[2])
{
	int *const files[] = { &plan->input_fd, &plan->output_fd, &plan->errors_fd };
	int error = 0, made = 0;

	for (; made < 2; made++) {
		int fds[2], our_end = standard[made] == STDIN_FILENO;

		error = make_pipe(fds, our_end);
		if (error)
			break;
		*files[standard[made]] = fds[!our_end];
		ret_fds[made] = fds[our_end];
	}
	if (!error)
		error = process_start(plan, ret);
	for (int i = 0; i < made; i++) {
		close(*files[standard[i]]);
		if (error)
			close(ret_fds[i]);
	}
	return error;
}
