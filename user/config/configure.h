/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header makes a checked configuration from the command line, the YAML file, a stored search and defaults. The caller
 * owns the result and frees it by config_free(). It is made once for each run.
 *
 * One option table (options.h) feeds argv, YAML, defaults, ranges and --help. Only command_line.c reads argv.
 */
#pragma once

#include "config/config.h"

/* Read command line and configuration file. EXIT_DONE with *ret filled means to go on. If *ret_finished becomes true (--help
 * or --version was printed), exit with the code. With any other code the error is already reported. Free the result with
 * config_free(). */
enum exit_code config_read(int argc, char **argv, struct config *ret, bool *ret_finished);
void config_free(struct config *config);
/* Make the configuration of these values, for another verb than the one of the command line. It takes the list over in any
 * case. Free the result with config_free(). */
enum exit_code config_of_values(enum verb verb, struct given_list *list, struct config *ret);
