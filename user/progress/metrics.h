/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions write the state of a run to the file of --metrics, as OpenMetrics text, for the textfile collector of
 * node_exporter (FILE.prom). The process owns the file from the first state to the last. Each state is written to a file
 * beside it, which then takes its name, so that nobody reads half of one. All
 * values are gauges. Without the option nothing is written.
 */
#pragma once

#include "base/keeper.h"
#include "base/message.h"
#include "config/config.h"
#include "progress/view.h"

/* Write the first one. EXIT_USAGE_ERROR where the file cannot be written. */
enum exit_code metrics_start(const struct config *config);
/* Call it before keeper_split(): the keeper puts the file in place from then on. */
void metrics_hold(struct keeper_plan *plan);
/* Write a state of the run. After the first it is written at most once a second, so that a simulation does not write all
 * day. */
void metrics_update(const struct view *view);
/* Write the last state, and how the run ended. Returns the code, or that of a file that could not be written. */
enum exit_code metrics_finish(enum exit_code code);
