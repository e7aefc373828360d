/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of a campaign: what became slower, each combination with its spread, and the points
 * that have no regular result. And of one that runs: how many points are done, and which are under way or have failed. */
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/message.h"
#include "base/text_stream.h"
#include "mlr/campaign.h"
#include "render/figures.h"
#include "render/kinds.h"

const char *campaign_start(const json_t *document)
{
	const char *first = NULL;

	json_each (point, json_object_get(document, "points")) {
		const char *start = read_string(point, "start_time");

		if (start && (!first || strcmp(start, first) < 0))
			first = start;
	}
	return first;
}

/* --- the columns of the axes ---------------------------------------------------------------------------------------- */

/* A table with a column for each axis, as many as a campaign can have, but for the one that is left out; then the fields. */
static void put_table(struct writer *writer, const json_t *document, const char *id, const char *without,
		      const struct field *fields, size_t count, const json_t *rows, enum tone (*tone)(const json_t *row))
{
	char pointers[MLR_AXES_MAX][80];
	struct field columns[CELLS_MAX];
	size_t axes = 0;

	for (size_t i = 0; i < MLR_AXES_MAX; i++) {
		const char *name = read_text(json_array_get(json_object_get(document, "axes"), i), "name");

		snprintf(pointers[i], sizeof(pointers[i]), "/values/%.60s", name);
		if (*name && strcmp(name, without) != 0)
			columns[axes++] = (struct field){ name, pointers[i] };
	}
	memcpy(columns + axes, fields, count * sizeof(*fields));
	table_put(writer, id, columns, axes + count, rows, tone);
}

static bool is_done(const json_t *point)
{
	return strcmp(read_text(point, "state"), "done") == 0;
}

/* --- above ---------------------------------------------------------------------------------------------------------- */

/* Return the comparison in which most was lost; NULL: there is none. */
static const json_t *worst_of(const json_t *comparisons)
{
	const json_t *worst = NULL;

	json_each (one, comparisons)
		if (strcmp(read_text(one, "verdict"), "slower") == 0 &&
		    !(read_number(one, "change") >= read_number(worst, "change")))
			worst = one;
	return worst;
}

/* "v2 is 3.1 % slower than v1: ndr, frame-size 64", of the worst comparison. */
static void write_worst(const json_t *document, char *text, size_t size)
{
	const json_t *worst = worst_of(json_object_get(document, "comparisons"));

	snprintf(text, size, "REGRESSION: %.60s %.60s is %.30s slower than %.60s (%.60s", read_text(document, "compared"),
		 read_text(worst, "b"), text_percent(-read_number(worst, "change"), VALUE_ROOM), read_text(worst, "a"),
		 read_text(worst, "goal"));
	json_each_member (axis, value, json_object_get(worst, "values"))
		if (json_is_string(value))
			text_add(text, size, ", %.40s %.40s", axis, json_string_value(value));
}

/* What was the same at every point, of what a figure cannot do without. */
static void add_conditions(struct facts *facts, const json_t *conditions)
{
	static const char *const told[] = { "frame-size", "direction", "ip",     "vlan",     "flows",
					    "vary",       "goal",      "load",   "duration", "target-loss-ratio",
					    "measurer",   "tx",        "queues", "wait" };
	char text[1000] = "";

	for (size_t i = 0; i < COUNT(told); i++) {
		json_t *value = json_object_get(conditions, told[i]), *one;
		size_t j = 0;

		for (one = value; one; one = json_array_get(value, j++))
			if (json_is_string(one))
				text_join(text, sizeof(text), "; ", "%s %.200s", told[i], json_string_value(one));
	}
	if (*text)
		facts_add(facts, "Conditions", "%s", text);
}

/* Points that are done. In documents of earlier versions their results tell. */
static size_t count_limited(const json_t *document)
{
	size_t count = 0;

	json_each (point, json_object_get(document, "points"))
		count += is_done(point) && standing_of_point(point) == STANDING_LIMITED;
	return count;
}

