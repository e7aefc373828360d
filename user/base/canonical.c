/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/canonical.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json_read.h"
#include "base/text_stream.h"

#define DIGITS_MOST    17 /* digits that a binary64 number needs at most */
#define PLAIN_MOST     21 /* places before the point, and */
#define PLAIN_ZEROS    6  /* zeros behind it, without an exponent */
#define EXACT_UP_TO    (INT64_C(1) << 53)
#define ESCAPED_BELOW  0x20
#define OVER_ANY_INT64 0x1p63

static void put(FILE *stream, const json_t *value);

/* Get the fewest digits that read back as the number, and the place of the point behind the first of them. */
static int shortest_digits(double number, char digits[DIGITS_MOST + 1])
{
	char text[DIGITS_MOST + 16];
	int count = 0, precision = 0;

	do
		snprintf(text, sizeof(text), "%.*e", precision, number);
	while (strtod(text, NULL) != number && ++precision < DIGITS_MOST);
	for (const char *at = text; *at != 'e'; at++)
		if (*at != '.')
			digits[count++] = *at;
	digits[count] = '\0';
	return atoi(strchr(text, 'e') + 1) + 1;
}

/* Write a number as ECMAScript does. RFC 8785 refers to that. */
static void put_real(FILE *stream, double number)
{
	char digits[DIGITS_MOST + 1];
	int point = shortest_digits(fabs(number), digits), count = (int)strlen(digits);

	if (number < 0)
		fputc('-', stream);
	if (point >= count && point <= PLAIN_MOST)
		fprintf(stream, "%s%.*s", digits, point - count, "000000000000000000000");
	else if (point > 0 && point <= PLAIN_MOST)
		fprintf(stream, "%.*s.%s", point, digits, digits + point);
	else if (point > -PLAIN_ZEROS && point <= 0)
		fprintf(stream, "0.%.*s%s", -point, "000000", digits);
	else
		fprintf(stream, "%.1s%s%se%+d", digits, count > 1 ? "." : "", digits + 1, point - 1);
}

static void put_number(FILE *stream, const json_t *number)
{
	json_int_t whole = json_integer_value(number);
	double real = json_number_value(number);

	if (json_is_integer(number) && (llabs(whole) <= EXACT_UP_TO || real >= OVER_ANY_INT64 || (json_int_t)real != whole))
		fprintf(stream, "%" JSON_INTEGER_FORMAT, whole);
	else if (real == 0)
		fputc('0', stream);
	else
		put_real(stream, real);
}

static void put_text(FILE *stream, const char *text, size_t length)
{
	static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";

	fputc('"', stream);
	for (size_t i = 0; i < length; i++) {
		const char *found = text[i] ? strchr(escaped, text[i]) : NULL;

		if (found)
			fprintf(stream, "\\%c", letters[found - escaped]);
		else if ((unsigned char)text[i] < ESCAPED_BELOW)
			fprintf(stream, "\\u%04x", (unsigned int)text[i]);
		else
			fputc(text[i], stream);
	}
	fputc('"', stream);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_object(FILE *stream, const json_t *object)
{
	owned const char **names = calloc(json_object_size(object) + 1, sizeof(*names));
	size_t count = 0;

	fputc('{', stream);
	json_each_member (name, value, object)
		if (names && value)
			names[count++] = name;
	if (names)
		qsort(names, count, sizeof(*names), by_name);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", stream);
		put_text(stream, names[i], strlen(names[i]));
		fputc(':', stream);
		put(stream, json_object_get(object, names[i]));
	}
	fputc('}', stream);
}

static void put_array(FILE *stream, const json_t *array)
{
	const char *separator = "";

	fputc('[', stream);
	json_each (value, array) {
		fputs(separator, stream);
		put(stream, value);
		separator = ",";
	}
	fputc(']', stream);
}

static void put(FILE *stream, const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		put_object(stream, value);
		break;
	case JSON_ARRAY:
		put_array(stream, value);
		break;
	case JSON_STRING:
		put_text(stream, json_string_value(value), json_string_length(value));
		break;
	case JSON_INTEGER:
	case JSON_REAL:
		put_number(stream, value);
		break;
	default:
		fputs(json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null", stream);
	}
}

char *canonical_text(const json_t *value, size_t *ret_length)
{
	return TEXT_WRITTEN(stream, ret_length, put(stream, value));
}
