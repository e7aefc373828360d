/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run may do, and what it gives up (docs/SECURITY.md). The process owns its privileges, and never gets back what it
 * gave up. First comes privileges_check(), then, before any thread is started, privileges_reduce(), and privileges_confine()
 * once everything is open.
 */
#pragma once

#include "base/message.h"
#include "config/config.h"

#define PRIVILEGES_TEXT_SIZE 64
/* Return the missing capabilities that every run needs, such as "CAP_NET_RAW, CAP_BPF", or "". */
const char *privileges_missing(char buffer[PRIVILEGES_TEXT_SIZE]);
/* Refuse the run if one is missing. */
enum exit_code privileges_check(void);
/* Keep only the capabilities that opening, trials, the report and restoring need. */
enum exit_code privileges_reduce(const struct config *config);
/* Give up the capabilities for opening, unless ports are opened again for each frame size or search (selftest, rfc2544,
 * --repeat). If no command of the user is to run, also allow no new privileges, and only the system calls of a run. */
enum exit_code privileges_confine(const struct config *config);
