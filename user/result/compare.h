/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare: whether the SUT of one result document is slower than that of another, and what shows it.
 *
 * A goal is called slower only on evidence, which is one of two:
 * - bounds: every Relevant Upper Bound of B lies below every Relevant Lower Bound of A, by more than the tolerance;
 * - repeats: both have several searches, and Welch's test refutes that the mean Conditional Throughput of B is at least that
 * of
 *   A less the tolerance. The width between the bounds counts as a further error of both means, one that repeats do not
 *   lessen: searches that all end on the same grid of loads agree better than they are exact.
 * For a soak it is the two estimates with their standard deviations, by the same test.
 */
#pragma once

#include <jansson.h>

#include "base/message.h"
#include "config/config.h"

/* Why it is senseless to compare two documents: an array of sentences, empty where nothing is in the way; a new reference. */
json_t *compare_obstacles(const json_t *a, const json_t *b);

/* Compare what two documents say of which it is known that they can be compared: the goals of two searches, repeated or not,
 * or two soaks. An array of comparisons as the document has them, a new reference. */
json_t *compare_results(const struct config *config, const json_t *a, const json_t *b);

/* Compare two documents, "search" or "soak". EXIT_DONE with *ret_document ("xdp-mlr/compare/1", a new reference): no
 * regression. EXIT_UNMET with the same: a regression. EXIT_USAGE_ERROR: they cannot be compared, which was said. */
enum exit_code compare_documents(const struct config *config, const json_t *a, const json_t *b, json_t **ret_document);

/* --- load.c ---------------------------------------------------------------------------------------------------------- */

/* A stored result of which another can be told apart: of search, soak or rfc2544. */

#define LOAD_PROBLEM_SIZE 1024

/* The result in a file; a suite's throughputs as the results of a search with a goal for each frame size. EXIT_DONE with a new reference,
 * or with NULL where it is none: `problem` says why. Else the file could not be read, which was said. */
enum exit_code result_load(const char *path, char problem[LOAD_PROBLEM_SIZE], json_t **ret);
