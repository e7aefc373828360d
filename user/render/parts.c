/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/parts.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "render/phrase.h"

#define TABLE_WIDTH  125 /* characters of a table beside the labels of its rows; a page is wide enough for it */
#define COLUMN_GAP   3
#define COLUMNS_MOST 6
#define LINE_MOST    36 /* A longer text is broken into lines. */

/* --- cells ---------------------------------------------------------------------------------------------------------- */

const json_t *several_directions(const json_t *result)
{
	const json_t *directions = json_object_get(result, "directions");

	return json_array_size(directions) > 1 ? directions : NULL;
}

const char *text_direction(const json_t *direction, char buffer[VALUE_SIZE])
{
	snprintf(buffer, VALUE_SIZE, "%.40s to %.40s", read_text(direction, "from"), read_text(direction, "to"));
	return buffer;
}

const char *text_worst_direction(const json_t *result, char text[CELL_SIZE])
{
	json_each_member (figure, direction, json_object_get(result, "worst_direction"))
		return phrase_write(text, CELL_SIZE, DIRECTION, direction);
	return "";
}

json_t *rows_by_direction(const json_t *results)
{
	json_t *rows = json_array();

	json_each (result, results) {
		const json_t *directions = several_directions(result);

		if (!directions)
			json_array_append(rows, result);
		json_each (direction, directions) {
			json_t *row = json_copy(direction);

			json_object_update_missing(row, result);
			json_object_del(row, "directions");
			json_array_append_new(rows, row);
		}
	}
	return rows;
}

const char *text_deviation(const json_t *object, char text[CELL_SIZE])
{
	return text_percent(read_number(object, "stdev") / read_number(object, "mean"), text);
}

const char *text_loss_ratio(const json_t *counts, char text[CELL_SIZE])
{
	return text_percent(read_number(counts, "lost") / read_number(counts, "sent"), text);
}

const char *text_result(const json_t *result, char text[CELL_SIZE])
{
	enum standing standing = standing_of(result);
	const char *reason = standing == STANDING_IRREGULAR ? read_text(result, "irregular_reason") : "";

	return text_print(text, CELL_SIZE, "%s%s%s", standing_word(standing), *reason ? ": " : "", reason);
}

const char *text_word(const json_t *result, char[CELL_SIZE])
{
	return result_word(result);
}

enum tone tone_of_standing(enum standing standing)
{
	return standing == STANDING_IRREGULAR ? TONE_BAD : standing == STANDING_LIMITED ? TONE_WARN : TONE_GOOD;
}

enum tone tone_of_result(const json_t *result)
{
	return tone_of_standing(standing_of(result));
}

