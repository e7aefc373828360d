/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The claim on a port, and the journal of what was changed on it.
 *
 * One file a port, /run/xdp-mlr/port-NETNS-IFINDEX.json, locked while its owner lives. Whatever the kernel does not undo by
 * itself is written here before it is changed, and undone when the claim is released, or, after a kill -9, by the next claim
 * of the port or by `xdp-mlr clean`.
 */
#ifndef XDP_MLR_JOURNAL_H
#define XDP_MLR_JOURNAL_H

#include "say.h"

#define STATE_DIRECTORY "/run/xdp-mlr"

struct claim;

/* Claim a port for this process; undoes what a dead owner left. EXIT_UNSAFE if a living one has it. */
enum exit_code claim_port(const char *port, int ifindex, struct claim **ret);
/* Undo all changes, give the port back. */
void claim_release(struct claim *claim);

/* Set a file under /proc/sys to `value`, journalled; nothing is done if it has that value or does not exist. */
enum exit_code claim_set_sysctl(struct claim *claim, const char *path, const char *value);

/* Undo what dead runs left behind, in this network namespace and in those that are gone. Counts what was undone. */
enum exit_code journal_clean(unsigned int *ret_undone);

/* Create STATE_DIRECTORY. */
enum exit_code state_directory_make(void);
/* The inode of this process's network namespace. */
unsigned long network_namespace_inode(void);

#endif
