/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/mpi_private.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "port/journal.h"
#include "port/session.h"

/* Wait until the worker has ended. A stop is passed on once, because it may have been meant for us alone. */
static int wait_for(pid_t worker, int worker_fd)
{
	struct pollfd polled[] = { { .fd = worker_fd, .events = POLLIN }, { .fd = stop_fd(), .events = POLLIN } };
	nfds_t watched = 2;
	int status = 0;

	while (!polled[0].revents) {
		if (poll(polled, watched, -1) < 0 && errno != EINTR)
			break;
		if (watched == 2 && polled[1].revents) {
			kill(worker, SIGTERM);
			kill(worker, SIGCONT); /* also where it was held */
			watched = 1;
		}
	}
	while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

#define KEEPER_PATIENCE_NS (2 * NS_PER_S)
#define KEEPER_POLL_MS     5

/* The worker's keeper (keeper.h) ends behind it, and has its ports until then. */
static void await_keeper(void)
{
	uint64_t deadline_ns = clock_ns() + KEEPER_PATIENCE_NS;

	while (waitpid(-1, NULL, WNOHANG) >= 0 && clock_ns() < deadline_ns)
		poll(NULL, 0, KEEPER_POLL_MS);
}

/* Say how the worker died, and clean up behind it. */
static enum exit_code mourn(int signal_number)
{
	static char host[HOST_SIZE];
	struct journal_cleaned cleaned;

	gethostname(host, sizeof(host) - 1);
	message_subject = host;
	refuse(EXIT_INVALID, "this rank was killed by signal %d (%s): the trial that went on is invalid", signal_number,
	       strsignal(signal_number));
	message_quiet = true; /* other runs' ports are none of ours */
	await_keeper();
	journal_clean(&cleaned);
	session_clean();
	return EXIT_INVALID;
}

/* Stop when the supervisor dies; in a process group of its own, so that SIGKILL, which mpirun sends a second after SIGTERM,
 * leaves the time to give the ports back. */
static enum exit_code work(pid_t supervisor, enum exit_code (*run)(const struct config *config), const struct config *config)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != supervisor)
		return EXIT_INTERRUPTED;
	return run(config);
}

enum exit_code supervisor_run(enum exit_code (*run)(const struct config *config), const struct config *config)
{
	pid_t supervisor = getpid(), worker;
	int worker_fd, status;

	prctl(PR_SET_CHILD_SUBREAPER, 1); /* The worker's children become ours when it dies. */
	worker = fork();
	if (!worker)
		return work(supervisor, run, config);
	if (worker < 0)
		return refuse(EXIT_INCAPABLE, "cannot start a process: %s", strerror(errno));
	worker_fd = pidfd_open(worker, 0);
	if (worker_fd < 0) {
		kill(worker, SIGTERM);
		return refuse(EXIT_INCAPABLE, "cannot watch a process: %s", strerror(errno));
	}
	status = wait_for(worker, worker_fd);
	close(worker_fd);
	if (!WIFSIGNALED(status))
		return (enum exit_code)WEXITSTATUS(status);
	return stop_requested() && WTERMSIG(status) == SIGTERM ? EXIT_INTERRUPTED : mourn(WTERMSIG(status));
}
