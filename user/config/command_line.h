/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line has the verb, its files, and the values that are given for options. The configuration owns what is read.
 * It is read once, at the start of the program. */
#pragma once

#include "config/config.h"

/* Read the verb, the files, and every value into config->given, which must exist. If *ret_finished becomes true (--help or
 * --version was printed), exit with the code. */
enum exit_code command_line_read(char **argv, struct config *config, bool *ret_finished);
