/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lab's SUT that delays: a process in the lab's namespace, on the machine's last CPU, that takes every frame from one
 * link and sends it on from the other a fixed time after it came. It never writes into a frame.
 *
 * Frames come by AF_XDP. The XDP program of the lab writes the arrival in front of each (struct delay_metadata), so the time
 * that a frame waits for the process is part of its delay and does not add to it. All frames lie in one UMEM that both
 * sockets share, so none is copied on its way: a chunk goes from the fill ring of its link to the receive ring, into the
 * queue of held frames, the transmit and the completion ring of the other link, and back to the fill ring. Each direction
 * has as many chunks as it may hold frames; what comes beyond that is lost.
 *
 * The process sleeps while no frame has come for a second. It ends when a link goes away, so it cannot outlive its lab;
 * `lab down` does not wait for that and kills it.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "config/config.h"

#define DELAY_HELD_MAX 4096 /* frames held at once, a direction */

struct delay;

/* Open the sockets of two links of this network namespace. 0 or -errno. */
int delay_open(const char *const links[PORT_COUNT], uint64_t delay_ns, struct delay **ret);
/* The sockets that take the frames of each link, for the XDP programs. */
void delay_sockets(const struct delay *delay, int ret_fds[PORT_COUNT]);
/* Start the process. 0 or -errno. */
int delay_fork(struct delay *delay, pid_t *ret);
/* Close them here; the process has its own. */
void delay_close(struct delay *delay);
