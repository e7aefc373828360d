/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header makes a Traffic Profile (4.5.4) from the options, and describes it for the result. The caller owns the
 * profile. Options are checked first; the profile is made once for each measurement.
 *
 * A configuration must pass traffic_check() before the other functions use it.
 */
#pragma once

#include <jansson.h>

#include "config/config.h"
#include "mlr/profile.h"

/* Refuse combinations of options for which there is no profile (EXIT_USAGE_ERROR). Sizes and VLAN tags come from a template
 * where no option gives them. */
enum exit_code traffic_check(struct config *config);
/* Return how many octets of a frame the MTU does not count. One VLAN tag is not counted (802.3ac), a second one is. */
unsigned int traffic_link_octets(const struct config *config);
/* Return the MTU that the frames need. */
unsigned int traffic_mtu(const struct config *config);

/* Make the profile of a checked configuration, without MAC addresses. It tells the user if there are more flows than asked
 * for. */
enum exit_code traffic_profile_of(const struct config *config, struct mlr_profile *ret);

/* Return what frames of one service have, from the configuration of that service. The weight is not set. */
struct mlr_service_frames traffic_service(const struct config *config);

/* Refuse several services that cannot be sent at once. Returns EXIT_DONE, but *ret_meet false, if their lists do not
 * repeat. */
enum exit_code traffic_check_services(const struct config *config, bool *ret_meet);

/* Get the addresses of a port that frames come from, and those that they go to. Both begin with the port's own. */
#define TRAFFIC_RANGES 2
void traffic_addresses(const struct mlr_profile *profile, unsigned int port, struct mlr_range ret[TRAFFIC_RANGES]);

/* Only the last four octets of an IPv6 address vary. */
#define TRAFFIC_LOW_WORD 12
uint32_t traffic_low_word(const struct in6_addr *address);

/* Return the tunnels around the frames, such as "MPLS, IPv4, GRE", or an empty text. */
const char *traffic_tunnels(const struct config *config);

/* Return a port's name, or its letter if it has none. */
const char *traffic_port_name(const struct config *config, unsigned int port);

/* Return the result document's "traffic_profile". `names` are those of the ports. */
json_t *traffic_describe(const struct config *config, const struct mlr_profile *profile, const char *const *names);
