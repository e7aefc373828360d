/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings are what one result document says of one goal, over all of its searches. compare.c finds them for two documents at
 * once, as the thresholds of all searches are estimated together, and frees them.
 *
 * What is compared is the threshold of each search (mlr/threshold.h), from its trials near the bounds. Where a search has no
 * such trials, as in the reports of suites and campaigns of earlier versions, it is the Conditional Throughput of all.
 * A search that the tester limited, or that ended at Max Load, says only that the SUT does so much at least. One that failed
 * at Min Load says only that the SUT does so much at most.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "mlr/welch.h"

enum side { A, B, SIDES };

struct findings {
	size_t runs;
	double lower_least_fps, lower_most_fps; /* Relevant Lower Bounds; without one: 0 */
	double upper_least_fps, upper_most_fps; /* Relevant Upper Bounds; without one: infinite */
	struct mlr_sample throughput;           /* Conditional Throughputs, of those that have one */
	struct mlr_sample compared; /* thresholds, or Conditional Throughputs; count 0: there is nothing to compare */
	bool by_trials;             /* `compared` has thresholds */
	double error_ratio;         /* the largest standard deviation of one threshold; else 0 */
	double resolution_ratio;    /* a standard deviation: what the width between the bounds leaves open */
	size_t limited;             /* searches that the tester limited */
	size_t offered_less;        /* searches whose Lower Bound less was offered than: the SUT may do less */
	bool at_least, at_most;     /* no search found a threshold: the SUT may do more, or less, than `compared` says */
	bool irregular;
	json_t *each; /* the throughputs; owned */
};

/* Return the results of all searches of a document by goal: a new object, with an array for each. A result brings its trials
 * along as "near". */
json_t *findings_results(const json_t *document);

/* Find what two arrays of results of the same goal say. Without memory, which is noted, there is nothing to compare. */
void findings_find(const json_t *const results[SIDES], struct findings ret[SIDES]);

json_t *findings_json(const struct findings *findings);
void findings_free(struct findings findings[SIDES]);
