/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words that a program is called with, xdp-mlr above all. */
#ifndef XDP_MLR_APPLIANCE_COMMAND_H
#define XDP_MLR_APPLIANCE_COMMAND_H

#include "appliance/appliance.h"

#define COMMAND_WORDS_MAX 64

/* Words are the caller's, and outlive it. */
struct command {
	const char *words[COMMAND_WORDS_MAX + 1]; /* the one behind the last is NULL */
	size_t count;
	char ports[SETTINGS_PORT_LIST_SIZE]; /* a word of command_of_run() */
};

/* Add words at the end, NULL behind the last; beyond the most there may be they are left out. */
__attribute__((sentinel)) void command_add(struct command *command, ...);

/* The verb of the appliance's run with the options that choose it. */
void command_of_run(const struct appliance *appliance, struct command *ret);
/* "running: xdp-mlr ..." in the log and on the consoles. */
void command_say(struct appliance *appliance, const struct command *command);

/* No tester, but a system under test for another one: it runs until the machine is switched off, and has no result. */
bool run_is_sut(const struct run_settings *run);
/* Whether its verb takes --metrics and --note. */
bool run_takes_notes(const struct run_settings *run);

#endif