/* What the comparisons come to, in one sentence. */
static void put_comparison_banner(struct writer *writer, const json_t *document)
{
	size_t count = json_array_size(json_object_get(document, "comparisons"));
	double slower = read_number(document, "regressions"), undecided = read_number(document, "undecided");
	char text[800];

	if (!count)
		return;
	if (slower > 0) {
		write_worst(document, text, sizeof(text));
		text_add(text, sizeof(text), "); %.0f of %zu comparisons show one", slower, count);
	} else {
		snprintf(text, sizeof(text), "No regression is shown: of %zu comparisons along %.100s none is slower", count,
			 read_text(document, "compared"));
	}
	text_add(text, sizeof(text), undecided > 0 ? ", and %.0f cannot be told." : ".", undecided);
	writer->ops->banner(writer, slower > 0 ? TONE_BAD : undecided > 0 ? TONE_WARN : TONE_GOOD, text);
}

static void put_verdicts(struct writer *writer, const json_t *document)
{
	const json_t *counts = json_object_get(document, "point_counts");
	size_t limited = count_limited(document);
	struct facts facts = { .count = 0 };

	if (limited)
		banner_put(writer, TONE_WARN, "%zu of %.0f points %s " LIMITED_WORD " by the tester: the SUT may do more.",
			   limited, read_number(counts, "total"), limited == 1 ? "is" : "are");
	put_comparison_banner(writer, document);
	facts_add(&facts, "Campaign", "%s, of %s, from %s", read_text(document, "campaign"), read_text(document, "verb"),
		  read_text(document, "file"));
	add_conditions(&facts, json_object_get(document, "conditions"));
	facts_add(&facts, "Points",
		  "%.0f, %.0f of them done, %.0f irregular, %.0f " LIMITED_WORD ", %.0f failed, %.0f running, %.0f missing",
		  read_number(counts, "total"), read_number(counts, "done"), read_number(counts, "irregular"),
		  (double)limited, read_number(counts, "failed"), read_number(counts, "running"),
		  read_number(counts, "missing"));
	facts_add(&facts, "Each combination", "%.0f times", read_number(document, "repeat"));
	facts_put(&facts, writer);
}

/* --- comparisons ---------------------------------------------------------------------------------------------------- */

/* Those with one of these verdicts. */
static void put_comparison_table(struct writer *writer, const json_t *document, const char *id, const char *verdicts)
{
	static const struct field fields[] = {
		{ "Goal", "/goal" },
		{ "A", "/a" },
		{ "B", "/b" },
		{ "Verdict", .write = text_comparison },
		{ "Change", .write = text_difference, .numeric = true },
		{ "Evidence", "/evidence" },
	};
	json_auto_t *rows = json_array();

	json_each (one, json_object_get(document, "comparisons"))
		if (is_one_of(read_text(one, "verdict"), verdicts))
			json_array_append(rows, one);
	if (json_array_size(rows))
		put_table(writer, document, id, read_text(document, "compared"), fields, COUNT(fields), rows,
			  tone_of_comparison);
}

static size_t count_comparisons(const json_t *document, const char *verdicts)
{
	size_t count = 0;

	json_each (one, json_object_get(document, "comparisons"))
		count += is_one_of(read_text(one, "verdict"), verdicts);
	return count;
}

static void put_comparisons(struct writer *writer, const json_t *document)
{
	size_t count = json_array_size(json_object_get(document, "comparisons"));
	char text[300];

	if (!count)
		return;
	snprintf(text, sizeof(text),
		 "Each %.60s (B) beside the one before it (A) that has results, at the same place of all other axes. A "
		 "change up to %g %% is none.",
		 read_text(document, "compared"), 100 * read_number(document, "tolerance"));
	writer->ops->section(writer, LEVEL_MAIN, "comparisons", "Comparisons");
	writer->ops->paragraph(writer, text);
	put_comparison_table(writer, document, "regressions-table", "slower");
	put_comparison_table(writer, document, "undecided-table", "unknown");
	if (count_comparisons(document, "same faster")) {
		writer->ops->fold(writer, LEVEL_REFERENCE, "comparisons-fold", "Comparisons without a regression");
		put_comparison_table(writer, document, "comparisons-table", "same faster");
		writer->ops->fold_end(writer);
	}
}

