/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A suite runs the same test over a list of frame sizes (--frame-size 64,512,1518) or, for y1564, over services. The
 * configurations for one part are shallow copies: the whole configuration still owns everything. They are made before the
 * part is measured, and not freed.
 *
 * Each part is a size or a mix, as other verbs take one. A part continues the mix before it if it has a colon and begins
 * with a digit, or begins with a letter and "=".
 */
#pragma once

#include <stdbool.h>

#include "config/config.h"

#define FRAME_SIZES_MAX     32
#define FRAME_SIZE_TEXT     256                             /* octets of one size or mix as text, with the closing NUL */
#define HOSTILE_FRAME_SIZE  "128"                           /* short, and with a signature and a payload */
#define RFC2544_FRAME_SIZES "64,128,256,512,1024,1280,1518" /* section 9.1, for Ethernet */

/* Write part `index` of a list into `buffer`. Returns false if there is none. */
bool frame_sizes_part(const char *list, unsigned int index, char buffer[FRAME_SIZE_TEXT]);

/* Set suite_mtu from a list of frame sizes. */
enum exit_code config_find_mtu(struct config *config);

/* Make the configuration for one frame size of a suite. It is a shallow copy, which is not freed. `text` must outlive it. */
enum exit_code config_for_frame_size(const struct config *config, const char *text, struct config *ret);

/* y1564: make the configuration for a service, with its frame size and VLAN tag. */
enum exit_code config_for_service(const struct config *config, const struct service *service, struct config *ret);

/* y1564: the rates of a service on links of some speed. */
struct service_rates {
	double cir_fps, eir_fps; /* rates of each port */
	unsigned int mtu;        /* the MTU that its frames need */
	uint32_t weight;         /* its part of the load of all services that are sent at once; 0: not assigned yet */
	double load_fps;         /* the load by that weight: slightly less than CIR, never more */
};

/* y1564: get the rates of all services on links of this speed. The speed is in bit/s with what is on the wire beside
 * frames. 0: nobody knows it. INFINITY: not known yet, and a ratio of it is infinite, too. EXIT_USAGE_ERROR if frames of
 * a service cannot be made, links are too slow, or the services cannot be sent at once. So this is known before anything
 * is measured. */
enum exit_code services_rates(const struct config *config, double link_bps, struct service_rates *ret);

/* y1564: make the configuration for several services at once, a bit of `which` for each. `frames` is their storage. The load
 * is that of all services. Earlier weights are kept if possible. For one transmit queue that is possible if it was possible
 * for more services. */
enum exit_code config_for_services(const struct config *config, unsigned int which, struct service_rates *rates,
				   struct mlr_service_frames *frames, struct config *ret, double *ret_load_fps);

/* sweep: how many loads --loads means; and the largest in frames/s, or 0 if that depends on the line rate. */
unsigned int sweep_load_count(const struct config *config);
double sweep_most_fps(const struct config *config);
/* sweep: get all loads, in the order given. EXIT_USAGE_ERROR for a share of a line rate that is not known (0). */
enum exit_code sweep_loads(const struct config *config, double line_rate_fps, double *ret_fps);

/* rfc2544, y1564: choose the tests if --tests does not. */
void choose_tests(struct config *config);
