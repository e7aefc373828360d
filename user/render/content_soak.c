/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of a soak: the critical load, how its estimate went, what both functions say. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/limits.h"

#define LEAST_LOSS                                                                                                          \
	"{least_loss_ratio:g3}, about {least_loss_load:fps}: {least_loss_lost_frames:grouped} of "                          \
	"{least_loss_offered_frames:grouped} frames"

/* How often the loss ratio crosses the target, where it was looked at, and whether the model fits. */
static const struct fact crossing_facts[] = {
	{ "Smallest loss ratio", "[kind=never? " LEAST_LOSS "][kind=untold? " LEAST_LOSS "]" },
	{ "Lowest crossing", "[kind=several? [{lowest_above:fps} to ][!lowest_above? at or below ]{lowest_below:fps}]" },
	{ "Target met again", "[kind=several? about {again:fps}]" },
	{ "Widest range without a trial", "[kind=once? [{untried_from:fps} to {untried_to:fps}]]" },
};
static const struct fact model_facts[] = {
	{ "The model fits", "[critical_load/model_fits=true? yes (misfit {critical_load/misfit:g3})]"
			    "[critical_load/model_fits=false? NO (misfit {critical_load/misfit:g3})]" },
};
static const struct fact soak_facts[] = {
	{ "Target loss ratio", "{target_loss_ratio:plain}" },
	{ "Trials", "{trials:count} in {soak_duration:grouped} s" },
};

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
		limit_text(json_object_get(document, "trials"), verdict.warning);
	text_split(never ? NAN : mean, "frames/s", verdict.value, verdict.unit);
	facts_say(&verdict.facts, crossings, crossing_facts, COUNT(crossing_facts));
	facts_say(&verdict.facts, document, model_facts, COUNT(model_facts));
	facts_add_rates(&verdict.facts, never ? NAN : mean, rate_octets(load, "mean", frame_octets(document)));
	facts_say(&verdict.facts, document, soak_facts, COUNT(soak_facts));
	snprintf(verdict.exact, sizeof(verdict.exact), "%s%s per interface, %sstandard deviation %s (%s)%s",
		 never ? "no load meets the target; the model's estimate is " : "", text_fps(mean, VALUE_ROOM),
		 json_object_get(load, "robust_stdev") ? "robust " : "", text_fps(stdev, VALUE_ROOM),
		 text_percent(stdev / mean, VALUE_ROOM), text_source(standing, VALUE_ROOM));
	writer->ops->verdicts(writer, LEVEL_MAIN, &verdict, 1);
	facts_free(&verdict.facts);
}

static void put_figures(struct writer *writer, const json_t *document)
{
	figure_estimate(writer, document);
	figure_loss(writer, json_object_get(document, "trials"), NULL);
	figure_latency(writer, json_object_get(document, "trials"));
}

static const char *text_evidence(const json_t *estimate, char text[CELL_SIZE])
{
	return text_number(read_number(estimate, "log_evidence"), 2, text);
}

static const struct field estimates[] = {
	{ "Fitting function", "/fitting" },
	{ "Mean (frames/s)", "/mean", text_rate },
	{ "Standard deviation (frames/s)", "/stdev", text_rate },
	{ "of the mean", .write = text_deviation, .numeric = true },
	{ "Log evidence", .write = text_evidence, .numeric = true },
};

static const struct fact facts[] = {
	{ "Min Load", "{min_load:fps} per interface" },
	{ "Max Load", "{max_load:fps} per interface, from the {max_load_source}" },
	{ "Ended by", "{ended_by}" },
	{ "Probability that the critical load is below Min Load", "{min_load_probability:g3}" },
	{ "Probability that it is above Max Load", "{max_load_probability:g3}" },
	{ "Trials that both functions find impossible", "{anomalies:count}[anomalies? : {anomalies}]" },
	{ "Trend",
	  "[trend? {trend/slope_fps_per_s:signed} frames/s per second (p = {trend/p_value:g2}): the system changed while "
	  "it was measured][!trend? none seen]" },
};

static const struct part parts[] = {
	{ SECTION("course", "The course of the soak") },
	{ .put = put_figures },
	{ SECTION("results", "Estimates") },
	{ TABLE("estimate-table", "/estimates", estimates) },
	{ FACTS(facts) },
	{ .put = content_put_trials, .level = LEVEL_DETAIL },
};

const struct content content_soak = {
	.kind = "soak",
	.title = "Soak: the long-run critical load",
	.of_sut = true,
	.known = "target_loss_ratio critical_load crossings estimates min_load_probability max_load_probability anomalies "
		 "trend "
		 "time_line trials min_load max_load max_load_source soak_duration ended_by tester_limited",
	.put_verdicts = put_verdicts,
	.parts = parts,
	.part_count = COUNT(parts),
};
