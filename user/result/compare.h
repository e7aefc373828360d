/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare says whether the SUT of one result document is slower than that of another one, and by what evidence. It reads two
 * documents that the caller owns, and returns comparisons that the caller frees. It keeps nothing.
 *
 * The evidence is a test (mlr/evidence.h) on the thresholds of all searches, which one likelihood over their trials finds
 * (mlr/threshold.h). A search that the tester limited says how much the SUT does at least. There are three outcomes: slower,
 * the same within what is stated, and "cannot tell". The width between the bounds counts as an error that repeats do not
 * reduce. Soaks are compared by their estimates and standard deviations.
 */
#pragma once

#include <jansson.h>

#include "base/message.h"
#include "config/config.h"
#include "mlr/evidence.h"

/* Return why two documents cannot be compared: an array of sentences, which is empty if they can. It is a new reference. */
json_t *compare_obstacles(const json_t *a, const json_t *b);

/* Return the trials near the bounds of a Goal Result, each as [load, whether it failed]; a new reference. A result that brings
 * such an array as its member "near" needs no trials in its document. */
json_t *compare_near_trials(const json_t *document, const json_t *result);

/* Compare what two documents say, of which it is known that they can be compared: the goals of two searches, repeated or not,
 * or two soaks. `spread` is what is known of the results of an unchanged SUT. Returns an array of comparisons as the document
 * has them, a new reference. */
json_t *compare_results(const struct config *config, const struct mlr_spread *spread, const json_t *a, const json_t *b);

/* Withdraw verdicts that may be chance among so many comparisons: of all changes that are left, at most the significance is
 * false. */
void compare_limit_discoveries(const struct config *config, json_t *comparisons);

/* Return EXIT_UNMET if one is slower, else EXIT_USAGE_ERROR if one cannot be told, else EXIT_DONE. */
enum exit_code compare_outcome(const json_t *comparisons);

/* Compare two documents, "search" or "soak". With a document ("xdp-mlr/compare/1", a new reference) it returns
 * compare_outcome(). Without one it returns EXIT_USAGE_ERROR: they cannot be compared, which was said. */
enum exit_code compare_documents(const struct config *config, const json_t *a, const json_t *b, json_t **ret_document);

/* --- load.c ---------------------------------------------------------------------------------------------------------- */

/* These functions load a stored result of search, soak or rfc2544, to compare it with another. */

#define LOAD_PROBLEM_SIZE 1024

/* Read the result in a file. The throughputs of a suite become the results of a search with a goal for each frame size.
 * Returns EXIT_DONE with a new reference, or with NULL and `problem` if the file is no such result. Otherwise the file
 * could not be read, and a message said so. */
enum exit_code result_load(const char *path, char problem[LOAD_PROBLEM_SIZE], json_t **ret);
