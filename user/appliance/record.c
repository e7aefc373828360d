/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record.h"

#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "units.h"

void record_add(struct record *record, const char *text)
{
	char quoted[RECORD_LINE_MOST], when[UNIT_TEXT_SIZE];
	char *line;

	if (asprintf(&line, "%s %s", format_utc(time(NULL), when), quote(text, strlen(text), quoted, sizeof(quoted))) < 0)
		return;
	free(record->lines[record->next]);
	record->lines[record->next] = line;
	record->next = (record->next + 1) % RECORD_LINES;
	record->count++;
}

void record_free(struct record *record)
{
	for (unsigned int i = 0; i < RECORD_LINES; i++)
		free(record->lines[i]);
}

void record_put(const struct record *record, FILE *stream, unsigned int most)
{
	unsigned int count = record->count < RECORD_LINES ? (unsigned int)record->count : RECORD_LINES;

	if (count > most)
		count = most;
	for (unsigned int i = 0; i < count; i++)
		fprintf(stream, "%s\n", record->lines[(record->next + RECORD_LINES - count + i) % RECORD_LINES]);
}
