/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every file may need: the exit codes of the program, the length of an array, and variables that free themselves. A
 * variable that is declared `owned` owns its memory. It is freed when its scope ends. */
#pragma once

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum exit_code {
	EXIT_DONE = 0,          /* every result is regular, and every requirement is met */
	EXIT_UNMET = 1,         /* done, but a result is irregular or limited by the tester */
	EXIT_USAGE_ERROR = 2,   /* bad usage, configuration or input data */
	EXIT_INCAPABLE = 3,     /* this machine, kernel or NIC cannot do it */
	EXIT_UNSAFE = 4,        /* refused: a port is in use */
	EXIT_INVALID = 5,       /* a measurement is invalid */
	EXIT_INTERRUPTED = 130, /* SIGINT or SIGTERM came: the results so far are on standard output */
};

/* A variable with this attribute frees its memory when its scope is left. It must have a value or NULL from the start. For
 * JSON, jansson has json_auto_t. */
static inline void drop_memory(void *variable)
{
	free(*(void **)variable);
}
#define owned __attribute__((cleanup(drop_memory)))
