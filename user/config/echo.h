/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration in force, as results and files say it. */
#ifndef XDP_MLR_CONFIG_ECHO_H
#define XDP_MLR_CONFIG_ECHO_H

#include <jansson.h>

#include "config/config.h"

/* The result document's "configuration": every value in force but those that only say where results go. As a --config file
 * it repeats the run. A new reference. */
json_t *config_describe(const struct config *config);
/* The same with those: all that a file may hold. A new reference. */
json_t *config_describe_all(const struct config *config);

#endif
