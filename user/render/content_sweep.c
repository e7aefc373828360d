/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of a sweep: the figures of the curve, the curve, and a row for each load. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/text_stream.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/limits.h"
#include "render/parts.h"

static void add_load(struct facts *facts, const char *label, const json_t *curve, const char *name, const char *none)
{
	double load = read_number(curve, name);

	facts_add(facts, label, "%s", isnan(load) ? none : text_fps(load, VALUE_ROOM));
}

static void put_verdicts(struct writer *writer, const json_t *document)
{
	const json_t *curve = json_object_get(document, "curve"), *trials = json_object_get(document, "trials");
	double rate = read_number(curve, "maximum_forwarding_rate");
	enum standing standing = standing_of(document);
	struct writer_verdict verdict = {
		.id = "maximum-forwarding-rate",
		.name = "Sweep",
		.tone = standing == STANDING_REGULAR ? TONE_PLAIN : tone_of_standing(standing),
		.quantity = "Maximum forwarding rate per interface (RFC 2285, 3.6.3)",
	};

	strcpy(verdict.state, standing == STANDING_REGULAR ? "done" : standing_word(standing));
	if (read_truth(document, "tester_limited"))
		limit_text(trials, NAN, NAN, verdict.warning);
	text_split(rate, "frames/s", verdict.value, verdict.unit);
	if (!isnan(rate))
		snprintf(verdict.exact, sizeof(verdict.exact), "%s, at a load of %s", text_fps(rate, VALUE_ROOM),
			 text_fps(read_number(curve, "maximum_forwarding_rate_load"), VALUE_ROOM));
	add_load(&verdict.facts, "No loss up to", curve, "lossless_load", "no load without loss");
	add_load(&verdict.facts, "First loss at", curve, "first_loss_load", "none");
	add_load(&verdict.facts, "Forwarding rate at the largest load", curve, "forwarding_rate_at_maximum_load", DASH);
	facts_add_rates(&verdict.facts, rate, frame_octets(document));
	facts_add(&verdict.facts, "Trials", "%zu of %zu, %g s each", json_array_size(trials),
		  json_array_size(json_object_get(document, "loads")), read_number(document, "trial_duration"));
	writer->ops->verdicts(writer, LEVEL_MAIN, &verdict, 1);
	facts_free(&verdict.facts);
}

static void put_figures(struct writer *writer, const json_t *document)
{
	const json_t *trials = json_object_get(document, "trials");

	if (!json_array_size(trials))
		return;
	writer->ops->section(writer, LEVEL_MAIN, "curve", "The curve");
	figure_forwarding(writer, trials);
	figure_loss(writer, trials, NULL);
	figure_latency(writer, trials);
	figure_order(writer, trials);
}

static void add_note(struct cells *cells, const json_t *trial)
{
	cells_add(cells, "%s", read_truth(trial, "tester_limited") ? LIMITED_WORD : "");
}

static enum tone tone_of_step(const json_t *trial)
{
	return read_truth(trial, "tester_limited") ? TONE_WARN : TONE_PLAIN;
}

static void put_tables(struct writer *writer, const json_t *document)
{
	static const struct field fields[] = {
		{ "Load (frames/s)", "/trial_load", text_rate },
		{ "on the line", "/trial_load_l1_bps", text_bps },
		{ "Forwarding rate (frames/s)", "/trial_forwarding_rate", text_rate },
		{ "Loss Ratio", "/trial_loss_ratio", text_percent },
		{ "Lost (frames)", "/counts/lost", text_count },
		{ "Reordered", "/counts/reordered", text_count },
		{ "Duplicate", "/counts/duplicate", text_count },
		{ "Latency: p50", "/latency/p50_ns", text_ns },
		{ "p99", "/latency/p99_ns", text_ns },
		{ "maximum", "/latency/max_ns", text_ns },
		{ "Note", .add = add_note },
	};
	const json_t *trials = json_object_get(document, "trials");

	if (!json_array_size(trials))
		return;
	writer->ops->section(writer, LEVEL_MAIN, "steps", "Load by load");
	table_put(writer, "step-table", fields, COUNT(fields), trials, tone_of_step);
	content_put_trials(writer, trials);
}

const struct content content_sweep = {
	.kind = "sweep",
	.title = "Sweep: the curve over load",
	.of_sut = true,
	.known = "loads curve trials trial_duration sweep_duration tester_limited power",
	.put_verdicts = put_verdicts,
	.put_figures = put_figures,
	.put_tables = put_tables,
};
