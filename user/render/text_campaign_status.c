/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/text_campaign_status.h"

#include <string.h>

#include "base/json_read.h"

#define SHOWN_MOST 20 /* of points in a state; JSON has all of them */

static size_t count_of(const json_t *document, const char *name)
{
	return (size_t)json_integer_value(json_object_get(json_object_get(document, "point_counts"), name));
}

/* The points in one state, with why, as far as that is known. */
static void put_points(FILE *stream, const json_t *document, const char *state)
{
	size_t i, shown = 0, count = count_of(document, state);
	json_t *point;

	if (!count)
		return;
	fprintf(stream, "\n%c%s:\n", state[0] - 'a' + 'A', state + 1);
	json_array_foreach (json_object_get(document, "points"), i, point) {
		const char *reason = read_text(point, "reason"), *host = read_text(point, "host");

		if (strcmp(read_text(point, "state"), state) != 0)
			continue;
		if (shown++ == SHOWN_MOST) {
			fprintf(stream, "  and %zu more, which --format json names\n", count - SHOWN_MOST);
			return;
		}
		fprintf(stream, "  %s%s%s%s%s\n", read_text(point, "point"), *host ? ", on " : "", host, *reason ? ": " : "",
			reason);
	}
}

static void put_counts(FILE *stream, const json_t *document)
{
	fprintf(stream, "Campaign %s: %zu of %zu points are done", read_text(document, "campaign"),
		count_of(document, "done"), count_of(document, "total"));
	if (count_of(document, "irregular"))
		fprintf(stream, ", %zu of them irregular", count_of(document, "irregular"));
	fprintf(stream, "\n  running %zu, failed %zu, interrupted %zu, waiting %zu\n", count_of(document, "running"),
		count_of(document, "failed"), count_of(document, "interrupted"), count_of(document, "waiting"));
	fprintf(stream, "  results in %s\n", read_text(document, "results"));
}

void render_campaign_status(FILE *stream, const json_t *document)
{
	put_counts(stream, document);
	put_points(stream, document, "running");
	put_points(stream, document, "failed");
	put_points(stream, document, "interrupted");
}
