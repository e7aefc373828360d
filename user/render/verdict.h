/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cards at the head of a report: a Conditional Throughput each, with whether it can be relied on. */
#ifndef XDP_MLR_RENDER_VERDICT_H
#define XDP_MLR_RENDER_VERDICT_H

#include <jansson.h>
#include <stdbool.h>

#include "render/values.h"
#include "render/writer.h"

/* A card, and the texts that it points to. */
struct verdict_card {
	struct writer_verdict verdict;
	struct facts facts; /* below the value */
	char id[32], name[VALUE_SIZE], value[VALUE_SIZE], unit[VALUE_SIZE], exact[2 * VALUE_SIZE], warning[512];
};

/* A throughput per interface in frames/s (NAN: there is none), and how far to rely on it. */
void verdict_card_set(struct verdict_card *card, double throughput_fps, bool regular, bool tester_limited);

/* A card for each item of an array; `fill` names it, sets it and adds facts. */
void verdict_cards_put(struct writer *writer, enum writer_rank rank, const json_t *document, const json_t *items,
		       void (*fill)(struct verdict_card *card, const json_t *document, const json_t *item, size_t index));

#endif
