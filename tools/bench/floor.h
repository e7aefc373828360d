/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The frame of bench_floor.c. */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include <linux/types.h>

#define FLOOR_MAGIC 0x4d4c524d

struct floor_frame {
	__u8 header[44]; /* Ethernet, and what fills it up */
	__u32 magic;
	__u64 departure_ns; /* CLOCK_MONOTONIC */
	__u32 padding;
} __attribute__((packed));

_Static_assert(sizeof(struct floor_frame) == 60, "64 octets on the wire");

#endif
