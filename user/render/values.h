/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These functions write values of a result document as texts of a report, with units and rounded for people. The caller owns
 * the buffers. They keep nothing. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/exit_code.h"
#include "base/standing.h"
#include "base/text_stream.h"

#define NARROW_SPACE "\xe2\x80\xaf" /* stands between groups of three digits */
#define DASH         "\xe2\x80\x93" /* stands for a missing value */

/* Every function below writes into the buffer and returns it. NAN becomes a dash. */
#define VALUE_SIZE 96
#define VALUE_ROOM ROOM(VALUE_SIZE)
typedef const char *text_of_number(double value, char buffer[VALUE_SIZE]);
/* "1 003 326.9": groups of three digits with narrow spaces between. Decimals are left out if all of them are 0. */
const char *text_number(double value, int decimals, char buffer[VALUE_SIZE]);
/* "1 003 326.9" */
const char *text_rate(double value, char buffer[VALUE_SIZE]);
/* "7", or "7.5" if it is not an integer. */
const char *text_count(double value, char buffer[VALUE_SIZE]);
/* "0.5": the shortest text. */
const char *text_plain(double value, char buffer[VALUE_SIZE]);
/* "1 003 326.9 frames/s" */
const char *text_fps(double value, char buffer[VALUE_SIZE]);
/* "0.5 %", with three significant digits, and no decimals from 1000 % on. */
const char *text_percent(double ratio, char buffer[VALUE_SIZE]);
/* Return the same with `digits` significant digits. */
const char *text_percent_within(double ratio, int digits, char buffer[VALUE_SIZE]);
/* "+0.42 %", "-0.003 %", and never "-0.00 %". */
const char *text_change(double ratio, char buffer[VALUE_SIZE]);
/* "12.5 \xc2\xb5s" from ns: three significant digits, none below the ns. */
const char *text_ns(double ns, char buffer[VALUE_SIZE]);
/* The same, with more digits where the value is known to within such a bound (NAN: nothing is known of it). */
const char *text_ns_within(double ns, double bound_ns, char buffer[VALUE_SIZE]);
/* Format a value with so many digits more than usual. */
typedef const char *text_with_more(const void *context, double value, int more, char buffer[VALUE_SIZE]);
/* A value with as many digits as show that it differs from another one, if it does. */
const char *text_unlike(double value, double other, text_with_more *text, const void *context, char buffer[VALUE_SIZE]);
/* A figure beside what was asked, in the usual form, and unlike it. */
enum text_kind { TEXT_PERCENT, TEXT_NS, TEXT_RATE };
const char *text_beside(double value, double asked, enum text_kind kind, char buffer[VALUE_SIZE]);
/* What was asked, in full. */
const char *text_asked(double asked, enum text_kind kind, char buffer[VALUE_SIZE]);
/* The value of such a member of an object by a format. A time has the digits that the error bound beside the member allows. The name
 * may be a JSON pointer. */
const char *text_of_member(const json_t *object, const char *name, double value, text_of_number *format,
			   char buffer[VALUE_SIZE]);
/* "12.34 s": four digits, for times that a test measures. */
const char *text_seconds(double seconds, char buffer[VALUE_SIZE]);
/* "yes" for 1, and "no" for anything else. */
const char *text_yes_no(double truth, char buffer[VALUE_SIZE]);
/* "7.88", "54 459": growth by second, with three significant digits below 1000. "92.6 %": a share, of at most 1. */
const char *text_growth(double per_second, bool share, char buffer[VALUE_SIZE]);
/* A text of at most so many octets (4 to SHORT_SIZE), or the beginning and the end of a longer one, in whole characters: names
 * of counters often differ at their ends. */
#define SHORT_SIZE 256
const char *text_shortened(const char *text, size_t most, char buffer[SHORT_SIZE]);
#define SHORTENED(text, most) text_shortened(text, most, ROOM(SHORT_SIZE))
/* Return what follows a value of a result: ", limited", or nothing for a regular one. */
const char *text_standing(enum standing standing, char buffer[VALUE_SIZE]);
/* "674.2 Mbit/s" */
const char *text_bps(double bps, char buffer[VALUE_SIZE]);
/* "1.003" and "Mframes/s" */
void text_split(double value, const char *unit, char number[VALUE_SIZE], char prefixed_unit[VALUE_SIZE]);
/* "relevant_lower_bound" as "Relevant lower bound", "frame_size_octets" as "Frame size (octets)". */
const char *text_label(const char *name, char buffer[VALUE_SIZE]);

/* Return the name of the quantity that a campaign compares: "Conditional Throughput" for "conditional_throughput". */
const char *text_quantity(const char *quantity);

/* Return the octets of a frame of the document's Traffic Profile, the mean of a mix, or NAN. */
double frame_octets(const json_t *document);
