/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of the form "K=V,K=V,...": which keys there are, and where each one's value goes. */
#ifndef XDP_MLR_CONFIG_OPTIONS_PAIRS_H
#define XDP_MLR_CONFIG_OPTIONS_PAIRS_H

#include "config/given.h"

/* What a key is. */
struct key {
	const char *name;
	size_t offset; /* of the field: char[MLR_GOAL_NAME_SIZE], a double, or a struct load_spec */
	enum { KEY_TEXT, KEY_RATIO, KEY_DURATION, KEY_LOAD, KEY_OWN } kind;
	int tag; /* the reader's own */
	/* KEY_OWN: reads the value into what the pairs are read into. */
	enum exit_code (*store)(const struct given *given, char *value, void *into);
};
#define KEYS_MAX 16

struct pairs {
	const struct key *keys;
	size_t key_count; /* at most KEYS_MAX */
	void *into;
	unsigned int seen; /* a bit for each key that was there */
};

/* Read all of the value. */
enum exit_code pairs_read(const struct given *given, struct pairs *pairs);
/* Whether a key was there. */
bool pairs_seen(const struct pairs *pairs, const char *name);
/* Texts, ratios and durations as such a value again. */
void pairs_format(const struct key *keys, size_t key_count, const void *from, char *buffer, size_t size);

#endif
