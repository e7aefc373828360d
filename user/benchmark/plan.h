/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of --dry-run: what a run would do, and how long that would take. Nothing is sent, no port is opened, and root is not needed.
 *
 * The time of a search is found by searching: its own controller, over simulated SUTs with limits at several places between
 * Min Load and Max Load that are sharp, or scatter from trial to trial. What the real SUT does, only it knows.
 */
#pragma once

#include "base/message.h"
#include "config/config.h"

/* About how long one search of this configuration takes; NAN: its loads are not known. EXIT_DONE, or it was said why not. */
enum exit_code plan_search_s(const struct config *config, double *ret_duration_s);

enum exit_code plan_show(const struct config *config);
