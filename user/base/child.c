/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"

#define READ_OCTETS  4096
#define FATE_WAIT_S  0.2 /* longest time between the end of a child's output and its exit */
#define TERM_WAIT_S  0.2 /* time between SIGTERM and SIGKILL */
#define STOP_GRACE_S 0.3

static const struct child_starter *starter; /* NULL: there is none */

void child_start_by(const struct child_starter *by)
{
	starter = by;
}

/* --- start ---------------------------------------------------------------------------------------------------------- */

static int start_piped(struct child *child, const char *command, bool is_guarded)
{
	const char *const arguments[] = { "/bin/sh", "-c", command, NULL };
	struct process_plan plan = {
		.arguments = arguments, .errors_fd = -1, .death_signal = SIGKILL, .own_group = true, .is_guarded = is_guarded
	};
	struct process process;
	int fds[2], error = process_start_piped(&plan, (const int[]){ STDIN_FILENO, STDOUT_FILENO }, &process, fds);

	if (!error)
		*child = (struct child){ .process = process, .to_fd = fds[0], .from_fd = fds[1] };
	return error;
}

static int start_elsewhere(struct child *child, const char *command, bool is_heard)
{
	int error = starter ? starter->start(child, command, is_heard) : -ENOENT;

	if (!error)
		child->is_elsewhere = true;
	return error;
}

int child_start(struct child *child, const char *command)
{
	int error = start_elsewhere(child, command, true);

	return error == -ENOENT ? start_piped(child, command, false) : error;
}

int child_start_guarded(struct child *child, const char *command)
{
	return start_piped(child, command, true);
}

static int start_unheard(struct child *child, const char *command)
{
	const char *const arguments[] = { "/bin/sh", "-c", command, NULL };
	struct process_plan plan = { .arguments = arguments,
				     .input_fd = -1,
				     .output_fd = open("/dev/null", O_WRONLY | O_CLOEXEC),
				     .errors_fd = -1,
				     .death_signal = SIGKILL,
				     .own_group = true };
	int error = plan.output_fd < 0 ? -errno : 0;

	*child = (struct child){ .to_fd = -1, .from_fd = -1 };
	if (error)
		return error;
	error = process_start(&plan, &child->process);
	close(plan.output_fd);
	return error;
}

int child_start_unheard(struct child *child, const char *command)
{
	int error = start_elsewhere(child, command, false);

	return error == -ENOENT ? start_unheard(child, command) : error;
}

/* --- lines ---------------------------------------------------------------------------------------------------------- */

/* Read what is there: 1 if something came, 0 at the end of its output, -errno (-EAGAIN: nothing there). */
static int receive(struct child *child)
{
	ssize_t count;

	if (child->received_size - child->received_count < READ_OCTETS) {
		size_t size = child->received_size ? 2 * child->received_size : READ_OCTETS;
		char *grown = realloc(child->received, size);

		if (!grown)
			return -ENOMEM;
		child->received = grown;
		child->received_size = size;
	}
	count = read(child->from_fd, child->received + child->received_count, child->received_size - child->received_count);
	if (count < 0)
		return -errno;
	child->received_count += (size_t)count;
	return count > 0;
}

/* Wait for the next event that matters. CHILD_LINE says that its pipes are ready. */
static enum child_event wait_ready(const struct child *child, bool writing, uint64_t deadline_ns)
{
	struct pollfd files[] = {
		{ .fd = stop_fd(), .events = POLLIN },
		{ .fd = child->from_fd, .events = POLLIN },
		{ .fd = writing ? child->to_fd : -1, .events = POLLOUT },
	};
	uint64_t now = clock_ns();
	uint64_t left_ns = deadline_ns > now ? deadline_ns - now : 0;
	struct timespec left = clock_timespec(left_ns);
	int ready = ppoll(files, sizeof(files) / sizeof(*files), &left, NULL);

	if (stop_requested())
		return CHILD_STOPPED;
	return ready == 0 ? CHILD_TIMEOUT : CHILD_LINE;
}

