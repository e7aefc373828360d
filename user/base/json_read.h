/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These functions read members of JSON objects by name, and iterate over arrays and objects. They return borrowed
 * references, which live as long as the object. A member that is missing, null or of another type reads as NAN, 0, NULL or
 * false. A trial of a document that was read lives as long as the loop is at it (packed.h). */
#pragma once

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/packed.h"

static inline double read_number(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Return the first of two members that is a number. */
static inline double read_either(const json_t *object, const char *name, const char *other)
{
	double value = read_number(object, name);

	return isnan(value) ? read_number(object, other) : value;
}

static inline const char *read_string(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

/* Return the string, or "". */
static inline const char *read_text(const json_t *object, const char *name)
{
	const char *text = read_string(object, name);

	return text ? text : "";
}

/* Return an integer. */
static inline json_int_t read_integer(const json_t *object, const char *name)
{
	const json_t *member = json_object_get(object, name);
	double real = json_real_value(member);

	/* others may write 1 as 1.0 */
	return json_is_real(member) && fabs(real) < 0x1p53 && real == rint(real) ? (json_int_t)real
										 : json_integer_value(member);
}

static inline bool read_truth(const json_t *object, const char *name)
{
	return json_is_true(json_object_get(object, name));
}

/* Return what measured the trials; of a replay, also of one of another, what measured those that it replays. */
static inline const json_t *document_measurer(const json_t *document)
{
	const json_t *measurer = json_object_get(document, "measurer"), *replayed;

	while ((replayed = json_object_get(measurer, "replayed")))
		measurer = replayed;
	return measurer;
}

/* Return the kind of a document: "search" for the schema "xdp-mlr/search/1", or "" if it is not one of ours. */
#define KIND_SIZE 32
static inline const char *document_kind(const json_t *document, char buffer[KIND_SIZE])
{
	char slash = '\0';

	if (sscanf(read_text(document, "schema"), "xdp-mlr/%31[^/]%c", buffer, &slash) < 2 || slash != '/')
		buffer[0] = '\0';
	return buffer;
}

/* Return what a JSON pointer such as "/trials/0/latency" leads to, or NULL. */
static inline const json_t *json_at(const json_t *value, const char *pointer)
{
	char path[128], *rest = path, *step;

	snprintf(path, sizeof(path), "%s", pointer + 1);
	while (value && (step = strsep(&rest, "/")))
		value = json_is_array(value) ? json_array_get(value, (size_t)strtoul(step, NULL, 10))
					     : json_object_get(value, step);
	return value;
}

/*
 * `json_each (item, array) ...` repeats for each item of an array, `json_each_member (name, value, object) ...` for each
 * member of an object. They do nothing if it is neither. They declare their variables, and allow `break` and `continue`.
 * The place of an item is `item_at`, from 0.
 * Each consists of two loops with one variable each. The inner loop runs once, and `_on` stays set if it was left by
 * `break`.
 */
#define json_each(item, array)                                                                                              \
	for (size_t item##_at = 0, item##_on = 1; item##_on && item##_at < json_array_size(array);                          \
	     item##_at++, item##_on = !item##_on)                                                                           \
		for (json_auto_t *item = json_item(array, item##_at); item##_on; item##_on = 0)
#define json_each_member(name, value, object)                                                                               \
	for (const char *name = json_object_iter_key(json_object_iter((json_t *)(object))), *name##_on = "";                \
	     name##_on && name;                                                                                             \
	     name = json_object_iter_key(json_object_iter_next((json_t *)(object), json_object_key_to_iter(name))),         \
			name##_on = name##_on ? NULL : "")                                                                  \
		for (__attribute__((unused)) json_t *value = json_object_iter_value(json_object_key_to_iter(name));         \
		     name##_on; name##_on = NULL)

/* Whether two values are the same. Items of lists may be packed in one of them. */
static inline bool json_same(const json_t *a, const json_t *b)
{
	if (!json_is_array(a) || json_array_size(a) != json_array_size(b))
		return json_equal(a, b);
	json_each (item, a) {
		json_auto_t *other = json_item(b, item_at);

		if (!json_equal(item, other))
			return false;
	}
	return true;
}

/* Whether a member is in both objects, and not the same. */
static inline bool json_differ(const json_t *a, const json_t *b, const char *name)
{
	const json_t *in_a = json_object_get(a, name), *in_b = json_object_get(b, name);

	return in_a && in_b && !json_same(in_a, in_b);
}

/* Whether a list has an item like this one. */
static inline bool json_list_has(const json_t *list, const json_t *like)
{
	json_each (item, list)
		if (json_equal(item, like))
			return true;
	return false;
}

/* Return how many objects of a list have such a text as a member. */
static inline size_t json_count(const json_t *list, const char *name, const char *text)
{
	size_t count = 0;

	json_each (item, list)
		count += strcmp(read_text(item, name), text) == 0;
	return count;
}
