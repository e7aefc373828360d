/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/flat.h"

#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json_file.h"
#include "base/json_read.h"
#include "base/memory.h"

enum step { STEP_VALUE, STEP_TEXT, STEP_LINE, STEP_AGAIN, STEP_APPEND, STEP_SET, STEP_END };

/* What each step begins with. */
struct head {
	uint32_t step;   /* enum step */
	uint32_t type;   /* json_type of a value */
	uint64_t number; /* an integer, the bits of a real, a line, the number of a value, or how many octets follow */
};

/* --- writing -------------------------------------------------------------------------------------------------------- */

static void put(FILE *stream, enum step step, json_type type, uint64_t number)
{
	const struct head head = { .step = step, .type = type, .number = number };

	fwrite(&head, sizeof(head), 1, stream);
}

static void put_octets(FILE *stream, enum step step, const char *octets, size_t count)
{
	put(stream, step, JSON_STRING, count);
	fwrite(octets, 1, count, stream);
}

void flat_line(FILE *stream, size_t line)
{
	put(stream, STEP_LINE, JSON_NULL, line);
}

void flat_begin(FILE *stream, json_type type)
{
	put(stream, STEP_VALUE, type, 0);
}

void flat_text(FILE *stream, const char *text, size_t length)
{
	put_octets(stream, STEP_TEXT, text, length);
}

void flat_again(FILE *stream, size_t number)
{
	put(stream, STEP_AGAIN, JSON_NULL, number);
}

void flat_append(FILE *stream)
{
	put(stream, STEP_APPEND, JSON_NULL, 0);
}

void flat_set(FILE *stream, const char *key)
{
	put_octets(stream, STEP_SET, key, strlen(key));
}

void flat_end(FILE *stream)
{
	put(stream, STEP_END, JSON_NULL, 0);
}

/* Return what a scalar is beside its type. */
static uint64_t bits_of(const json_t *value)
{
	double real = json_real_value(value);
	uint64_t bits = (uint64_t)json_integer_value(value);

	if (json_is_real(value))
		memcpy(&bits, &real, sizeof(bits));
	return bits;
}

static void write_value(FILE *stream, const json_t *value)
{
	if (json_is_string(value))
		flat_text(stream, json_string_value(value), json_string_length(value));
	else
		put(stream, STEP_VALUE, json_typeof(value), bits_of(value));
	if (json_is_array(value))
		json_each (item, value) {
			write_value(stream, item);
			flat_append(stream);
		}
	if (json_is_object(value))
		json_each_member (name, member, value) {
			write_value(stream, member);
			flat_set(stream, name);
		}
}

void flat_write(FILE *stream, const json_t *value)
{
	write_value(stream, value);
	flat_end(stream);
}

/* --- reading -------------------------------------------------------------------------------------------------------- */

/* A value on the stack, with its number among the lines. */
struct open_value {
	json_t *value;
	size_t number;
};

struct building {
	FILE *stream;
	struct flat_lines *lines; /* NULL: nobody asks for them */
	size_t line;              /* line of the next value or key */
	struct open_value stack[FLAT_DEPTH_MOST];
	size_t depth;
};

/* Read so many octets, with a NUL behind them. NULL if they are not there, or one of them is NUL. */
static char *get_octets(FILE *stream, uint64_t count)
{
	char *octets = count <= JSON_OCTETS_MOST ? malloc(count + 1) : NULL;

	if (!octets)
		return NULL;
	octets[count] = '\0';
	if (fread(octets, 1, count, stream) == count && strlen(octets) == count)
		return octets;
	free(octets);
	return NULL;
}

/* Make room for one more item of a list, whose room doubles. NULL if there is none. */
static void *grow(void *items, size_t count, size_t size)
{
	if (count >= FLAT_VALUES_MOST)
		return NULL;
	return count & (count - 1) ? items : reallocarray(items, count ? 2 * count : 1, size);
}

static bool note_value(struct building *building, json_t *value)
{
	struct flat_lines *lines = building->lines;
	struct flat_value *grown = lines ? grow(lines->values, lines->value_count, sizeof(*grown)) : NULL;

	if (!grown)
		return !lines;
	lines->values = grown;
	grown[lines->value_count++] = (struct flat_value){ .value = value, .line = building->line };
	return true;
}

