/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/exit_code.h"

static volatile sig_atomic_t stopped, in_order;
static int event_fd = -1;

static void on_signal(int)
{
	static const uint64_t one = 1;
	int saved_errno = errno;

	if (!in_order)
		_exit(EXIT_INTERRUPTED);
	stopped = 1;
	if (write(event_fd, &one, sizeof(one)) < 0) {
		/* Only a full counter can refuse, and then the file descriptor is readable already. */
	}
	errno = saved_errno;
}

/* If whoever started us ignores SIGHUP, as nohup does, it stays ignored. */
static int catch_signal(int signal_number)
{
	const struct sigaction action = { .sa_handler = on_signal };
	struct sigaction before;

	if (signal_number == SIGHUP && !sigaction(SIGHUP, NULL, &before) && before.sa_handler == SIG_IGN)
		return 0;
	return sigaction(signal_number, &action, NULL) ? -errno : 0;
}

int stop_install(void)
{
	/* These are all signals that would end us without a core, and SIGQUIT and SIGXCPU. */
	static const int ending[] = { SIGINT,    SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,   SIGUSR2, SIGALRM,
				      SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR,  SIGSTKFLT, SIGXCPU };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	int error = 0;

	event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event_fd < 0)
		return -errno;
	for (size_t i = 0; i < COUNT(ending) && !error; i++)
		error = catch_signal(ending[i]);
	for (int i = SIGRTMIN; i <= SIGRTMAX && !error; i++) {
		error = catch_signal(i);
		error = error == -EINVAL ? 0 : error; /* an emulator, or valgrind, keeps this signal to itself */
	}
	if (error)
		return error;
	return sigaction(SIGPIPE, &ignore, NULL) || sigaction(SIGXFSZ, &ignore, NULL) ? -errno : 0;
}

void stop_in_order(void)
{
	in_order = 1;
}

bool stop_requested(void)
{
	return stopped;
}

void stop_set(void)
{
	stopped = 1;
}

int stop_fd(void)
{
	return event_fd;
}

bool stop_sleep_until(uint64_t monotonic_ns)
{
	struct pollfd stop = { .fd = event_fd, .events = POLLIN };

	for (uint64_t now = clock_ns(); !stopped && now < monotonic_ns; now = clock_ns()) {
		uint64_t left_ns = monotonic_ns - now;
		struct timespec left = clock_timespec(left_ns);

		ppoll(&stop, 1, &left, NULL);
	}
	return stopped;
}

int standard_open(void)
{
	for (int wanted = STDIN_FILENO; wanted <= STDERR_FILENO; wanted++) {
		int fd;

		if (fcntl(wanted, F_GETFD) >= 0)
			continue;
		fd = open("/dev/null", O_RDONLY); /* read-only for output, too: writing must fail */
		if (fd != wanted)
			return fd < 0 ? -errno : -EBADF;
	}
	return 0;
}
