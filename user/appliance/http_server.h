/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that speaks HTTP, TLS below it: all that parses what clients send. It has no privilege, no file and nothing of
 * the appliance's: nobody's user, an empty directory for its root that is deleted, no capability, the few system calls that
 * it needs, the socket that it listens on and one to the appliance. By that it asks for what is asked of it, one question at
 * a time, and each answer is a file descriptor to read from. What it can ask is all that it can do, should a client take it
 * over.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "appliance/settings.h"

/* One message a question; the appliance answers with one octet, and a descriptor if there is such a thing. It answers
 * neither of the first two. */
enum http_subject { HTTP_READY, HTTP_FETCHED, HTTP_INDEX, HTTP_VIEW, HTTP_LOG, HTTP_METRICS, HTTP_RESULT };
struct http_question {
	uint32_t subject; /* enum http_subject; from a process that is not trusted */
	uint32_t number;  /* of the result: HTTP_FETCHED (it left to its last octet), HTTP_RESULT */
	uint32_t form;    /* enum results_form: HTTP_RESULT */
};

/* What we have of the process. Descriptors are the caller's. */
struct http_server {
	pid_t pid;
	int channel; /* our end */
	int errors;  /* what it writes to standard error, to be read without waiting; it is not to be trusted */
};

/* Start it. `empty` is a path where nothing is. 0 or -errno. The process ends when we die, or the channel is closed. */
int http_server_start(const struct http_settings *settings, int listening_fd, const char *empty, struct http_server *ret);
