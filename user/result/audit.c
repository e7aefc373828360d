/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/audit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/json_read.h"
#include "base/text_stream.h"
#include "base/units.h"

#define PLACE_SIZE         256
#define SENTENCE_SIZE      640
#define CONTRADICTIONS_MAX 1000
#define ROUNDING_RATIO     1e-9
#define OCTETS_L1          20 /* preamble and gap, beyond the frame */

/* Write a place as a JSON pointer. */
static const char *place_text(const struct place *place, char buffer[PLACE_SIZE])
{
	if (!place) {
		buffer[0] = '\0';
		return buffer;
	}
	place_text(place->in, buffer);
	if (place->name)
		text_add(buffer, PLACE_SIZE, "/%s", place->name);
	else
		text_add(buffer, PLACE_SIZE, "/%zu", place->index);
	return buffer;
}

void contradict(struct audit *audit, const struct place *place, const char *format, ...)
{
	char sentence[SENTENCE_SIZE];
	va_list arguments;

	if (json_array_size(audit->contradictions) >= CONTRADICTIONS_MAX)
		return;
	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	json_array_append_new(audit->contradictions, json_sprintf("%s: %s", place_text(place, ROOM(PLACE_SIZE)), sentence));
}

/* Whether two figures are the same, but for rounding. Two that do not exist (NAN) are the same. */
static bool is_same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= ROUNDING_RATIO * fmax(fabs(a), fabs(b));
}

static const char *figure_text(double value, char buffer[UNIT_TEXT_SIZE])
{
	return isnan(value) ? "nothing" : format_number(value, buffer);
}

void audit_number(struct audit *audit, const struct place *place, const json_t *object, const char *name, double follows)
{
	double stated = read_number(object, name);

	if (json_object_get(object, name) && !is_same(stated, follows))
		contradict(audit, MEMBER(place, name), "%s is stated, %s follows", figure_text(stated, UNIT_ROOM),
			   figure_text(follows, UNIT_ROOM));
}

void audit_numbers(struct audit *audit, const struct place *place, const json_t *object, json_t *follows)
{
	json_each_member (name, value, follows)
		if (json_is_number(value) || json_is_null(value))
			audit_number(audit, place, object, name, read_number(follows, name));
	json_decref(follows);
}

void audit_truth(struct audit *audit, const struct place *place, const json_t *object, const char *name, bool follows)
{
	const json_t *stated = json_object_get(object, name);

	if (json_is_boolean(stated) && json_is_true(stated) != follows)
		contradict(audit, MEMBER(place, name), "%s is stated, %s follows", follows ? "false" : "true",
			   follows ? "true" : "false");
}

void audit_reason(struct audit *audit, const struct place *place, const json_t *result)
{
	const json_t *regular = json_object_get(result, "regular");
	const char *reason = read_string(result, "irregular_reason");

	if (!json_is_boolean(regular) || !json_object_get(result, "irregular_reason"))
		return;
	if (json_is_true(regular) && reason)
		contradict(audit, MEMBER(place, "regular"), "true is stated beside the irregular_reason '%.200s'", reason);
	else if (json_is_false(regular) && !reason)
		contradict(audit, MEMBER(place, "regular"), "false is stated without an irregular_reason");
}

void audit_bps(struct audit *audit, const struct place *place, const json_t *object, const char *name)
{
	char l1[64], l2[64];
	double load_fps = read_number(object, name), l1_bps, l2_bps;

	snprintf(l1, sizeof(l1), "%s_l1_bps", name);
	snprintf(l2, sizeof(l2), "%s_l2_bps", name);
	l1_bps = read_number(object, l1);
	l2_bps = read_number(object, l2);
	if (!json_object_get(object, l1) || !json_object_get(object, l2) || (isnan(l1_bps) && isnan(l2_bps)))
		return;
	if (!(fabs(l1_bps - l2_bps - 8 * OCTETS_L1 * load_fps) <= ROUNDING_RATIO * l1_bps))
		contradict(audit, MEMBER(place, l1), "%s less %s of frames is not preamble and gap of %s frames/s",
			   figure_text(l1_bps, UNIT_ROOM), figure_text(l2_bps, UNIT_ROOM), figure_text(load_fps, UNIT_ROOM));
}
