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

const char *verb_exit_codes(enum verb verb)
{
	switch (verb) {
	case VERB_COMPARE:
		return "0 the SUT of B is not slower; 1 it is slower; 2 this cannot be told, or the results cannot be compared";
	case VERB_VERIFY:
		return "0 nothing contradicts; 1 something does, or an answer to --vectors is wrong; 2 a file cannot be read";
	case VERB_CONNECT:
		return "0 frames pass between the ports; 1 they do not, or not steadily";
	case VERB_CAMPAIGN_STATUS:
		return "0 every point is done; 1 not yet";
	default:
		return NULL;
	}
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
