/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This header writes the configuration in force, into results and files. The caller owns what is returned. It is written at
 * the end of a run, or for --dump-config. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "config/config.h"

/* Return the result document's "configuration": every value in force, without those that only say where results go. As a
 * --config file it repeats the run. It is a new reference. */
json_t *config_describe(const struct config *config);

/* For --dump-config: write every option that a file may hold, one key on each line, as a file that repeats the run with
 * --config. An option that repeats is a list. */
void config_dump_to(FILE *stream, const struct config *config);

/* Do the same on standard output, with a heading. */
enum exit_code config_dump(const struct config *config);
