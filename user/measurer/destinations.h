/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header sets the MAC addresses that the frames of our ports go to: one that was given (--dst-mac), to the gateway's,
 * or, where nobody answers for one, to the other port's, which a bridge or a cable takes them to. The measurer owns all of
 * it; a part of it.
 *
 * The gateways are asked for when the ports are opened, and again before every trial until they answer, or until a frame has
 * come where it was sent to, which shows that its address is right. A gateway that was given and stays silent ends the run
 * (EXIT_INVALID). A trial in which nothing came of what was sent to an address that nobody answered for is the tester's
 * limit; if an answer came meanwhile, it is performed again.
 */
#pragma once

#include "measurer/xdp_private.h"

/* Begin to speak with the neighbours, and ask. EXIT_INTERRUPTED after a stop. */
enum exit_code destinations_learn(struct measurer_xdp *xdp);
/* Ask again where nobody has answered, for a moment, and send to whoever answers; whether that changed anything. */
enum exit_code destinations_ask_again(struct measurer_xdp *xdp, bool *ret_changed);
/* Decide whether a trial is to be performed again, because nothing came and a gateway has answered since. */
enum exit_code destinations_judge(struct measurer_xdp *xdp, const struct account *account, bool *ret_again);
/* Return which part of what a port sends goes to an address that nobody answered for, and of which no frame has come so
 * far. */
double destination_unknown_ratio(const struct measurer_xdp *xdp, unsigned int port);

/* Return what the SUT may change in the headers of frames that a port receives, once addresses are learned: what the user
 * said, and TTL if it routes. */
unsigned int destinations_expected_changes(const struct measurer_xdp *xdp, unsigned int port);

/* Describe a port of ours as its neighbours see it. */
struct neighbour_port destinations_neighbour(const struct measurer_xdp *xdp, unsigned int port);
