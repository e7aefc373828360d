/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report says of a campaign while it runs: how many points are done, and which are under way or have failed. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "render/kinds.h"
#include "render/parts.h"

/* The points in one state, with why, as far as that is known. */
static void put_points(struct writer *writer, const json_t *points, const char *state)
{
	static const struct writer_column columns[] = { { "Point", false }, { "On", false }, { "Why", false } };
	struct cells cells = { .count = 0 };
	char heading[VALUE_SIZE], id[VALUE_SIZE];
	size_t i, shown = 0;
	json_t *point;

	snprintf(id, sizeof(id), "%s-table", state);
	writer->ops->section(writer, RANK_MAIN, state, text_label(state, heading));
	writer->ops->table(writer, id, columns, 3);
	json_array_foreach (points, i, point) {
		if (strcmp(read_text(point, "state"), state) != 0 || (writer->items_most && shown++ >= writer->items_most))
			continue;
		cells_add(&cells, "%s", read_text(point, "point"));
		cells_add(&cells, "%s", read_text(point, "host"));
		cells_add(&cells, "%s", read_text(point, "reason"));
		cells_put(&cells, writer, strcmp(state, "running") == 0 ? TONE_PLAIN : TONE_WARN);
	}
	writer->ops->table_end(writer);
	content_put_rest(writer, shown);
}

static void put_verdicts(struct writer *writer, const json_t *document)
{
	const json_t *counts = json_object_get(document, "point_counts");
	struct facts facts = { .count = 0 };

	facts_add(&facts, "Campaign", "%s: %.0f of %.0f points are done, %.0f of them irregular",
		  read_text(document, "campaign"), read_number(counts, "done"), read_number(counts, "total"),
		  read_number(counts, "irregular"));
	facts_add(&facts, "The others", "running %.0f, failed %.0f, interrupted %.0f, waiting %.0f",
		  read_number(counts, "running"), read_number(counts, "failed"), read_number(counts, "interrupted"),
		  read_number(counts, "waiting"));
	facts_add(&facts, "Results in", "%s", read_text(document, "results"));
	facts_put(&facts, writer);
}

static void put_tables(struct writer *writer, const json_t *document)
{
	static const char *const states[] = { "running", "failed", "interrupted" };

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		put_points(writer, json_object_get(document, "points"), states[i]);
}

const struct content content_campaign_status = {
	.kind = "campaign-status",
	.title = "Progress of a campaign",
	.known = "campaign results point_counts points",
	.put_verdicts = put_verdicts,
	.put_tables = put_tables,
};
