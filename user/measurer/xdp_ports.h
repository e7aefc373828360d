/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each port did in a trial, from its two snapshots and the reports of its transmitters. It belongs to the caller, who has it
 * accounted for (account.h).
 */
#pragma once

#include "measurer/snapshot.h"
#include "measurer/xdp_private.h"

/* Compare our counts with those of the interfaces. Counters that lag are read again into the second snapshot. EXIT_INVALID if an
 * interface counted fewer frames than we did. */
enum exit_code xdp_check_counters(struct measurer_xdp *xdp, struct xdp_run *run);
/* Fill in everything of one port. EXIT_INCAPABLE without memory. */
enum exit_code xdp_describe_port(struct measurer_xdp *xdp, unsigned int port, const struct xdp_run *run,
				 struct port_trial *ret);