enum tone tone_of_limited(const json_t *trial)
{
	return read_truth(trial, "tester_limited") ? TONE_WARN : TONE_PLAIN;
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

static const struct comparison *comparison_of(const json_t *goal)
{
	const struct comparison *one = comparisons;

	while (*one->verdict && strcmp(one->verdict, read_text(goal, "verdict")) != 0)
		one++;
	return one;
}

const char *text_comparison(const json_t *goal, char[CELL_SIZE])
{
	return comparison_of(goal)->text;
}

enum tone tone_of_comparison(const json_t *goal)
{
	return comparison_of(goal)->tone;
}

const char *text_difference(const json_t *goal, char text[CELL_SIZE])
{
	return text_change(read_number(goal, "change"), text);
}

/* --- members of objects --------------------------------------------------------------------------------------------- */

double number_of(const json_t *value)
{
	if (json_is_array(value))
		return (double)json_array_size(value);
	if (json_is_boolean(value))
		return json_is_true(value);
	return json_is_number(value) ? json_number_value(value) : NAN;
}

double rate_octets(const json_t *object, const char *name, double octets)
{
	double stated = read_number(object, TEXT_OF(VALUE_SIZE, "%s_l2_bps", name)) / l2_bps(read_number(object, name), 1);

	return isfinite(stated) ? stated : octets;
}

/* NULL where a text is missing. */
static const char *member_text(const json_t *object, const struct field *field, char buffer[VALUE_SIZE])
{
	const json_t *value = json_at(object, field->at);
	double number = number_of(value);

	if (!field->text)
		return json_string_value(value);
	if (field->bps)
		number = field->bps(number, rate_octets(object, field->at + 1, field->octets));
	return text_of_member(object, field->at, number, field->text, buffer);
}

static const char *text_of_agreed(const struct field *field, const json_t *object, char buffer[VALUE_SIZE])
{
	enum text_kind kind = field->text == text_percent ? TEXT_PERCENT : field->text == text_ns ? TEXT_NS : TEXT_RATE;
	double value = number_of(json_at(object, field->at)), agreed = number_of(json_at(object, field->agreed));

	return strcmp(field->at, field->agreed) == 0 ? text_asked(agreed, kind, buffer)
						     : text_beside(value, agreed, kind, buffer);
}

/* Return the text of a cell: what was written, or a text of the document. */
static const char *cell_of(const struct field *field, const json_t *row, size_t number, char text[CELL_SIZE])
{
	if (field->phrase)
		return phrase_write(text, CELL_SIZE, field->phrase, row);
	if (field->write)
		return field->write(row, text);
	if (field->is_number)
		return text_print(text, CELL_SIZE, "%zu", number);
	if (field->agreed)
		return text_of_agreed(field, row, text);
	return member_text(row, field, text) ?: "";
}

/* Whether any row has something in this column. */
static bool is_told(const struct field *field, const json_t *rows)
{
	json_each (row, rows) {
		const char *text = cell_of(field, row, row_at + 1, ROOM(CELL_SIZE));

		if (*text && strcmp(text, DASH) != 0)
			return true;
	}
	return !json_array_size(rows);
}

/* Whether a column that is seldom more than 0 is 0 in each row. */
static bool is_zero(const struct field *field, const json_t *rows)
{
	if (!field->rare)
		return false;
	json_each (row, rows)
		if (number_of(json_at(row, field->at)) != 0)
			return false;
	return true;
}

void table_put(struct writer *writer, const char *id, const struct field *fields, size_t count, const json_t *rows,
	       enum tone (*tone)(const json_t *row))
{
	char zeros[CELL_SIZE] = "";
	struct writer_column columns[CELLS_MAX];
	const struct field *shown[CELLS_MAX];
	char texts[CELLS_MAX][CELL_SIZE];
	const char *cells[CELLS_MAX];
	size_t shown_count = 0;

	for (const struct field *field = fields; field < fields + count; field++) {
		if (field->level > writer->shown || !is_told(field, rows))
			continue;
		if (is_zero(field, rows)) {
			text_join(zeros, sizeof(zeros), ", ", "%s", field->heading);
			continue;
		}
		columns[shown_count] = (struct writer_column){
			.heading = field->heading,
			.numeric = field->numeric || (field->text && field->text != text_yes_no),
			.command = field->command,
		};
		shown[shown_count++] = field;
	}
	writer->ops->table(writer, id, columns, shown_count);
	json_each (row, rows) {
		for (size_t j = 0; j < shown_count; j++)
			cells[j] =
				text_print(texts[j], CELL_SIZE, "%s", cell_of(shown[j], row, row_at + 1, ROOM(CELL_SIZE)));
		writer->ops->row(writer, tone ? tone(row) : TONE_PLAIN, cells);
	}
	writer->ops->table_end(writer);
	if (*zeros)
		paragraph_put(writer, "In every row these are 0: %s.", zeros);
}

enum tone tone_of_success(const json_t *document)
{
	json_each (requirement, json_object_get(document, "requirements"))
		if (!read_truth(requirement, "met"))
			return TONE_PLAIN;
	return TONE_GOOD;
}

void goals_put(struct writer *writer, const json_t *goals)
{
	static const struct field fields[] = {
		{ "Search Goal", "/name" },
		{ "Goal Loss Ratio", "/loss_ratio", text_percent },
		{ "Goal Exceed Ratio", "/exceed_ratio", text_percent },
		{ "Goal Width (relative)", "/width", text_percent },
		{ "Goal Initial Trial Duration (s)", "/initial_trial_duration", text_plain },
		{ "Goal Final Trial Duration (s)", "/final_trial_duration", text_plain },
		{ "Goal Duration Sum (s)", "/duration_sum", text_plain },
	};

	table_put(writer, "goal-table", fields, COUNT(fields), goals, NULL);
}

void table_put_long(struct writer *writer, const char *id, const struct field *fields, size_t count, const json_t *rows,
		    enum tone (*tone)(const json_t *row))
{
	writer->many = true;
	table_put(writer, id, fields, count, rows, tone);
	writer->many = false;
}

void table_put_most(struct writer *writer, const char *id, const struct field *fields, size_t count, json_t *rows,
		    enum tone (*tone)(const json_t *row))
{
	size_t all = json_array_size(rows), most = writer->items_most ? writer->items_most : all;

