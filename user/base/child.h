/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program exchanges lines with a child process, /bin/sh -c COMMAND. The caller owns the structure. The child's standard
 * input and output are pipes to us, and its standard error is ours. A child is started once, is asked for one line after
 * another, and is ended with its whole process group.
 *
 * The child has a process group of its own. The kernel ends it when we die for any reason.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process.h"

#define CHILD_LINE_MAX (1u << 20) /* the length of the longest line from a child, in octets */

struct child {
	struct process process;
	int to_fd;      /* a pipe to its standard input; -1: there is none */
	int from_fd;    /* a pipe from its standard output, or -1; neither pipe blocks */
	char *received; /* octets that are not taken yet */
	size_t received_count, received_size;
	bool is_elsewhere; /* It is the child of a process that started it for us. */
};

/* Another process that starts commands for us. At most one command runs at a time. */
struct child_starter {
	/* Start a command, with pipes or without. 0 or -errno; -ENOENT: this is none of its commands. */
	int (*start)(struct child *child, const char *command, bool is_heard);
	void (*tell_fate)(char *buffer); /* child_fate() */
	void (*end)(double grace_s);     /* Once its standard input was closed, end it as child_end() does. */
};
/* Have the commands of a starter started by it from now on. */
void child_start_by(const struct child_starter *starter);

/* How an exchange of lines ended. */
enum child_event {
	CHILD_LINE,
	CHILD_STOPPED, /* a stop was requested */
	CHILD_TIMEOUT,
	CHILD_GONE,      /* the child exited, or closed its standard output */
	CHILD_TALKATIVE, /* the child wrote something before it was asked */
	CHILD_TOO_LONG,  /* the line is longer than CHILD_LINE_MAX */
	CHILD_ERROR,     /* There is no memory. */
};

/* Start a command. Returns 0 or -errno. */
int child_start(struct child *child, const char *command);
/* Start one that leaves nothing behind: what it started ends with it, also in sessions of their own. Returns 0 or -errno. */
int child_start_guarded(struct child *child, const char *command);
/* Start one that is never asked. It has no pipes, so it may write as much as it likes: its standard input and output are
 * /dev/null. Returns 0 or -errno. */
int child_start_unheard(struct child *child, const char *command);

/* Write `question`, then wait for one line until this time of CLOCK_MONOTONIC. With CHILD_LINE, *ret_line points to the line
 * without its end, in the child's buffer, until child_taken(). With CHILD_TALKATIVE, CHILD_TOO_LONG and CHILD_GONE the
 * octets received so far are in child->received. */
enum child_event child_ask(struct child *child, const char *question, size_t question_length, uint64_t deadline_ns,
			   char **ret_line, size_t *ret_length);

/* Remove a line that child_ask() returned, with its end. */
void child_taken(struct child *child, size_t length);

/* Return in words how a child ended ("exited with status 3"). It waits a moment for that. */
#define CHILD_FATE_SIZE 64
const char *child_fate(const struct child *child, char buffer[CHILD_FATE_SIZE]);

/* Close the child's standard input, wait `grace_s` seconds (less after a stop), then end what is left of its process
 * group. */
void child_end(struct child *child, double grace_s);
