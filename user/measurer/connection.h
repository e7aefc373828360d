/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Before the first trial, and after each link that changed, this finds out what lies between the ports (connect/between.h),
 * and whether frames pass. A part of the measurer, which owns what was found.
 *
 * Numbered frames of the run's own sizes, VLAN tags and priorities go where trials send them, at 1000 frames/s at most. They
 * have a trial number of their own, so they count in no trial. Ten that come at once are enough; where one is missing, fifty
 * in a row must come. While none come, bridges are told where the ports are, gateways are asked for, and whoever speaks on
 * the ports is listened to. It takes five seconds at most, and a minute where a switch's spanning tree is the reason; then
 * the run goes on all the same, for a SUT may lose everything. On a SUT that loses some it ends after 200 frames.
 */
#pragma once

#include "measurer/xdp_private.h"

/* Connect. EXIT_INTERRUPTED after a stop. */
enum exit_code connection_make(struct measurer_xdp *xdp);
