/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The starter is a process that starts the user's commands, with the privileges of who started the run. The run itself has none
 * while the commands are wanted (keeper.h), and what a command does needs them.
 *
 * starter_begin() starts it before the process is divided. It parses nothing. It knows the commands, and waits for requests of
 * a fixed size: start the command of this number, say how it ended, end it. One command runs at a time. From then on
 * child_start() and child_start_unheard() have these commands started by it. It ends with the run, and the command with it.
 */
#pragma once

#include <stddef.h>

#include "base/message.h"

#define STARTER_COMMANDS_MOST 2

/* Start the starter of these commands; NULL ones are left out. Nothing happens where there is one already. A reason for
 * failure was said. The strings must live as long as the process. */
enum exit_code starter_begin(const char *const commands[], size_t count);