/* --- cells ---------------------------------------------------------------------------------------------------------- */

/* Fewer repeats have a result than were asked for. */
static bool is_partial(const json_t *spread)
{
	return read_number(spread, "done") < read_number(spread, "asked");
}

static const char *text_remarks(const json_t *spread, char text[CELL_SIZE])
{
	enum standing standing = standing_of_spread(spread);
	bool regular = standing == STANDING_REGULAR;

	return text_print(text, CELL_SIZE, "%s%s%s", regular ? "" : standing_word(standing),
			  !regular && is_partial(spread) ? " " : "", is_partial(spread) ? "incomplete" : "");
}

static enum tone tone_of_spread(const json_t *spread)
{
	if (standing_of_spread(spread) != STANDING_REGULAR)
		return tone_of_standing(standing_of_spread(spread));
	return is_partial(spread) ? TONE_WARN : TONE_PLAIN;
}

static void put_goal(struct writer *writer, const json_t *document, size_t goal)
{
	static const struct field fields[] = {
		{ "Results", .phrase = "{count:whole} of {asked:whole}", .numeric = true },
		{ "Mean (frames/s)", "/mean", text_rate },
		{ "Standard deviation", "/stdev", text_rate },
		{ "Smallest", "/min", text_rate },
		{ "Largest", "/max", text_rate },
		{ "Spread", "/spread", text_percent },
		{ "Smallest lower bound", "/lower_bound_min", text_rate },
		{ "Largest upper bound", "/upper_bound_max", text_rate },
		{ "Remarks", .write = text_remarks },
	};
	const char *name = json_string_value(json_array_get(json_object_get(document, "goals"), goal));
	json_auto_t *rows = NULL;

	writer->ops->subsection(writer, name ? name : "");
	rows = rows_within(json_object_get(document, "cells"), TEXT_OF(40, "/goals/%zu", goal));
	put_table(writer, document, TEXT_OF(40, "cells-%zu", goal + 1), "", fields, COUNT(fields), rows, tone_of_spread);
}

/* --- points --------------------------------------------------------------------------------------------------------- */

static bool is_troubled(const json_t *point)
{
	return !is_done(point) || standing_of_point(point) != STANDING_REGULAR;
}

static const char *text_state(const json_t *point, char[CELL_SIZE])
{
	enum standing standing = standing_of_point(point);

	if (!is_done(point))
		return read_text(point, "state");
	return standing == STANDING_IRREGULAR ? "irregular" : standing_word(standing);
}

static const char *text_reason(const json_t *point, char text[CELL_SIZE])
{
	char goals[CELL_SIZE / 2] = "";

	if (!is_done(point) || standing_of_point(point) != STANDING_LIMITED)
		return read_string(point, "irregular_reason") ?: read_text(point, "reason");
	json_each (result, json_object_get(point, "results"))
		if (standing_of(result) == STANDING_LIMITED)
			text_join(goals, sizeof(goals), ", ", "%.60s", read_text(result, "goal"));
	return text_print(text, CELL_SIZE, "the SUT may do more%s%s", *goals ? ": " : "", goals);
}

static enum tone tone_of_point(const json_t *point)
{
	return strcmp(read_text(point, "state"), "running") == 0 ? TONE_PLAIN : TONE_WARN;
}

static enum tone tone_of_trouble(const json_t *)
{
	return TONE_WARN;
}

static void put_troubled_points(struct writer *writer, const json_t *document)
{
	static const struct field fields[] = {
		{ "Point", "/point" },
		{ "State", .write = text_state },
		{ "Why", .write = text_reason },
	};
	json_t *rows;

	if (!read_string(document, "irregular_reason") && !count_limited(document))
		return;
	rows = json_array();
	json_each (point, json_object_get(document, "points"))
		if (is_troubled(point))
			json_array_append(rows, point);
	writer->ops->section(writer, LEVEL_MAIN, "troubled-points", "Points without a regular result");
	table_put_most(writer, "troubled-table", fields, COUNT(fields), rows, tone_of_trouble);
}

