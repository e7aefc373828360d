/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of where the SUT lost frames, by the counters that were observed (--observe). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_text.h"
#include "base/message.h"
#include "mlr/cause.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/parts.h"

#define SENTENCE_SIZE 1400
#define NAME_SIZE     240
#define FAMILY_SIZE   256
#define TITLE_SIZE    256
#define FIGURE_HEIGHT 200.0
#define RESET_SHOWN   5
#define ALL_RATIO     0.99 /* part of the lost frames that is called all of them */
#define SAME_RATIO    1e-9 /* part by which two loads that are the same may differ */
#define NEAREST_LEAST 0.5  /* growth a lost frame of a counter that is called near */
#define NEAREST_MOST  2

/* One cause, with what it follows from. */
struct cause {
	const json_t *json, *trials;
	double lower_fps, upper_fps; /* the Relevant Bounds; NAN: none */
	bool has_bounds;             /* It is of a search. */
};

/* Where nothing of a search says which bounds there are, the highest load without loss stands for the lower one. */
static struct cause cause_of(const json_t *json, const json_t *trials, const json_t *result)
{
	return (struct cause){
		.json = json,
		.trials = trials,
		.lower_fps = read_number(result, "relevant_lower_bound"),
		.upper_fps = read_number(result, "relevant_upper_bound"),
		.has_bounds = json_is_object(result),
	};
}

static const char *lower_name(const struct cause *cause)
{
	return cause->has_bounds ? "the Relevant Lower Bound" : "the highest load without loss";
}

static bool is_kind(const json_t *row, const char *kind)
{
	return strcmp(read_text(row, "kind"), kind) == 0;
}

/* Whether its growth is a count of events. */
static bool counts_events(const json_t *row)
{
	return !is_kind(row, "shared") && !is_kind(row, "saturated");
}

/* Whether these events are frames, as far as is known. */
static bool counts_frames(const json_t *row)
{
	return is_kind(row, "exact") || is_kind(row, "part") || is_kind(row, "direction");
}

/* "rxq*_drop (32, most rxq3_drop)" */
static const char *text_counter(const json_t *row, char buffer[NAME_SIZE])
{
	json_int_t members = read_integer(row, "members");

	snprintf(buffer, NAME_SIZE, "%s", SHORTENED(read_text(row, "counter"), 160));
	if (members > 0)
		text_add(buffer, NAME_SIZE, " (%lld, most %s)", (long long)members,
			 SHORTENED(read_text(json_array_get(json_object_get(row, "largest"), 0), "counter"), 40));
	return buffer;
}

/* "q_drop of dut" */
static const char *text_named(const json_t *row, char buffer[NAME_SIZE])
{
	text_counter(row, buffer);
	text_add(buffer, NAME_SIZE, " of %.32s", read_text(row, "source"));
	return buffer;
}
#define NAME_ROOM ROOM(NAME_SIZE)

/* --- a row ---------------------------------------------------------------------------------------------------------- */

bool is_share(const char *counter, bool gauge, double most)
{
	static const char *const shares[] = { "ratio", "use",  "usage", "utilization", "utilisation",
					      "util",  "busy", "idle",  "share" };
	char what[16];

	if (!gauge)
		return sscanf(counter, "cpu%*u/%15s", what) == 1 &&
		       is_one_of(what, "programs interrupts steal busy accounted");
	for (size_t i = 0; i < COUNT(shares) && most <= 1; i++)
		if (mlr_cause_ends_with_word(counter, shares[i]))
			return true;
	return false;
}

static const char *text_level(const json_t *row, const char *member, char buffer[VALUE_SIZE])
{
	if (read_truth(row, "gauge") && mlr_cause_ends_with_word(read_text(row, "counter"), "percent"))
		return text_percent(read_number(row, member) / 100, buffer);
	return text_growth(read_number(row, member),
			   is_share(read_text(row, "counter"), read_truth(row, "gauge"), read_number(row, "upper_level")),
			   buffer);
}

static const char *text_lower(const json_t *row, char text[CELL_SIZE])
{
	return text_level(row, "lower_level", text);
}

