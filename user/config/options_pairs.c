/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/options_read.h"

#include <string.h>

#include "base/plain.h"
#include "base/text_stream.h"
#include "base/units.h"

#define NAMES_SIZE 256

static enum exit_code refuse_key(const struct given *given, const struct pairs *pairs, const char *key)
{
	const char *names[KEYS_MAX];
	const char *hint;
	char all[NAMES_SIZE] = "";

	for (size_t i = 0; i < pairs->key_count; i++) {
		names[i] = pairs->keys[i].name;
		text_join(all, sizeof(all), i + 1 < pairs->key_count ? ", " : " and ", "%s", names[i]);
	}
	hint = nearest_hint(key, names, pairs->key_count, HINT_ROOM);
	return refuse_given(given, "no %s '%s'%s%s", pairs->what ? pairs->what : "key", QUOTED(key),
			    *hint ? hint : "; there are ", *hint ? "" : all);
}

static enum exit_code store_name(const struct given *given, const char *value, char name[MLR_GOAL_NAME_SIZE])
{
	if (strlen(value) >= MLR_GOAL_NAME_SIZE)
		return refuse_given(given, "a name has at most %d octets", MLR_GOAL_NAME_SIZE - 1);
	for (const char *c = value; *c; c++)
		if (plain_control(c) || *c == '\n' || *c == '\t')
			return refuse_given(given, "control characters in the name");
	strcpy(name, value);
	return EXIT_DONE;
}

static enum exit_code store_number(const struct given *given, const struct key *key, const char *value, double *field)
{
	const char *quoted = QUOTED(value);
	double number;
	bool fine = key->kind == KEY_RATIO ? parse_ratio(value, &number) : parse_duration(value, &number);

	if (!fine && key->kind == KEY_RATIO)
		return refuse_given(given, "%s '%s' is not a ratio; write it as 0.005 or 0.5%%", key->name, quoted);
	if (!fine)
		return refuse_given(given, "%s '%s' is not a duration; write it as %s", key->name, quoted, DURATION_FORMS);
	if (key->kind == KEY_DURATION && number > DURATION_MOST_S)
		return refuse_given(given, "%s '%s' must be at most %.0f s", key->name, quoted, DURATION_MOST_S);
	*field = number;
	return EXIT_DONE;
}

static enum exit_code store_rate(const struct given *given, const struct key *key, const char *value,
				 struct load_spec *field)
{
	struct load_spec load;

	if (!parse_information_rate(value, &load) || load.unit == LOAD_MAX || !(load.value >= 0))
		return refuse_given(given, "%s '%s' is not a load; write it as %s", key->name, QUOTED(value),
				    load_spellings(value, INFORMATION_RATE_FORMS, ROOM(LOAD_SPELLINGS_SIZE)));
	*field = load;
	return EXIT_DONE;
}

static enum exit_code store_value(const struct given *given, const struct key *key, char *value, void *field, void *into)
{
	switch (key->kind) {
	case KEY_TEXT:
		return store_name(given, value, field);
	case KEY_INFORMATION_RATE:
		return store_rate(given, key, value, field);
	case KEY_OWN:
		return key->store(given, key, value, into);
	default:
		return store_number(given, key, value, field);
	}
}

/* Store the value of "K=V". */
static enum exit_code store_pair(const struct given *given, char *name, void *into)
{
	struct pairs *pairs = into;
	char *value = strchr(name, '=');
	const struct key *key;
	unsigned int bit;

	if (!value)
		return refuse_given(given, "must be %s",
				    pairs->what ? given->option->argument : "KEY=VALUE, with commas between");
	*value++ = '\0';
	key = row_with(pairs->keys, pairs->key_count, name, name);
	if (!key)
		return refuse_key(given, pairs, name);
	bit = 1u << (key - pairs->keys);
	if (pairs->seen & bit)
		return refuse_given(given, "%s is given twice", name);
	pairs->seen |= bit;
	return store_value(given, key, value, (char *)pairs->into + key->offset, pairs->into);
}

enum exit_code pairs_read(const struct given *given, struct pairs *pairs)
{
	return read_list(given, given->text, store_pair, pairs);
}

bool pairs_seen(const struct pairs *pairs, const char *name)
{
	const struct key *key = row_with(pairs->keys, pairs->key_count, name, name);

	return key && pairs->seen >> (key - pairs->keys) & 1;
}

void pairs_format(const struct key *keys, size_t key_count, const void *from, char *buffer, size_t size)
{
	buffer[0] = '\0';
	for (size_t i = 0; i < key_count; i++) {
		const void *field = (const char *)from + keys[i].offset;
		const char *value = keys[i].kind == KEY_TEXT ? field : format_number(*(const double *)field, UNIT_ROOM);

		text_join(buffer, size, ",", "%s=%s", keys[i].name, value);
	}
}