/* The points of a campaign that runs in one state, with why, as far as that is known. */
static void put_points(struct writer *writer, const json_t *points, const char *state)
{
	static const struct field fields[] = { { "Point", "/point" }, { "On", "/host" }, { "Why", "/reason" } };
	json_t *rows = json_array();

	json_each (point, points)
		if (strcmp(read_text(point, "state"), state) == 0)
			json_array_append(rows, point);
	writer->ops->section(writer, LEVEL_MAIN, state, text_label(state, VALUE_ROOM));
	table_put_most(writer, TEXT_OF(VALUE_SIZE, "%s-table", state), fields, COUNT(fields), rows, tone_of_point);
}

/* How many points were measured with which version, on which host, ... */
static void put_environments(struct writer *writer, const json_t *document)
{
	struct facts facts = { .count = 0 };

	json_each_member (name, counts, json_object_get(document, "environments")) {
		char text[1000] = "";

		json_each_member (value, count, counts)
			text_join(text, sizeof(text), ", ", "%s (%" JSON_INTEGER_FORMAT ")", value,
				  json_integer_value(count));
		facts_add(&facts, text_label(name, VALUE_ROOM), "%s", text);
	}
	if (facts.count)
		writer->ops->section(writer, LEVEL_MAIN, "environments", "Measured with (points)");
	facts_put(&facts, writer);
}

static void put_tables(struct writer *writer, const json_t *document)
{
	const char *quantity = text_quantity(read_text(document, "quantity"));
	char heading[160];

	put_comparisons(writer, document);
	put_troubled_points(writer, document);
	snprintf(heading, sizeof(heading), "%s of every combination, over its repeats", quantity);
	writer->ops->section(writer, LEVEL_MAIN, "cells", heading);
	for (size_t i = 0; i < json_array_size(json_object_get(document, "goals")); i++)
		put_goal(writer, document, i);
	put_environments(writer, document);
}

static const struct part parts[] = { { .put = figures_campaign }, { .put = put_tables } };

const struct content content_campaign = {
	.kind = "campaign",
	.title = "Campaign",
	.known = "campaign file verb quantity axes repeat compared tolerance significance goals point_counts regressions "
		 "undecided "
		 "tester_limited "
		 "cells comparisons environments conditions points",
	.put_verdicts = put_verdicts,
	.parts = parts,
	.part_count = COUNT(parts),
};

/* --- while it runs -------------------------------------------------------------------------------------------------- */

static void put_status(struct writer *writer, const json_t *document)
{
	static const struct fact status[] = {
		{ "Campaign",
		  "{campaign}: {point_counts/done:whole} of {point_counts/total:whole} points are done, "
		  "{point_counts/irregular:whole} of them irregular, "
		  "[point_counts/limited? {point_counts/limited:whole}][!point_counts/limited? 0] " LIMITED_WORD },
		{ "The others", "running {point_counts/running:whole}, failed {point_counts/failed:whole}, interrupted "
				"{point_counts/interrupted:whole}, waiting {point_counts/waiting:whole}" },
		{ "Results in", "{results}" },
	};
	struct facts facts = { .count = 0 };

	facts_say(&facts, document, status, COUNT(status));
	facts_put(&facts, writer);
}

static void put_states(struct writer *writer, const json_t *document)
{
	static const char *const states[] = { "running", "failed", "interrupted" };

	for (size_t i = 0; i < COUNT(states); i++)
		put_points(writer, json_object_get(document, "points"), states[i]);
}

static const struct part status_parts[] = { { .put = put_states } };

const struct content content_campaign_status = {
	.kind = "campaign-status",
	.title = "Progress of a campaign",
	.known = "campaign results point_counts points",
	.put_verdicts = put_status,
	.parts = status_parts,
	.part_count = COUNT(status_parts),
};
