/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What jansson leaves to us in writing JSON: as text as jansson writes it, but for numbers, each of which is the shortest
 * text that reads back as exactly the same number (0.005, not 0.0050000000000000001). Reading it: json_read.h.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One line, or indented by two; with a line end. NULL without a value or memory; the caller frees it. */
char *json_text(const json_t *value, bool indented, size_t *ret_length);

/* A number alone, integer or real, as it is there. */
void json_put_number(FILE *stream, const json_t *number);

/* An object as YAML, one key a line, of values and lists of values. Texts that YAML reads as themselves stand without quotes,
 * unless all are to be `quoted`. */
void yaml_put(FILE *stream, const json_t *values, bool quoted);

/* A list of an item for each i below a count; what is NULL is left out. A new reference. */
#define json_list(i, count, item)                                                                                           \
	({                                                                                                                  \
		json_t *i##_list = json_array();                                                                            \
                                                                                                                            \
		for (size_t i = 0; i < (count); i++)                                                                        \
			json_array_append_new(i##_list, item);                                                              \
		i##_list;                                                                                                   \
	})

/* The list that an object has by this name, a new one where it has none. */
json_t *json_list_at(json_t *object, const char *name);

/* Append a text to an array. */
__attribute__((format(printf, 2, 3))) void append_sentence(json_t *sentences, const char *format, ...);

/* A number, or null for what does not exist (NAN, infinity). A new reference. */
json_t *json_number_or_null(double number);