/* Write the rest of a question as far as the pipe takes it. A broken pipe is found out by reading. */
static void send_some(const struct child *child, const char **question, size_t *length)
{
	ssize_t written = write(child->to_fd, *question, *length);

	if (written > 0) {
		*question += written;
		*length -= (size_t)written;
	} else if (errno == EPIPE) {
		*length = 0;
	}
}

enum child_event child_ask(struct child *child, const char *question, size_t question_length, uint64_t deadline_ns,
			   char **ret_line, size_t *ret_length)
{
	char *end = NULL;

	if (receive(child) > 0 || child->received_count > 0)
		return CHILD_TALKATIVE;
	while (!end) {
		enum child_event event;
		size_t before = child->received_count;
		int got;

		if (question_length > 0)
			send_some(child, &question, &question_length);
		event = wait_ready(child, question_length > 0, deadline_ns);
		if (event != CHILD_LINE)
			return event;
		got = receive(child);
		if (got == 0)
			return CHILD_GONE;
		if (got == -ENOMEM)
			return CHILD_ERROR;
		if (got > 0)
			end = memchr(child->received + before, '\n', child->received_count - before);
		if (!end && child->received_count > CHILD_LINE_MAX)
			return CHILD_TOO_LONG;
	}
	*ret_line = child->received;
	*ret_length = (size_t)(end - child->received);
	return CHILD_LINE;
}

void child_taken(struct child *child, size_t length)
{
	child->received_count -= length + 1;
	memmove(child->received, child->received + length + 1, child->received_count);
}

/* --- end ------------------------------------------------------------------------------------------------------------ */

/* Wait for this long at most until it has exited. A stop cuts the wait short if asked for. */
static void wait_for_exit(const struct child *child, double wait_s, bool until_stop)
{
	uint64_t deadline_ns = clock_ns() + (uint64_t)(wait_s * NS_PER_S);
	struct pollfd files[] = {
		{ .fd = child->process.fd, .events = POLLIN },
		{ .fd = until_stop ? stop_fd() : -1, .events = POLLIN },
	};
	uint64_t now;

	while ((now = clock_ns()) < deadline_ns) {
		struct timespec left = clock_timespec(deadline_ns - now);

		if (ppoll(files, sizeof(files) / sizeof(*files), &left, NULL) > 0)
			break;
	}
}

const char *child_fate(const struct child *child, char buffer[CHILD_FATE_SIZE])
{
	siginfo_t info = { .si_pid = 0 };

	if (child->is_elsewhere) {
		starter->tell_fate(buffer);
		return buffer;
	}
	wait_for_exit(child, FATE_WAIT_S, false);
	if (waitid(P_PID, (id_t)child->process.pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid == 0)
		snprintf(buffer, CHILD_FATE_SIZE, "%s", child->from_fd < 0 ? "has not ended" : "closed its standard output");
	else if (info.si_code == CLD_EXITED)
		snprintf(buffer, CHILD_FATE_SIZE, "exited with status %d", info.si_status);
	else
		snprintf(buffer, CHILD_FATE_SIZE, "was killed by signal %d (%s)", info.si_status, strsignal(info.si_status));
	return buffer;
}

static void close_pipe(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void end_here(const struct child *child, double grace_s)
{
	if (!stop_requested())
		wait_for_exit(child, grace_s, true);
	if (stop_requested())
		wait_for_exit(child, STOP_GRACE_S, false);
	kill(-child->process.pid, SIGTERM);
	wait_for_exit(child, TERM_WAIT_S, false);
	/* Its process id is ours until it is waited for, so the signal reaches its group and no other. */
	kill(-child->process.pid, SIGKILL);
	waitpid(child->process.pid, NULL, 0);
}

void child_end(struct child *child, double grace_s)
{
	close_pipe(child->to_fd);
	if (child->is_elsewhere)
		starter->end(grace_s);
	else
		end_here(child, grace_s);
	close(child->process.fd);
	close_pipe(child->from_fd);
	free(child->received);
}
