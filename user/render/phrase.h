/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A phrase is what a report says, as a text with holes, which members of an object of the document fill. It belongs to the
 * caller, as do object and buffer. Nothing is kept.
 *
 *	"p50 {p50_ns:ns}, max {max_ns:ns}[; of {trials:count} trial{trials:s}]"
 *
 *	{member:format}    the member ("latency/p99_ns" is one of "latency"), by a format of phrase.c; without one: a text, or a list
 *	<member|; |...>    each item of a list by the phrase that follows, with "; " between those that are not empty
 *	[ ... ]            left out where a member within is missing
 *	[member? ... ]     left out where the member is missing, 0, false or empty
 *	[member=word? ...] left out where the member is another text or truth
 *	[!member? ... ]    the opposite of either
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text_stream.h"

/* Write the phrase, and return the buffer. What has no room is cut. A missing member is a dash, and a missing text nothing. */
const char *phrase_write(char *buffer, size_t size, const char *phrase, const json_t *object);
#define PHRASE_SIZE               4096
#define PHRASE_OF(phrase, object) phrase_write(ROOM(PHRASE_SIZE), PHRASE_SIZE, phrase, object)

/* Whether a condition holds of an object: what stands between "[" and "?". */
bool phrase_holds(const char *condition, const json_t *object);
