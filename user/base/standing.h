/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The standing of a result says in one word how far to rely on it: regular, limited or irregular. It is computed from the
 * result, which the caller owns, and never stored. The word is the same wherever a result is shown, counted or compared.
 *
 * The JSON member "regular" has the meaning that RFC 9971 gives it for a Goal Result. A result that rests on a trial which
 * the tester limited is not called regular here, but `limited`.
 */
#pragma once

#include <jansson.h>

#define LIMITED_WORD "limited"

/* The standings, from the best to the worst. */
enum standing { STANDING_REGULAR, STANDING_LIMITED, STANDING_IRREGULAR };

/* Return the standing of a Goal Result, a test of a suite, a point of a campaign or a trend. The members "regular",
 * "irregular_reason" and "tester_limited" decide. A result without "regular" is irregular, unless it is a whole document,
 * for which the reason alone may decide. */
enum standing standing_of(const json_t *result);
/* Return the worst standing of a document and all results in it: its goals, each search of --repeat, each test, and each
 * point that is done. */
enum standing standing_of_document(const json_t *document);

/* Return the standing of a campaign's point that is done; in documents of earlier versions only its results decide. Also
 * return that of a spread over repeats, which is the worst of its results. */
enum standing standing_of_point(const json_t *point);
enum standing standing_of_spread(const json_t *spread);

/* Return "regular", "limited" or "IRREGULAR". */
const char *standing_word(enum standing standing);
/* Return the word of standing_of(). */
const char *result_word(const json_t *result);
/* Return how many of the results have this standing. */
size_t standing_count(const json_t *results, enum standing standing);
