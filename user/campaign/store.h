/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A campaign keeps its state in its directory of results, and can be resumed from there. The directory has these files:
 *
 *   journal.jsonl           events of the points, one a line; lines are only appended, and each is synced
 *   points/NAME.yaml        the options of a point, for --config
 *   points/NAME.jsonl[.new] the event stream of a point that has not ended; .new: that of the attempt that resumed it
 *   points/NAME.err         standard error of its last attempt
 *   points/NAME.lock        locked by the process that works at it
 *   points/NAME.json        its result. A point is done if this file is there: the whole file is renamed to this name
 *
 * No process owns the state: several ones, also on several hosts that share the directory, may work at points of one
 * campaign. The state begins with store_make(), and stays until the user deletes the directory.
 */
#pragma once

#include <jansson.h>
#include <limits.h>
#include <stddef.h>

#include "base/message.h"
#include "campaign/campaign.h"

#define POINT_FILE_MOST (1 << 20) /* most octets of NAME.yaml */

enum point_state {
	POINT_WAITING,
	POINT_INTERRUPTED, /* begun, and to be continued */
	POINT_RUNNING,
	POINT_FAILED,
	POINT_DONE,
};

struct point_status {
	enum point_state state;
	unsigned int attempts; /* attempts begun so far */
	int exit_code;         /* exit code of the last attempt that ended; -1: none, or a signal ended it */
	json_t *last;          /* the last event of the journal; NULL: none */
};

/* Make the directories. */
enum exit_code store_make(const struct campaign *campaign);

/* Return the path of a point's file with this ending. */
const char *store_point_path(const struct campaign *campaign, size_t point, const char *ending, char buffer[PATH_MAX]);

/* Write a file whole or not at all. */
enum exit_code store_write(const char *path, const char *text, size_t length);

/* Append an event to the journal; it takes the reference over. */
enum exit_code store_note(const struct campaign *campaign, json_t *event);

/* The status of every point, *ret to be freed by store_states_free(). Without a directory nothing was begun. */
enum exit_code store_states(const struct campaign *campaign, struct point_status **ret);
void store_states_free(const struct campaign *campaign, struct point_status *states);
/* "done", "failed", ... */
const char *point_state_name(enum point_state state);

/* Lock a point, waiting for whoever holds it for so long at most. A file descriptor, which a child may inherit: the lock
 * then lasts until both have ended. -EBUSY: somebody else works at it; -errno. */
int store_lock(const struct campaign *campaign, size_t point, double wait_s);
/* Take the lock's file away, and the lock. */
void store_unlock(const struct campaign *campaign, size_t point, int fd);

/* The last line of a file, NULL where there is none that is whole; the caller frees it. */
char *store_last_line(const char *path, size_t *ret_length);
