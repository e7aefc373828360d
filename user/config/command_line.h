/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line: the verb, and what is given for its options. */
#pragma once

#include "config/config.h"

/* Take the verb, the files, and every value (into config->given, which is there). Where *ret_finished becomes true (--help,
 * --version were printed), exit with the code. */
enum exit_code command_line_read(char **argv, struct config *config, bool *ret_finished);