static const char *text_upper(const json_t *row, char text[CELL_SIZE])
{
	return text_level(row, "upper_level", text);
}

static const char *text_per_lost(const json_t *row, char text[CELL_SIZE])
{
	return text_number(counts_events(row) ? read_number(row, "per_lost_frame") : NAN, 3, text);
}

/* A share, unless it is more than each frame. */
static const char *text_per_frame(const json_t *row, char text[CELL_SIZE])
{
	double per_frame = counts_events(row) ? read_number(row, "upper_per_frame") : NAN;

	return per_frame > 1 ? text_number(per_frame, 2, text) : text_percent(per_frame, text);
}

static bool has_lower(const json_t *row)
{
	return json_is_number(json_object_get(row, "lower_per_frame"));
}

static const char *text_meaning(const json_t *row, char[CELL_SIZE])
{
	bool has_background = read_number(row, "background") > 0;

	return is_kind(row, "exact") && has_background
		       ? "beside what it always counts, it grew by the lost frames: the place"
	       : is_kind(row, "exact")     ? "it grew by the lost frames: the place"
	       : is_kind(row, "shared")    ? "others took this of a CPU that has no time left"
	       : is_kind(row, "saturated") ? "at its limit where frames were lost"
	       : is_kind(row, "part")      ? "a part of the lost frames: all parts add up to them"
	       : is_kind(row, "direction") ? "it grew by the frames lost in one direction"
	       : has_background            ? "beside what it always counts, it grew by nearly the lost frames"
	       : !has_lower(row)           ? "it grew by nearly the lost frames"
					   : "it grew where frames were lost, and hardly at the lower load";
}

static enum tone tone_of_row(const json_t *row)
{
	return counts_frames(row) || is_kind(row, "shared") ? TONE_WARN : TONE_PLAIN;
}

static void put_rows(struct writer *writer, const char *id, const struct cause *cause, const json_t *rows)
{
	const struct field fields[] = {
		{ "Source", "/source" },
		{ "Counter", .write = text_counter },
		{ "What it says", .write = text_meaning },
		{ "Per lost frame", .write = text_per_lost, .numeric = true },
		{ "Per frame sent", .write = text_per_frame, .numeric = true, .level = LEVEL_DETAIL },
		{ cause->has_bounds ? "/s at lower bound" : "/s without loss", .write = text_lower, .numeric = true },
		{ "/s with loss", .write = text_upper, .numeric = true },
	};

	table_put(writer, id, fields, COUNT(fields), rows, tone_of_row);
}

/* --- in a sentence -------------------------------------------------------------------------------------------------- */

/* The frames that were lost where a row is known, or in all trials that were looked at. */
static double lost_of(const struct cause *cause, const json_t *row)
{
	return read_number(json_object_get(row, "lost") ? row : cause->json, "lost");
}

static const char *text_trials(const struct cause *cause, const json_t *row, char buffer[VALUE_SIZE])
{
	double trials = read_number(json_object_get(row, "lost") ? row : cause->json, "trials");

	snprintf(buffer, VALUE_SIZE, "%s trial%s", text_count(trials, VALUE_ROOM), trials == 1 ? "" : "s");
	return buffer;
}

static void add_lost(const struct cause *cause, const json_t *row, char text[SENTENCE_SIZE])
{
	text_add(text, SENTENCE_SIZE, "The SUT lost %s frames in %s", text_count(lost_of(cause, row), VALUE_ROOM),
		 text_trials(cause, row, VALUE_ROOM));
}

/* Return the first row of a kind. NULL: there is none. */
static const json_t *row_of_kind(const struct cause *cause, const char *kind)
{
	json_each (row, json_object_get(cause->json, "rows"))
		if (is_kind(row, kind))
			return row;
	return NULL;
}

/* What grew without agreeing: nearly by the lost frames, or by much less or more, which may be chance. A sum of places that agrees
 * stands behind the place that is near it. */
