/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which receive queue gets which test frames, as rules for a NIC that has them ("ntuple").
 *
 * A receive hash spreads flows by chance: of four flows on four queues two usually share one. Rules deal them out in turn,
 * by the field of the frames that has most values: where those are few, a rule a value; where they are many, by the bits
 * that change from one to the next, as many queues as is a power of two. Frames that do not differ all go to queue 0.
 */
#pragma once

#include <stddef.h>

#include "mlr/profile.h"
#include "netdev/ethtool.h"

#define STEERING_VALUES_MAX 64 /* of a field that has a rule a value */
#define STEERING_QUEUES_MAX 128
#define STEERING_RULES_MAX  (2 * STEERING_QUEUES_MAX) /* both IP versions */

/* The rules for what a port of a numbered profile receives, over so many queues; how many. 0 if it receives nothing. */
size_t steering_rules(const struct mlr_profile *profile, unsigned int port, unsigned int queues,
		      struct link_rule ret[STEERING_RULES_MAX]);
