/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source reads counters of the SUT. It belongs to the process that observers_open() started for it, which opens it, asks
 * it for samples, and closes it. Each kind is an ops table.
 *
 * `take` adds the values of one sample to the recorder, and returns within SOURCE_TAKE_S. It returns NULL, or says in words
 * why there is no sample: a constant, or a text in `trouble`. If it waits before it reads, it calls recorder_begin() again
 * after the wait, so that the sample has the time of the reading.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "observe/recorder.h"

#define SOURCE_TAKE_S       1.0
#define SOURCE_TROUBLE_SIZE 200

struct source {
	const struct source_ops *ops;
	const char *argument; /* text after the kind */
	const struct config *config;
	void *state;          /* state of the kind; NULL: the source is not open */
	char trouble[SOURCE_TROUBLE_SIZE];
};

struct source_ops {
	const char *prefix;    /* "exec:" */
	bool needs_privileges; /* The source needs privileges; otherwise its process gives up all. */
	/* Returns NULL, or why it cannot be opened. */
	const char *(*open)(struct source *source);
	const char *(*take)(struct source *source, struct recorder *recorder);
	void (*close)(struct source *source);
};

extern const struct source_ops source_exec, source_local, source_prometheus, source_snmp;

/* Return the kind that a source such as "exec:COMMAND" names, or NULL. */
const struct source_ops *source_of(const char *text);

/* Put the reason into source->trouble, and return it. */
__attribute__((format(printf, 2, 3))) const char *source_refuse(struct source *source, const char *format, ...);
