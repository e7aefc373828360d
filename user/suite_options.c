/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suite_options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "traffic.h"

bool frame_sizes_are_a_list(enum verb verb)
{
	return verb == VERB_SELFTEST;
}

/* The length of the first part: up to a comma that does not stand inside a mix ("imix:7:64,4:594", "genome:aaz,z=1500"). */
static size_t part_length(const char *list)
{
	size_t length = strcspn(list, ",");

	while (list[length]) {
		const char *next = list + length + 1;
		size_t next_length = strcspn(next, ",");

		if (!(isdigit((unsigned char)*next) && memchr(next, ':', next_length)) &&
		    !(isalpha((unsigned char)*next) && next[1] == '='))
			break;
		length += 1 + next_length;
	}
	return length;
}

bool frame_sizes_part(const char *list, unsigned int index, char buffer[FRAME_SIZE_TEXT])
{
	size_t length = part_length(list);

	while (index-- > 0) {
		if (!list[length])
			return false;
		list += length + 1;
		length = part_length(list);
	}
	snprintf(buffer, FRAME_SIZE_TEXT, "%.*s", (int)length, list);
	return true;
}

static enum exit_code read_part(const struct given *given, char *text, struct config *config)
{
	struct given part = *given;

	part.text = text;
	return read_frame_size(&part, config);
}

enum exit_code read_frame_sizes(const struct given *given, struct config *config)
{
	enum exit_code code = EXIT_DONE;
	char part[FRAME_SIZE_TEXT];
	unsigned int count = 0;

	config->frame_size_text = given->text;
	if (!frame_sizes_are_a_list(config->verb))
		return read_frame_size(given, config);
	while (code == EXIT_DONE && frame_sizes_part(given->text, count, part)) {
		if (count++ == FRAME_SIZES_MAX)
			return refuse_given(given, "at most %d frame sizes at once", FRAME_SIZES_MAX);
		code = read_part(given, part, config);
	}
	return code;
}

enum exit_code config_for_frame_size(const struct config *config, const char *text, struct config *ret)
{
	struct config one = *config;
	enum exit_code code = read_part(given_find(config->given, "frame-size"), (char *)text, &one);

	one.frame_size_text = text;
	if (code == EXIT_DONE)
		code = traffic_check(&one);
	if (code == EXIT_DONE)
		*ret = one;
	return code;
}
