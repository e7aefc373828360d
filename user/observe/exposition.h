/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions read the text exposition format of Prometheus exporters. They are pure: they keep nothing, and the text
 * belongs to the caller. A text is read once, from its beginning to its end, and each value is handed to `visit`.
 *
 * They read counters, gauges and values without a type, but no histograms or summaries. Values of a node_exporter about CPUs
 * and softnet get the names that `local:` gives them. A line that breaks the format is left out, and no other line.
 */
#pragma once

#include <stddef.h>

#include "observe/recorder.h"

/* `name` is the metric with its labels by the order of their names, and lives as long as the call. One that is longer than
 * RECORDER_NAME_SIZE has room for is cut behind that. `at_ms` is the time of the value since 1970; NAN: the text has none. */
typedef void exposition_visit(const char *name, enum recorder_kind kind, double value, double at_ms, void *context);

/* Return the number of values. *ret_wrong is the number of lines that break the format. Returns -1 if most lines do, or
 * without memory. */
int exposition_read(const char *text, size_t octets, exposition_visit *visit, void *context, size_t *ret_wrong);
