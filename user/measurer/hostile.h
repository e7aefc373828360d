/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header sends hostile frames beside a trial (selftest --hostile), by each port that sends test frames. The measurer
 * owns the state. Senders are opened with the ports. Frames are made when a trial has its number. They flow from before the
 * trial's first frame until after its last one.
 */
#pragma once

#include "measurer/xdp_private.h"

/* Open the sender of a port that transmits, on a CPU that is not taken. It does nothing without --hostile. */
enum exit_code hostile_open(struct measurer_xdp *xdp, unsigned int port, cpu_set_t *taken);
void hostile_close(struct measurer_xdp *xdp);

/* Begin to send beside the trial that xdp->steps describes, and wait until frames flow. It does nothing if those steps ask
 * for no hostile frames. Call it between the snapshot before the trial and its first frame. */
enum exit_code hostile_begin(struct measurer_xdp *xdp, uint64_t sequences, struct hostile_summary *ret);
/* Call it once the trial's frames are sent, in any case: it adds what was sent meanwhile. EXIT_INVALID if the sender failed. */
enum exit_code hostile_end(struct measurer_xdp *xdp, struct hostile_summary *sum);
