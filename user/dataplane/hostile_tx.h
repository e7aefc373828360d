/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This sends frames of a hostile wire (mlr/hostile.h) by a port, beside its transmitter: as many as the kernel takes, or at a
 * load. The measurer owns it. It is opened before privileges are given up, loaded, started and stopped once a trial, and
 * closed at the end of the run.
 *
 * A thread sends the same frames again and again, in their order, by a packet socket that no queueing discipline sees.
 * AF_XDP is not used, because the port's queue belongs to the transmitter, and because a driver then takes any frame.
 */
#pragma once

#include <stdint.h>

#include "base/message.h"
#include "mlr/hostile.h"
#include "netdev/netlink.h"

/* What a trial's frames were. Those that the driver had no room for were sent again, and count once. */
struct hostile_sent {
	uint64_t frames;
	uint64_t by_kind[MLR_HOSTILE_KINDS][MLR_HOSTILE_COUNT_COUNT];
	uint64_t busy; /* times that the driver had no room */
	double duration_s;
	int error; /* 0, or the -errno that ended it */
};

struct hostile_tx;

/* Open it, for a thread on this CPU; -1: on any. It needs CAP_NET_RAW. */
enum exit_code hostile_tx_open(const struct link_info *link, int cpu, struct hostile_tx **ret);
void hostile_tx_close(struct hostile_tx *hostile);

/* Write the frames of a trial, and begin to send them: so many a second, or with INFINITY as many as can be. */
enum exit_code hostile_tx_start(struct hostile_tx *hostile, const struct mlr_hostile *what, double load_fps);
/* Send one frame before that. Returns 0 or -errno. */
int hostile_tx_send(struct hostile_tx *hostile, const uint8_t *frame, unsigned int octets);
/* End that. Nothing happens if it was not started. */
void hostile_tx_stop(struct hostile_tx *hostile, struct hostile_sent *ret);
