/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The measurer of frames over real ports: how it is opened, step by step, for one host or as a part of several (mpi.h). */
#ifndef XDP_MLR_MEASURER_XDP_H
#define XDP_MLR_MEASURER_XDP_H

#include "measurer/xdp_private.h"

/* A measurer of the configuration's ports, not opened yet. */
void xdp_init(const struct config *config, struct measurer_xdp *ret);
/* The ports are checked, claimed and prepared. */
enum exit_code xdp_open_ports(struct measurer_xdp *xdp);
/* What is sent, by all ports of the test: those of xdp->config, and of other hosts. The MAC addresses of the latter, and all
 * destination MAC addresses, are not in it yet. */
enum exit_code xdp_make_profile(struct measurer_xdp *xdp, const struct config *all_ports);
/* The receivers are attached, addresses learned, and the transmitters opened. */
enum exit_code xdp_open_frames(struct measurer_xdp *xdp);
/* Undo all that; fine after any of them failed. */
void xdp_close(struct measurer_xdp *xdp);

/* Frames/s of the profile on a link of this speed; 0 where that is not known. */
double xdp_line_rate_fps(const struct measurer_xdp *xdp, double link_bps);

#endif
