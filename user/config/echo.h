/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration in force, as results and files say it. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "config/config.h"

/* The result document's "configuration": every value in force but those that only say where results go. As a --config file
 * it repeats the run. A new reference. */
json_t *config_describe(const struct config *config);

/* --dump-config: the configuration in force, as a file for --config that repeats the run. */
/* Every option that a file may hold, one key a line; an option that repeats as a list. */
void config_dump_to(FILE *stream, const struct config *config);

/* The same on standard output, with a heading. */
enum exit_code config_dump(const struct config *config);
