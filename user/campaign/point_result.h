/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a campaign's report takes from the stored result of a point. A result is mostly trials, and the report shows none of
 * them, so they are cut out of the text before it is read: ten thousand results take seconds and not minutes.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "campaign/campaign.h"
#include "config/verb.h"

/* In place: objects and arrays that are members of these names, at any depth, become null. Returns the new length. The names
 * are NULL-terminated. What is no JSON stays none. */
size_t json_cut(char *text, size_t length, const char *const *names);

/* The quantity that results of a verb are about, as a member of the document says it; "" for a verb without one. */
const char *result_quantity(enum verb verb);

/* Read a result: {"start_time", "hostname", "version", "kernel", "tx_backend", "duration", "irregular_reason", "regular",
 * "tester_limited", "results", "configuration"}, a new reference; standing_of() it tells how the whole result stands. "results"
 * has for each goal {"goal", "value", "lower_bound", "upper_bound", "regular", "tester_limited"}, of a soak "stdev" as well, of a
 * trial "loss_ratio". NULL where the file is no result of that verb, with `problem` saying why. */
json_t *result_read(const char *path, enum verb verb, char *problem, size_t problem_size);

#define POINT_PROBLEM_SIZE 256
/* The same of a point; NULL also where its result does not count, because it was measured with other options. */
json_t *point_result(const struct campaign *campaign, size_t point, char *problem, size_t size);
