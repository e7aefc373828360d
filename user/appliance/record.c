/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/units.h"

static struct record_line *line_of(const struct record *record, unsigned long number)
{
	return (struct record_line *)&record->lines[number % RECORD_LINES];
}

static unsigned long first_of(const struct record *record)
{
	return record->count > RECORD_LINES ? record->count - RECORD_LINES : 0;
}

void record_add(struct record *record, const char *text, bool aloud)
{
	struct record_line *line = line_of(record, record->count);
	char quoted[RECORD_LINE_MOST];
	char *copy = strdup(quote(text, strlen(text), quoted, sizeof(quoted)));

	if (!copy)
		return;
	free(line->text);
	*line = (struct record_line){ copy, time(NULL), aloud };
	record->count++;
}

void record_free(struct record *record)
{
	for (unsigned int i = 0; i < RECORD_LINES; i++)
		free(record->lines[i].text);
}

void record_put(const struct record *record, FILE *stream, unsigned int most)
{
	unsigned long first = first_of(record);

	if (record->count - first > most)
		first = record->count - most;
	for (unsigned long i = first; i < record->count; i++)
		fprintf(stream, "%s %s\n", format_utc(line_of(record, i)->when, UNIT_ROOM), line_of(record, i)->text);
}

const char *record_next(const struct record *record, unsigned long *read, bool *ret_lost)
{
	if (*read < first_of(record)) {
		*read = first_of(record);
		*ret_lost = true;
	}
	while (*read < record->count) {
		const struct record_line *line = line_of(record, (*read)++);

		if (line->aloud)
			return line->text;
	}
	return NULL;
}