static void write_grown(const struct cause *cause, const json_t *row, char text[SENTENCE_SIZE])
{
	const char *name = text_named(row, NAME_ROOM), *lower = lower_name(cause);
	double per_lost = read_number(row, "per_lost_frame");
	const char *count = text_count(lost_of(cause, row), VALUE_ROOM), *growth = text_number(per_lost, 3, VALUE_ROOM);
	const json_t *sum = row_of_kind(cause, "exact");

	if (sum) {
		add_lost(cause, sum, text);
		text_add(text, SENTENCE_SIZE,
			 ", and the counter %s, a sum of places, grew by %s. The place nearest to it is %s, which grew by "
			 "%s a lost frame.",
			 text_named(sum, NAME_ROOM), text_count(read_number(sum, "change"), VALUE_ROOM), name, growth);
	} else if (read_number(row, "background") > 0)
		snprintf(text, SENTENCE_SIZE,
			 "No counter agrees with the %s lost frames. Nearest is %s, which grew by %s a lost frame beside "
			 "what it counts at %s.",
			 count, name, growth, lower);
	else if (!has_lower(row))
		snprintf(text, SENTENCE_SIZE,
			 "No counter agrees with all of the %s lost frames. Nearest is %s, which grew by %s a lost frame. "
			 "No trial at a load without loss was observed that could confirm it.",
			 count, name, growth);
	else if (per_lost >= NEAREST_LEAST && per_lost <= NEAREST_MOST)
		snprintf(text, SENTENCE_SIZE,
			 "No counter agrees with the %s lost frames. Nearest is %s, which grew by %s a lost frame, and "
			 "hardly at %s.",
			 count, name, growth, lower);
	else
		snprintf(text, SENTENCE_SIZE,
			 "No counter agrees with the %s lost frames, and none is near. What grew with them, and hardly at "
			 "%s, may be chance: first %s, by %s a lost frame.",
			 count, lower, name, growth);
}

static void write_exact(const struct cause *cause, const json_t *row, char text[SENTENCE_SIZE])
{
	double background = read_number(row, "background");
	bool is_family = read_integer(row, "members");

	add_lost(cause, row, text);
	text_add(text, SENTENCE_SIZE, ", and the counter%s %s grew by %s%s", is_family ? "s" : "",
		 text_named(row, NAME_ROOM), text_count(read_number(row, "change"), VALUE_ROOM),
		 is_family ? " together" : "");
	if (background > 0)
		text_add(text, SENTENCE_SIZE, ", of which it counts %s also without this loss",
			 text_count(round(background), VALUE_ROOM));
	text_add(text, SENTENCE_SIZE, ": that is the place%s.", is_family ? ", in several parts" : "");
}

/* The counters that only together, or only for a direction, agree: "A by 60, and B by 40". */
static void write_several(const struct cause *cause, const json_t *first, char text[SENTENCE_SIZE])
{
	const json_t *rows = json_object_get(cause->json, "rows");
	double parts = read_number(cause->json, "parts");
	bool are_parts = is_kind(first, "part");
	unsigned int count = 0;

	add_lost(cause, first, text);
	if (are_parts)
		text_add(text, SENTENCE_SIZE, " at several places: %s counters called after a loss add up to them. ",
			 text_count(parts, VALUE_ROOM));
	else
		text_add(text, SENTENCE_SIZE, ". By direction counters agree: ");
	json_each (row, rows) {
		if (!is_kind(row, read_text(first, "kind")))
			continue;
		text_add(text, SENTENCE_SIZE, "%s%s grew by %s", count++ ? ", " : "", text_named(row, NAME_ROOM),
			 text_count(read_number(row, "change"), VALUE_ROOM));
		if (!are_parts)
			text_add(text, SENTENCE_SIZE, ", the frames lost from %.32s to %.32s", read_text(row, "from"),
				 read_text(row, "to"));
	}
	if (are_parts && parts > count)
		text_add(text, SENTENCE_SIZE, ", %s others by the rest", text_count(parts - count, VALUE_ROOM));
	text_add(text, SENTENCE_SIZE, ".");
}

