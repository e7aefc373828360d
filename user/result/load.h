/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stored result of which another can be told apart: of search, soak or rfc2544. */
#ifndef XDP_MLR_RESULT_LOAD_H
#define XDP_MLR_RESULT_LOAD_H

#include <jansson.h>

#include "base/message.h"

#define LOAD_PROBLEM_SIZE 1024

/* The result in a file; a suite's throughputs as the results of a search with a goal for each frame size. EXIT_DONE with a new reference,
 * or with NULL where it is none: `problem` says why. Else the file could not be read, which was said. */
enum exit_code result_load(const char *path, char problem[LOAD_PROBLEM_SIZE], json_t **ret);

#endif
