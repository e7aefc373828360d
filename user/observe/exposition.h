/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text exposition format of Prometheus exporters. The functions are pure: they keep nothing, and the text belongs to the
 * caller. A text is read once, from its beginning to its end, and each value is handed to `visit`.
 *
 * Counters, gauges and values without a type are read, not histograms and summaries. What a node_exporter says of CPUs and of
 * softnet has the names that `local:` gives it.
 */
#pragma once

#include <stddef.h>

#include "observe/recorder.h"

/* `name` is the metric with its labels as they stand in the text, and lives as long as the call. */
typedef void exposition_visit(const char *name, enum recorder_kind kind, double value, void *context);

/* Return how many values there are, or -1 where a line is none of the format. */
int exposition_read(const char *text, size_t octets, exposition_visit *visit, void *context);
