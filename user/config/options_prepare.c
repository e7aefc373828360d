/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --prepare: what may be changed on the ports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/units.h"
#include "config/options_read.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BIT(item)    (1u << (item))
#define AUTOMATIC                                                                                                           \
	(BIT(PREPARE_IPV6) | BIT(PREPARE_MERGE) | BIT(PREPARE_PAUSE) | BIT(PREPARE_IRQ) | BIT(PREPARE_VLAN) |               \
	 BIT(PREPARE_QUEUES) | BIT(PREPARE_TIMESTAMPS))
#define CHANNELS_MOST 4096

static const char *const items[] = {
	[PREPARE_IPV6] = "ipv6",     [PREPARE_MERGE] = "merge",
	[PREPARE_PAUSE] = "pause",   [PREPARE_IRQ] = "irq",
	[PREPARE_VLAN] = "vlan",     [PREPARE_GRO] = "gro",
	[PREPARE_MTU] = "mtu",       [PREPARE_CHANNELS] = "channels",
	[PREPARE_RSS] = "rss",       [PREPARE_TIMESTAMPS] = "timestamps",
	[PREPARE_QUEUES] = "queues", [PREPARE_STEER] = "steer",
};

static enum exit_code refuse_item(const struct given *given, const char *word)
{
	char hint[64];

	return refuse_given(
		given,
		"there is no '%s'%s; say none, or a list of auto, ipv6, merge, pause, irq, vlan, queues, timestamps, gro, "
		"mtu, channels=N, rss and steer, or auto and no-ITEM",
		word, nearest_hint(word, items, COUNT(items), hint, sizeof(hint)));
}

static enum exit_code read_channels(const struct given *given, const char *number, struct prepare *prepare)
{
	double count;

	if (!number || !parse_number(number, &count) || count < 1 || count > CHANNELS_MOST || count != (unsigned int)count)
		return refuse_given(given, "channels takes a number from 1 to %d, as channels=4", CHANNELS_MOST);
	prepare->channels = (unsigned int)count;
	return EXIT_DONE;
}

static enum exit_code read_item(const struct given *given, char *word, struct prepare *prepare)
{
	char *number = strchr(word, '=');
	bool not = strncmp(word, "no-", 3) == 0;

	if (strcmp(word, "auto") == 0) {
		prepare->automatic |= AUTOMATIC;
		return EXIT_DONE;
	}
	if (number)
		*number++ = '\0';
	for (unsigned int item = 0; item < COUNT(items); item++) {
		if (strcmp(word + (not ? 3 : 0), items[item]))
			continue;
		if (number && (not || item != PREPARE_CHANNELS))
			return refuse_given(given, "'%s' takes no number", word);
		if (not )
			prepare->automatic &= ~BIT(item);
		else
			prepare->asked |= BIT(item);
		return item == PREPARE_CHANNELS && !not ? read_channels(given, number, prepare) : EXIT_DONE;
	}
	return refuse_item(given, word);
}

enum exit_code read_prepare(const struct given *given, struct config *config)
{
	struct prepare prepare = { 0 };
	enum exit_code code = EXIT_DONE;
	char *text, *rest, *word;

	if (strcmp(given->text, "none") == 0) {
		config->prepare = prepare;
		return EXIT_DONE;
	}
	if (!given->text[0])
		return refuse_item(given, "");
	rest = text = strdup(given->text);
	if (!text)
		return refuse(EXIT_INCAPABLE, "out of memory");
	while (code == EXIT_DONE && (word = strsep(&rest, ",")))
		code = read_item(given, word, &prepare);
	free(text);
	if (code == EXIT_DONE)
		config->prepare = prepare;
	return code;
}
