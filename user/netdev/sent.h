/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames that a link sent, by each counter that its driver may count them in.
 *
 * The standard one has them all but, with some drivers, those that it took by zero-copy AF_XDP: virtio_net and mlx5 have these only in
 * a counter of their own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* In the order in which they are believed. */
enum sent_counter {
	SENT_PACKETS,       /* the link's, which all drivers have */
	SENT_QUEUE_PACKETS, /* of its queues, by netlink's family "netdev" (Linux 6.10) */
	SENT_BY_NAME,       /* of zero-copy frames, in `ethtool -S` */
	SENT_COUNTERS
};
struct link_sent {
	uint64_t frames[SENT_COUNTERS]; /* 0 where there is none */
};

/* What is beside the link's counter, which says `packets`, is read only where frames are zero-copy. */
void link_sent_read(int ifindex, uint64_t packets, bool zero_copy, struct link_sent *ret);

/* Frames between two readings: by the first counter that has `expected`, else by the one that has most. */
uint64_t link_sent_between(const struct link_sent *before, const struct link_sent *after, uint64_t expected);

/* Whether a counter of `ethtool -S` is one of zero-copy frames that a queue sent. */
bool is_zero_copy_counter(const char *name);
