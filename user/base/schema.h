/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header checks a JSON value that somebody else may have written against a schema (JSON Schema 2020-12, as much of it
 * as docs/schema/ uses), before anything is computed from it. The caller owns the value; the schemas are constants in the
 * program. A value is checked once, after it is read.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#define SCHEMA_NUMBER_MOST   1e19 /* larger than counters of 63 bits and times in ns, so it is no measurement */
#define SCHEMA_OBSERVED_MOST 1000 /* counters that a source tells of in a trial */
#define SCHEMA_PATH_SIZE     256
#define SCHEMA_PROBLEM_SIZE  512

enum schema_rigour {
	/* Types, ranges and lengths. What is missing, null or unknown is no fault: another version may have written it. */
	SCHEMA_LENIENT,
	SCHEMA_STRICT, /* every keyword */
	SCHEMA_CLOSED, /* every keyword, and no member of which the schema says nothing */
	/* As SCHEMA_STRICT, for a configuration whose values are all texts: "5" fits an integer. The message is the schema's
	 * description of what must stand there. */
	SCHEMA_CONFIGURATION,
};

/* The first fault. */
struct schema_fault {
	char path[SCHEMA_PATH_SIZE]; /* JSON pointer to the value: "/trials/3/trial_load" */
	char text[SCHEMA_PROBLEM_SIZE / 2 - 4];
	const json_t *value; /* the value, or the object that has the key */
	const char *key;     /* the key that is the fault; NULL: the value is */
	bool of_schema;      /* The schema itself is wrong. */
};

/* Whether a value fits NAME.schema.json. `directory` has the schemas; NULL: those of the program. */
bool schema_check(const char *directory, const char *name, enum schema_rigour rigour, const json_t *value,
		  struct schema_fault *ret);

/* Whether a document fits the schema that its member "schema" names, leniently. Without such a schema, only the limits of
 * numbers are checked. Otherwise get the first problem with its place: "/trials/3/trial_load: 1e+308 is out of range". */
bool schema_fits(const json_t *document, char ret_problem[SCHEMA_PROBLEM_SIZE]);
