/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A packed list holds objects that have the same members, such as the trials of a search, in a sixth of the memory. Of each
 * object it has the values alone, in an array. Their shape is kept once: an object that has these members, and some values.
 *
 * The caller owns the list, which is an array like any other. Who reads its items does so by json_each() (json_read.h) or
 * json_item(), which put the values of an item into the shape. So an item that nobody holds is another one as soon as the next
 * is read, and no item may be changed.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>

/* Append an object, which is taken over; or any other value, as it is. Returns -1 without a value or memory. */
int json_append_packed(json_t *list, json_t *value);

/* Return an item of any array as a new reference, or NULL if there is none. */
json_t *json_item(const json_t *list, size_t at);
