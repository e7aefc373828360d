/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What verbs do: each takes a configuration that was read and checked, and returns the program's exit code. */
#pragma once

#include "base/message.h"
#include "config/config.h"

#define VERB_FUNCTION(CONSTANT, FUNCTION, ...) enum exit_code FUNCTION(const struct config *config);
VERBS(VERB_FUNCTION)

/* Of a verb that measures. */
enum exit_code dry_run(const struct config *config);
