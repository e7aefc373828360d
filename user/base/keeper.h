/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper is a process that keeps the privileges which a run needs at its end, while the run itself has none.
 *
 * keeper_split() divides the process once everything that needs privileges is open. The caller goes on as nobody, without a
 * capability, and nothing gives it back what it lost. Its child is the keeper. It parses nothing. It waits for requests of a
 * fixed size on a socket. There are five requests. KEEPER_BEGIN makes a file beside one that was named before the split;
 * KEEPER_END renames or removes the new file. KEEPER_UNDO undoes what was changed on ports. KEEPER_READ opens a file for
 * reading that was named before the split, or that is in a folder named then. In a folder that others can change it opens
 * no link. KEEPER_PART starts a process that opens the ports for a part of a suite. The keeper has only the descriptors that
 * its plan names, so nothing that depends on a descriptor outlives the run.
 *
 * Signals do not reach the keeper. It ends with the run. If the run died without a request to undo, the keeper leaves
 * the journal to the next run, as if there had been no keeper.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/exit_code.h"

enum keeper_what { KEEPER_BEGIN, KEEPER_END, KEEPER_UNDO, KEEPER_READ, KEEPER_PART };

struct keeper_request {
	uint32_t what;       /* enum keeper_what */
	uint32_t number;     /* number of a file; for KEEPER_UNDO the run's knowledge of its ports */
	uint32_t mode;       /* permissions of a new file */
	char path[PATH_MAX]; /* path, for KEEPER_READ; for KEEPER_PART the data for part() */
	uint32_t flags;      /* flags for the answering function; for KEEPER_UNDO whether a stop was requested */
};

#define KEEPER_FILES_MOST 64 /* most descriptors that the keeper keeps beside its own */

struct keeper_plan {
	int kept_fds[KEEPER_FILES_MOST];
	bool given[KEEPER_FILES_MOST];
	size_t kept_count;
	void (*confine)(void);    /* takes more rights from the keeper; called in the keeper */
	const char *const *paths; /* files to read, and folders whose files are read */
	size_t path_count;
	/* Both functions run in the keeper. Answer a request about a file. Returns 0 or -errno, and *ret_fd where a
	 * descriptor goes with it. */
	int (*answer)(const struct keeper_request *request, int *ret_fd);
	/* Start the process of a part, and answer with a descriptor by which it is spoken with. NULL: there are no parts. */
	int (*part)(void *context, const struct keeper_request *request, int *ret_fd);
	/* Undo the changes of ports. NULL: there are none. */
	void (*undo)(void *context, uint32_t known);
	void *context;
	uint64_t capabilities; /* capabilities that the keeper still needs, as bits of confine.h */
	bool leaves_inherited; /* The run may need descriptors that were left open for it, or by a library such as MPI. */
};

/* Have the keeper keep a descriptor; a negative one is ignored. From the split on the descriptor belongs to the keeper
 * alone: in the run its number can only be closed. */
void keeper_plan_keep(struct keeper_plan *plan, int fd);
void keeper_plan_give(struct keeper_plan *plan, int fd);
/* Start the keeper, and become nobody. Returns 0 or -errno; on an error the run must end. */
int keeper_split(const struct keeper_plan *plan);
/* Whether there is one, and this process has nothing left to do such things by itself. */
bool keeper_is_there(void);
/* Have the keeper undo the changes of ports, and wait for that. `known` is what keeper_plan.undo() gets. Returns 0 or
 * -errno. */
int keeper_undo(uint32_t known);
/* Open a file for reading, by the keeper where there is one; and, if that is asked for, wait for the writer of a FIFO. A
 * descriptor, or -errno. */
int keeper_open(const char *path, bool waits);
/* Send a request, and wait for the answer. Returns 0 or -errno; -EPIPE if the keeper has died. `ret_fd` may be NULL. */
int keeper_ask(const struct keeper_request *request, int *ret_fd);
/* Another process has said that its keeper died. */
void keeper_note_death(void);
/* Say at the end of a run if the keeper has died. A run that ended well then has EXIT_INCAPABLE in place of `code`. */
enum exit_code keeper_check(enum exit_code code);
