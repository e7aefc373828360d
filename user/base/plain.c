/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/plain.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/text_stream.h"
#include "base/units.h"

size_t plain_control(const char *text)
{
	unsigned char first = (unsigned char)text[0], second = first ? (unsigned char)text[1] : 0;

	if ((first < 0x20 && first != '\n' && first != '\t') || first == 0x7f)
		return 1;
	if (first == 0xe2 && (second == 0x80 || second == 0x81)) { /* U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069 */
		unsigned char third = (unsigned char)text[2];

		return (second == 0x80 ? third == 0x8e || third == 0x8f || (third >= 0xaa && third <= 0xae)
				       : third >= 0xa6 && third <= 0xa9)
			       ? 3
			       : 0;
	}
	return first == 0xc2 && second >= 0x80 && second < 0xa0 ? 2 : 0;
}

unsigned int plain_code(const char *text, size_t control)
{
	const unsigned char *at = (const unsigned char *)text;

	return control == 3 ? (at[0] & 0xfU) << 12 | (at[1] & 0x3fU) << 6 | (at[2] & 0x3fU) : at[control - 1];
}

/* Where none begins, there may be a C1 control of eight bits. */
size_t plain_character(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t octets = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < octets; i++)
		if (at[i] >> 6 != 2)
			return 0;
	/* A shorter sequence could write the same character, so this one is not valid. */
	return (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90) ? 0 : octets;
}

static bool plain_is(const char *text)
{
	for (; *text; text++)
		if (plain_control(text))
			return false;
	return true;
}

static void put_plain(FILE *stream, const char *text)
{
	while (*text) {
		size_t control = plain_control(text), octets = control ? 0 : plain_character(text);

		if (octets)
			fwrite(text, 1, octets, stream);
		else
			fprintf(stream, control == 3 ? "\\u%04x" : "\\x%02x", plain_code(text, control ? control : 1));
		text += octets ? octets : control ? control : 1;
	}
}

char *plain_text(const char *text)
{
	return TEXT_WRITTEN(stream, NULL, put_plain(stream, text));
}

/* --- cells of CSV --------------------------------------------------------------------------------------------------- */

/* Whether a spreadsheet would compute the text. */
static bool is_formula(const char *text)
{
	double number;

	return *text && strchr("=+-@\t\r\n", *text) && !parse_number(text, &number);
}

void plain_put_cell(FILE *stream, const char *text)
{
	const char *apostrophe = is_formula(text) ? "'" : "";

	if (!strpbrk(text, ",\"\r\n")) {
		fprintf(stream, "%s%s", apostrophe, text);
		return;
	}
	fprintf(stream, "\"%s", apostrophe);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', stream);
		fputc(*text, stream);
	}
	fputc('"', stream);
}

/* --- documents ------------------------------------------------------------------------------------------------------ */

static bool is_plain(json_t *value)
{
	if (json_is_string(value))
		return plain_is(json_string_value(value));
	json_each_member (name, member, value)
		if (!plain_is(name) || !is_plain(member))
			return false;
	json_each (item, value)
		if (!is_plain(item))
			return false;
	return true;
}

json_t *plain_document(json_t *document)
{
	bool failed = false;
	json_t *plain;
	char *text;

	if (is_plain(document))
		return json_incref(document);
	if (json_is_string(document)) {
		text = plain_text(json_string_value(document));
		plain = text ? json_string(text) : NULL;
		free(text);
		return plain;
	}
	plain = json_is_object(document) ? json_object() : json_array();
	json_each_member (name, member, document) {
		text = plain_text(name);
		failed |= !text || json_object_set_new(plain, text, plain_document(member));
		free(text);
	}
	json_each (item, document)
		failed |= json_array_append_new(plain, plain_document(item)) != 0;
	if (!failed)
		return plain;
	json_decref(plain);
	return NULL;
}
