/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header describes what each port did in a trial, from two snapshots and the reports of its transmitters. The caller
 * owns the description. It is made once after a trial, and then accounted for (account.h).
 */
#pragma once

#include "measurer/snapshot.h"
#include "measurer/xdp_private.h"

/* Return how many frames a receiving port had no room for between two readings: its interface, its ring, or the backlog before generic
 * XDP, which dropped so many. The kernel counts those of the backlog in rx_dropped of their link, too. */
uint64_t xdp_receiver_missed(const struct rtnl_link_stats64 *before, const struct rtnl_link_stats64 *after,
			     const struct rx_counters *rx, uint64_t backlog_dropped);

/*
 * Whether an interface received at least the frames that our program saw. Some drivers count frames of XDP elsewhere, and less than
 * half of them here; such a port is not held to its count. Others refresh all their counters late. These are waited for: what the
 * interface had no room for is told by them, too, and what they tell later would be of the next trial.
 */
enum agreement { COUNTS_AGREE, COUNTS_MAY_LAG, COUNTS_DISAGREE };
enum agreement xdp_received_agree(uint64_t ours, uint64_t nic, bool counts_elsewhere);

#define NIC_LAG_NS (11 * NS_PER_S) /* some drivers refresh their counters every two seconds, idpf every ten */

/* Compare our counts with those of the interfaces. Counters that lag are read again into the second snapshot. EXIT_INVALID if an
 * interface counted fewer frames than we did. */
enum exit_code xdp_check_counters(struct measurer_xdp *xdp, struct xdp_run *run);
/* Fill in everything of one port. EXIT_INCAPABLE without memory. */
enum exit_code xdp_describe_port(struct measurer_xdp *xdp, unsigned int port, const struct xdp_run *run,
				 struct port_trial *ret);
