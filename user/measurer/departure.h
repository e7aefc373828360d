/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The transmitting NIC stamps departures, and sends frames at their launch time (AF_XDP transmit metadata). The measurer
 * owns the state.
 *
 * --departure-delay: about a thousand frames a second and queue are sampled. For each the NIC says when it was sent; if the
 * NIC cannot, the kernel does. The time from the stamp in the frame's tag until then is the departure delay: the part of a
 * latency that passes before the wire. By the NIC's clock it bounds the error of the latency. The kernel only knows when it
 * was done with the frame, which is later.
 *
 * --launch-time: frames are handed over before they are due, and the NIC lets them go when they are. Their departure is then
 * the launch time, which the sample above proves to be kept; without a sample there is no launch time.
 */
#pragma once

#include "measurer/xdp_private.h"

/* Whether a port can do what was asked for by option, as far as it says without being changed: EXIT_INCAPABLE if not. */
enum exit_code departure_ask(const struct measurer_xdp *xdp, unsigned int port);
/* Call it before the transmitters of a port are opened: it asks for the work of its NIC. Returns the same. */
enum exit_code departure_open(struct measurer_xdp *xdp, unsigned int port, struct tx_metadata *ret);
/* Call it after that: it finds out what the NIC does. */
enum exit_code departure_check(struct measurer_xdp *xdp, unsigned int port);
void departure_close(struct measurer_xdp *xdp);
/* Return how long before they are due frames are handed over, at most (ns): so long before a trial starts its threads work. */
uint64_t departure_lead_ns(const struct measurer_xdp *xdp);

/* Follow the clocks around the frames of a trial. EXIT_INVALID if one cannot be read. */
enum exit_code departure_begin(struct measurer_xdp *xdp);
enum exit_code departure_end(struct measurer_xdp *xdp);
/* Call it after that. EXIT_INVALID if frames of the sample left before their launch times, or none was stamped. */
enum exit_code departure_check_launches(const struct measurer_xdp *xdp);
/* Fill in what the trial's sample says. */
void departure_judge(struct measurer_xdp *xdp, struct measurement *measurement);

/* Return the members of a port's description, a new reference: {"departure_stamps": "hardware"|"kernel"|null, "launch_time":
 * bool}. */
json_t *departure_describe(const struct measurer_xdp *xdp, unsigned int port);
