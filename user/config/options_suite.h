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

/* y1564: for several at once, at these rates of each port, above 0. `frames`, as many, are what it points to. The load is all
 * services': each has its weight of it, which is hardly less than its rate, and no more. */
enum exit_code config_for_services(const struct config *config, const struct service *const *services,
				   const double *rates_fps, unsigned int count, struct mlr_service_frames *frames,
				   struct config *ret, double *ret_load_fps);

/* rfc2544, y1564: the tests that are made where --tests is silent. */
void choose_tests(struct config *config);
