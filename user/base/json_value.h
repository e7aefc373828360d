/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These macros make JSON of C values, by their types: a bool, an integer, a double (null if it is not finite), a text (null if
 * it is NULL), or JSON, which is taken over.
 *
 *	json_put(json, "gap_max_frames", order->gap_max, "gaps", order->gaps);
 *	json_put_members(json, order, window, gaps);	// "window" is order->window, and "gaps" is order->gaps
 *
 * json_with() and json_of_members() return such members as a new object.
 */
#pragma once

#include "base/json_text.h"

static inline json_t *json_of_truth(bool truth)
{
	return json_boolean(truth);
}

static inline json_t *json_of_whole(json_int_t whole)
{
	return json_integer(whole);
}

static inline json_t *json_of_text(const char *text)
{
	return text ? json_string(text) : json_null();
}

static inline json_t *json_of_json(json_t *json)
{
	return json;
}

#define json_of(value)                                                                                                      \
	_Generic((value), bool: json_of_truth, double: json_number_or_null, char *: json_of_text,                           \
		 const char *: json_of_text, json_t *: json_of_json, default: json_of_whole)(value)

struct json_member {
	const char *name; /* NULL: the end */
	json_t *value;
};

/* Set the members that have values. Returns the object. */
static inline json_t *json_put_all(json_t *object, const struct json_member *members)
{
	for (; members->name; members++)
		json_object_set_new(object, members->name, members->value);
	return object;
}

/* See json_with(). */
json_t *json_of_all(const struct json_member *members);

/* Set members of an object, from names and values in turn, or from the members of a struct that have the same names. */
#define json_put(object, ...)               json_put_all(object, JSON_LIST(JSON_PAIR(__VA_ARGS__)))
#define json_put_members(object, from, ...) json_put_all(object, JSON_LIST(JSON_SAME(from, __VA_ARGS__)))
/* Make an object of them. json_with() returns NULL if one has no value, as without memory. */
#define json_with(...)             json_of_all(JSON_LIST(JSON_PAIR(__VA_ARGS__)))
#define json_of_members(from, ...) json_put_members(json_object(), from, __VA_ARGS__)

/* The row of the first member. A call for the others is left behind in two words, "JSON_PAIR_NEXT ()", which become one when
 * the list is read again. JSON_ROWS() reads it so often that it may have 20 members. */
#define JSON_PAIR(name, value, ...) { name, json_of(value) }, __VA_OPT__(JSON_PAIR_NEXT JSON_CALL(__VA_ARGS__))
#define JSON_SAME(from, member, ...)                                                                                        \
	{ #member, json_of((from)->member) }, __VA_OPT__(JSON_SAME_NEXT JSON_CALL(from, __VA_ARGS__))
#define JSON_PAIR_NEXT() JSON_PAIR
#define JSON_SAME_NEXT() JSON_SAME
#define JSON_CALL        ()
#define JSON_LIST(...)   ((const struct json_member[]){ JSON_ROWS(__VA_ARGS__){ NULL, NULL } })
#define JSON_ROWS(...)   JSON_ROWS_4(JSON_ROWS_4(JSON_ROWS_4(JSON_ROWS_4(__VA_ARGS__))))
#define JSON_ROWS_4(...) JSON_ROWS_1(JSON_ROWS_1(JSON_ROWS_1(JSON_ROWS_1(__VA_ARGS__))))
#define JSON_ROWS_1(...) __VA_ARGS__
