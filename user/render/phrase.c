/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/phrase.h"

#include <math.h>
#include <string.h>

#include "base/json_read.h"
#include "render/parts.h"

#define MEMBER_SIZE 96

#define FORMAT(name, format)                                                                                                \
	static const char *name(double value, char buffer[VALUE_SIZE])                                                      \
	{                                                                                                                   \
		snprintf(buffer, VALUE_SIZE, isnan(value) ? DASH : format, value);                                          \
		return buffer;                                                                                              \
	}
FORMAT(text_whole, "%.0f")
FORMAT(text_g2, "%.2g")
FORMAT(text_g3, "%.3g")
FORMAT(text_signed, "%+.3g")

/* "12 345" */
static const char *text_grouped(double value, char buffer[VALUE_SIZE])
{
	return text_number(value, 0, buffer);
}

/* "once", "twice", "3 times" */
static const char *text_times(double count, char buffer[VALUE_SIZE])
{
	snprintf(buffer, VALUE_SIZE,
		 count == 1   ? "once"
		 : count == 2 ? "twice"
			      : "%.60s times",
		 text_count(count, VALUE_ROOM));
	return buffer;
}

/* What makes a plural. */
static const char *text_plural(double count, char[VALUE_SIZE])
{
	return count == 1 ? "" : "s";
}

static const struct format {
	const char *name;
	text_of_number *text;
} formats[] = {
	{ "fps", text_fps },         { "rate", text_rate },       { "bps", text_bps },       { "percent", text_percent },
	{ "count", text_count },     { "grouped", text_grouped }, { "whole", text_whole },   { "plain", text_plain },
	{ "seconds", text_seconds }, { "ns", text_ns },           { "yes", text_yes_no },    { "s", text_plural },
	{ "g2", text_g2 },           { "g3", text_g3 },           { "signed", text_signed }, { "times", text_times },
};

/* The text while it is written. */
struct text {
	char *octets;
	size_t size, length;
};

static void put(struct text *text, const char *octets, size_t length)
{
	if (length >= text->size - text->length)
		length = text->size - text->length - 1;
	memcpy(text->octets + text->length, octets, length);
	text->length += length;
}

/* "latency/p99_ns" of so many characters. */
static const json_t *member_at(const json_t *object, const char *name, size_t length)
{
	char pointer[MEMBER_SIZE];

	snprintf(pointer, sizeof(pointer), "/%.*s", (int)length, name);
	return json_at(object, pointer);
}

static bool says_something(const json_t *value)
{
	return json_is_true(value) || (json_is_number(value) && json_number_value(value) != 0) ||
	       json_string_length(value) || json_array_size(value) || json_object_size(value);
}

/* A text, or "true" or "false". */
static bool equals(const json_t *value, const char *word, size_t length)
{
	const char *text = json_is_true(value) ? "true" : json_is_false(value) ? "false" : json_string_value(value);

	return text && strlen(text) == length && strncmp(text, word, length) == 0;
}

bool phrase_holds(const char *condition, const json_t *object)
{
	bool negated = *condition == '!';
	const char *name = condition + negated;
	size_t length = strcspn(name, "=?");
	const json_t *value = member_at(object, name, length);

	if (name[length] == '=')
		return equals(value, name + length + 1, strcspn(name + length + 1, "?")) != negated;
	return says_something(value) != negated;
}

static text_of_number *find_format(const char *name, size_t length)
{
	for (size_t i = 0; i < COUNT(formats); i++)
		if (strlen(formats[i].name) == length && strncmp(formats[i].name, name, length) == 0)
			return formats[i].text;
	return text_plain;
}

/* A text, or those of a list. */
static void put_words(struct text *text, const json_t *value, bool *complete)
{
	const char *word = json_string_value(value);

	if (word)
		put(text, word, strlen(word));
	*complete &= word || json_is_array(value);
	json_each (item, value) {
		const char *one = json_string_value(item) ?: text_count(number_of(item), VALUE_ROOM);

		put(text, ", ", item_at ? 2 : 0);
		put(text, one, strlen(one));
	}
}

/* Write a member, from behind "{" to behind "}". */
static const char *put_hole(struct text *text, const char *at, const json_t *object, bool *complete)
{
	size_t name = strcspn(at, ":}"), length = strcspn(at, "}");
	const json_t *value = member_at(object, at, name);
	double number = number_of(value);

	if (name == length) {
		put_words(text, value, complete);
	} else {
		const char *word = text_of_member(object, TEXT_OF(MEMBER_SIZE, "%.*s", (int)name, at), number,
						  find_format(at + name + 1, length - name - 1), VALUE_ROOM);

		put(text, word, strlen(word));
		*complete &= !isnan(number);
	}
	return at + length + (at[length] == '}');
}

static const char *put_optional(struct text *text, const char *at, const json_t *object);

static const char *put_list(struct text *text, const char *at, const json_t *object);

/* Write a phrase to its end, "]" or ">". */
static const char *put_phrase(struct text *text, const char *at, const json_t *object, bool *complete)
{
	while (*at && *at != ']' && *at != '>') {
		size_t length = strcspn(at, "{[]<>");

		put(text, at, length);
		at += length;
		if (*at == '{')
			at = put_hole(text, at + 1, object, complete);
		else if (*at == '[')
			at = put_optional(text, at + 1, object);
		else if (*at == '<')
			at = put_list(text, at + 1, object);
	}
	return at;
}

/* Write a list, from behind "<" to behind ">". */
static const char *put_list(struct text *text, const char *at, const json_t *object)
{
	size_t name = strcspn(at, "|"), before = text->length;
	const char *separator = at + name + (at[name] == '|');
	size_t between = strcspn(separator, "|");
	const char *phrase = separator + between + (separator[between] == '|');
	struct text nothing = { .octets = ROOM(1), .size = 1 };

	json_each (item, member_at(object, at, name)) {
		size_t end = text->length, begin;

		put(text, separator, end > before ? between : 0);
		begin = text->length;
		put_phrase(text, phrase, item, &(bool){ true });
		if (text->length == begin)
			text->length = end;
	}
	at = put_phrase(&nothing, phrase, NULL, &(bool){ true });
	return at + (*at == '>');
}

/* Write an optional part, from behind "[" to behind "]". */
static const char *put_optional(struct text *text, const char *at, const json_t *object)
{
	size_t before = text->length, condition = strcspn(at, "?{[] ");
	bool complete = true;

	if (at[condition] == '?') {
		complete = phrase_holds(at, object);
		at += condition + 1 + (at[condition + 1] == ' ');
	}
	at = put_phrase(text, at, object, &complete);
	if (!complete)
		text->length = before;
	return at + (*at == ']');
}

const char *phrase_write(char *buffer, size_t size, const char *phrase, const json_t *object)
{
	struct text text = { .octets = buffer, .size = size };

	put_phrase(&text, phrase, object, &(bool){ true });
	buffer[text.length] = '\0';
	return buffer;
}
