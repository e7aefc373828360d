/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every file may need: the exit codes of the contract, the length of an array, and who frees what. */
#pragma once

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum exit_code {
	EXIT_DONE = 0,          /* every result regular, every requirement met */
	EXIT_UNMET = 1,         /* done, but irregular, or touched the tester's own limit */
	EXIT_USAGE_ERROR = 2,   /* bad usage, configuration or input data */
	EXIT_INCAPABLE = 3,     /* this machine, kernel or NIC cannot do it */
	EXIT_UNSAFE = 4,        /* refused: a port is in use */
	EXIT_INVALID = 5,       /* a measurement is invalid */
	EXIT_INTERRUPTED = 130, /* SIGINT or SIGTERM: what was measured is on standard output */
};

/* A variable that is declared so frees its memory wherever its scope is left: it must have a value, or NULL, from the first. For
 * JSON jansson has the same, json_auto_t. */
static inline void drop_memory(void *variable)
{
	free(*(void **)variable);
}
#define owned __attribute__((cleanup(drop_memory)))
