/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A member "crc32" in what is written to be read again by ourselves: a flipped bit may leave JSON that is good, and means
 * another thing. It is the CRC-32 (that of zlib) of the object's text on one line, as json_text() writes it, without that
 * member. So white space counts for nothing, and the order of members does.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* Give an object its checksum, in place of an older one. */
void checksum_set(json_t *object);
/* False where it has a checksum that is not its own. Older versions wrote none. */
bool checksum_holds(const json_t *object);
