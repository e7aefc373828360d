/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A checksum protects JSON that the program writes for itself, because a flipped bit may leave valid JSON with another
 * meaning. The object owns it, as its member "crc32". It is set before the object is written, and tested when the object is
 * read again.
 *
 * It is the CRC-32 (that of zlib) of the object's text on one line, as json_text() writes it, without that member. So white
 * space does not matter, but the order of members does.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* Set the checksum of an object, in place of an older one. */
void checksum_set(json_t *object);
/* Returns false if the object has a checksum that does not match. Older versions wrote none, which is allowed. */
bool checksum_holds(const json_t *object);
