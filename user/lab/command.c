/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lab/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/text_stream.h"
#include "lab/forwarder.h"

#define READY         "ready"
#define READY_WAIT_MS 10000
#define ANSWER_SIZE   512

struct command {
	const char *text;
	int output_fd;
};

static void run(void *context)
{
	const struct command *command = context;

	dup2(command->output_fd, STDOUT_FILENO);
	dup2(command->output_fd, STDERR_FILENO);
	signal(SIGPIPE, SIG_IGN); /* Nobody reads its later output. */
	execl("/bin/sh", "sh", "-c", TEXT_OF(ANSWER_SIZE, "exec %s", command->text), NULL);
}

/* Read the first line of its output; empty if it says nothing for too long. */
static void read_answer(int fd, char answer[ANSWER_SIZE])
{
	struct pollfd output = { .fd = fd, .events = POLLIN };
	size_t length = 0;
	ssize_t count = 1;

	while (count > 0 && length < ANSWER_SIZE - 1 && !memchr(answer, '\n', length)) {
		if (poll(&output, 1, READY_WAIT_MS) < 1)
			break;
		count = read(fd, answer + length, ANSWER_SIZE - 1 - length);
		length += count > 0 ? (size_t)count : 0;
	}
	answer[length] = '\0';
	answer[strcspn(answer, "\n")] = '\0';
}

enum exit_code command_start(const char *command, pid_t *ret)
{
	struct command context = { .text = command };
	struct forwarder_plan plan = { .name = "xdp-mlr-sut", .forward = run, .context = &context };
	char answer[ANSWER_SIZE];
	int fds[2], error;

	if (pipe2(fds, O_CLOEXEC))
		return refuse(EXIT_INCAPABLE, "lab: cannot make a pipe for the SUT: %s", why(errno));
	context.output_fd = plan.fds[0] = plan.fds[1] = fds[1];
	error = forwarder_fork(&plan, ret);
	close(fds[1]);
	if (!error)
		read_answer(fds[0], answer);
	close(fds[0]);
	if (error)
		return refuse(EXIT_INCAPABLE, "lab: cannot start the process of the SUT: %s", why(-error));
	if (strcmp(answer, READY) == 0)
		return EXIT_DONE;
	kill(*ret, SIGKILL); /* our own child, which nobody else waits for */
	return refuse(EXIT_INCAPABLE, "lab: the command of the SUT did not print the line '" READY "'%s%s",
		      *answer ? ": " : "", QUOTED(answer));
}
