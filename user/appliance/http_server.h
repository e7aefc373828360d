/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This process speaks HTTP, with TLS below it, and parses all that clients send. The appliance owns it, starts it and ends
 * it. It has no privilege, no file and no data of the appliance. It runs as nobody, without a capability, and its root is an
 * empty, deleted directory. It has only the system calls that it needs, the socket that it listens on, and a socket to the
 * appliance. Through the latter it asks one question at a time; each answer is a file descriptor to read from. A client that
 * takes the process over can ask these questions, and nothing else. The appliance compares the token to control.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "appliance/settings.h"

/* One message a question; the appliance answers with one octet (enum http_answer), and a descriptor if there is such a thing. It
 * answers none of the first four. */
enum http_subject {
	HTTP_READY,
	HTTP_FETCHED,
	HTTP_LOGIN,  /* for the record: an address showed the token for the first time, or again after others */
	HTTP_DENIED, /* for the record: an address showed a wrong token, or no certificate */
	HTTP_INDEX,
	HTTP_VIEW,
	HTTP_LOG,
	HTTP_METRICS,
	HTTP_AUDIT,
	HTTP_RESULT,
	HTTP_AGAIN, /* Begin a round now. */
	HTTP_STOP,  /* Stop the current run. */
};
enum http_answer { HTTP_FINE, HTTP_WRONG_TOKEN };
#define HTTP_TOKEN_SIZE (SETTINGS_VALUE_SIZE + 2) /* a longer one is cut, and stays too long */
#define PEER_OCTETS     16
struct http_question {
	uint32_t subject;            /* enum http_subject; from a process that is not trusted */
	uint32_t number;             /* number of the result; for HTTP_FETCHED (its last octet was sent) and HTTP_RESULT */
	uint32_t form;               /* enum results_form: HTTP_RESULT */
	uint8_t peer[PEER_OCTETS];   /* address of the peer, for the subjects that tell it; IPv4 as mapped into IPv6 */
	char token[HTTP_TOKEN_SIZE]; /* token given for HTTP_AGAIN or HTTP_STOP; the appliance checks it */
};

/* The appliance's side of the process. The caller owns the descriptors. */
struct http_server {
	pid_t pid;
	int channel; /* our end */
	int errors;  /* its standard error, non-blocking; the text is not trusted */
};

/* Start it. `empty` is a path where nothing is. 0 or -errno. The process ends when we die, or the channel is closed. */
int http_server_start(const struct http_settings *settings, int listening_fd, const char *empty, struct http_server *ret);

/* Whether two texts are the same, in a time that tells nothing but the length of what was given. */
static inline bool same_secret(const char *given, const char *secret)
{
	size_t given_length = strlen(given), secret_length = strlen(secret);
	unsigned char difference = given_length != secret_length;

	for (size_t i = 0; i < given_length; i++)
		difference |= (unsigned char)given[i] ^ (unsigned char)secret[secret_length ? i % secret_length : 0];
	return difference == 0;
}
