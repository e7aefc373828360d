/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions write JSON and YAML as text. The caller owns the texts and references that they return. Reading is in
 * json_read.h.
 *
 * Each number is the shortest text that reads back as exactly the same number: 0.005 and not 0.0050000000000000001. All else
 * is written as jansson does.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Return a value as one line or indented by two spaces, with a line end. NULL without a value or memory; the caller frees
 * it. */
char *json_text(const json_t *value, bool indented, size_t *ret_length);

/* Write a single number, integer or real. */
void json_put_number(FILE *stream, const json_t *number);

/* Write an object as YAML: one key on each line, with values and lists of values. Texts that YAML reads as themselves have
 * no quotes, unless all texts are to be `quoted`. */
void yaml_put(FILE *stream, const json_t *values, bool quoted);

/* Make a list of an item for each i below a count, without those that are NULL. Returns a new reference. */
#define json_list(i, count, item)                                                                                           \
	({                                                                                                                  \
		json_t *i##_list = json_array();                                                                            \
                                                                                                                            \
		for (size_t i = 0; i < (count); i++)                                                                        \
			json_array_append_new(i##_list, item);                                                              \
		i##_list;                                                                                                   \
	})

/* Return the list that an object has by this name, and add an empty one if there is none. */
json_t *json_list_at(json_t *object, const char *name);

/* Append a text to an array. */
__attribute__((format(printf, 2, 3))) void append_sentence(json_t *sentences, const char *format, ...);

/* Return a number, or null for NAN and infinity. It is a new reference. */
json_t *json_number_or_null(double number);
