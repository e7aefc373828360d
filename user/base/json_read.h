/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of an object by name: what is missing, null or of another type is NAN, NULL or false. */
#ifndef XDP_MLR_BASE_JSON_READ_H
#define XDP_MLR_BASE_JSON_READ_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>

static inline double read_number(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static inline const char *read_string(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

/* The string, or "". */
static inline const char *read_text(const json_t *object, const char *name)
{
	const char *text = read_string(object, name);

	return text ? text : "";
}

static inline bool read_truth(const json_t *object, const char *name)
{
	return json_is_true(json_object_get(object, name));
}

#endif
