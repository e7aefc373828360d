/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runner is a part of the appliance, which owns its state. It takes a configuration: it reads it, checks the options of
 * all its runs, and then begins its rounds of runs. A run is one call of xdp-mlr; its document is stored, rendered and
 * handed over. A run that dies is cleaned up after, tried again, and the next result says so.
 */
#pragma once

#include "appliance/appliance.h"

/* Call it after a start: it goes on where a process of ours that died was, or begins. */
void runner_start(struct appliance *appliance);
/* Do what is due, and what was requested. */
void runner_work(struct appliance *appliance);
/* Return when to call it at the latest. */
uint64_t runner_due_ns(const struct appliance *appliance);
/* End at once: what runs is asked to end, and PHASE_ENDING lasts until it has. */
void runner_abandon(struct appliance *appliance);

/* --- the words that a program is called with, xdp-mlr above all: command.c ---------------------------------------- */

#define COMMAND_WORDS_MAX 64

/* Words are the caller's, and outlive it. */
struct command {
	const char *words[COMMAND_WORDS_MAX + 1]; /* the one behind the last is NULL */
	size_t count;
	char ports[SETTINGS_PORT_LIST_SIZE]; /* a word of command_of_run() */
};

/* Add words at the end, NULL behind the last; beyond the most there may be they are left out. */
__attribute__((sentinel)) void command_add(struct command *command, ...);

/* Get the verb of the appliance's run with the options that choose it. */
void command_of_run(const struct appliance *appliance, struct command *ret);
/* Write "running: xdp-mlr ..." into the log and on the consoles. */
void command_say(struct appliance *appliance, const struct command *command);

/* Be a system under test for another tester. It runs until the machine is switched off, and has no result. */
bool run_is_sut(const struct run_settings *run);
/* Whether its verb takes --metrics and --note. */
bool run_takes_notes(const struct run_settings *run);

/* --- keep.c ------------------------------------------------------------------------------------------------------- */

/*
 * What survives this process, in the directory of its state: where in the schedule it is, and what the next result must
 * tell. A file that cannot be written is told on the consoles, and what runs goes on.
 */

#define KEEP_METRICS      "metrics" /* metrics of the run, see --metrics */
#define KEEP_METRICS_MOST (1 << 20) /* octets */

/* The position in the schedule. */
struct position {
	unsigned int run, round;
	time_t first_begun, last_begun; /* rounds */
	time_t started;                 /* the run */
};

/* Return the path of a file in that directory. */
const char *keep_path(const struct appliance *appliance, const char *name, char buffer[FILES_PATH_SIZE]);

/* The position while a run is on: found after a start, it says that we died in it. `started` is 0 for a run that is next. */
void keep_position(struct appliance *appliance, unsigned int run, time_t started);
void keep_no_position(const struct appliance *appliance);
bool keep_has_position(const struct appliance *appliance);
/* Zeros, as far as it cannot be read. */
struct position keep_read_position(const struct appliance *appliance);

/* A sentence for the next result, which is said now, too. */
__attribute__((format(printf, 2, 3))) void keep_note(struct appliance *appliance, const char *format, ...);
void keep_no_notes(struct appliance *appliance);
/* Read the notes that an earlier process kept, if there are any. The appliance owns them. */
void keep_read_notes(struct appliance *appliance);

/* Tell init whether nothing runs, so that another configuration may take this one's place. */
void keep_idle(const struct appliance *appliance, bool idle);
