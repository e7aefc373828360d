/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lab/forwarder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/message.h"

#define NICENESS (-20) /* niceness of the transmitters: a late forwarder would distort the measurement */

static void run_on_last_cpu(void)
{
	cpu_set_t cpus;
	int last = CPU_SETSIZE - 1;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return;
	while (last > 0 && !CPU_ISSET(last, &cpus))
		last--;
	CPU_ZERO(&cpus);
	CPU_SET(last, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	setpriority(PRIO_PROCESS, 0, NICENESS);
}

/* Keep nothing of whoever started us but the two files. Whoever waits for the end of its output must not wait for us. */
static void close_others(const int fds[2])
{
	int null = open("/dev/null", O_RDWR);
	unsigned int low, high;

	for (int i = 0; i < 3; i++)
		dup2(null, i);
	low = (unsigned int)(fds[0] < fds[1] ? fds[0] : fds[1]);
	high = (unsigned int)(fds[0] < fds[1] ? fds[1] : fds[0]);
	if (low > 3)
		close_range(3, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
}

/* Confine the process. It forwards frames of anybody, and needs only its two sockets, a clock and memory. */
static int confine(void)
{
	static const int calls[] = { __NR_sendto,  __NR_getsockopt, __NR_ppoll,         __NR_restart_syscall,
				     __NR_brk,     __NR_mmap,       __NR_munmap,        __NR_mremap,
				     __NR_madvise, __NR_exit_group, __NR_clock_gettime,
#ifdef __NR_poll
				     __NR_poll
#endif
	};
	_Static_assert(COUNT(calls) <= 12, "docs/SECURITY.md says so many");

	return confine_keep(0) ?: confine_no_new_privileges() ?: confine_system_calls(calls, COUNT(calls), NULL, 0);
}

int forwarder_fork(const struct forwarder_plan *plan, pid_t *ret)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		for (int i = 1; i < NSIG; i++)
			signal(i, SIG_DFL); /* the handlers of whoever started us end a run in order, here there is none */
		setsid();
		if (chdir("/"))
			_exit(EXIT_INCAPABLE);
		prctl(PR_SET_NAME, plan->name);
		close_others(plan->fds);
		run_on_last_cpu();
		if (plan->is_confined && confine())
			_exit(EXIT_INCAPABLE);
		plan->forward(plan->context);
		_exit(EXIT_DONE);
	}
	*ret = pid;
	return 0;
}
