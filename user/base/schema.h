/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A document that somebody else may have written, held against its published schema before anything is computed of it: what
 * is there has the type, the range and at most the length that the schema gives it, and no number is larger than any that this
 * program measures.
 * What is missing or null, and what a schema does not know, is no fault: an older version or a later one wrote it.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#define SCHEMA_NUMBER_MOST  1e19 /* beyond counters of 63 bits and times in ns; more of anything is no measurement */
#define SCHEMA_PROBLEM_SIZE 512

/* Whether the document fits the schema that its member "schema" names; where there is none such, only that its numbers are
 * within bounds. Else what is wrong first, and where, fit for a message: "/trials/3/trial_load: 1e+308 is out of range". */
bool schema_fits(const json_t *document, char ret_problem[SCHEMA_PROBLEM_SIZE]);
