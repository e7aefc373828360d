/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The claim on a port, and the journal of what was changed on it.
 *
 * One file a port, /run/xdp-mlr/port-NETNS-IFINDEX.json, locked while its owner lives. Whatever the kernel does not undo by
 * itself is written here before it is changed, and undone when the claim is released, or, after a kill -9, by the next claim
 * of the port or by `xdp-mlr clean`. Each version of the file is written beside it, synced and renamed over it, so that it
 * is never half a file; the new one is locked before it takes the old one's place.
 *
 * A change is {"setting", "was", "now", "done"} (setting.h). Undoing compares first: a setting that is no longer what we
 * made of it was changed by somebody else meanwhile, and is left alone. "done" is false until the change was seen to be in
 * force; until then the setting may be anything between the two. Each change, and the whole, has its checksum
 * (checksum.h): what is not as it was written is not undone.
 *
 * A port is known by the cookie of its network namespace, its ifindex, its MAC address and its kind, so that it is found
 * again when it was renamed or moved to another namespace, and never taken for a new port that got an old number.
 */
#pragma once

#include <jansson.h>

#include "base/keeper.h"
#include "base/message.h"
#include "netdev/netlink.h"

#define STATE_DIRECTORY "/run/xdp-mlr"

struct claim;

/* Claim a port for this process; undoes what a dead owner left. EXIT_UNSAFE if a living one has it. */
enum exit_code claim_port(const struct link_info *link, struct claim **ret);
/* Undo all changes, give the port back. */
void claim_release(struct claim *claim);

/* Before keeper_split(): the keeper is who releases it. In the process that was divided off nothing is to be undone then. */
void claim_hold(const struct claim *claim, struct keeper_plan *plan);
void claim_leave(struct claim *claim);

/* The value that a setting has now, for the caller to free, or NULL with *ret_error. */
char *claim_read(const struct claim *claim, const char *setting, int *ret_error);
/* Set it, journalled; nothing is done if it has that value. 0 or -errno (setting.h), -EIO if the journal cannot be
 * written. */
int claim_change(struct claim *claim, const char *setting, const char *value);
/* What was changed: [{"setting", "was", "now"}]. A new reference. */
json_t *claim_changes(const struct claim *claim);

/* Ports whose journals are done with. */
struct journal_cleaned {
	unsigned int restored; /* or as they were already */
	unsigned int gone;     /* with their interface */
};
/* Undo what dead runs left behind, in whatever network namespace. Where something is still to be undone, says so, and the
 * journal stays. */
enum exit_code journal_clean(struct journal_cleaned *ret);
/* The process that has a port of this network namespace: 0 if none has, negative if it died without undoing its changes. */
int journal_owner(int ifindex);
/* A living process that has a port, in whatever network namespace; 0 if there is none. */
int journal_any_owner(void);

/* Create STATE_DIRECTORY. */
enum exit_code state_directory_make(void);
