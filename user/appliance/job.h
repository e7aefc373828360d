/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job is a program that we run. The caller owns the structure; it is started, worked for until the program has ended, and
 * can then be used again. Its standard input is empty, and its standard output and error come line by line. It gets SIGTERM
 * when we die, whatever kills us, so that it undoes what it changed on a port. Nothing here blocks.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process.h"

#define JOB_FILES    3          /* files that a job is polled with */
#define JOB_LINE_MAX (64 << 20) /* octets: a result document is one line */

enum job_stream { JOB_OUT, JOB_ERR, JOB_STREAMS };

/* A line has come, without its end; it may be written to. */
typedef void job_line(void *context, enum job_stream stream, char *text, size_t length);

struct job_text {
	int fd; /* -1: at its end */
	char *text;
	size_t count, size, scanned;
};

struct job {
	struct process process; /* pid 0: none runs */
	struct job_text streams[JOB_STREAMS];
	job_line *line;
	void *context;
	uint64_t stop_ns; /* time at which SIGTERM is sent, 0: never; SIGKILL follows */
	bool stopped;     /* We stopped the job. */
	int status;       /* exit code of the job, or minus the signal that ended it */
};

/* Start a job. Returns 0 or -errno. `argv` ends with NULL; argv[0] is searched in PATH. */
int job_start(struct job *job, const char *const argv[], job_line *line, void *context);
/* Ask it to end: SIGTERM (or SIGINT) now, SIGKILL after a grace of 10 s. */
void job_stop(struct job *job, int signal_number);
/* The descriptors to wait for. */
void job_files(const struct job *job, struct pollfd files[JOB_FILES]);
/* Return when job_work() must be called at the latest, CLOCK_MONOTONIC; UINT64_MAX: it need not. */
uint64_t job_due_ns(const struct job *job);
/* Take what has come. True once, when it has ended: then job->status holds, and the job may be started anew. */
bool job_work(struct job *job);
static inline bool job_runs(const struct job *job)
{
	return job->process.pid != 0;
}

/* Write "signal 11 (Segmentation fault)" or "exit code 3". */
#define JOB_FATE_SIZE 64
const char *job_fate(int status, char buffer[JOB_FATE_SIZE]);
