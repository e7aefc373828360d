/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A claim is the right of one process to a port, and the journal (rollback file) lists what it changed on the port. The
 * caller owns the claim.
 *
 * Each port has one file, /run/xdp-mlr/port-NETNS-IFINDEX.json, which is locked while its owner lives. What the kernel does
 * not undo by itself is written to the file before it is changed. It is undone when the claim is released. After a kill -9,
 * the next claim of the port or `xdp-mlr clean` undoes it. Each version of the file is written beside it, synced and renamed
 * over it, so the file is never incomplete. The new file is locked before it takes the place of the old one.
 *
 * A change is {"setting", "was", "now", "done"} (setting.h). Before a setting is undone it is compared: if it no longer has
 * our value, somebody else changed it, and it stays. "done" is false until the change was seen in force; until then the
 * setting may have either value. Each change, and the whole, has its checksum (checksum.h). A change whose checksum is wrong
 * is not undone.
 *
 * A port is identified by the cookie of its network namespace, its ifindex, its MAC address and its kind. So it is found
 * again after it was renamed or moved to another namespace. A new port with an old ifindex is never taken for it: when that
 * is claimed, the journal of the old one goes on under a longer name, port-NETNS-IFINDEX-COOKIE-PID.json.
 */
#pragma once

#include <jansson.h>

#include "base/keeper.h"
#include "base/message.h"
#include "netdev/netlink.h"

#define STATE_DIRECTORY "/run/xdp-mlr"

struct claim;

/* Claim a port for this process, and undo what a dead owner left. Returns EXIT_UNSAFE if a living process has it. What was
 * known of the port before, such as its MTU, may have changed. */
enum exit_code claim_port(const struct link_info *link, struct claim **ret);
/* Undo all changes, and release the port. */
void claim_release(struct claim *claim);

/* Call it before keeper_split(): the keeper releases the claim. The process that was divided off then undoes nothing. */
void claim_hold(const struct claim *claim, struct keeper_plan *plan);
void claim_leave(struct claim *claim);

/* Return the value that a setting has now, for the caller to free, or NULL with *ret_error. */
char *claim_read(const struct claim *claim, const char *setting, int *ret_error);
/* Set it, journalled; nothing is done if it has that value. 0 or -errno (setting.h), -EIO if the journal cannot be
 * written. */
int claim_change(struct claim *claim, const char *setting, const char *value);
/* Return the changes: [{"setting", "was", "now"}]. It is a new reference. */
json_t *claim_changes(const struct claim *claim);

/* The ports whose journals were handled. */
struct journal_cleaned {
	unsigned int restored; /* ports that no longer exist: nothing is left to undo */
	unsigned int gone;     /* ports of them that still exist */
};
/* Undo what dead runs left behind, in any network namespace. If something could not be undone, that is reported, and the
 * journal stays. */
enum exit_code journal_clean(struct journal_cleaned *ret);
/* Return the process that has a port of this network namespace. 0: none has; negative: it died without undoing its
 * changes. */
int journal_owner(int ifindex);
/* Return a living process that has a port, in any network namespace; 0 if there is none. */
int journal_any_owner(void);

/* Refuse what stands in STATE_DIRECTORY if other users can write there. */
enum exit_code state_directory_check(void);
/* Create STATE_DIRECTORY, or check the one that exists. */
enum exit_code state_directory_make(void);
