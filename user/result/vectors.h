/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A conformance vector is a goal, trials, and what follows from them by exact arithmetic. Another implementation of
 * MLRsearch answers vectors over JSON lines, as ours does. The configuration owns the paths and the command.
 */
#pragma once

#include "base/message.h"
#include "config/config.h"

/* Ask a command each vector of the files, and print a line for each wrong answer. Returns EXIT_DONE if none is wrong,
 * EXIT_UNMET if one is, EXIT_USAGE_ERROR if a file holds no vectors, and EXIT_INVALID if the command did not answer. */
enum exit_code vectors_ask(const struct config *config);
/* Answer the questions of the files, a line each; "-" is standard input. */
enum exit_code vectors_answer(const struct config *config);
