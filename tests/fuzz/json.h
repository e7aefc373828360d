/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mutator that changes JSON documents, one or a line each, and leaves them JSON: bytes changed at random rarely do. It changes the text
 * where a value begins, and parses nothing: to build a document and write it again took more time than most targets take with
 * it. Include it once.
 */
#ifndef TESTS_FUZZ_JSON_H
#define TESTS_FUZZ_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "fuzz.h"

#define NEAR_OCTETS 256

/* A part of the text. */
struct json_span {
	size_t start, end;
};

static const char *json_odd_value(unsigned int *seed)
{
	static const char *const values[] = {
		"null",
		"true",
		"false",
		"[]",
		"{}",
		"\"\"",
		"\"-1\"",
		"\"max\"",
		"\"80%\"",
		"\"1e308\"",
		"\"a,b\"",
		"\"ndr=1\"",
		"\"<b>\"",
		"\"\\u001b[2J\"",
		"-1",
		"0",
		"1",
		"255",
		"65536",
		"0.5",
		"1e-320",
		"1e18",
		"1e300",
		"-1e300",
		"4294967295",
		"4294967296",
		"9223372036854775807",
		"-9223372036854775808",
		"2147483647",
		"\"xdp-mlr/search/1\"",
		"\"xdp-mlr/trial/1\"",
	};

	return values[fuzz_random(seed, sizeof(values) / sizeof(*values))];
}

/* The end of the text in quotes that begins here. */
static size_t json_end_of_text(const char *text, size_t size, size_t at)
{
	for (at++; at < size && text[at] != '"'; at++)
		at += text[at] == '\\';
	return at < size ? at + 1 : size;
}

/* The end of the value that begins here. */
static size_t json_end_of_value(const char *text, size_t size, size_t at)
{
	size_t depth = 0;

	while (at < size) {
		if (text[at] == '"') {
			at = json_end_of_text(text, size, at);
		} else if (text[at] == '[' || text[at] == '{') {
			depth++;
			at++;
		} else if (depth && (text[at] == ']' || text[at] == '}')) {
			depth--;
			at++;
		} else if (!depth && strchr(",]}\n", text[at])) {
			break;
		} else {
			at++;
			continue;
		}
		if (!depth)
			break;
	}
	return at;
}

/* Whether a value begins behind this octet, which is in no text. A text before a colon is the name of a member. */
static bool json_value_follows(const char *text, size_t size, size_t at, struct json_span *ret)
{
	if (at + 1 >= size || !strchr(":[,", text[at]) || strchr(" \n,:]}", text[at + 1]))
		return false;
	*ret = (struct json_span){ at + 1, json_end_of_value(text, size, at + 1) };
	return ret->end > ret->start && (ret->end >= size || text[ret->end] != ':');
}

/* A value of an object or an array: the last one that begins before a place chosen at random and near it, or else the next. */
static bool json_find_value(const char *text, size_t size, unsigned int *seed, struct json_span *ret)
{
	size_t first = size ? fuzz_random(seed, (uint32_t)size) : 0;
	struct json_span value;
	bool is_found = false;

	for (size_t at = 0; at < size && (at < first || !is_found); at++) {
		if (text[at] == '"') {
			at = json_end_of_text(text, size, at) - 1;
		} else if (at + NEAR_OCTETS > first && json_value_follows(text, size, at, &value)) {
			*ret = value;
			is_found = true;
		}
	}
	return is_found;
}

/* With the comma before it, or behind it, a value can be left out. */
static struct json_span json_with_comma(const char *text, size_t size, struct json_span value)
{
	if (text[value.start - 1] == ':') {
		size_t at = value.start - 1;

		while (at && text[at - 1] != ',' && text[at - 1] != '{')
			at--;
		value.start = at;
	}
	if (value.start && text[value.start - 1] == ',')
		value.start--;
	else if (value.end < size && text[value.end] == ',')
		value.end++;
	return value;
}

/* Put other octets in the place of a part. Returns the new size, or the old one where there is no room. */
static size_t json_replace(char *text, size_t size, size_t most, struct json_span part, const char *by, size_t count)
{
	size_t rest = size - part.end;

	if (part.start + count + rest > most)
		return size;
	memmove(text + part.start + count, text + part.end, rest);
	memcpy(text + part.start, by, count);
	return part.start + count + rest;
}

/* Put one value into another one's place. */
static size_t json_copy_value(char *text, size_t size, size_t most, struct json_span to, unsigned int *seed)
{
	struct json_span from;
	char *copy;

	if (!json_find_value(text, size, seed, &from))
		return size;
	copy = strndup(text + from.start, from.end - from.start);
	size = json_replace(text, size, most, to, copy, strlen(copy));
	free(copy);
	return size;
}

static size_t json_change(char *text, size_t size, size_t most, unsigned int *seed)
{
	struct json_span value;
	const char *odd;

	if (!json_find_value(text, size, seed, &value))
		return size;
	switch (fuzz_random(seed, 8)) {
	case 0:
	case 1:
		return json_replace(text, size, most, json_with_comma(text, size, value), "", 0);
	case 2: /* of another member */
		return json_copy_value(text, size, most, value, seed);
	case 3: /* once more, or one more, in an array */
		odd = text[value.start - 1] == ':' ? json_odd_value(seed) : ",0";
		value.start = *odd == ',' ? value.end : value.start;
		return json_replace(text, size, most, value, odd, strlen(odd));
	default:
		odd = json_odd_value(seed);
		return json_replace(text, size, most, value, odd, strlen(odd));
	}
}

/* Changes some values of a document, or of a stream of them. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	if (fuzz_random(&seed, 8) == 0)
		return LLVMFuzzerMutate(data, size, most);
	for (uint32_t changes = 1 + fuzz_random(&seed, 4); changes; changes--)
		size = json_change((char *)data, size, most, &seed);
	return size;
}

#endif
