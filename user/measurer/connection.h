/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measurer finds out here what lies between the ports (connect/between.h), and whether frames pass. It does so before
 * the first trial, and after a link has changed. The measurer owns what was found.
 *
 * It sends numbered frames of the run's own sizes, VLAN tags and priorities to where trials send theirs. They have a trial
 * number of their own, so they count in no trial. First come ten frames at 10 000 frames/s. If all of them arrive, they are
 * enough. Otherwise fifty frames in a row must arrive, at 1000 frames/s. While none arrives, the tester tells bridges where
 * the ports are, asks for the gateways, and listens to whoever speaks on the ports.
 *
 * This takes five seconds at most, or a minute where a switch's spanning tree is the reason. Then the run goes on in any
 * case, because a SUT may lose everything. Where a SUT loses some frames, the search for a row ends after 200 of them.
 */
#pragma once

#include "measurer/xdp_private.h"

/* Find out what lies between the ports, and wait until frames pass. Returns EXIT_INTERRUPTED after a stop. */
enum exit_code connection_make(struct measurer_xdp *xdp);
