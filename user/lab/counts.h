/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header reads what a policer of the lab counted. The kernel owns the counters, in a map of the XDP program on the
 * link. They exist as long as the lab.
 *
 * The process that made the lab has ended, and nothing is pinned. So the map is found from the link by its program.
 */
#pragma once

#include <jansson.h>

#include "lab/lab.h"

/* Read the counts of both directions in the network namespace of this file: an array of {"from", "to", "passed",
 * "dropped", "queue_max_frames"}. Returns NULL for a SUT that is no policer, and warns if counts cannot be read. It is a
 * new reference. */
json_t *policer_counts_json(const char *namespace, const struct lab *lab);
