/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The canonical text of a JSON value is what is hashed and signed. It is the same for every file that says the same. Its
 * form is that of RFC 8785, with one exception: an integer that no binary64 number equals keeps its digits. Members are
 * ordered by the octets of their names in UTF-8. The caller owns the value and the text.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>

/* Return the canonical text, NULL without memory. The caller frees it. */
char *canonical_text(const json_t *value, size_t *ret_length);
