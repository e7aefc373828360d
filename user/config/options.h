/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one option table: what the command line, the YAML file, --help and the echo in the result know of an option.
 */
#ifndef XDP_MLR_CONFIG_OPTIONS_H
#define XDP_MLR_CONFIG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"
#include "config/given.h"

extern const struct option options[];
extern const size_t option_count;

const char *algorithm_name(enum algorithm algorithm);
/* Whether the verb has the option. */
bool option_belongs(const struct option *option, enum verb verb);
/* By exact name; NULL if there is none. */
const struct option *option_find(const char *name);
/* ", did you mean '--x'?" or nothing, among the options of the verb. `dashes` is "--" or "". */
const char *option_hint(const char *name, enum verb verb, const char *dashes, char *buffer, size_t size);

#endif
