/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/starter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/child.h"
#include "base/message.h"
#include "base/stop.h"

#define OWN_FD (STDERR_FILENO + 1) /* the starter's channel */

enum what { START, START_UNHEARD, FATE, END };

struct request {
	uint32_t what;   /* enum what */
	uint32_t number; /* number of the command to start */
	uint32_t stops;  /* Whether a stop was requested. */
	double grace_s;  /* for END */
};

struct answer {
	int32_t error;              /* 0 or -errno */
	int32_t pid;                /* of what was started */
	char fate[CHILD_FATE_SIZE]; /* for FATE */
};

/* A command's process, and pipes if it is heard. */
#define FDS_MOST 3
union descriptors {
	struct cmsghdr header;
	char octets[CMSG_SPACE(FDS_MOST * sizeof(int))];
};

static const char *known[STARTER_COMMANDS_MOST];
static size_t known_count;
static int channel = -1;

/* --- the starter ------------------------------------------------------------------------------------------------------ */

static struct child running;
static bool is_running;

static int start_one(const struct request *request)
{
	int error = -EINVAL;

	if (is_running || request->number >= known_count)
		return error;
	running = (struct child){ 0 };
	error = request->what == START ? child_start(&running, known[request->number])
				       : child_start_unheard(&running, known[request->number]);
	is_running = !error;
	return error;
}

static void end_one(double grace_s)
{
	if (is_running)
		child_end(&running, grace_s);
	is_running = false;
}

/* Answer. With a command that was started go its descriptors. The run alone writes to it from now on, and so can end its
 * input. */
static bool send_answer(const struct answer *answer, bool has_started)
{
	const int fds[FDS_MOST] = { running.process.fd, running.to_fd, running.from_fd };
	const size_t octets = (running.to_fd < 0 ? 1 : FDS_MOST) * sizeof(int);
	struct iovec part = { .iov_base = (void *)(uintptr_t)answer, .iov_len = sizeof(*answer) };
	union descriptors beside = {
		.header = { .cmsg_len = CMSG_LEN(octets), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS }
	};
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	bool sent;

	if (has_started) {
		memcpy(CMSG_DATA(&beside.header), fds, octets);
		message.msg_control = &beside;
		message.msg_controllen = CMSG_SPACE(octets);
	}
	sent = sendmsg(OWN_FD, &message, MSG_NOSIGNAL) == sizeof(*answer);
	if (has_started && running.to_fd >= 0) {
		close(running.to_fd);
		running.to_fd = -1;
	}
	return sent;
}

static bool serve_one(const struct request *request)
{
	struct answer answer = { .error = 0 };
	bool starts = request->what == START || request->what == START_UNHEARD;

	if (request->stops)
		stop_set();
	if (starts)
		answer.error = start_one(request);
	else if (request->what == FATE && is_running)
		child_fate(&running, answer.fate);
	else if (request->what == END)
		end_one(request->grace_s);
	answer.pid = is_running ? running.process.pid : 0;
	return send_answer(&answer, starts && !answer.error);
}

/* Requests have one length. Whoever sends another one has been taken over. */
static _Noreturn void be_starter(int own)
{
	struct request request;
	ssize_t length;

	setpgid(0, 0); /* what ends the run at the terminal is its own to pass on */
	prctl(PR_SET_NAME, "mlr-starter");
	if (own != OWN_FD && dup3(own, OWN_FD, O_CLOEXEC) < 0)
		_exit(EXIT_INCAPABLE);
	close_range(OWN_FD + 1, ~0u, 0);
	if (stop_install()) /* The run's is no longer ours. */
		_exit(EXIT_INCAPABLE);
	while ((length = recv(OWN_FD, &request, sizeof(request), MSG_TRUNC)) == sizeof(request) ||
	       (length < 0 && errno == EINTR))
		if (length > 0 && !serve_one(&request))
			break;
	end_one(0);
	_exit(EXIT_DONE);
}

/* --- who asks it ------------------------------------------------------------------------------------------------------ */

/* Send a request, and wait for the answer. 0 or -errno; -EPIPE if the starter has died. `fds` may be NULL. */
static int ask(const struct request *request, struct answer *ret, int fds[FDS_MOST])
{
	struct iovec part = { .iov_base = ret, .iov_len = sizeof(*ret) };
	union descriptors beside = { 0 };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = &beside, .msg_controllen = sizeof(beside)
	};
	ssize_t length;

	if (send(channel, request, sizeof(*request), MSG_NOSIGNAL) != sizeof(*request))
		return -EPIPE;
	while ((length = recvmsg(channel, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	if (length != sizeof(*ret))
		return -EPIPE;
	if (fds && message.msg_controllen >= CMSG_LEN(sizeof(int)))
		memcpy(fds, CMSG_DATA(&beside.header), beside.header.cmsg_len - CMSG_LEN(0));
	return ret->error;
}

static int start(struct child *child, const char *command, bool is_heard)
{
	struct request request = { .what = is_heard ? START : START_UNHEARD };
	int fds[FDS_MOST] = { -1, -1, -1 }, error;
	struct answer answer;

	while (request.number < known_count && strcmp(known[request.number], command) != 0)
		request.number++;
	if (request.number == known_count)
		return -ENOENT;
	error = ask(&request, &answer, fds);
	if (!error)
		*child = (struct child){ .process = { answer.pid, fds[0] }, .to_fd = fds[1], .from_fd = fds[2] };
	return error;
}

static void tell_fate(char buffer[CHILD_FATE_SIZE])
{
	struct answer answer;

	if (ask(&(struct request){ .what = FATE }, &answer, NULL))
		snprintf(answer.fate, sizeof(answer.fate), "ended with the process that started it");
	memcpy(buffer, answer.fate, CHILD_FATE_SIZE);
}

static void end(double grace_s)
{
	struct answer answer;

	ask(&(struct request){ .what = END, .stops = stop_requested(), .grace_s = grace_s }, &answer, NULL);
}

/* Start the process. 0 or -errno. */
static int fork_starter(void)
{
	int fds[2], error;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	pid = fork();
	if (pid == 0)
		be_starter(fds[1]);
	error = pid < 0 ? -errno : 0;
	close(fds[1]);
	if (error)
		close(fds[0]);
	else
		channel = fds[0];
	return error;
}

enum exit_code starter_begin(const char *const commands[], size_t count)
{
	static const struct child_starter ops = { start, tell_fate, end };
	int error;

	if (channel >= 0)
		return EXIT_DONE;
	for (size_t i = 0; i < count; i++)
		if (commands[i])
			known[known_count++] = commands[i];
	error = known_count ? fork_starter() : 0;
	if (error)
		return refuse(EXIT_INCAPABLE, "cannot start a process for commands: %s", strerror(-error));
	if (channel >= 0)
		child_start_by(&ops);
	return EXIT_DONE;
}
