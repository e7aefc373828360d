/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of a soak: the critical load, how its estimate went, what both functions say. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/text_stream.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/limits.h"
#include "render/parts.h"

static void add_soak_facts(struct facts *facts, const json_t *document, double mean)
{
	facts_add_rates(facts, mean, frame_octets(document));
	facts_add(facts, "Target loss ratio", "%g", read_number(document, "target_loss_ratio"));
	facts_add(facts, "Trials", "%zu in %s s", json_array_size(json_object_get(document, "trials")),
		  text_number(read_number(document, "soak_duration"), 0, VALUE_ROOM));
}

/* How often the loss ratio crosses the target, where it was looked at. */
static void add_crossings(struct facts *facts, const json_t *crossings)
{
	const char *kind = read_text(crossings, "kind");
	double above = read_number(crossings, "lowest_above"), below = read_number(crossings, "lowest_below");

	if (strcmp(kind, "never") == 0 || strcmp(kind, "untold") == 0) {
		facts_add(facts, "Smallest loss ratio", "%.3g, about %s: %s of %s frames",
			  read_number(crossings, "least_loss_ratio"),
			  text_fps(read_number(crossings, "least_loss_load"), VALUE_ROOM),
			  text_number(read_number(crossings, "least_loss_lost_frames"), 0, VALUE_ROOM),
			  text_number(read_number(crossings, "least_loss_offered_frames"), 0, VALUE_ROOM));
	} else if (strcmp(kind, "several") == 0) {
		facts_add(facts, "Lowest crossing", "%s%s%s", isnan(above) ? "at or below " : text_fps(above, VALUE_ROOM),
			  isnan(above) ? "" : " to ", text_fps(below, VALUE_ROOM));
		facts_add(facts, "Target met again", "about %s", text_fps(read_number(crossings, "again"), VALUE_ROOM));
	} else if (!isnan(read_number(crossings, "untried_from"))) {
		facts_add(facts, "Widest range without a trial", "%s to %s",
			  text_fps(read_number(crossings, "untried_from"), VALUE_ROOM),
			  text_fps(read_number(crossings, "untried_to"), VALUE_ROOM));
	}
}

static void put_verdicts(struct writer *writer, const json_t *document)
{
	const json_t *load = json_object_get(document, "critical_load"), *crossings = json_object_get(document, "crossings");
	bool never = strcmp(read_text(crossings, "kind"), "never") == 0;
	double mean = read_number(load, "mean"), stdev = read_either(load, "robust_stdev", "stdev");
	enum standing standing = standing_of(document);
	struct writer_verdict verdict = {
		.id = "critical-load",
		.name = "PLRsearch",
		.tone = tone_of_standing(standing),
		.quantity = "Critical load: where the target ratio of frames is lost in the long run",
	};

	strcpy(verdict.state, standing == STANDING_REGULAR ? "done" : standing_word(standing));
	if (read_truth(document, "tester_limited"))
		limit_text(json_object_get(document, "trials"), NAN, NAN, verdict.warning);
	text_split(never ? NAN : mean, "frames/s", verdict.value, verdict.unit);
	add_crossings(&verdict.facts, crossings);
	if (json_object_get(load, "model_fits"))
		facts_add(&verdict.facts, "The model fits", "%s (misfit %.3g)",
			  read_truth(load, "model_fits") ? "yes" : "NO", read_number(load, "misfit"));
	add_soak_facts(&verdict.facts, document, never ? NAN : mean);
	snprintf(verdict.exact, sizeof(verdict.exact), "%s%s per interface, %sstandard deviation %s (%s)%s",
		 never ? "no load meets the target; the model's estimate is " : "", text_fps(mean, VALUE_ROOM),
		 json_object_get(load, "robust_stdev") ? "robust " : "", text_fps(stdev, VALUE_ROOM),
		 text_percent(stdev / mean, VALUE_ROOM), text_source(standing, VALUE_ROOM));
	writer->ops->verdicts(writer, LEVEL_MAIN, &verdict, 1);
	facts_free(&verdict.facts);
}

static void put_figures(struct writer *writer, const json_t *document)
{
	writer->ops->section(writer, LEVEL_MAIN, "course", "The course of the soak");
	figure_estimate(writer, document);
	figure_loss(writer, json_object_get(document, "trials"), NULL);
	figure_latency(writer, json_object_get(document, "trials"));
}

static void add_evidence(struct cells *cells, const json_t *estimate)
{
	cells_add_number(cells, read_number(estimate, "log_evidence"), 2);
}

/* How many, and which. */
static void add_anomalies(struct facts *facts, const json_t *anomalies)
{
	char text[512] = "";
	size_t count = json_array_size(anomalies);

	for (size_t i = 0; i < count; i++)
		text_add(text, sizeof(text), "%s%" JSON_INTEGER_FORMAT, i ? ", " : ": ",
			 json_integer_value(json_array_get(anomalies, i)));
	facts_add(facts, "Trials that both functions find impossible", "%zu%s", count, text);
}

static void add_trend(struct facts *facts, const json_t *trend)
{
	if (json_is_object(trend))
		facts_add(facts, "Trend", "%+.3g frames/s per second (p = %.2g): the system changed while it was measured",
			  read_number(trend, "slope_fps_per_s"), read_number(trend, "p_value"));
	else
		facts_add(facts, "Trend", "none seen");
}

static void put_tables(struct writer *writer, const json_t *document)
{
	static const struct field fields[] = {
		{ "Fitting function", "/fitting" },
		{ "Mean (frames/s)", "/mean", text_rate },
		{ "Standard deviation (frames/s)", "/stdev", text_rate },
		{ "of the mean", .add = cells_add_deviation, .numeric = true },
		{ "Log evidence", .add = add_evidence, .numeric = true },
	};
	struct facts facts = { .count = 0 };

	writer->ops->section(writer, LEVEL_MAIN, "results", "Estimates");
	table_put(writer, "estimate-table", fields, COUNT(fields), json_object_get(document, "estimates"), NULL);
	facts_add(&facts, "Min Load", "%s per interface", text_fps(read_number(document, "min_load"), VALUE_ROOM));
	facts_add(&facts, "Max Load", "%s per interface, from the %s",
		  text_fps(read_number(document, "max_load"), VALUE_ROOM), read_text(document, "max_load_source"));
	facts_add(&facts, "Ended by", "%s", read_text(document, "ended_by"));
	facts_add(&facts, "Probability that the critical load is below Min Load", "%.3g",
		  read_number(document, "min_load_probability"));
	facts_add(&facts, "Probability that it is above Max Load", "%.3g", read_number(document, "max_load_probability"));
	add_anomalies(&facts, json_object_get(document, "anomalies"));
	add_trend(&facts, json_object_get(document, "trend"));
	facts_put(&facts, writer);
	content_put_trials(writer, json_object_get(document, "trials"));
}

const struct content content_soak = {
	.kind = "soak",
	.title = "Soak: the long-run critical load",
	.of_sut = true,
	.known = "target_loss_ratio critical_load crossings estimates min_load_probability max_load_probability anomalies "
		 "trend "
		 "time_line trials min_load max_load max_load_source soak_duration ended_by tester_limited",
	.put_verdicts = put_verdicts,
	.put_figures = put_figures,
	.put_tables = put_tables,
};
