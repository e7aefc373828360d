/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

#define READ_OCTETS 65536
#define GRACE_NS    (10 * NS_PER_S) /* between SIGTERM and SIGKILL */

/* --- start ---------------------------------------------------------------------------------------------------------- */

/* In the child. Never returns. */
static void become(const char *const argv[], int out_fd, int err_fd, pid_t parent)
{
	struct sigaction by_default = { .sa_handler = SIG_DFL };
	int null_fd = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILURE); /* we died before the line above */
	sigaction(SIGPIPE, &by_default, NULL);
	if (null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 || dup2(out_fd, STDOUT_FILENO) < 0 ||
	    dup2(err_fd, STDERR_FILENO) < 0)
		_exit(EXIT_FAILURE);
	execvp(argv[0], (char *const *)argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* A pipe whose reading end does not block. */
static int open_pipe(int ret_fds[2])
{
	if (pipe2(ret_fds, O_CLOEXEC))
		return -errno;
	fcntl(ret_fds[0], F_SETFL, O_NONBLOCK);
	return 0;
}

static void close_pipe(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

int job_start(struct job *job, const char *const argv[], job_line *line, void *context)
{
	pid_t parent = getpid(), pid;
	int out[2], err[2], process_fd, error;

	error = open_pipe(out);
	if (error)
		return error;
	error = open_pipe(err);
	if (error)
		goto close_out;
	pid = fork();
	if (pid == 0)
		become(argv, out[1], err[1], parent);
	if (pid < 0) {
		error = -errno;
		goto close_err;
	}
	setpgid(pid, pid); /* here as well as there: whoever comes first */
	process_fd = pidfd_open(pid, 0);
	if (process_fd < 0) {
		error = -errno;
		goto kill_child;
	}
	close(out[1]);
	close(err[1]);
	*job = (struct job){
		.pid = pid,
		.process_fd = process_fd,
		.streams = { [JOB_OUT] = { .fd = out[0] }, [JOB_ERR] = { .fd = err[0] } },
		.line = line,
		.context = context,
	};
	return 0;

kill_child:
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
close_err:
	close_pipe(err);
close_out:
	close_pipe(out);
	return error;
}

/* --- lines ---------------------------------------------------------------------------------------------------------- */

static bool make_room(struct job_text *text)
{
	size_t size = text->size ? 2 * text->size : 2 * READ_OCTETS;
	char *grown;

	if (text->size - text->count > READ_OCTETS)
		return true;
	grown = text->size > JOB_LINE_MAX ? NULL : realloc(text->text, size);
	if (!grown)
		return false;
	text->text = grown;
	text->size = size;
	return true;
}

/* Tell every line that is whole; at the end also one that is not. */
static void tell_lines(struct job *job, enum job_stream stream, bool at_end)
{
	struct job_text *text = &job->streams[stream];
	size_t begin = 0;
	char *end;

	while ((end = memchr(text->text + text->scanned, '\n', text->count - text->scanned))) {
		*end = '\0';
		job->line(job->context, stream, text->text + begin, (size_t)(end - text->text) - begin);
		begin = text->scanned = (size_t)(end - text->text) + 1;
	}
	if (at_end && begin < text->count) {
		text->text[text->count] = '\0';
		job->line(job->context, stream, text->text + begin, text->count - begin);
		begin = text->count;
	}
	text->count -= begin;
	memmove(text->text, text->text + begin, text->count);
	text->scanned = text->count;
}

/* All that is there now. */
static void read_stream(struct job *job, enum job_stream stream)
{
	struct job_text *text = &job->streams[stream];
	ssize_t count = 0;

	while (text->fd >= 0 && make_room(text)) {
		count = read(text->fd, text->text + text->count, text->size - text->count - 1);
		if (count <= 0)
			break;
		text->count += (size_t)count;
		tell_lines(job, stream, false);
	}
	if (text->fd < 0 || (count < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	/* its end, an error, or a line beyond all bounds */
	if (count > 0)
		job_stop(job, SIGTERM);
	close(text->fd);
	text->fd = -1;
}

/* --- its life ------------------------------------------------------------------------------------------------------- */

void job_stop(struct job *job, int signal_number)
{
	if (!job->pid)
		return;
	kill(-job->pid, signal_number);
	job->stopped = true;
	job->stop_ns = clock_ns() + GRACE_NS;
}

void job_files(const struct job *job, struct pollfd files[JOB_FILES])
{
	for (unsigned int i = 0; i < JOB_STREAMS; i++)
		files[i] = (struct pollfd){ .fd = job->pid ? job->streams[i].fd : -1, .events = POLLIN };
	files[JOB_STREAMS] = (struct pollfd){ .fd = job->pid ? job->process_fd : -1, .events = POLLIN };
}

uint64_t job_due_ns(const struct job *job)
{
	return job->pid && job->stop_ns ? job->stop_ns : UINT64_MAX;
}

/* The deadline has passed: ask, then insist. */
static void hurry(struct job *job)
{
	if (!job->stop_ns || clock_ns() < job->stop_ns)
		return;
	if (!job->stopped) {
		job_stop(job, SIGTERM);
		return;
	}
	kill(-job->pid, SIGKILL);
	job->stop_ns = 0;
}

static void end(struct job *job, const siginfo_t *info)
{
	for (enum job_stream i = 0; i < JOB_STREAMS; i++) {
		struct job_text *text = &job->streams[i];

		read_stream(job, i);
		if (text->text)
			tell_lines(job, i, true);
		if (text->fd >= 0)
			close(text->fd);
		free(text->text);
		*text = (struct job_text){ .fd = -1 };
	}
	/* its process id is ours until it is waited for, so this reaches its group and no other */
	kill(-job->pid, SIGKILL);
	waitpid(job->pid, NULL, 0);
	close(job->process_fd);
	job->pid = 0;
	job->status = info->si_code == CLD_EXITED ? info->si_status : -info->si_status;
}

bool job_work(struct job *job)
{
	siginfo_t info = { .si_pid = 0 };

	if (!job->pid)
		return false;
	hurry(job);
	for (enum job_stream i = 0; i < JOB_STREAMS; i++)
		read_stream(job, i);
	if (waitid(P_PID, (id_t)job->pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid == 0)
		return false;
	end(job, &info);
	return true;
}

const char *job_fate(int status, char buffer[JOB_FATE_SIZE])
{
	if (status < 0)
		snprintf(buffer, JOB_FATE_SIZE, "signal %d (%s)", -status, strsignal(-status));
	else
		snprintf(buffer, JOB_FATE_SIZE, "exit code %d", status);
	return buffer;
}
