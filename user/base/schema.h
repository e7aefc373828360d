/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header checks a document that somebody else may have written against its published schema, before anything is
 * computed from it. The caller owns the document; the schemas are constants in the program. A document is checked once,
 * after it is read.
 *
 * Each member must have the type, range and length of its schema, and no number may be larger than any that this program
 * measures. What is missing, null or unknown to the schema is no fault: an older or later version may have written it.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#define SCHEMA_NUMBER_MOST  1e19 /* larger than counters of 63 bits and times in ns, so it is no measurement */
#define SCHEMA_PROBLEM_SIZE 512

/* Whether the document fits the schema that its member "schema" names. Without such a schema, only the limits of numbers are
 * checked. Otherwise get the first problem with its place: "/trials/3/trial_load: 1e+308 is out of range". */
bool schema_fits(const json_t *document, char ret_problem[SCHEMA_PROBLEM_SIZE]);
