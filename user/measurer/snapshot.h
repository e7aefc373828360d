/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot has all counters of all ports at one moment: those of the receivers, of the interfaces, and of the kernel. A trial
 * takes one before its first frame and one after phase d; its counts are the differences. The caller owns a snapshot, which
 * holds no other memory.
 */
#pragma once

#include "measurer/xdp_private.h"
#include "netdev/sent.h"

/* All counters of all ports at one moment. */
struct xdp_snapshot {
	struct rx_counters rx[MLR_PORTS_MAX];
	struct rtnl_link_stats64 link[MLR_PORTS_MAX];
	struct link_sent sent[MLR_PORTS_MAX];
	uint64_t link_changes[MLR_PORTS_MAX]; /* changes of carrier and resets of the driver so far */
	uint64_t backlog_dropped;             /* frames that the whole machine has dropped */
	uint64_t announcements[MLR_PORTS_MAX];
};

/* A trial that goes on, between its two snapshots. */
struct xdp_run {
	struct mlr_trial_input input; /* a load of 0: as fast as the transmitters can */
	uint64_t frame_count;         /* frames for each transmitting port, or TX_NO_LIMIT */
	bool is_part;                 /* A stop ended the trial, and `input` describes what was sent until then. */
	struct xdp_snapshot before, after;
	struct snmp_report snmp;
};

/* Read everything, before a trial or after it. EXIT_INVALID if a port disappeared. */
enum exit_code xdp_take_snapshot(struct measurer_xdp *xdp, bool before, struct xdp_snapshot *ret);
/* Read the counters of one interface again. The same codes. */
enum exit_code xdp_read_link(struct measurer_xdp *xdp, unsigned int port, bool before, struct xdp_snapshot *snapshot);
/* Read the state of a port's link. The same codes. */
enum exit_code xdp_find_link(struct measurer_xdp *xdp, unsigned int port, struct link_info *ret);
