/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This header puts what is heard on the measurer's ports beside the tester's own frames into its struct between
 * (connect/between.h). */
#pragma once

#include "base/clock.h"
#include "measurer/xdp_private.h"

#define SPANNING_MOST_NS (60 * NS_PER_S) /* longest wait for a spanning tree */

/* Find other programs that send on the ports. Call it before privileges are given up. */
void hear_programs(struct measurer_xdp *xdp);
/* Read what has arrived at the ports' sockets. */
void hear_ports(struct measurer_xdp *xdp);
/* Return for how long at most, from now on, spanning tree may be why nothing passes (ns). 0: no switch speaks it. It is
 * reported once. */
uint64_t spanning_patience_ns(struct measurer_xdp *xdp);
