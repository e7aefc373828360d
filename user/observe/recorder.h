/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recorder keeps the samples of one source over one trial, and says what became of each counter. The caller owns it. It is
 * opened once, emptied before each trial, filled with samples, and summarized after the trial. Its size is bounded, whatever
 * a source says: what has no room is counted and left out. Counters whose names mean a loss are kept first. No two counters
 * ever become one: a name is kept whole or not at all.
 *
 * A counter only grows; a gauge may fall. If the source does not say which of the two a value is, its name and its course
 * decide. Many exporters call every value a gauge, so one whose name means lost frames is a counter until it falls.
 * A counter that wraps at 2^32 goes on growing. One that falls in another way was reset: its growth is then not known.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/schema.h"

#define RECORDER_COUNTERS_MOST 4096
#define RECORDER_SAMPLES_MOST  64
#define RECORDER_SHOWN_MOST    SCHEMA_OBSERVED_MOST
#define RECORDER_NAME_SIZE     256

enum recorder_kind {
	RECORDER_UNKNOWN,
	RECORDER_COUNTER,
	RECORDER_COUNTER_64, /* It does not wrap within a trial: one that falls was reset. */
	RECORDER_GAUGE
};

/* Why a counter of a source is left out. */
enum recorder_omission {
	RECORDER_NAME_TOO_LONG,
	RECORDER_NO_ROOM,   /* There are more than RECORDER_COUNTERS_MOST. */
	RECORDER_NOT_SHOWN, /* More than RECORDER_SHOWN_MOST moved. */
	RECORDER_BAD_VALUE, /* It has two values, or one that no counter has. */
	RECORDER_BAD_LINE,  /* Its line is none of the source's format. */
	RECORDER_NO_NAME,   /* It stands in a list, or too deep. */
	RECORDER_FAR_PORT,  /* It is of an interface beyond the most that a source reads. */
	RECORDER_OLD,       /* Its source says that it is of an earlier time. */
	RECORDER_OMISSIONS
};

struct recorder;

/* Open a recorder. NULL without memory. */
struct recorder *recorder_new(void);
void recorder_free(struct recorder *recorder);
/* Forget the samples, and keep the names. */
void recorder_empty(struct recorder *recorder);

/* Begin a sample; its values follow. A sample without values does not count. */
void recorder_begin(struct recorder *recorder, uint64_t now_ns);
/* Add one value. A value that is not finite, or the second of a name in this sample, is left out. A longer name than
 * RECORDER_NAME_SIZE has room for is, too, also if the caller cut it behind that. Octets that are not UTF-8 become "\xf6". */
void recorder_add(struct recorder *recorder, const char *name, enum recorder_kind kind, double value);
/* Count so many counters that this sample leaves out. */
void recorder_omit(struct recorder *recorder, enum recorder_omission reason, size_t count);
/* Whether this sample has values. */
bool recorder_has_values(const struct recorder *recorder);
/* End the sample. If there are too many, every second of the earlier ones is dropped, and it returns true. */
bool recorder_end(struct recorder *recorder, uint64_t now_ns);

/* Summarize the counters of a trial whose frames were due between these times. Return the members "samples", "counters",
 * "gauges", "unchanged" and "omitted"; "omitted_reason" says why most of the omitted ones are. "reset" has the names of counters
 * that were reset. "partial" says what is known of those that lack a value before or after the trial. With `series` the values
 * over time are there, too. NULL without memory. */
json_t *recorder_summary(const struct recorder *recorder, uint64_t start_ns, uint64_t end_ns, bool series);
