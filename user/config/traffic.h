/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From options to a Traffic Profile (4.5.4), and how the result states it. */
#pragma once

#include <jansson.h>

#include "config/config.h"
#include "mlr/profile.h"

/* What one option alone cannot show: refuses what no profile can be made of (EXIT_USAGE_ERROR), and takes sizes and VLAN
 * tags of a template where no option gives them. */
enum exit_code traffic_check(struct config *config);
/* What of a frame the MTU does not count: one VLAN tag is no part of it (802.3ac), a second one is. */
unsigned int traffic_link_octets(const struct config *config);
/* The MTU that the frames need. */
unsigned int traffic_mtu(const struct config *config);

/* The profile of a configuration that was checked, but for MAC addresses. Says so where it has more flows than asked for. */
enum exit_code traffic_profile_of(const struct config *config, struct mlr_profile *ret);

/* What frames of a service have, by the configuration of it alone, but for its weight. */
struct mlr_service_frames traffic_service(const struct config *config);

/* What no one service can show: that several at once can be sent. EXIT_DONE, too, where their lists do not meet again. */
enum exit_code traffic_check_services(const struct config *config, bool *ret_meet);

/* The addresses of a port that frames come from, and those that they go to: both begin with its own. */
#define TRAFFIC_RANGES 2
void traffic_addresses(const struct mlr_profile *profile, unsigned int port, struct mlr_range ret[TRAFFIC_RANGES]);

/* What varies of an IPv6 address: its last four octets. */
#define TRAFFIC_LOW_WORD 12
uint32_t traffic_low_word(const struct in6_addr *address);

/* In what the frames are: "MPLS, IPv4, GRE"; empty: in nothing. */
const char *traffic_tunnels(const struct config *config);

/* A port's name, or its letter where none is given. */
const char *traffic_port_name(const struct config *config, unsigned int port);

/* The result document's "traffic_profile". Names are those of the ports. */
json_t *traffic_describe(const struct config *config, const struct mlr_profile *profile, const char *const *names);