/* Return by how much the backlog of a CPU grew, of which a row is; NAN: no row tells. */
static double dropped_at_cpu(const struct cause *cause, const json_t *row)
{
	char backlog[64];
	unsigned int cpu;

	if (sscanf(read_text(row, "counter"), "cpu%u/", &cpu) != 1)
		return NAN;
	snprintf(backlog, sizeof(backlog), "softnet/cpu%u/dropped", cpu);
	json_each (one, json_object_get(cause->json, "rows")) {
		if (strcmp(read_text(one, "source"), read_text(row, "source")) != 0)
			continue;
		if (strcmp(read_text(one, "counter"), backlog) == 0)
			return read_number(one, "change");
		json_each (member, json_object_get(one, "largest"))
			if (strcmp(read_text(member, "counter"), backlog) == 0)
				return read_number(member, "change");
	}
	return NAN;
}

/* A CPU that works for others, and how many of the frames were lost there. */
static void write_shared(const struct cause *cause, const json_t *row, char text[SENTENCE_SIZE])
{
	double dropped = dropped_at_cpu(cause, row);

	add_lost(cause, row, text);
	if (isnan(dropped))
		text_add(text, SENTENCE_SIZE, ", at least half of them");
	else if (dropped < ALL_RATIO * lost_of(cause, row))
		text_add(text, SENTENCE_SIZE, ", %s of them", text_count(dropped, VALUE_ROOM));
	text_add(text, SENTENCE_SIZE, " at a CPU that has no time left, and others take much of it: %s is %s.",
		 text_named(row, NAME_ROOM), text_level(row, "upper_level", VALUE_ROOM));
}

static void write_first(const struct cause *cause, const json_t *row, char text[SENTENCE_SIZE])
{
	*text = '\0';
	if (is_kind(row, "exact"))
		write_exact(cause, row, text);
	else if (is_kind(row, "part") || is_kind(row, "direction"))
		write_several(cause, row, text);
	else if (is_kind(row, "shared"))
		write_shared(cause, row, text);
	else if (is_kind(row, "saturated"))
		snprintf(text, SENTENCE_SIZE,
			 "No counter agrees with the %s lost frames. But %s was at its limit where they were lost, and at "
			 "%s at %s.",
			 text_count(lost_of(cause, row), VALUE_ROOM), text_named(row, NAME_ROOM),
			 text_level(row, "lower_level", VALUE_ROOM), lower_name(cause));
	else
		write_grown(cause, row, text);
	if (read_truth(row, "appeared"))
		text_add(text, SENTENCE_SIZE, " It appeared during a trial, and is taken to have begun at 0 there.");
}

/* Whether each source told of all its counters in each trial. */
static bool is_complete(const json_t *cause)
{
	json_each (source, json_object_get(cause, "sources"))
		if (read_number(source, "whole") < read_number(source, "trials") || read_integer(source, "omitted") ||
		    json_array_size(json_object_get(source, "reset")) || json_array_size(json_object_get(source, "partial")))
			return false;
	return true;
}

/* Whether a trial that was observed tells of the lower load: the one at the Relevant Lower Bound, or one without loss. */
static bool has_lower_trial(const struct cause *cause)
{
	json_each (trial, cause->trials) {
		double load = read_number(trial, "trial_load"), lost = read_number(json_object_get(trial, "counts"), "lost");

		if (json_array_size(json_object_get(trial, "observed")) && !read_truth(trial, "warmup") &&
		    (cause->has_bounds ? fabs(load - cause->lower_fps) <= SAME_RATIO * load : lost == 0))
			return true;
	}
	return false;
}

static void write_none(const struct cause *cause, char text[SENTENCE_SIZE])
{
	bool complete = is_complete(cause->json), has_lower = has_lower_trial(cause);

	snprintf(
		text, SENTENCE_SIZE,
		"No counter %s fits: none agrees with the %s frames that the SUT lost in %s, nor do several together%s. %s",
		complete ? "that was observed" : "whose growth is known", text_count(lost_of(cause, NULL), VALUE_ROOM),
		text_trials(cause, NULL, VALUE_ROOM), has_lower ? ", and none was at a limit only there" : "",
		!complete ? "But not all that was observed is known: what follows may be the place."
		: has_lower
			? "They were lost where nobody counts, where nobody looked, or where a counter counts much else."
			: "No trial at a lower load tells what grows without loss, so counters of a part of them and limits "
			  "are not judged.");
}

