/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The canonical text of a JSON value, which is what is hashed and signed: the same for every file that says the same. It is
 * the form of RFC 8785, with one exception: an integer that no binary64 number equals is written in its digits. Members are
 * ordered by the octets of their names in UTF-8. The caller owns the value, and the text that is returned.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>

/* Return the canonical text, NULL without memory. The caller frees it. */
char *canonical_text(const json_t *value, size_t *ret_length);
