/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header chooses who tells when frames arrive: the receiving NICs' clocks, or the XDP program (--timestamps). The
 * measurer owns the clocks.
 *
 * All receiving ports or none, and all frames of a trial or none: latency is one data set. Each NIC's clock is followed
 * through every trial (netdev/nic_clock.h).
 */
#pragma once

#include "measurer/xdp_private.h"

/* Ask all ports first, so that none is changed because of which another has no use; changes nothing, as --dry-run wants it.
 * EXIT_INCAPABLE if hardware was asked for and is not to be had. */
enum exit_code timestamps_ask(struct measurer_xdp *xdp);
/* Prepare timestamps before the receivers are opened: ask the NICs, open their clocks, and switch stamping on. Returns
 * likewise. */
enum exit_code timestamps_open(struct measurer_xdp *xdp);
/* After the receivers are opened, check whether they can read those stamps. */
enum exit_code timestamps_check(struct measurer_xdp *xdp);
void timestamps_close(struct measurer_xdp *xdp);

/* Around the frames of a trial: follow the clocks. One that cannot be read is used no more; EXIT_INVALID if hardware was asked
 * for. */
enum exit_code timestamps_begin(struct measurer_xdp *xdp);
enum exit_code timestamps_end(struct measurer_xdp *xdp);

/* Say in the trial's latency where its arrivals are from, or take it away if they are from two clocks. `clock_read_ns` is
 * what reading this machine's clock for the departure may add or take. */
enum exit_code timestamps_judge(struct measurer_xdp *xdp, const struct rx_counters *received, double clock_read_ns,
				struct measurement *measurement);
