/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These macros make JSON of C values, by their types: a bool, an integer, a double (null if it is not finite), or a text (null
 * if it is NULL). Each value is a new reference.
 *
 *	json_put(json, "gap_max_frames", order->gap_max);
 *	json_put_members(json, order, window, gaps);	// "window" is order->window, and "gaps" is order->gaps
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

#define json_of(value)                                                                                                      \
	_Generic((value), bool: json_of_truth, double: json_number_or_null, char *: json_of_text,                           \
		 const char *: json_of_text, default: json_of_whole)(value)

/* Set a member of an object. */
#define json_put(object, name, value) json_object_set_new(object, name, json_of(value))

/* Set members of an object from those of a struct that have the same names, at most 16. */
#define json_put_members(object, from, ...)                                                                                 \
	do {                                                                                                                \
		JSON_REPEAT(JSON_MEMBER(object, from, __VA_ARGS__))                                                         \
	} while (0)
/* Make an object of them. */
#define json_of_members(from, ...)                                                                                          \
	({                                                                                                                  \
		json_t *of_members = json_object();                                                                         \
                                                                                                                            \
		json_put_members(of_members, from, __VA_ARGS__);                                                            \
		of_members;                                                                                                 \
	})

/* JSON_MEMBER() puts one member, and leaves a call for the others behind, which JSON_REPEAT() expands. */
#define JSON_MEMBER(object, from, member, ...)                                                                              \
	json_put(object, #member, (from)->member);                                                                          \
	__VA_OPT__(JSON_MEMBER_LATER JSON_NO_ARGUMENTS(object, from, __VA_ARGS__))
#define JSON_MEMBER_LATER()  JSON_MEMBER
#define JSON_NO_ARGUMENTS    ()
#define JSON_REPEAT(...)     JSON_REPEAT_4(JSON_REPEAT_4(JSON_REPEAT_4(JSON_REPEAT_4(__VA_ARGS__))))
#define JSON_REPEAT_4(...)   JSON_REPEAT_ONE(JSON_REPEAT_ONE(JSON_REPEAT_ONE(JSON_REPEAT_ONE(__VA_ARGS__))))
#define JSON_REPEAT_ONE(...) __VA_ARGS__
