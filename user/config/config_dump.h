/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --dump-config: the configuration in force, as a file for --config that repeats the run. */
#ifndef XDP_MLR_CONFIG_CONFIG_DUMP_H
#define XDP_MLR_CONFIG_CONFIG_DUMP_H

#include <stdio.h>

#include "config/config.h"

/* Every option that a file may hold, one key a line; an option that repeats as a list. */
void config_dump_to(FILE *stream, const struct config *config);
/* Options and their values as config_describe() has them, likewise. */
void config_dump_values(FILE *stream, const json_t *values);

/* The same on standard output, with a heading. */
enum exit_code config_dump(const struct config *config);

#endif
