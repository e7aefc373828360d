/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/checksum.h"

#include <zlib.h>

#include "base/exit_code.h"
#include "base/json_value.h"

#define MEMBER "crc32"

/* Return the checksum of an object as a new reference; NULL without memory. */
static json_t *sum(const json_t *object)
{
	json_t *rest = json_copy((json_t *)object);
	size_t length = 0;
	owned char *text = NULL;

	json_object_del(rest, MEMBER);
	text = json_text(rest, false, &length);
	json_decref(rest);
	rest = text ? json_integer((json_int_t)crc32_z(0, (const Bytef *)text, length)) : NULL;
	return rest;
}

void checksum_set(json_t *object)
{
	json_t *own = sum(object);

	json_object_del(object, MEMBER); /* No checksum is better than an outdated one. */
	json_put(object, MEMBER, own);
}

bool checksum_holds(const json_t *object)
{
	const json_t *given = json_object_get(object, MEMBER);
	json_auto_t *own = given ? sum(object) : NULL;
	bool holds = !own || json_equal(own, given); /* Without memory, the result is not known. */

	return holds;
}
