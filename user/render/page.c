/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/page.h"

#include <string.h>

#include "base/json_read.h"
#include "render/phrase.h"

static bool is_heading(const struct part *part)
{
	return part->section || part->subsection;
}

/* Whether the condition holds of the object; of "sizes[]/latency": of an item of the list. */
static bool holds(const char *condition, const json_t *object)
{
	const char *each = strstr(condition, "[]/");

	if (!each)
		return phrase_holds(condition, object);
	json_each (item, json_at(object, TEXT_OF(64, "/%.*s", (int)(each - condition), condition)))
		if (phrase_holds(each + 3, item))
			return true;
	return false;
}

/* A new reference. */
static json_t *rows_at(const json_t *object, const char *at)
{
	const char *each = strstr(at, "[]");

	if (!each)
		return json_incref((json_t *)json_at(object, at));
	return rows_within(json_at(object, TEXT_OF(64, "%.*s", (int)(each - at), at)), each + 2);
}

/* Return the rows by direction as a new reference, and release the given rows. */
static json_t *each_direction(json_t *rows, bool alone)
{
	json_auto_t *several = json_array(), *all = rows;

	json_each (row, rows)
		if (!alone || several_directions(row))
			json_array_append(several, row);
	return rows_by_direction(several);
}

/* A form hides sections and folds above its level itself. */
static bool is_shown(const struct writer *writer, const struct part *part)
{
	return part->section || part->fold || part->level <= writer->shown;
}

static void put_table(struct writer *writer, const json_t *object, const struct part *part)
{
	bool alone = part->directions == DIRECTIONS_ALONE;
	json_auto_t *rows = rows_at(object, part->rows);

	if (part->directions != DIRECTIONS_NONE)
		rows = each_direction(rows, alone);
	if (alone && json_array_size(rows))
		writer->ops->subsection(writer, "By direction");
	if (part->most)
		table_put_most(writer, part->id, part->table, part->count, json_incref(rows), part->tone);
	else if (!alone || json_array_size(rows))
		table_put(writer, part->id, part->table, part->count, rows, part->tone);
}

static void put_facts(struct writer *writer, const json_t *object, const struct part *part)
{
	struct facts facts = { .count = 0 };

	facts_say(&facts, object, part->facts, part->count);
	facts_put(&facts, writer);
}

static void put_paragraph(struct writer *writer, const json_t *object, const struct part *part)
{
	const char *text = PHRASE_OF(part->say, object);

	if (*text)
		writer->ops->paragraph(writer, text);
}

static void put_part(struct writer *writer, const json_t *object, const struct part *part)
{
	if (part->section)
		writer->ops->section(writer, part->level, part->id, PHRASE_OF(part->section, object));
	else if (part->subsection)
		writer->ops->subsection(writer, part->subsection);
	else if (part->fold)
		writer->ops->fold(writer, part->level, part->id, part->fold);
	else if (part->fold_end)
		writer->ops->fold_end(writer);
	else if (part->say)
		put_paragraph(writer, object, part);
	else if (part->facts)
		put_facts(writer, object, part);
	else if (part->table)
		put_table(writer, object, part);
	else
		part->put(writer, object);
}

/* Below a heading that is not there: a subsection goes with its section. */
static bool goes_on(const struct part *heading, const struct part *part)
{
	return part->section || ((part->subsection || part->apart) && heading->subsection);
}

void page_put(struct writer *writer, const json_t *object, const struct part *parts, size_t count)
{
	const struct part *left_out = NULL; /* the heading below which nothing stands */

	for (size_t i = 0; i < count; i++) {
		const struct part *part = &parts[i];

		if (left_out && !goes_on(left_out, part))
			continue;
		left_out = NULL;
		if (part->when && !holds(part->when, object))
			left_out = is_heading(part) ? part : NULL;
		else if (is_shown(writer, part))
			put_part(writer, object, part);
	}
}
