/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void verdict_card_set(struct verdict_card *card, double throughput_fps, bool regular, bool tester_limited)
{
	char text[VALUE_SIZE];

	text_split(throughput_fps, "frames/s", card->value, card->unit);
	if (isnan(throughput_fps))
		snprintf(card->value, sizeof(card->value), "none");
	else
		snprintf(card->exact, sizeof(card->exact), "%s per interface%s", text_fps(throughput_fps, text),
			 regular ? "" : ", from an IRREGULAR result");
	card->verdict.value = card->value;
	card->verdict.unit = card->unit;
	card->verdict.exact = card->exact;
	card->verdict.tone = !regular ? TONE_BAD : tester_limited ? TONE_WARN : TONE_GOOD;
	card->verdict.state = !regular ? "IRREGULAR" : tester_limited ? "regular, tester-limited" : "regular";
}

void verdict_cards_put(struct writer *writer, enum writer_rank rank, const json_t *document, const json_t *items,
		       void (*fill)(struct verdict_card *card, const json_t *document, const json_t *item, size_t index))
{
	size_t count = json_array_size(items);
	struct verdict_card *cards = calloc(count + 1, sizeof(*cards));
	struct writer_verdict *verdicts = calloc(count + 1, sizeof(*verdicts));

	for (size_t i = 0; cards && verdicts && i < count; i++) {
		fill(&cards[i], document, json_array_get(items, i), i);
		cards[i].verdict.facts = cards[i].facts.list;
		cards[i].verdict.fact_count = cards[i].facts.count;
		verdicts[i] = cards[i].verdict;
	}
	if (cards && verdicts && count)
		writer->ops->verdicts(writer, rank, verdicts, count);
	for (size_t i = 0; cards && i < count; i++)
		facts_free(&cards[i].facts);
	free(verdicts);
	free(cards);
}
