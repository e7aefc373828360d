/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header describes what each port did in a trial, from two snapshots and the reports of its transmitters. The caller
 * owns the description. It is made once after a trial, and then accounted for (account.h).
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
