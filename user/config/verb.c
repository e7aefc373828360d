/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/verb.h"

#include <stdio.h>
#include <string.h>

#include "base/text_stream.h"

#define ROW(CONSTANT, FUNCTION, NAME, SUMMARY, ...) { NAME, SUMMARY, { __VA_ARGS__ } },

static const struct verb_text {
	const char *name, *summary, *files[FILES_MAX];
} verbs[] = { VERBS(ROW) };

const char *verb_name(enum verb verb)
{
	return verbs[verb].name;
}

const char *verb_summary(enum verb verb)
{
	return verbs[verb].summary;
}

const char *verb_file(enum verb verb, size_t index)
{
	return index < FILES_MAX ? verbs[verb].files[index] : NULL;
}

bool verb_takes_file(enum verb verb, size_t index)
{
	size_t named = 0;

	while (verb_file(verb, named))
		named++;
	return index < named || (named && strstr(verb_file(verb, named - 1), "..."));
}

const char *verb_word(enum verb verb, char buffer[VERB_WORD_SIZE])
{
	snprintf(buffer, VERB_WORD_SIZE, "%.*s", (int)strcspn(verb_name(verb), " "), verb_name(verb));
	return buffer;
}

const char *verb_second_word(enum verb verb)
{
	const char *space = strchr(verb_name(verb), ' ');

	return space ? space + 1 : NULL;
}

bool verb_has_word(enum verb verb, const char *word)
{
	return strcmp(verb_word(verb, ROOM(VERB_WORD_SIZE)), word) == 0;
}
