/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header sets the destination MAC addresses of our frames. An address is the one given by --dst-mac, or that of the
 * gateway. Where no gateway answers, it is that of the other port, which a bridge or a cable takes frames to. The measurer
 * owns all of this, and it lives as long as the measurer.
 *
 * The gateways are asked when the ports are opened, and again before every trial until they answer. Asking also ends once a
 * frame has arrived at its receiver, which shows that its address is right. A gateway that the user gave and that stays
 * silent ends the run (EXIT_INVALID). A trial is limited by the tester if no frame arrived of those sent to an address that
 * nobody answered for. If a gateway answered during such a trial, the trial is performed again.
 */
#pragma once

#include "measurer/xdp_private.h"

/* An address that no bridge forwards to (802.1Q, 8.6.3), and that listening takes for nobody's traffic. Streams have it as long as
 * their destination is not known, for a transmitter may try a frame when it is opened. */
extern const uint8_t mac_of_nearest_bridge[MLR_MAC_OCTETS];

/* Open what speaks with the neighbours, while there are privileges, and ask. Nothing is read yet. */
enum exit_code destinations_open(struct measurer_xdp *xdp);
/* Begin to speak with them, ask, and address the transmitters. EXIT_INTERRUPTED after a stop. */
enum exit_code destinations_learn(struct measurer_xdp *xdp);
/* Ask again where nobody has answered, for a moment, and send to whoever answers; whether that changed anything. Once frames of a trial
 * went to the other port on the same bridge, those of later trials do so, too, and an answer is told. */
enum exit_code destinations_ask_again(struct measurer_xdp *xdp, bool *ret_changed);
/* Decide whether a trial is to be performed again, because a gateway has answered since, and nothing came or this was the first trial. */
enum exit_code destinations_judge(struct measurer_xdp *xdp, const struct account *account, bool *ret_again);
/* Return which part of what a port sends goes to an address that nobody answered for, and of which no frame has come so
 * far. */
double destination_unknown_ratio(const struct measurer_xdp *xdp, unsigned int port);

/* Return what the SUT may change in the headers of frames that a port receives, once addresses are learned: what the user
 * said, and TTL if it routes. */
unsigned int destinations_expected_changes(const struct measurer_xdp *xdp, unsigned int port);

/* Describe a port of ours as its neighbours see it. */
struct neighbour_port destinations_neighbour(const struct measurer_xdp *xdp, unsigned int port);
