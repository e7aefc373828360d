/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text exposition format of Prometheus exporters. The functions are pure: they keep nothing, and the text belongs to the
 * caller. A text is read once, from its beginning to its end, and each value is handed to `visit`.
 *
 * Counters, gauges and values without a type are read, not histograms and summaries. What a node_exporter says of CPUs and of
 * softnet has the names that `local:` gives it. A line that is none of the format costs that line alone.
 */
#pragma once

#include <stddef.h>

#include "observe/recorder.h"

/* `name` is the metric with its labels by the order of their names, and lives as long as the call. One that is longer than
 * RECORDER_NAME_SIZE has room for is cut behind that. */
typedef void exposition_visit(const char *name, enum recorder_kind kind, double value, void *context);

/* Return how many values there are, and put into *ret_wrong how many lines are none of the format. -1 where most lines are none,
 * or without memory. */
int exposition_read(const char *text, size_t octets, exposition_visit *visit, void *context, size_t *ret_wrong);