	for (size_t i = all; i-- > most;)
		json_array_remove(rows, i);
	table_put_long(writer, id, fields, count, rows, tone);
	json_decref(rows);
	if (all > most)
		paragraph_put(writer, "and %zu more, which --format json names", all - most);
}

json_t *rows_within(const json_t *list, const char *at)
{
	json_t *rows = json_array();

	json_each (outer, list) {
		const json_t *inner = json_at(outer, at);
		size_t count = json_is_object(inner) ? 1 : json_array_size(inner);

		for (size_t j = 0; j < count; j++) {
			json_t *row = json_copy(json_is_object(inner) ? (json_t *)inner : json_array_get(inner, j));

			json_object_update_missing(row, outer);
			json_array_append_new(rows, row);
		}
	}
	return rows;
}

json_t *rows_sorted(const json_t *list, int (*compare)(const void *a, const void *b))
{
	size_t count = json_array_size(list);
	owned json_t **items = memory_noticed(calloc(count + 1, sizeof(*items)));
	json_t *sorted = json_array();

	if (!items)
		return sorted;
	for (size_t i = 0; i < count; i++)
		items[i] = json_item(list, i);
	qsort(items, count, sizeof(*items), compare);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(sorted, items[i]);
	return sorted;
}

/* --- facts ---------------------------------------------------------------------------------------------------------- */

/* Takes the value over. Without memory the fact is left out. */
static void facts_take(struct facts *facts, const char *label, char *value)
{
	size_t size = facts->size ? 2 * facts->size : 16;
	struct writer_fact *grown;
	char *name = memory_noticed(strdup(label));

	if (facts->count == facts->size && name && value) {
		grown = memory_noticed(reallocarray(facts->list, size, sizeof(*grown)));
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
	facts_take(facts, label, memory_noticed(value));
}

void facts_add_member(struct facts *facts, const char *label, const json_t *object, const char *at, text_of_number *text)
{
	const json_t *value = json_at(object, at);

	if (text ? !isnan(number_of(value)) : json_is_string(value))
		facts_add(facts, label, "%s", member_text(object, &(struct field){ .at = at, .text = text }, VALUE_ROOM));
}

void facts_say(struct facts *facts, const json_t *object, const struct fact *list, size_t count)
{
	for (const struct fact *fact = list; fact < list + count; fact++) {
		const char *text = PHRASE_OF(fact->phrase, object);

		if (*text)
			facts_add(facts, fact->label, "%s", text);
	}
}

void facts_add_rates(struct facts *facts, double fps, double octets)
{
	if (isnan(octets) || isnan(fps))
		return;
	facts_add(facts, "Frames alone (L2)", "%s", text_bps(l2_bps(fps, octets), VALUE_ROOM));
	facts_add(facts, "On the link (L1)", "%s", text_bps(l1_bps(fps, octets), VALUE_ROOM));
}

static void put_value(FILE *stream, const json_t *value);

static void put_members(FILE *stream, const json_t *object)
{
	const char *separator = "";

	json_each_member (key, value, object) {
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

/* NULL without memory; the caller frees it. */
static char *value_text(const json_t *value)
{
	return memory_noticed(TEXT_WRITTEN(stream, NULL, put_value(stream, value)));
}

/* What there is nothing to say of. */
static bool is_empty(const json_t *value)
{
	return json_is_null(value) || (json_is_array(value) && !json_array_size(value)) ||
	       (json_is_object(value) && !json_object_size(value));
}

void facts_add_object(struct facts *facts, const json_t *object, const char *known)
{
	json_each_member (key, value, object) {
		if (!is_one_of(key, known) && !is_empty(value))
			facts_take(facts, text_label(key, VALUE_ROOM), value_text(value));
	}
}

/* A member as the text of a cell; `number`: with its digits in groups. A new reference. */
static json_t *member_cell(const json_t *object, const char *key, bool number)
{
	const json_t *value = json_object_get(object, key);
	json_t *cell;
	owned char *text = NULL;

	if (!value || is_empty(value))
		return json_string("");
	if (number && json_is_number(value))
		return json_string(text_number(json_number_value(value), json_is_real(value) ? 1 : 0, VALUE_ROOM));
	text = value_text(value);
	cell = json_string(text ? text : "");
	return cell;
}

/* Whether all cells but the first one say nothing, or 0 where that is nothing, too. */
static bool is_silent(const json_t *row, bool zero)
{
	for (size_t i = 1; i < json_array_size(row); i++) {
		const char *text = json_string_value(json_array_get(row, i));

		if (*text && !(zero && strcmp(text, "0") == 0))
			return false;
	}
	return true;
}

/* All members of `count` of the objects, each once: ports need not have the same. A new reference. */
static json_t *members_of(const json_t *objects, size_t first, size_t count)
{
	json_t *members = json_object();

	for (size_t i = first; i < first + count; i++)
		json_object_update_missing(members, json_array_get(objects, i));
	return members;
}

/* Some of the objects that have names: a column each, a row a member. */
static void put_some_columns(struct writer *writer, const char *id, const char *corner, const json_t *objects, size_t first,
			     size_t count)
{
	struct field fields[1 + COLUMNS_MOST] = { { corner, "/0" } };
	char places[1 + COLUMNS_MOST][8];
	json_auto_t *rows = json_array(), *members = members_of(objects, first, count);

	for (size_t i = 1; i <= count; i++) {
		snprintf(places[i], sizeof(places[i]), "/%zu", i);
		fields[i] = (struct field){ read_text(json_array_get(objects, first + i - 1), "name"), places[i],
					    .numeric = true };
	}
	json_each_member (key, value, members) {
		json_auto_t *row = json_pack("[s]", text_label(key, VALUE_ROOM));

		for (size_t i = first; i < first + count; i++)
			json_array_append_new(row, member_cell(json_array_get(objects, i), key, true));
		if (strcmp(key, "name") != 0 && !is_silent(row, writer->shown == LEVEL_MAIN))
			json_array_append(rows, row);
	}
	table_put(writer, id, fields, 1 + count, rows, NULL);
}

/* Return how many objects have room side by side. */
static size_t columns_most(const json_t *objects)
{
	size_t longest = 1, most;

	json_each (object, objects)
		json_each_member (key, value, object) {
			json_auto_t *cell = member_cell(object, key, true);
			size_t length = strlen(json_string_value(cell) ?: "");

			longest = length > longest ? length : longest;
		}
	most = TABLE_WIDTH / ((longest < LINE_MOST ? longest : LINE_MOST) + COLUMN_GAP);
	return most > COLUMNS_MOST ? COLUMNS_MOST : most ? most : 1;
}

/* Objects that have names, in as many tables as they need, of about as many columns. */
static void put_columns(struct writer *writer, const char *id, const char *corner, const json_t *objects)
{
	size_t count = json_array_size(objects), most = columns_most(objects);
	size_t tables = (count + most - 1) / most, each = (count + tables - 1) / tables;

	for (size_t first = 0; first < count; first += each)
		put_some_columns(writer, first ? TEXT_OF(64, "%.48s-%zu", id, first / each + 1) : id, corner, objects, first,
				 count - first < each ? count - first : each);
}

/* Others: a row each, a column a member. */
static void put_rows(struct writer *writer, const char *id, const json_t *objects)
{
	struct field fields[CELLS_MAX];
	char labels[CELLS_MAX][VALUE_SIZE], places[CELLS_MAX][8];
	json_auto_t *rows = json_list(i, json_array_size(objects), json_array()),
		    *members = members_of(objects, 0, json_array_size(objects));
	size_t columns = 0;

	json_each_member (key, value, members) {
		if (columns == CELLS_MAX)
			break;
		json_each (object, objects)
			json_array_append_new(json_array_get(rows, object_at), member_cell(object, key, false));
		snprintf(places[columns], sizeof(places[columns]), "/%zu", columns);
		fields[columns] = (struct field){ text_label(key, labels[columns]), places[columns],
						  .numeric = json_is_number(value) };
		columns++;
	}
	table_put(writer, id, fields, columns, rows, NULL);
}

void objects_put(struct writer *writer, const char *id, const char *corner, const json_t *objects)
{
	if (read_string(json_array_get(objects, 0), "name"))
		put_columns(writer, id, corner, objects);
	else
		put_rows(writer, id, objects);
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

/* --- cards and lists ------------------------------------------------------------------------------------------------ */

const char *text_source(enum standing standing, char buffer[VALUE_SIZE])
{
	buffer[0] = '\0';
	if (standing != STANDING_REGULAR)
		snprintf(buffer, VALUE_SIZE, ", from %s %s result", standing == STANDING_LIMITED ? "a" : "an",
			 standing_word(standing));
	return buffer;
}

void verdict_set(struct writer_verdict *verdict, double throughput_fps, enum standing standing)
{
	text_split(throughput_fps, "frames/s", verdict->value, verdict->unit);
	if (isnan(throughput_fps))
		snprintf(verdict->value, sizeof(verdict->value), "none");
	else
		snprintf(verdict->exact, sizeof(verdict->exact), "%s per interface%s", text_fps(throughput_fps, VALUE_ROOM),
			 text_source(standing, VALUE_ROOM));
	verdict->tone = tone_of_standing(standing);
	snprintf(verdict->state, sizeof(verdict->state), "%s", standing_word(standing));
}

void verdicts_put(struct writer *writer, enum writer_level level, const json_t *document, const json_t *items,
		  void (*fill)(struct writer_verdict *verdict, const json_t *document, const json_t *item, size_t index))
{
	size_t count = json_array_size(items);
	owned struct writer_verdict *verdicts = memory_noticed(calloc(count + 1, sizeof(*verdicts)));

	for (size_t i = 0; verdicts && i < count; i++)
		fill(&verdicts[i], document, json_array_get(items, i), i);
	if (verdicts && count)
		writer->ops->verdicts(writer, level, verdicts, count);
	for (size_t i = 0; verdicts && i < count; i++)
		facts_free(&verdicts[i].facts);
}

void content_put_strings(struct writer *writer, const char *id, const char *heading, const json_t *array)
{
	size_t count = json_array_size(array);
	owned const char **items = memory_noticed(calloc(count + 1, sizeof(*items)));

	for (size_t i = 0; items && i < count; i++)
		items[i] = json_string_value(json_array_get(array, i)) ?: "";
	if (items && count) {
		writer->ops->section(writer, LEVEL_MAIN, id, heading);
		writer->ops->list(writer, items, count);
	}
}

/* --- what the SUT changed --------------------------------------------------------------------------------------------- */

const char *text_changes(const json_t *counts, char buffer[CHANGES_SIZE])
{
	static const struct {
		const char *member, *name;
	} kinds[] = {
		{ "changed_vlan", "VLAN" },     { "changed_priority", "VLAN priority" },
		{ "changed_dscp", "DSCP" },     { "changed_ecn", "ECN" },
		{ "changed_ttl", "TTL" },       { "changed_address", "IP address" },
		{ "changed_port", "UDP port" },
	};
	char text[CHANGES_SIZE / 2] = "";

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (read_number(counts, kinds[i].member) > 0)
			text_join(text, sizeof(text), ", ", "%s with another %s",
				  text_count(read_number(counts, kinds[i].member), VALUE_ROOM), kinds[i].name);
	if (!*text)
		return "";
	return text_print(buffer, CHANGES_SIZE,
			  "Of %s frames received, the SUT passed on %s. Of these, %s have a change that is not expected.",
			  text_count(read_number(counts, "received"), VALUE_ROOM), text,
			  text_count(read_number(counts, "changed"), VALUE_ROOM));
}
