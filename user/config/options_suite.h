/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A suite (selftest, rfc2544) runs the same over a list of frame sizes: --frame-size 64,512,1518; y1564 over services. Each is a size or a mix,
 * as other verbs take one. A part that has a colon and begins with a digit, or a letter and then "=", goes
 * on with the mix before it.
 */
#pragma once

#include <stdbool.h>

#include "config/config.h"

#define FRAME_SIZES_MAX     32
#define FRAME_SIZE_TEXT     256                             /* octets of one size or mix as text, with the closing NUL */
#define RFC2544_FRAME_SIZES "64,128,256,512,1024,1280,1518" /* section 9.1, for Ethernet */

/* Part `index` of a list, written into `buffer`; false if there is none. */
bool frame_sizes_part(const char *list, unsigned int index, char buffer[FRAME_SIZE_TEXT]);

/* suite_mtu of what a list of frame sizes asks for. */
enum exit_code config_find_mtu(struct config *config);

/* The configuration for one frame size of a suite: a shallow copy, not to be freed. `text` must outlive it. */
enum exit_code config_for_frame_size(const struct config *config, const char *text, struct config *ret);

/* y1564: the same for a service, with its frame size and VLAN tag. */
enum exit_code config_for_service(const struct config *config, const struct service *service, struct config *ret);

/* y1564: a service at links of some speed. */
struct service_rates {
	double cir_fps, eir_fps; /* of each port */
	unsigned int mtu;        /* that its frames need */
	uint32_t weight;         /* of the load of all services that are sent at once; 0: not dealt out yet */
	double load_fps;         /* what that makes: hardly less than CIR, and no more */
};

/* y1564: those of all services (as many as there can be) at links of this speed (bit/s with what is on the wire beside frames; 0: nobody
 * knows it, INFINITY: not known yet, and what is a part of it is infinite, too). EXIT_USAGE_ERROR where frames of one cannot be
 * made, or links do not carry what is to be sent, or all cannot be sent at once: then nothing need be measured first. */
enum exit_code services_rates(const struct config *config, double link_bps, struct service_rates *ret);

/* y1564: for several at once, a bit of `which` each. `frames`, as many, are what it points to. The load is all services'. Weights that were
 * dealt out before are kept where that can be done; then it always can for one transmit queue, if it could for more services. */
enum exit_code config_for_services(const struct config *config, unsigned int which, struct service_rates *rates,
				   struct mlr_service_frames *frames, struct config *ret, double *ret_load_fps);

/* rfc2544, y1564: the tests that are made where --tests is silent. */
void choose_tests(struct config *config);
