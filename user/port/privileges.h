/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run may do, and what it gives up (docs/SECURITY.md): privileges_check(), then, before any thread is started,
 * privileges_reduce(), and privileges_confine() once all is open that a run works with.
 */
#pragma once

#include "base/message.h"
#include "config/config.h"

#define PRIVILEGES_TEXT_SIZE 64
/* The capabilities that no run does without and that are missing, "CAP_NET_RAW, CAP_BPF"; "" if none is. */
const char *privileges_missing(char buffer[PRIVILEGES_TEXT_SIZE]);
/* Refuse where one is missing. */
enum exit_code privileges_check(void);
/* Keep the capabilities that opening, trials, the report and restoring need. */
enum exit_code privileges_reduce(const struct config *config);
/* Without those for opening, unless ports are opened anew for each frame size or search (selftest, rfc2544, --repeat): then
 * all stays. And where no command of the user's is to run: no new privileges, and the system calls of a run alone. */
enum exit_code privileges_confine(const struct config *config);
