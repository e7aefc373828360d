/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions check the privileges of a run, and give up what it no longer needs (docs/SECURITY.md). The process owns
 * its privileges, and never gets back what it gave up. First comes privileges_check(), then, before any thread is started,
 * privileges_reduce(), and privileges_confine() once everything is open.
 */
#pragma once

#include "base/keeper.h"
#include "base/message.h"
#include "config/config.h"

#define PRIVILEGES_TEXT_SIZE 64
/* Return the missing capabilities that every run needs, such as "CAP_NET_RAW, CAP_BPF", or "". */
const char *privileges_missing(char buffer[PRIVILEGES_TEXT_SIZE]);
/* Refuse the run if a privilege is missing. */
enum exit_code privileges_check(void);
/* Keep only the capabilities that opening, trials, the report and restoring need. */
enum exit_code privileges_reduce(const struct config *config);
/* Call it once everything of a run is open, and for a suite before its first part. A keeper (keeper.h) keeps what the plan says.
 * This process becomes nobody, without capabilities, and can make only the system calls of a run. A rank of MPI may make
 * others, too. */
enum exit_code privileges_divide(const struct config *config, struct keeper_plan *plan);
/* Give up the capabilities for opening, in a process that is not divided, and allow only the system calls of a run. */
enum exit_code privileges_confine(void);
