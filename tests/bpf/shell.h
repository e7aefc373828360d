/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shell commands that make links for tests. */
#ifndef TESTS_BPF_SHELL_H
#define TESTS_BPF_SHELL_H

#include <stdio.h>
#include <stdlib.h>

#include "../test.h"

/* Run a shell command that must succeed. */
static inline void shell(const char *format, ...)
{
	char command[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	assert_int_equal(system(command), 0);
}

#endif
