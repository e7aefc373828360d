/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of a sweep: the figures of the curve, the curve, and a row for each load. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/limits.h"

static void put_verdicts(struct writer *writer, const json_t *document)
{
	static const struct fact facts[] = {
		{ "No loss up to", "[{curve/lossless_load:fps}][!curve/lossless_load?[curve/first_loss_load? none: the "
				   "smallest load lost frames]]" },
		{ "First loss at", "[{curve/first_loss_load:fps}][!curve/first_loss_load? none]" },
		{ "Forwarding rate at the largest load", "{curve/forwarding_rate_at_maximum_load:fps}" },
	};
	static const struct fact trials[] = { { "Trials",
						"{trials:count} of {loads:count}, {trial_duration:plain} s each" } };
	const json_t *curve = json_object_get(document, "curve");
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
		limit_text(json_object_get(document, "trials"), verdict.warning);
	text_split(rate, "frames/s", verdict.value, verdict.unit);
	if (!isnan(rate))
		snprintf(verdict.exact, sizeof(verdict.exact), "%s, at a load of %s", text_fps(rate, VALUE_ROOM),
			 text_fps(read_number(curve, "maximum_forwarding_rate_load"), VALUE_ROOM));
	facts_say(&verdict.facts, document, facts, COUNT(facts));
	facts_add_rates(&verdict.facts, rate, rate_octets(curve, "maximum_forwarding_rate", frame_octets(document)));
	facts_say(&verdict.facts, document, trials, COUNT(trials));
	writer->ops->verdicts(writer, LEVEL_MAIN, &verdict, 1);
	facts_free(&verdict.facts);
}

static void put_figures(struct writer *writer, const json_t *document)
{
	const json_t *trials = json_object_get(document, "trials");

	figure_forwarding(writer, trials);
	figure_loss(writer, trials, NULL);
	figure_latency(writer, trials);
	figure_order(writer, trials);
}

static const struct field steps[] = {
	{ "Load (frames/s)", "/trial_load", text_rate },
	{ "on the line", "/trial_load_l1_bps", text_bps },
	{ "Forwarding rate (frames/s)", "/trial_forwarding_rate", text_rate },
	{ "Loss Ratio", "/trial_loss_ratio", text_percent },
	{ "in the worst direction", "/loss_ratio", text_percent },
	{ "which is", .write = text_worst_direction },
	{ "Lost (frames)", "/counts/lost", text_count },
	{ "Reordered", "/counts/reordered", text_count },
	{ "Duplicate", "/counts/duplicate", text_count },
	{ "Latency: p50", "/latency/p50_ns", text_ns },
	{ "p99", "/latency/p99_ns", text_ns },
	{ "maximum", "/latency/max_ns", text_ns },
	{ "Note", .phrase = "[tester_limited? " LIMITED_WORD "]" },
};

static const struct part parts[] = {
	{ SECTION("curve", "The curve"), .when = "trials" },
	{ .put = put_figures },
	{ SECTION("steps", "Load by load"), .when = "trials" },
	{ TABLE("step-table", "/trials", steps), .tone = tone_of_limited },
	{ .put = content_put_observed },
	{ .put = content_put_trials, .level = LEVEL_DETAIL },
};

const struct content content_sweep = {
	.kind = "sweep",
	.title = "Sweep: the curve over load",
	.of_sut = true,
	.known = "loads curve trials trial_duration sweep_duration tester_limited power",
	.put_verdicts = put_verdicts,
	.parts = parts,
	.part_count = COUNT(parts),
};
