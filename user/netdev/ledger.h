/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ledger has every counter that the kernel keeps for one link: the link's own, those of its driver and queues (`ethtool
 * -S`), of its PHY, of pause frames, and of forward error correction.
 *
 * The caller owns a ledger, opens it once, reads it before and after a trial, and then asks which counters grew. Their names
 * are read when it is opened. Nothing is read within a trial. A ledger belongs to the network namespace in which it was
 * opened.
 */
#pragma once

#include <linux/if_link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netdev/ethtool.h"

struct ledger;

/* Returns 0 or -errno. A link whose driver has no counters has a ledger, too. */
int ledger_open(int ifindex, struct ledger **ret);
void ledger_close(struct ledger *ledger);

/* Read all but the link's own counters. Many drivers fetch what the hardware counts when they are asked for this, so the link's own
 * are read after it. */
void ledger_read(struct ledger *ledger, bool before);

/* Call `visit` for each counter that grew between the two readings, and for each of the link's own, of which the caller has both. */
typedef void ledger_visit(const char *name, uint64_t moved, void *context);
void ledger_each(const struct ledger *ledger, const struct rtnl_link_stats64 *before, const struct rtnl_link_stats64 *after,
		 ledger_visit *visit, void *context);
