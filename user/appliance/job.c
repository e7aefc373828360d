/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/job.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define READ_OCTETS 65536
#define GRACE_NS    (10 * NS_PER_S) /* time between SIGTERM and SIGKILL */

/* --- start ---------------------------------------------------------------------------------------------------------- */

int job_start(struct job *job, const char *const argv[], job_line *line, void *context)
{
	struct process_plan plan = { .arguments = argv, .input_fd = -1, .death_signal = SIGTERM, .own_group = true };
	struct process process;
	int fds[2], error = process_start_piped(&plan, (const int[]){ STDOUT_FILENO, STDERR_FILENO }, &process, fds);

	if (!error)
		*job = (struct job){
			.process = process,
			.streams = { [JOB_OUT] = { .fd = fds[0] }, [JOB_ERR] = { .fd = fds[1] } },
			.line = line,
			.context = context,
		};
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

/* Read all that is there now. */
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
	if (!job->process.pid)
		return;
	kill(-job->process.pid, signal_number);
	job->stopped = true;
	job->stop_ns = clock_ns() + GRACE_NS;
}

void job_files(const struct job *job, struct pollfd files[JOB_FILES])
{
	for (unsigned int i = 0; i < JOB_STREAMS; i++)
		files[i] = (struct pollfd){ .fd = job->process.pid ? job->streams[i].fd : -1, .events = POLLIN };
	files[JOB_STREAMS] = (struct pollfd){ .fd = job->process.pid ? job->process.fd : -1, .events = POLLIN };
}

uint64_t job_due_ns(const struct job *job)
{
	return job->process.pid && job->stop_ns ? job->stop_ns : UINT64_MAX;
}

/* End a job whose deadline has passed: by SIGTERM, then SIGKILL. */
static void hurry(struct job *job)
{
	if (!job->stop_ns || clock_ns() < job->stop_ns)
		return;
	if (!job->stopped) {
		job_stop(job, SIGTERM);
		return;
	}
	kill(-job->process.pid, SIGKILL);
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
	kill(-job->process.pid, SIGKILL);
	waitpid(job->process.pid, NULL, 0);
	close(job->process.fd);
	job->process.pid = 0;
	job->status = info->si_code == CLD_EXITED ? info->si_status : -info->si_status;
}

bool job_work(struct job *job)
{
	siginfo_t info = { .si_pid = 0 };

	if (!job->process.pid)
		return false;
	hurry(job);
	for (enum job_stream i = 0; i < JOB_STREAMS; i++)
		read_stream(job, i);
	if (waitid(P_PID, (id_t)job->process.pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid == 0)
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