/* Whether any trial tells how many frames were lost: an external measurer need not. */
static bool has_counts(const json_t *trials)
{
	json_each (trial, trials)
		if (json_is_object(json_object_get(trial, "counts")))
			return true;
	return false;
}

static void put_sentence(struct writer *writer, const struct cause *cause)
{
	const json_t *row = json_array_get(json_object_get(cause->json, "rows"), 0);
	char text[SENTENCE_SIZE] = "The SUT lost frames in no trial that was observed.";

	if (!has_counts(cause->trials))
		snprintf(text, sizeof(text), "How many frames the SUT lost is not known, as the measurer counts none.");
	else if (row)
		write_first(cause, row, text);
	else if (read_number(cause->json, "trials") > 0)
		write_none(cause, text);
	writer->ops->paragraph(writer, text);
}

/* Names of counters in a sentence: the first ones, and how many there are. */
struct named {
	char text[SENTENCE_SIZE];
	size_t count;
};

/* Returns false where there are enough names. */
static bool add_name(struct named *names, const char *counter)
{
	if (++names->count > RESET_SHOWN)
		return false;
	text_add(names->text, sizeof(names->text), "%s%s", names->count > 1 ? ", " : "", SHORTENED(counter, 80));
	return true;
}

static const char *all_names(struct named *names)
{
	if (names->count > RESET_SHOWN)
		text_add(names->text, sizeof(names->text), " and %zu more", names->count - RESET_SHOWN);
	return names->text;
}

/* Say what else is not known of a source: which of its counters appeared within a trial, or lacked a value, and what it left out. */
static void put_partial(struct writer *writer, const char *source, const json_t *partials)
{
	struct named appeared = { .count = 0 }, lacking = { .count = 0 };

	json_each (partial, partials) {
		double at = read_number(partial, "appeared_at");
		bool begins = !isnan(at);

		if (add_name(begins ? &appeared : &lacking, read_text(partial, "counter")) && begins)
			text_add(appeared.text, SENTENCE_SIZE, " at %s", text_count(at, VALUE_ROOM));
	}
	if (appeared.count)
		banner_put(writer, TONE_WARN,
			   "Of %.32s these appeared during a trial, so what they did there is not known: %s.", source,
			   all_names(&appeared));
	if (lacking.count)
		banner_put(
			writer, TONE_WARN,
			"Of %.32s these had no value before a trial or after it, so what they did there is not known: %s.",
			source, all_names(&lacking));
}

static void put_omitted(struct writer *writer, const char *name, const json_t *source)
{
	json_int_t omitted = read_integer(source, "omitted");
	const char *reason = read_string(source, "omitted_reason");

	if (omitted > 0)
		banner_put(writer, TONE_WARN, "%lld counter%s of %.32s %s left out%s%.100s: what they did is not known.",
			   (long long)omitted, omitted == 1 ? "" : "s", name, omitted == 1 ? "was" : "were",
			   reason ? ", as " : "", reason ?: "");
}

static void put_reset(struct writer *writer, const char *source, const json_t *reset)
{
	struct named names = { .count = 0 };

	json_each (name, reset)
		add_name(&names, json_string_value(name) ?: "");
	if (names.count)
		banner_put(writer, TONE_WARN, "%s of %.32s %s reset in a trial, so what %s did there is not known.",
			   all_names(&names), source, names.count == 1 ? "was" : "were", names.count == 1 ? "it" : "they");
}

/* Which source was not there, what is not known of its counters, and how many did nothing. */
static void put_sources(struct writer *writer, const json_t *sources)
{
	json_each (source, sources) {
		const char *name = read_text(source, "source"), *trouble = read_string(source, "trouble");
		double trials = read_number(source, "trials"), whole = read_number(source, "whole");
		double idle = read_number(source, "idle");

		if (whole < trials)
			banner_put(writer, TONE_WARN, "%.32s was observed in %.0f of %.0f trials%s%.200s", name, whole,
				   trials, trouble ? ": " : "", trouble ?: "");
		put_reset(writer, name, json_object_get(source, "reset"));
		put_partial(writer, name, json_object_get(source, "partial"));
		put_omitted(writer, name, source);
		if (whole > 0 && idle > 0)
			paragraph_put(writer, "%.0f other counter%s of %.32s did nothing in any trial%s.", idle,
				      idle == 1 ? "" : "s", name, whole < trials ? " that was observed" : "");
	}
}

