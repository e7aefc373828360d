/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header reads counters of what may drop frames on their way through the kernel: queueing disciplines and actions of
 * tc, rules and named counters of nftables. The caller owns the handle. It is opened in a network namespace, belongs to that
 * one, and is closed at the end. What the kernel does not have is left out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct filters;

/* Returns 0 or -errno. */
int filters_open(struct filters **ret);
void filters_close(struct filters *filters);

/* Call `visit` for each counter: "tc/eth1/tbf-8001/drops", "tc/action/police-1/drops",
 * "nft/inet/filter/forward/5-drop/packets". The name lives as long as the call. A link whose name is not known is named by
 * its number. */
typedef void filters_visit(const char *name, bool is_gauge, uint64_t value, void *context);
void filters_each(struct filters *filters, filters_visit *visit, void *context);
