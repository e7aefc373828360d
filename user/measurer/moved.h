/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This header lists counters of the tester's own ports that grew in a trial and count frames that were not carried. They
 * come from a ledger. The caller owns both. */
#pragma once

#include "measurer/measurement.h"
#include "netdev/ledger.h"

/* Whether a counter of this name tells of frames that were lost, damaged, refused or held up. Counters of what was carried, and of what
 * the tester's own XDP program did, do not. */
bool moved_is_trouble(const char *name);

/* Note such counters of a port, those that grew most first. `taken` counts frames that the XDP program took, which some
 * drivers count as dropped. */
void moved_find(const struct ledger *ledger, const struct rtnl_link_stats64 *before, const struct rtnl_link_stats64 *after,
		uint64_t taken, struct port_counts *ret);