/* --- over time ------------------------------------------------------------------------------------------------------ */

/* Whether a counter is the one of a row, or a member of its family. */
static bool is_of_row(const char *counter, const json_t *row)
{
	char family[FAMILY_SIZE];

	mlr_cause_family_name(counter, sizeof(family), family);
	return strcmp(read_integer(row, "members") ? family : counter, read_text(row, "counter")) == 0;
}

/* Return what counters of a row did in a trial together, at each sample, as a new reference. NULL: it is not known. */
static json_t *series_of(const json_t *trial, const json_t *row, const json_t **ret_times)
{
	json_t *sum = NULL;

	*ret_times = NULL;
	json_each (source, json_object_get(trial, "observed")) {
		size_t count = json_array_size(json_object_get(source, "times"));

		if (strcmp(read_text(source, "source"), read_text(row, "source")) != 0)
			continue;
		*ret_times = json_object_get(source, "times");
		json_each_member (name, counter, json_object_get(source, "counters")) {
			const json_t *series = json_object_get(counter, "series");

			if (!is_of_row(name, row) || json_array_size(series) != count)
				continue;
			sum = sum ? sum : json_list(i, count, json_real(0));
			json_each (value, series)
				json_array_set_new(sum, value_at,
						   json_is_number(value)
							   ? json_number_or_null(number_of(json_array_get(sum, value_at)) +
										 json_number_value(value))
							   : json_null());
		}
	}
	return sum;
}

static bool has_series(const json_t *trial, const json_t *row)
{
	const json_t *times;
	json_auto_t *series = series_of(trial, row, &times);

	return json_array_size(series);
}

/* Return a trial with loss at the smallest load at or above upper_fps whose samples are known. A new reference. */
static json_t *trial_to_draw(const json_t *trials, const json_t *row, double upper_fps)
{
	json_t *best = NULL;

	json_each (trial, trials) {
		double load = read_number(trial, "trial_load");

		if (read_number(json_object_get(trial, "counts"), "lost") > 0 && !read_truth(trial, "warmup") &&
		    !(load < upper_fps) && json_array_size(json_object_get(trial, "intervals")) &&
		    (!best || load < read_number(best, "trial_load")) && has_series(trial, row)) {
			json_decref(best);
			best = json_incref(trial);
		}
	}
	return best;
}

/* Both over time, in frames from the beginning of the trial. */
struct lines {
	double *x, *y;
	size_t count;
};

static struct lines lines_of(size_t count)
{
	double *values = calloc(2 * count + 1, sizeof(*values));

	return (struct lines){ values, values + count, values ? count : 0 };
}

static struct lines counted(const json_t *times, const json_t *series)
{
	struct lines lines = lines_of(json_array_size(series));

	for (size_t i = 0; i < lines.count; i++) {
		const json_t *value = json_array_get(series, i);

		lines.x[i] = json_number_value(json_array_get(times, i));
		lines.y[i] = json_is_number(value) ? json_number_value(value) : NAN;
	}
	return lines;
}

static struct lines lost(const json_t *trial)
{
	const json_t *intervals = json_object_get(trial, "intervals");
	struct lines lines = lines_of(json_array_size(intervals) + 1);
	double sum = 0;

	for (size_t i = 0; i + 1 < lines.count; i++) {
		lines.x[i] = read_number(json_array_get(intervals, i), "start");
		lines.y[i] = sum;
		sum += read_number(json_array_get(intervals, i), "lost");
	}
	if (lines.count) {
		lines.x[lines.count - 1] = read_number(trial, "trial_duration");
		lines.y[lines.count - 1] = sum;
	}
	return lines;
}

