/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header decides which receive queue gets which test frames, as rules for a NIC that has them ("ntuple"). The caller
 * owns the rules. They are computed once for each measurement, and set and removed as settings of the port.
 *
 * A receive hash spreads flows by chance: of four flows on four queues, two usually share one. Rules distribute them in
 * turn, by the field of the frames with the most values. Few values get a rule for each. With many, rules use the bits that
 * change from one value to the next, for as many queues as a power of two. Equal frames all go to queue 0.
 */
#pragma once

#include <stddef.h>

#include "mlr/profile.h"
#include "netdev/ethtool.h"

#define STEERING_VALUES_MAX 64 /* a field with at most so many values has a rule for each */
#define STEERING_QUEUES_MAX 128
#define STEERING_RULES_MAX  (2 * STEERING_QUEUES_MAX) /* most rules, for both IP versions */

/* Make the rules for what a port of a numbered profile receives, over so many queues. Returns their number, 0 if it receives
 * nothing. */
size_t steering_rules(const struct mlr_profile *profile, unsigned int port, unsigned int queues,
		      struct link_rule ret[STEERING_RULES_MAX]);
