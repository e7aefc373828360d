/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/values.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_text.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "mlr/frame.h"

#define MICRO "\xc2\xb5"
#define BITS  8

/* --- numbers -------------------------------------------------------------------------------------------------------- */

const char *text_number(double value, int decimals, char buffer[VALUE_SIZE])
{
	char plain[64];
	size_t whole, used = 0;
	const char *digits = plain;

	if (!isfinite(value) || fabs(value) >= 1e30) {
		snprintf(buffer, VALUE_SIZE, "%s", DASH);
		return buffer;
	}
	snprintf(plain, sizeof(plain), "%.*f", decimals, value);
	if (*digits == '-')
		buffer[used++] = *digits++;
	whole = strspn(digits, "0123456789");
	for (size_t i = 0; i < whole; i++) {
		if (i && (whole - i) % 3 == 0 && whole > 4)
			used += (size_t)snprintf(buffer + used, VALUE_SIZE - used, NARROW_SPACE);
		buffer[used++] = digits[i];
	}
	snprintf(buffer + used, VALUE_SIZE - used, "%s", digits + whole);
	return buffer;
}

const char *text_fps(double value, char buffer[VALUE_SIZE])
{
	char number[VALUE_SIZE];

	snprintf(buffer, VALUE_SIZE, isnan(value) ? "%s" : "%.70s frames/s", text_number(value, 1, number));
	return buffer;
}

const char *text_percent(double ratio, char buffer[VALUE_SIZE])
{
	snprintf(buffer, VALUE_SIZE, isnan(ratio) ? DASH : "%.4g %%", ratio * 100);
	return buffer;
}

const char *text_ns(double ns, char buffer[VALUE_SIZE])
{
	if (isnan(ns))
		snprintf(buffer, VALUE_SIZE, DASH);
	else if (ns < 1e6)
		snprintf(buffer, VALUE_SIZE, "%.3f " MICRO "s", ns / 1e3);
	else
		snprintf(buffer, VALUE_SIZE, "%.4g ms", ns / 1e6);
	return buffer;
}

void text_split(double value, const char *unit, char number[VALUE_SIZE], char prefixed_unit[VALUE_SIZE])
{
	char text[UNIT_TEXT_SIZE], *space;

	prefixed_unit[0] = '\0';
	snprintf(number, VALUE_SIZE, DASH);
	if (isnan(value))
		return;
	format_si(value, unit, text);
	space = strchr(text, ' ');
	if (!space)
		return;
	*space = '\0';
	snprintf(number, VALUE_SIZE, "%s", text);
	snprintf(prefixed_unit, VALUE_SIZE, "%s", space + 1);
}

const char *text_bps(double bps, char buffer[VALUE_SIZE])
{
	char text[UNIT_TEXT_SIZE];

	snprintf(buffer, VALUE_SIZE, "%s", isnan(bps) ? DASH : format_si(bps, "bit/s", text));
	return buffer;
}

/* --- the Traffic Profile -------------------------------------------------------------------------------------------- */