static void put_lines(struct writer *writer, unsigned int number, const json_t *row, const struct lines *lost,
		      const struct lines *counted)
{
	const struct svg_key keys[] = {
		{ .kind = SVG_KEY_LINE, .style = "curve c2", .text = "frames lost, by when they were due" },
		{ .kind = SVG_KEY_LINE, .style = "curve c1", .text = read_text(row, "counter") },
	};
	const struct figure figure = {
		TEXT_OF(32, "figure-cause-%u", number),
		"Lost frames and the counter over time",
		"Frames lost since the beginning of a trial, and the growth of the counter that is named first.",
		keys,
		COUNT(keys),
		0,
	};
	struct svg_panel panel = figure_panel(
		FIGURE_HEIGHT, (struct svg_axis){ .title = "Time after the start", .unit = "s" },
		counts_frames(row) ? (struct svg_axis){ .title = "Since the start", .unit = "frames" }
				   : (struct svg_axis){ .title = "Frames, and what it counts, since the start" });
	FILE *stream;

	svg_axis_none(&panel.x);
	svg_axis_none(&panel.y);
	svg_axis_cover_all(&panel.x, lost->x, lost->count);
	svg_axis_cover_all(&panel.x, counted->x, counted->count);
	svg_axis_cover_all(&panel.y, lost->y, lost->count);
	svg_axis_cover_all(&panel.y, counted->y, counted->count);
	if (!(panel.x.min <= panel.x.max) || !(panel.y.min <= panel.y.max))
		return;
	svg_axis_pad(&panel.x, 0.02);
	svg_axis_round(&panel.y);
	stream = figure_open(writer, &figure, &panel);
	if (!stream)
		return;
	svg_line(stream, &panel, "curve c2", lost->x, lost->y, lost->count);
	svg_line(stream, &panel, "curve c1", counted->x, counted->y, counted->count);
	figure_close(writer, stream,
		     "Of the trials that tell of the loss, the one at the least load. The counter has a value a sample, "
		     "about ten a second.");
}

/* Draw the figure of the first counter of events; shares of a CPU have none. */
static void put_figure(struct writer *writer, unsigned int number, const struct cause *cause)
{
	const json_t *row = NULL, *times = NULL;
	json_auto_t *trial = NULL, *series = NULL;
	struct lines of_tester, of_counter;

	json_each (one, json_object_get(cause->json, "rows"))
		if (!row && counts_events(one))
			row = one;
	trial = row ? trial_to_draw(cause->trials, row, cause->upper_fps) : NULL;
	if (!trial)
		return;
	of_tester = lost(trial);
	series = series_of(trial, row, &times);
	of_counter = counted(times, series);
	put_lines(writer, number, row, &of_tester, &of_counter);
	free(of_tester.x);
	free(of_counter.x);
}

/* --- the section ---------------------------------------------------------------------------------------------------- */

/* Say where the tester itself is among the programs of a CPU: a source of this machine counts it as well. */
static void put_own_cpus(struct writer *writer, const json_t *document)
{
	char cpus[VALUE_SIZE] = "";
	const char *last = "";

	json_each (port, json_at(document, "/measurer/ports")) {
		const char *list = read_text(port, "transmit_cpus");

		if (*list && strcmp(list, last) != 0)
			text_add(cpus, sizeof(cpus), "%s%s", *cpus ? ", " : "", last = list);
	}
	json_each (option, json_at(document, "/configuration/observe")) {
		const char *text = json_string_value(option) ?: "", *source = strchr(text, '=');

		if (*cpus && source && strncmp(source, "=local:", 7) == 0)
			paragraph_put(
				writer,
				"%.*s counts this machine. The tester sends from CPU %s: there it is one of the programs.",
				(int)(source - text < 32 ? source - text : 32), text, cpus);
	}
}

/* Frames that came too late are lost to their trials, and no counter of the SUT tells of them. */
static void begin(struct writer *writer, const json_t *document)
{
	double late = read_number(json_at(document, "/measurer/late_frames"), "total");

	writer->ops->section(writer, LEVEL_MAIN, "cause", "Where the SUT lost them");
	if (late > 0)
		banner_put(writer, TONE_WARN,
			   "%s frame%s came after %s trial, which counts as lost what is no copy: the SUT had %s, and no "
			   "counter tells of that.",
			   text_count(late, VALUE_ROOM), late == 1 ? "" : "s", late == 1 ? "its" : "their",
			   late == 1 ? "it" : "them");
}

