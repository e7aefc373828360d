/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of --dry-run says what a run would do, and how long that would take. The configuration owns everything; the plan is
 * written to standard output at once. Nothing is sent, no port is opened, and root is not needed.
 */
#pragma once

#include "base/message.h"
#include "config/config.h"

enum exit_code plan_show(const struct config *config);
