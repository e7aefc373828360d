/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json_text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/plain.h"
#include "base/text_stream.h"
#include "base/units.h"

#define INDENT 2
#define FLAT   (-1) /* level of a value that stays on one line */

static void put(FILE *stream, const json_t *value, int level);

static void put_break(FILE *stream, int level)
{
	if (level != FLAT)
		fprintf(stream, "\n%*s", level * INDENT, "");
}

static int deeper(int level)
{
	return level == FLAT ? FLAT : level + 1;
}

/* Write a text, true, false or null as jansson does, but escape control characters, which JSON allows and a terminal obeys. */
static void put_plain(FILE *stream, const json_t *value)
{
	owned char *text = json_dumps(value, JSON_ENCODE_ANY);

	for (const char *at = text ? text : "null"; *at; at++) {
		size_t control = plain_control(at);

		if (control)
			fprintf(stream, "\\u%04X", plain_code(at, control));
		else
			fputc(*at, stream);
		at += control ? control - 1 : 0;
	}
}

void json_put_number(FILE *stream, const json_t *number)
{
	if (json_is_integer(number))
		fprintf(stream, "%" JSON_INTEGER_FORMAT, json_integer_value(number));
	else
		fputs(format_number(json_real_value(number) + 0.0, UNIT_ROOM), stream); /* -0 would be read back as 0 */
}

static void put_object(FILE *stream, json_t *object, int level)
{
	const char *separator = "";

	fputc('{', stream);
	json_each_member (key, value, object) {
		json_auto_t *name = json_string(key);

		fputs(separator, stream);
		put_break(stream, deeper(level));
		put_plain(stream, name);
		fputs(": ", stream);
		put(stream, value, deeper(level));
		separator = level == FLAT ? ", " : ",";
	}
	if (json_object_size(object))
		put_break(stream, level);
	fputc('}', stream);
}

static void put_array(FILE *stream, const json_t *array, int level)
{
	const char *separator = "";

	fputc('[', stream);
	json_each (item, array) {
		fputs(separator, stream);
		put_break(stream, deeper(level));
		put(stream, item, deeper(level));
		separator = level == FLAT ? ", " : ",";
	}
	if (json_array_size(array))
		put_break(stream, level);
	fputc(']', stream);
}

static void put(FILE *stream, const json_t *value, int level)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		put_object(stream, (json_t *)value, level);
		break;
	case JSON_ARRAY:
		put_array(stream, value, level);
		break;
	case JSON_INTEGER:
	case JSON_REAL:
		json_put_number(stream, value);
		break;
	default:
		put_plain(stream, value);
	}
}

char *json_text(const json_t *value, bool indented, size_t *ret_length)
{
	return value ? TEXT_WRITTEN(stream, ret_length, put(stream, value, indented ? 0 : FLAT), fputc('\n', stream)) : NULL;
}

/* --- as YAML --------------------------------------------------------------------------------------------------------- */

/* Whether YAML reads a text as that text without quotes: letters, digits and what cannot begin anything else. */
static bool is_plain(const char *text)
{
	if (!isalnum((unsigned char)text[0]))
		return false;
	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-_.,/=%+@<>", *c))
			return false;
	return true;
}

/* Quote as JSON does, which YAML understands. */
static void put_yaml_value(FILE *stream, const json_t *value, bool quoted)
{
	bool plain = !quoted && json_is_string(value) && is_plain(json_string_value(value));
	owned char *text = plain ? NULL : json_dumps(value, JSON_ENCODE_ANY);

	fputs(plain ? json_string_value(value) : text ? text : "\"\"", stream);
}

void yaml_put(FILE *stream, const json_t *values, bool quoted)
{
	json_each_member (name, value, values) {
		fprintf(stream, "%s:", name);
		json_each (item, value) {
			fputs("\n  - ", stream);
			put_yaml_value(stream, item, quoted);
		}
		if (!json_is_array(value)) {
			fputc(' ', stream);
			put_yaml_value(stream, value, quoted);
		}
		fputc('\n', stream);
	}
}

json_t *json_number_or_null(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

json_t *json_of_all(const struct json_member *members)
{
	json_t *object = json_object();
	int error = !object;

	for (; members->name; members++)
		error |= json_object_set_new(object, members->name, members->value);
	if (!error)
		return object;
	json_decref(object);
	return NULL;
}

json_t *json_list_at(json_t *object, const char *name)
{
	json_t *list = json_object_get(object, name);

	if (!json_is_array(list)) {
		json_object_set_new(object, name, json_array());
		list = json_object_get(object, name);
	}
	return list;
}

void append_sentence(json_t *sentences, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	json_array_append_new(sentences, json_vsprintf(format, arguments));
	va_end(arguments);
}
