/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the command line, the YAML file, a stored search and defaults to a configuration that was checked.
 *
 * One option table (options.h) feeds argv, YAML, defaults, ranges and --help. Nothing but command_line.c reads argv.
 */
#pragma once

#include "config/config.h"

/* Read command line and configuration file. EXIT_DONE with *ret filled: go on. Where *ret_finished becomes true (--help,
 * --version were printed), exit with the code. Any other code: the error has been said. Free with config_free. */
enum exit_code config_read(int argc, char **argv, struct config *ret, bool *ret_finished);
void config_free(struct config *config);
/* The configuration that these values make, for a verb that is not the one of the command line. Takes the list over,
 * whatever it returns. Free with config_free. */
enum exit_code config_of_values(enum verb verb, struct given_list *list, struct config *ret);
