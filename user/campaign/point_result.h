/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header reads what a campaign needs of the stored result of a point. The caller owns what is returned. A campaign uses
 * little of a result. The rest is cut out of the text before it is read, and what is left is verified (result/verify.h).
 */
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "campaign/campaign.h"
#include "config/verb.h"

/* Replace objects and arrays that are members of these names, at any depth, by null, in place. Returns the new length. The
 * list of names ends with NULL. Text that is no JSON stays so. */
size_t json_cut(char *text, size_t length, const char *const *names);

/* Return the member of the document that has the quantity of the verb's results, or "". */
const char *result_quantity(enum verb verb);

/* Read a result: {"start_time", "hostname", "version", "kernel", "tx_backend", "duration", "irregular_reason", "regular",
 * "tester_limited", "results", "missed", "configuration"}, a new reference; standing_of() it tells how the whole result stands.
 * "missed" has the requirements that it does not meet. "results" has for each goal {"goal", "value", "lower_bound", "upper_bound", "regular", "tester_limited"}, of a soak "stdev" as well, of a
 * trial "loss_ratio". NULL where the file is no result of that verb, or contradicts itself, with the problem. */
enum point_fault {
	POINT_SOUND,
	POINT_UNREADABLE,  /* The file is no result, or only a part of one: the point has to be measured anew. */
	POINT_CONTRADICTS, /* The result does not follow from its own trials. */
	POINT_OTHER,       /* The file is the result of something else. */
};
struct point_problem {
	enum point_fault fault;
	char text[512];
};
json_t *result_read(const char *path, enum verb verb, struct point_problem *problem);

/* Read the result of a point; NULL also if it does not count, because it was measured with other options. */
json_t *point_result(const struct campaign *campaign, size_t point, struct point_problem *problem);
/* The fault of a point's result alone. A file that does not exist is unreadable. */
enum point_fault point_fault(const struct campaign *campaign, size_t point);
