/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A verb is a function that takes a configuration that was read and checked, and returns the program's exit code. The caller
 * owns the configuration. */
#pragma once

#include "base/message.h"
#include "config/config.h"

#define VERB_FUNCTION(CONSTANT, FUNCTION, ...) enum exit_code FUNCTION(const struct config *config);
VERBS(VERB_FUNCTION)

/* These verbs measure. */
enum exit_code dry_run(const struct config *config);
