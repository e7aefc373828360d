/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This SUT is a command of the user's: `--sut exec:COMMAND`. Its process belongs to the lab, which kills it with `lab down`.
 * The command runs in the lab's namespace, forwards between the links sut-a and sut-b, and prints the line "ready" once it
 * does. Any other output before that line is shown as the reason why it cannot; output after it is lost. */
#pragma once

#include <sys/types.h>

#include "base/message.h"

/* Start the command by /bin/sh, and wait until it is ready. */
enum exit_code command_start(const char *command, pid_t *ret);
