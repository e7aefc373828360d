/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lab's SUT that delays is a process that takes every frame from one link and sends it on from the other a fixed time
 * after it came. The process owns its sockets and the memory of all frames. It is opened and started by `lab up`, and ends
 * when a link goes away.
 *
 * It runs in the lab's namespace, on the machine's last CPU, and never writes into a frame. Frames come by AF_XDP. The XDP
 * program of the lab writes the arrival in front of each (struct delay_metadata). So the time that a frame waits for the
 * process is part of its delay, and is not added.
 *
 * All frames are in one UMEM that both sockets share, so none is copied. A chunk goes from the fill ring of its link to the
 * receive ring and into the queue of held frames. From there it goes to the transmit and completion ring of the other link,
 * and back to the fill ring. Each direction has as many chunks as frames that it may hold. Further frames are lost.
 *
 * The process sleeps if no frame came for a second. `lab down` does not wait for its end and kills it.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "config/config.h"

#define DELAY_HELD_MAX 4096 /* frames held at once in each direction */

struct delay;

/* Open the sockets on two links of this network namespace. Returns 0 or -errno. */
int delay_open(const char *const links[PORT_COUNT], uint64_t delay_ns, struct delay **ret);
/* Get the sockets that take the frames of each link, for the XDP programs. */
void delay_sockets(const struct delay *delay, int ret_fds[PORT_COUNT]);
/* Start the process. Returns 0 or -errno. */
int delay_fork(struct delay *delay, pid_t *ret);
/* Close the sockets here; the process has its own. */
void delay_close(struct delay *delay);