static void end(struct writer *writer, const json_t *document, const json_t *sources)
{
	put_own_cpus(writer, document);
	put_sources(writer, sources);
}

static void put_cause(struct writer *writer, unsigned int number, const struct cause *cause)
{
	const json_t *rows = json_object_get(cause->json, "rows");

	put_sentence(writer, cause);
	if (json_array_size(rows))
		put_rows(writer, TEXT_OF(32, "cause-table-%u", number), cause, rows);
	put_figure(writer, number, cause);
}

/* Put the cause of a test that lost frames. Return whether it did. */
static bool put_test(struct writer *writer, unsigned int number, const char *title, const json_t *test)
{
	struct cause cause = cause_of(json_object_get(test, "cause"), json_object_get(test, "trials"),
				      json_object_get(test, "goal_result"));

	if (!(read_number(cause.json, "lost") > 0))
		return false;
	writer->ops->subsection(writer, title);
	put_cause(writer, number, &cause);
	return true;
}

/* All tests of a part of a suite that has a name: a frame size, a service, or the whole. Return how many lost frames. */
static unsigned int put_tests(struct writer *writer, unsigned int number, const char *name, const json_t *part)
{
	unsigned int count = 0;

	json_each_member (key, test, part)
		if (json_is_object(test))
			count += put_test(
				writer, number + count,
				TEXT_OF(TITLE_SIZE, "%s%s%s", text_label(key, ROOM(VALUE_SIZE)), *name ? ", " : "", name),
				test);
	return count;
}

static const json_t *sources_within(const json_t *part)
{
	json_each_member (key, test, part)
		if (json_is_object(json_object_get(test, "cause")))
			return json_at(test, "/cause/sources");
	return NULL;
}

/* Write the causes of a suite. */
static void put_suite(struct writer *writer, const json_t *document)
{
	const json_t *sizes = json_object_get(document, "frame_sizes"), *services = json_object_get(document, "services");
	const json_t *parts = sizes ? sizes : services, *sources = NULL;
	unsigned int count = 0;

	json_each (part, parts)
		sources = sources ? sources : sources_within(part);
	sources = sources ? sources : sources_within(document);
	if (!sources)
		return;
	begin(writer, document);
	json_each (part, parts)
		count += put_tests(writer, count + 1,
				   sizes ? TEXT_OF(TITLE_SIZE, "%s octets", read_text(part, "frame_size"))
					 : read_text(part, "name"),
				   part);
	count += put_tests(writer, count + 1, "", document);
	if (!count)
		writer->ops->paragraph(writer, "The SUT lost no frame while it was observed.");
	end(writer, document, sources);
}

static void put_results(struct writer *writer, const json_t *document)
{
	const json_t *results = json_object_get(document, "search_result");
	unsigned int number = 0;

	begin(writer, document);
	json_each (result, results) {
		struct cause cause = cause_of(json_object_get(result, "cause"), json_object_get(document, "trials"), result);

		if (json_array_size(results) > 1)
			writer->ops->subsection(writer, read_text(json_object_get(result, "goal"), "name"));
		put_cause(writer, ++number, &cause);
	}
	end(writer, document, json_at(document, "/search_result/0/cause/sources"));
}

/* Write the causes of a trial, a sweep, or a soak. */
static void put_alone(struct writer *writer, const json_t *document)
{
	const json_t *trials = json_object_get(document, "trials");
	json_auto_t *trial = json_pack("[O?]", json_object_get(document, "trial_result"));
	struct cause cause = cause_of(json_object_get(document, "cause"), trials ? trials : trial, NULL);

	begin(writer, document);
	put_cause(writer, 1, &cause);
	end(writer, document, json_object_get(cause.json, "sources"));
}

void content_put_cause(struct writer *writer, const json_t *document)
{
	if (json_is_object(json_object_get(document, "cause")))
		put_alone(writer, document);
	else if (json_is_object(json_at(document, "/search_result/0/cause")))
		put_results(writer, document);
	else
		put_suite(writer, document);
}
