/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "campaign_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_read.h"
#include "json_text.h"
#include "output.h"

#define STATES     (POINT_DONE + 1)
#define SHOWN_MOST 20 /* of failed points, as text; JSON has all of them */

/* --- the document --------------------------------------------------------------------------------------------------- */

/* Where the directory is on a file system without locks between hosts, the batch system knows who works at a point. */
static enum point_state state_of(const struct campaign *campaign, size_t point, const struct point_status *status,
				 const json_t *queue)
{
	bool works = strcmp(read_text(queue, campaign->names[point]), "RUNNING") == 0;

	return works && status->state != POINT_DONE ? POINT_RUNNING : status->state;
}

static json_t *point_json(const struct campaign *campaign, size_t point, const struct point_status *status,
			  const json_t *queue)
{
	static const char *const told[] = { "time", "host", "job", "reason" };
	const char *queued = read_string(queue, campaign->names[point]);
	json_t *json = json_pack("{s:s, s:s, s:i, s:o, s:s?}", "point", campaign->names[point], "state",
				 point_state_name(state_of(campaign, point, status, queue)), "attempts",
				 (int)status->attempts, "exit_code",
				 status->exit_code < 0 ? json_null() : json_integer(status->exit_code), "queue", queued);

	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
		if (json_is_string(json_object_get(status->last, told[i])))
			json_object_set(json, told[i], json_object_get(status->last, told[i]));
	return json;
}

json_t *campaign_status_describe(const struct campaign *campaign, const struct point_status *states, const json_t *queue)
{
	size_t counts[STATES] = { 0 }, irregular = 0;
	json_t *points = json_array();

	for (size_t i = 0; i < campaign->point_count; i++) {
		counts[state_of(campaign, i, &states[i], queue)]++;
		irregular += states[i].state == POINT_DONE && states[i].exit_code == EXIT_UNMET;
		json_array_append_new(points, point_json(campaign, i, &states[i], queue));
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:{s:I, s:I, s:I, s:I, s:I, s:I, s:I}, s:o}", "schema",
			 "xdp-mlr/campaign-status/1", "campaign", campaign->name, "file", campaign->path, "results",
			 campaign->directory, "point_counts", "total", (json_int_t)campaign->point_count, "done",
			 (json_int_t)counts[POINT_DONE], "irregular", (json_int_t)irregular, "running",
			 (json_int_t)counts[POINT_RUNNING], "failed", (json_int_t)counts[POINT_FAILED], "interrupted",
			 (json_int_t)counts[POINT_INTERRUPTED], "waiting", (json_int_t)counts[POINT_WAITING], "points",
			 points);
}

/* --- text ----------------------------------------------------------------------------------------------------------- */

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

static enum exit_code show_text(const json_t *document)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);
	enum exit_code code;

	if (!stream)
		return refuse(EXIT_INCAPABLE, "out of memory");
	put_counts(stream, document);
	put_points(stream, document, "running");
	put_points(stream, document, "failed");
	put_points(stream, document, "interrupted");
	code = fclose(stream) ? refuse(EXIT_INCAPABLE, "out of memory") : output_write(text, length);
	free(text);
	return code;
}

static enum exit_code show_json(const json_t *document, bool indented)
{
	size_t length;
	char *text = json_text(document, indented, &length);
	enum exit_code code = text ? output_write(text, length) : refuse(EXIT_INCAPABLE, "out of memory");

	free(text);
	return code;
}

enum exit_code campaign_status_show(const struct config *config, const struct campaign *campaign,
				    const struct point_status *states, const json_t *queue)
{
	json_t *document = campaign_status_describe(campaign, states, queue);
	bool all = count_of(document, "done") == campaign->point_count;
	enum exit_code code =
		config->format == FORMAT_TEXT ? show_text(document) : show_json(document, config->format == FORMAT_JSON);

	json_decref(document);
	return code != EXIT_DONE ? code : all ? EXIT_DONE : EXIT_UNMET;
}
