/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header reads how many frames a link sent, from each counter in which its driver may count them. The caller owns the
 * readings. A trial takes one before and one after, and computes the difference.
 *
 * With most drivers the standard counter has all frames. With virtio_net and mlx5 it lacks frames that were sent by
 * zero-copy AF_XDP. These drivers count such frames in a counter of their own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Ordered by how far they are trusted. */
enum sent_counter {
	SENT_PACKETS,       /* the link's counter, which all drivers have */
	SENT_QUEUE_PACKETS, /* the counters of its queues, by netlink's family "netdev" (Linux 6.10) */
	SENT_BY_NAME,       /* counters of zero-copy frames, in `ethtool -S` */
	SENT_COUNTERS
};
struct link_sent {
	uint64_t frames[SENT_COUNTERS]; /* 0 if the counter does not exist */
};

/* Read the counters of a link. `packets` is the value of its own counter. The others are read only if frames are
 * zero-copy. */
void link_sent_read(int ifindex, uint64_t packets, bool zero_copy, struct link_sent *ret);

/* Return the frames between two readings: by the first counter that has `expected`, else by the largest one. */
uint64_t link_sent_between(const struct link_sent *before, const struct link_sent *after, uint64_t expected);

/* Whether a counter of `ethtool -S` is one of zero-copy frames that a queue sent. */
bool is_zero_copy_counter(const char *name);
