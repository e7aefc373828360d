/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A child process to speak lines with: /bin/sh -c COMMAND in a process group of its own, its standard input and output
 * being pipes of ours, its standard error ours. It dies with us, whatever kills us, and its group is ended whole.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/process.h"

#define CHILD_LINE_MAX (1u << 20) /* octets of the longest line taken from a child */

struct child {
	struct process process;
	int to_fd;      /* its standard input */
	int from_fd;    /* its standard output; not blocking, as the other */
	char *received; /* octets not taken yet */
	size_t received_count, received_size;
};

/* How an exchange of lines ended. */
enum child_event {
	CHILD_LINE,
	CHILD_STOPPED, /* a stop was requested */
	CHILD_TIMEOUT,
	CHILD_GONE,      /* it exited, or closed its standard output */
	CHILD_TALKATIVE, /* it said something before it was asked */
	CHILD_TOO_LONG,  /* a line beyond CHILD_LINE_MAX */
	CHILD_ERROR,     /* no memory */
};

/* 0 or -errno. */
int child_start(struct child *child, const char *command);

/* Write `question`, then wait for one line, without its end, until this moment of CLOCK_MONOTONIC. With CHILD_LINE,
 * *ret_line points into the child's buffer until child_taken(). With CHILD_TALKATIVE, CHILD_TOO_LONG and CHILD_GONE the
 * octets received so far are in child->received. */
enum child_event child_ask(struct child *child, const char *question, size_t question_length, uint64_t deadline_ns,
			   char **ret_line, size_t *ret_length);

/* Drop a line that child_ask() returned, and its end. */
void child_taken(struct child *child, size_t length);

/* How a child that is gone ended, in words ("exited with status 3"); it is given a moment to. */
#define CHILD_FATE_SIZE 64
const char *child_fate(const struct child *child, char buffer[CHILD_FATE_SIZE]);

/* Close its standard input, give it `grace_s` seconds (less after a stop), then end what is left of its group. */
void child_end(struct child *child, double grace_s);