static bool note_key(struct building *building, const json_t *object, const char *name)
{
	struct flat_lines *lines = building->lines;
	struct flat_key *grown = lines ? grow(lines->keys, lines->key_count, sizeof(*grown)) : NULL;

	if (!grown)
		return !lines;
	lines->keys = grown;
	grown[lines->key_count] = (struct flat_key){ .object = object, .name = strdup(name), .line = building->line };
	return grown[lines->key_count++].name;
}

/* Put a value onto the stack, which owns it. */
static bool push(struct building *building, json_t *value, size_t number)
{
	if (!value || building->depth == FLAT_DEPTH_MOST) {
		json_decref(value);
		return false;
	}
	building->stack[building->depth++] = (struct open_value){ value, number };
	return true;
}

static bool push_new(struct building *building, json_t *value)
{
	return push(building, value, building->lines ? building->lines->value_count : 0) && note_value(building, value);
}

static json_t *make_value(const struct head *head)
{
	double real;

	memcpy(&real, &head->number, sizeof(real));
	switch (head->type) {
	case JSON_OBJECT:
		return json_object();
	case JSON_ARRAY:
		return json_array();
	case JSON_INTEGER:
		return json_integer((json_int_t)head->number);
	case JSON_REAL:
		return json_real(real);
	case JSON_TRUE:
	case JSON_FALSE:
		return json_boolean(head->type == JSON_TRUE);
	case JSON_NULL:
		return json_null();
	}
	return NULL;
}

static bool push_text(struct building *building, uint64_t length)
{
	owned char *text = get_octets(building->stream, length);

	return text && push_new(building, json_string(text));
}

static bool push_again(struct building *building, uint64_t number)
{
	const struct flat_lines *lines = building->lines;

	return lines && number < lines->value_count && lines->values[number].complete &&
	       push(building, json_incref(lines->values[number].value), number);
}

/* Whether the last value may go into the one before it, which is deeper then. A value that is complete takes none. */
static bool may_join(const struct building *building)
{
	struct flat_value *values = building->lines ? building->lines->values : NULL, *inner, *outer;

	if (building->depth < 2 || !values)
		return building->depth >= 2;
	inner = &values[building->stack[building->depth - 1].number];
	outer = &values[building->stack[building->depth - 2].number];
	inner->complete = true;
	if (outer->depth <= inner->depth)
		outer->depth = inner->depth + 1;
	return !outer->complete && outer->depth < FLAT_DEPTH_MOST;
}

static bool append(struct building *building)
{
	const struct open_value *last = building->stack + building->depth - 1;

	if (!may_join(building) || !json_is_array(last[-1].value))
		return false;
	building->depth--;
	return !json_array_append_new(last[-1].value, last->value);
}

static bool set(struct building *building, uint64_t length)
{
	const struct open_value *last = building->stack + building->depth - 1;
	owned char *key = get_octets(building->stream, length);

	/* A value that another one replaces would be gone, and its number would still lead there. */
	if (!key || !may_join(building) || !json_is_object(last[-1].value) || json_object_get(last[-1].value, key))
		return false;
	building->depth--;
	return !json_object_set_new(last[-1].value, key, last->value) && note_key(building, last[-1].value, key);
}

static bool do_step(struct building *building, const struct head *head)
{
	switch (head->step) {
	case STEP_VALUE:
		return push_new(building, make_value(head));
	case STEP_TEXT:
		return push_text(building, head->number);
	case STEP_LINE:
		building->line = head->number;
		return true;
	case STEP_AGAIN:
		return push_again(building, head->number);
	case STEP_APPEND:
		return append(building);
	case STEP_SET:
		return set(building, head->number);
	}
	return false;
}

static bool build(struct building *building)
{
	struct head head;

	while (fread(&head, sizeof(head), 1, building->stream) == 1)
		if (head.step == STEP_END)
			return building->depth == 1;
		else if (!do_step(building, &head))
			return false;
	return false;
}

json_t *flat_read(FILE *stream, size_t memory_most, struct flat_lines *lines)
{
	struct building building = { .stream = stream, .lines = lines };
	bool good;

	if (lines)
		*lines = (struct flat_lines){ 0 };
	memory_bound(memory_used() + memory_most);
	good = build(&building);
	if (memory_bound(0) || !good)
		while (building.depth)
			json_decref(building.stack[--building.depth].value);
	return building.depth ? building.stack[0].value : NULL;
}

void flat_lines_free(struct flat_lines *lines)
{
	for (size_t i = 0; i < lines->key_count; i++)
		free(lines->keys[i].name);
	free(lines->keys);
	free(lines->values);
	*lines = (struct flat_lines){ 0 };
}
