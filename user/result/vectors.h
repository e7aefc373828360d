/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conformance vectors: trials with a goal, and what exact arithmetic makes of them. Another implementation of MLRsearch
 * answers them over JSON lines, as ours does. The configuration owns the paths and the command.
 */
#pragma once

#include "base/message.h"
#include "config/config.h"

/* Ask a command each vector of the files, and print a line for each wrong answer. EXIT_DONE: none is wrong, EXIT_UNMET: one
 * is, EXIT_USAGE_ERROR: a file holds no vectors, EXIT_INVALID: the command did not answer. */
enum exit_code vectors_ask(const struct config *config);
/* Answer the questions of the files, a line each; "-" is standard input. */
enum exit_code vectors_answer(const struct config *config);
