/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of a result document as the texts of a report: with units, rounded for people. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/exit_code.h"
#include "base/text_stream.h"

#define NARROW_SPACE "\xe2\x80\xaf" /* between groups of three digits */
#define DASH         "\xe2\x80\x93" /* no value */

/* Every function below writes into the buffer and returns it. NAN becomes a dash. */
#define VALUE_SIZE 96
#define VALUE_ROOM ROOM(VALUE_SIZE)
typedef const char *text_of_number(double value, char buffer[VALUE_SIZE]);
/* "1 003 326.9": groups of three, apart by narrow spaces. No decimals where all of them are 0. */
const char *text_number(double value, int decimals, char buffer[VALUE_SIZE]);
/* "1 003 326.9" */
const char *text_rate(double value, char buffer[VALUE_SIZE]);
/* "7"; "7.5" where it is not whole. */
const char *text_count(double value, char buffer[VALUE_SIZE]);
/* "0.5": as short as it goes. */
const char *text_plain(double value, char buffer[VALUE_SIZE]);
/* "1 003 326.9 frames/s" */
const char *text_fps(double value, char buffer[VALUE_SIZE]);
/* "0.5 %" */
const char *text_percent(double ratio, char buffer[VALUE_SIZE]);
/* "12.5 \xc2\xb5s" from ns. */
const char *text_ns(double ns, char buffer[VALUE_SIZE]);
/* The same from s. */
const char *text_seconds(double seconds, char buffer[VALUE_SIZE]);
/* Of 1 and anything else: "yes" and "no", "regular" and "IRREGULAR". */
const char *text_yes_no(double truth, char buffer[VALUE_SIZE]);
const char *text_regular(double truth, char buffer[VALUE_SIZE]);
/* "674.2 Mbit/s" */
const char *text_bps(double bps, char buffer[VALUE_SIZE]);
/* "1.003" and "Mframes/s" */
void text_split(double value, const char *unit, char number[VALUE_SIZE], char prefixed_unit[VALUE_SIZE]);
/* "relevant_lower_bound" as "Relevant lower bound", "frame_size_octets" as "Frame size (octets)". */
const char *text_label(const char *name, char buffer[VALUE_SIZE]);

/* What a campaign compares, as people call it: "conditional_throughput" is "Conditional Throughput". */
const char *text_quantity(const char *quantity);

/* Octets of a frame of the document's Traffic Profile, the mean of a mix; NAN where it has none. */
double frame_octets(const json_t *document);
