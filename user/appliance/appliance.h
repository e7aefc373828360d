/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of the appliance's program share this state. There is one thread; main.c waits for whatever happens and calls
 * the part concerned.
 *
 *	main      the loop
 *	runner    what is run, and when: the only one that changes `phase`; command.c has its words, keep.c what survives it
 *	console   lines, the view and keys, on every console: it takes the lines from the log, and leaves requests to the runner
 *	http      the same for browsers, read-only; pages.c makes them
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "appliance/job.h"
#include "appliance/record.h"
#include "appliance/results.h"
#include "appliance/schedule.h"
#include "appliance/settings.h"
#include "appliance/watch.h"

#define CONSOLES_MAX 8

enum phase {
	PHASE_UNCONFIGURED, /* there is no configuration */
	PHASE_WRONG,        /* the configuration has an error */
	PHASE_CHECKING,     /* xdp-mlr reads the options of every run, without running it */
	PHASE_WAITING,      /* waits for the time of the next round */
	PHASE_RUNNING,
	PHASE_CLEANING,    /* runs xdp-mlr clean after a crash */
	PHASE_BACKING_OFF, /* waits after a crash, before the next try */
	PHASE_RENDERING,   /* makes the result as HTML, then as text */
	PHASE_HANDING_OVER,
	PHASE_DONE,
	PHASE_ENDING, /* powering off, once what runs has ended */
};

/* Paths from the command line. */
struct places {
	const char *config;    /* NULL: no configuration */
	const char *xdp_mlr;   /* the program */
	const char *hand_over; /* NULL: nobody */
	const char *state;     /* a directory of ours, in memory */
	double back_off_s;     /* wait before a run that died is tried again, the first time */
	const char *override;  /* a file of lines NAME=VALUE that win over the configuration; NULL: none */
};

/* The action that a key asks for, until the runner takes it. */
struct requests {
	bool again;     /* the schedule from its beginning, and the configuration read anew */
	bool stop_run;  /* end the run that is on; its result so far is kept */
	bool probe;     /* look at the ports anew */
	bool power_off; /* Switch off once the current run has been stopped and its result handed over. */
};

struct console;
struct http;

struct appliance {
	struct places places;
	struct settings settings;
	char error[SETTINGS_ERROR_SIZE]; /* PHASE_WRONG: why, in one line */
	struct record record;
	struct results store;

	/* the schedule and its runs */
	enum phase phase;
	struct job job; /* job of the phase */
	struct watch watch;
	struct rounds rounds;
	unsigned int run;       /* index of the run in the round, from 0 */
	unsigned int tries;     /* tries of the run that ended in a crash */
	unsigned int crashes;   /* crashes of all runs */
	enum results_form form; /* form that is made (PHASE_RENDERING) */
	time_t run_started;     /* start of the run by the calendar */
	uint64_t run_began_ns;  /* start of the run by CLOCK_MONOTONIC */
	uint64_t due_ns;        /* time at which the phase is called next; UINT64_MAX: none */
	time_t next_round;      /* PHASE_WAITING */
	char *overrides; /* the options of that file, each a word for xdp-mlr, one behind the other; empty at the end */
	char *document;  /* the result of the run, as it came; NULL: none yet */
	size_t document_length;
	char last_words[RECORD_LINE_MOST]; /* the last line on the program's standard error */
	json_t *pending_notes;             /* notes for the next result */
	int run_status;                    /* status of the run, as in struct job */
	uint64_t metrics_read_ns;
	bool killed;              /* PHASE_CLEANING: after a run that is not tried again, for it was stopped or has a result */
	bool begins_now;          /* The operator asked for a round: it does not wait for its time of day. */
	bool resumes;             /* A process of ours died in this run. */
	bool ending;              /* Switch the machine off once the current run has been handed over. */
	struct requests requests; /* requests of the operator */

	/* the hardware of the machine */
	struct job probe_job;
	json_t *probe;      /* document of the probe; NULL: not known yet */
	json_t *test_ports; /* names of the ports of all runs, as the keys of an object */

	struct console *consoles[CONSOLES_MAX];
	unsigned int console_count;
	struct http *http; /* NULL: nothing listens */
	bool power_off;    /* the program ends with 0, and its parent switches the machine off */
};

/* Write a line into the log, and on every console. */
__attribute__((format(printf, 2, 3))) void appliance_say(struct appliance *appliance, const char *format, ...);

/* Return the run that is on, or the next one. */
const struct run_settings *appliance_run(const struct appliance *appliance);
/* Write what it does in a line, such as "running run 2 of 3 (night), round 4". */
#define APPLIANCE_STATUS_SIZE 256
const char *appliance_status(const struct appliance *appliance, char buffer[APPLIANCE_STATUS_SIZE]);
/* Write what a port of the probe's document can do, in a few words. */
const char *appliance_port_verdict(const json_t *port);
/* Whether a measurement is on, and its state as it is now. */
bool appliance_measures(const struct appliance *appliance);
struct view appliance_view(const struct appliance *appliance);
/* Whether what a key may ask for can be done now. */
bool appliance_may_begin_again(const struct appliance *appliance);
bool appliance_may_stop_run(const struct appliance *appliance);
bool appliance_may_probe(const struct appliance *appliance);
