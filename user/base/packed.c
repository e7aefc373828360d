/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/packed.h"

#include <stdbool.h>
#include <string.h>

#include "base/json_read.h"

#define SHAPES_TRIED 8 /* so many items before an object may have its shape */

/* A packed object is an array: its shape, then its values. The shape is an array of this mark, which no other value has, and
 * the object; so the object is held by it alone, unless somebody reads it. */
static json_t mark = { .type = JSON_NULL, .refcount = (size_t)-1 };

static bool is_leaf(const json_t *value)
{
	return !json_is_object(value) && !json_is_array(value);
}

/* NULL: it is not packed. */
static json_t *shape_of(const json_t *item)
{
	const json_t *shape = json_array_get(item, 0);

	return json_array_get(shape, 0) == &mark ? json_array_get(shape, 1) : NULL;
}

/* --- packing -------------------------------------------------------------------------------------------------------- */

static bool same_shape(json_t *a, json_t *b)
{
	void *of_a = json_object_iter(a), *of_b = json_object_iter(b);

	if (is_leaf(a) || is_leaf(b))
		return a && b && is_leaf(a) && is_leaf(b);
	if (json_typeof(a) != json_typeof(b) || json_array_size(a) != json_array_size(b) ||
	    json_object_size(a) != json_object_size(b))
		return false;
	for (; of_a; of_a = json_object_iter_next(a, of_a), of_b = json_object_iter_next(b, of_b))
		if (strcmp(json_object_iter_key(of_a), json_object_iter_key(of_b)) != 0 ||
		    !same_shape(json_object_iter_value(of_a), json_object_iter_value(of_b)))
			return false;
	for (size_t i = 0; i < json_array_size(a); i++)
		if (!same_shape(json_array_get(a, i), json_array_get(b, i)))
			return false;
	return true;
}

/* A value that the item before has in the same place, or this one in the place before, is shared with it. */
static void add_values(json_t *packed, json_t *value, const json_t *before)
{
	json_t *const like[] = { json_array_get(before, json_array_size(packed)),
				 json_array_get(packed, json_array_size(packed) - 1) };

	json_each_member (name, member, value)
		add_values(packed, member, before);
	for (size_t i = 0; i < json_array_size(value); i++)
		add_values(packed, json_array_get(value, i), before);
	if (is_leaf(value))
		json_array_append(packed, json_equal(value, like[0])   ? like[0]
					  : json_equal(value, like[1]) ? like[1]
								       : value);
}

/* The last item of this shape, of those tried. NULL: none has it. */
static const json_t *item_like(const json_t *list, json_t *object)
{
	size_t count = json_array_size(list);

	for (size_t i = 1; i <= SHAPES_TRIED && i <= count; i++)
		if (same_shape(shape_of(json_array_get(list, count - i)), object))
			return json_array_get(list, count - i);
	return NULL;
}

int json_append_packed(json_t *list, json_t *value)
{
	const json_t *like = json_is_object(value) ? item_like(list, value) : NULL;
	json_t *packed;

	if (!json_is_object(value))
		return json_array_append_new(list, value);
	packed = like ? json_pack("[O]", json_array_get(like, 0)) : json_pack("[[O, O]]", &mark, value);
	add_values(packed, value, like);
	json_decref(value);
	return json_array_append_new(list, packed);
}

/* --- reading -------------------------------------------------------------------------------------------------------- */

/* Whether somebody reads it, who must not see other values there. With a sanitizer each item is a copy, so that it finds who reads
 * one without holding it. */
static bool is_held(const json_t *shape)
{
#ifdef __SANITIZE_ADDRESS__
	return shape;
#else
	return shape->refcount > 1;
#endif
}

/* Put the values into the shape, from a place on, or into a copy. A new reference. */
static json_t *fill(json_t *shape, const json_t *values, size_t *at)
{
	json_t *filled;

	if (is_leaf(shape))
		return json_incref(json_array_get(values, (*at)++));
	filled = is_held(shape) ? json_copy(shape) : json_incref(shape);
	json_each_member (name, member, filled)
		json_object_iter_set_new(filled, json_object_key_to_iter(name), fill(member, values, at));
	for (size_t i = 0; i < json_array_size(filled); i++)
		json_array_set_new(filled, i, fill(json_array_get(filled, i), values, at));
	return filled;
}

json_t *json_item(const json_t *list, size_t at)
{
	json_t *item = json_array_get(list, at), *shape = shape_of(item);
	json_t *filled = shape ? fill(shape, item, &(size_t){ 1 }) : NULL;

	return filled ? filled : json_incref(item); /* Without memory for a copy it is some value. */
}