const char *text_quantity(const char *quantity)
{
	static const char *const texts[][2] = {
		{ "conditional_throughput", "Conditional Throughput" },
		{ "throughput", "Throughput" },
		{ "critical_load", "Critical load" },
		{ "trial_forwarding_rate", "Trial Forwarding Rate" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (strcmp(texts[i][0], quantity) == 0)
			return texts[i][1];
	return quantity;
}

static const struct comparison {
	const char *verdict, *text;
	enum tone tone;
} comparisons[] = {
	{ "slower", "B is SLOWER", TONE_BAD },
	{ "faster", "B is faster", TONE_PLAIN },
	{ "same", "no difference is shown", TONE_PLAIN },
	{ "", "cannot be told", TONE_WARN },
};

static const struct comparison *comparison_of(const char *verdict)
{
	const struct comparison *one = comparisons;

	while (*one->verdict && strcmp(one->verdict, verdict) != 0)
		one++;
	return one;
}

const char *text_comparison(const char *verdict)
{
	return comparison_of(verdict)->text;
}

enum tone tone_of_comparison(const char *verdict)
{
	return comparison_of(verdict)->tone;
}

double frame_octets(const json_t *document)
{
	const json_t *profile = json_object_get(document, "traffic_profile");
	double octets = read_number(profile, "mean_frame_size_octets");

	return isnan(octets) ? read_number(profile, "frame_size_octets") : octets;
}

const char *text_frame(const json_t *document, char buffer[VALUE_SIZE])
{
	const json_t *profile = json_object_get(document, "traffic_profile");
	const char *mix = read_string(profile, "frame_size");
	double octets = frame_octets(document);

	buffer[0] = '\0';
	if (mix && strspn(mix, "0123456789") != strlen(mix))
		snprintf(buffer, VALUE_SIZE, "%s", mix);
	else if (!isnan(octets))
		snprintf(buffer, VALUE_SIZE, "%g octets", octets);
	return buffer;
}

double frame_l2_bps(double load_in_fps, double octets)
{
	return load_in_fps * octets * BITS;
}

double frame_l1_bps(double load_in_fps, double octets)
{
	return load_in_fps * (octets + MLR_FRAME_L1_OVERHEAD_OCTETS) * BITS;
}

/* --- names ---------------------------------------------------------------------------------------------------------- */

bool name_in(const char *const *names, const char *name)
{
	for (; names && *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

/* A unit at the end of a name, and how people write it. */
static const struct suffix {
	const char *text, *unit;
} suffixes[] = {
	{ "_octets", "octets" }, { "_fps_per_s", "frames/s per s" },
	{ "_fps", "frames/s" },  { "_bps", "bit/s" },
	{ "_ns", "ns" },         { "_ppm", "ppm" },
	{ "_s", "s" },
};

/* Words that are written otherwise than in a name. */
static const struct word {
	const char *name, *text;
} words[] = {
	{ "sut", "SUT" }, { "nic", "NIC" },   { "cpu", "CPU" }, { "mac", "MAC" }, { "mtu", "MTU" },
	{ "udp", "UDP" }, { "ipv4", "IPv4" }, { "tx", "TX" },   { "rx", "RX" },   { "ip", "IP" },
};

/* Put each such word of a label right; both texts are of one length. */
static void correct_words(char *label)
{
	for (char *word = label; *word; word += strspn(word, " ")) {
		size_t length = strcspn(word, " ");

		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (strlen(words[i].name) == length && strncasecmp(word, words[i].name, length) == 0)
				memcpy(word, words[i].text, length);
		word += length;
	}
}

const char *text_label(const char *name, char buffer[VALUE_SIZE])
{
	size_t length = strlen(name);
	const char *unit = NULL;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes) && !unit; i++) {
		size_t tail = strlen(suffixes[i].text);

		if (length > tail && strcmp(name + length - tail, suffixes[i].text) == 0) {
			unit = suffixes[i].unit;
			length -= tail;
		}
	}
	snprintf(buffer, VALUE_SIZE, "%.*s%s%s%s", (int)(length < 64 ? length : 64), name, unit ? " (" : "",
		 unit ? unit : "", unit ? ")" : "");
	for (size_t i = 0; i < length && i < 64; i++)
		if (buffer[i] == '_')
			buffer[i] = i && isdigit((unsigned char)buffer[i - 1]) ? '.' : ' ';
	buffer[0] = (char)toupper((unsigned char)buffer[0]);
	correct_words(buffer);
	return buffer;
}

/* --- cells ---------------------------------------------------------------------------------------------------------- */

void cells_add(struct cells *cells, const char *format, ...)
{
	va_list arguments;
	char *text = cells->texts[cells->count];

	if (cells->count == CELLS_MAX)
		return;
	va_start(arguments, format);
	vsnprintf(text, CELL_SIZE, format, arguments);
	va_end(arguments);
	cells->list[cells->count++] = text;
}

void cells_add_number(struct cells *cells, double value, int decimals)
{
	char text[VALUE_SIZE];

	cells_add(cells, "%s", text_number(value, decimals, text));
}

void cells_put(struct cells *cells, struct writer *writer, enum tone tone)
{
	while (cells->count < writer->columns)
		cells_add(cells, "%s", "");
	writer->ops->row(writer, tone, cells->list);
	cells->count = 0;
}

/* --- facts ---------------------------------------------------------------------------------------------------------- */

/* Takes the value over. Without memory the fact is left out. */
static void facts_take(struct facts *facts, const char *label, char *value)
{
	size_t size = facts->size ? 2 * facts->size : 16;
	struct writer_fact *grown;
	char *name = strdup(label);

	if (facts->count == facts->size && name && value) {
		grown = reallocarray(facts->list, size, sizeof(*grown));
		if (grown) {
			facts->list = grown;
			facts->size = size;
		}
	}
	if (!name || !value || facts->count == facts->size) {
		free(name);
		free(value);
		return;
	}
	facts->list[facts->count++] = (struct writer_fact){ .label = name, .value = value };
}

void facts_add(struct facts *facts, const char *label, const char *format, ...)
{
	va_list arguments;
	char *value;

	va_start(arguments, format);
	if (vasprintf(&value, format, arguments) < 0)
		value = NULL;
	va_end(arguments);
	facts_take(facts, label, value);
}

static void put_value(FILE *stream, const json_t *value);

static void put_members(FILE *stream, const json_t *object)
{
	const char *key, *separator = "";
	json_t *value;

	json_object_foreach ((json_t *)object, key, value) {
		char label[VALUE_SIZE];

		text_label(key, label);
		if (!isupper((unsigned char)label[1])) /* "MAC", "IP version" */
			label[0] = (char)tolower((unsigned char)label[0]);
		fprintf(stream, "%s%s ", separator, label);
		put_value(stream, value);
		separator = ", ";
	}
}

static void put_items(FILE *stream, const json_t *array)
{
	bool nested = json_is_object(json_array_get(array, 0));

	for (size_t i = 0; i < json_array_size(array); i++) {
		fputs(i == 0 ? "" : nested ? "\n" : ", ", stream);
		put_value(stream, json_array_get(array, i));
	}
}

/* A value of any kind, on one line if it is no list of objects. */
static void put_value(FILE *stream, const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		put_members(stream, value);
		break;
	case JSON_ARRAY:
		put_items(stream, value);
		break;
	case JSON_STRING:
		fputs(json_string_value(value), stream);
		break;
	case JSON_INTEGER:
	case JSON_REAL:
		json_put_number(stream, value);
		break;
	case JSON_TRUE:
		fputs("yes", stream);
		break;
	case JSON_FALSE:
		fputs("no", stream);
		break;
	case JSON_NULL:
		fputs("none", stream);
		break;
	}
}

static void facts_add_value(struct facts *facts, const char *label, const json_t *value)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	if (!stream)
		return;
	put_value(stream, value);
	if (text_stream_end(stream, &text))
		facts_take(facts, label, text);
}

void facts_add_object(struct facts *facts, const json_t *object, const char *const *known)
{
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)object, key, value) {
		char label[VALUE_SIZE];

		if (!name_in(known, key))
			facts_add_value(facts, text_label(key, label), value);
	}
}

void facts_free(struct facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		free((char *)facts->list[i].label);
		free((char *)facts->list[i].value);
	}
	free(facts->list);
	*facts = (struct facts){ .count = 0 };
}

void facts_put(struct facts *facts, struct writer *writer)
{
	writer->ops->facts(writer, facts->list, facts->count);
	facts_free(facts);
}
