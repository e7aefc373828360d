/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of one trial, and of every trial of a search or soak. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/message.h"
#include "base/standing.h"
#include "base/terms.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/limits.h"

/* --- all trials of a search ----------------------------------------------------------------------------------------- */

/* Why a trial stands there, and what is odd about it. */
static const char *text_remark(const json_t *trial, char text[CELL_SIZE])
{
	const json_t *decision = json_object_get(trial, "decision");
	const char *goal = read_string(decision, "goal"), *rule = read_string(decision, "rule");
	double exceed = read_number(decision, "exceed_probability"), asked = read_number(decision, "asked_load");

	*text = '\0';
	if (read_truth(trial, "warmup"))
		text_join(text, CELL_SIZE, "; ", "warm-up, never counted");
	if (read_truth(trial, "tester_limited"))
		text_join(text, CELL_SIZE, "; ", LIMITED_WORD);
	if (read_truth(trial, "negative_loss"))
		text_join(text, CELL_SIZE, "; ", "more came back than was sent");
	if (goal || rule)
		text_join(text, CELL_SIZE, "; ", "%s%s%s", goal ?: "", goal && rule ? ": " : "", rule ?: "");
	if (!isnan(exceed))
		text_join(text, CELL_SIZE, " ", "(exceeds with p = %.2f, %.0f trials to go)", exceed,
			  read_number(decision, "trials_ahead"));
	if (!isnan(asked))
		text_join(text, CELL_SIZE, " ", "(asked for %s, %g s)", text_fps(asked, VALUE_ROOM),
			  read_number(decision, "asked_duration"));
	return text;
}

static bool any_excess(const json_t *trials)
{
	json_each (trial, trials)
		if (!isnan(read_number(json_object_get(trial, "pacing"), "excess_frames_max")))
			return true;
	return false;
}

/* Every performance that the tester spoilt, with the number of its trial. A new reference. */
static json_t *spoilt_of(const json_t *trials)
{
	json_t *rows = json_array();

	json_each (trial, trials)
		json_each (spoilt, json_object_get(trial, "spoilt_performances")) {
			json_t *row = json_copy(spoilt);

			json_put(row, "trial", trial_at + 1);
			json_array_append_new(rows, row);
		}
	return rows;
}

/* A row each, below what it was performed again for; nothing where there is none. */
static void put_spoilt(struct writer *writer, const char *id, const json_t *trials)
{
	static const struct field fields[] = {
		{ "Trial", "/trial", text_count },
		{ "Spoilt by", "/reason" },
		{ "Loss Ratio", "/trial_loss_ratio", text_percent },
		{ "Took (s)", "/wall_duration", text_plain },
		{ "Unsent (frames)", "/loss_attribution/unsent", text_count },
		{ "Dropped before the wire", "/loss_attribution/dropped_before_wire", text_count },
		{ "Lost in the tester's own burst", "/loss_attribution/tester_burst", text_count },
		{ "Arrived damaged at our port", "/loss_attribution/receiver_damaged", text_count },
		{ "Missed by the receiver", "/loss_attribution/receiver_missed", text_count },
		{ "Lost in the SUT", "/loss_attribution/sut", text_count },
		{ "Longest stop", "/stop_max_ns", text_ns },
		{ "Schedule moved by", "/moved_ns", text_ns },
	};
	json_auto_t *rows = spoilt_of(trials);

	if (!json_array_size(rows))
		return;
	writer->ops->subsection(writer, "Performances that the tester alone spoilt");
	table_put(writer, id, fields, COUNT(fields), rows, NULL);
	writer->ops->paragraph(writer, "Each was performed again, and none of them counts.");
}

void content_put_trial_fold(struct writer *writer, const char *id, const char *summary, const json_t *trials, double octets)
{
	const struct field fields[] = {
		{ "Trial", .is_number = true, .numeric = true },
		{ "Load (frames/s)", "/trial_load", text_rate },
		{ "on the link (L1)", "/trial_load", text_bps, .bps = l1_bps, .octets = octets },
		{ "Duration (s)", "/trial_duration", text_plain },
		{ "Effective (s)", "/trial_effective_duration", text_plain },
		{ "Loss Ratio", "/trial_loss_ratio", text_percent },
		{ "in the worst direction", "/loss_ratio", text_percent },
		{ "which is", .write = text_worst_direction },
		{ "Known before: from (frames/s)", "/decision/lower_bound", text_rate },
		{ "to (frames/s)", "/decision/upper_bound", text_rate },
		{ "Why this trial", .write = text_remark },
		{ "Unsent (frames)", "/counts/unsent", text_count, .rare = true },
		{ "Sent", "/counts/sent", text_count },
		{ "Received", "/counts/received", text_count },
		{ "Lost", "/counts/lost", text_count },
		{ "In the tester's own burst", "/loss_attribution/tester_burst", text_count, .rare = true },
		{ "Excess (frames)", "/pacing/excess_frames_max", text_count, .rare = true },
		{ "Performed again", "/tester_repeats", text_count, .rare = true },
		{ "Damaged", "/counts/damaged", text_count, .rare = true },
		{ "Wrong length", "/counts/wrong_length", text_count, .rare = true },
		{ "Duplicate", "/counts/duplicate", text_count, .rare = true },
		{ "Reordered", "/counts/reordered", text_count, .rare = true },
		{ "Late", "/counts/late", text_count, .rare = true },
		{ "Foreign", "/counts/foreign", text_count, .rare = true },
	};

	if (!json_array_size(trials))
		return;
	writer->ops->fold(writer, LEVEL_MAIN, id, summary);
	table_put_long(writer, TEXT_OF(64, "%s-table", id), fields, COUNT(fields), trials, tone_of_limited);
	if (any_excess(trials))
		writer->ops->paragraph(writer, "Excess: " EXCESS_DEFINITION);
	put_spoilt(writer, TEXT_OF(64, "%s-spoilt", id), trials);
	writer->ops->fold_end(writer);
}

void content_put_trials(struct writer *writer, const json_t *document)
{
	const json_t *trials = json_object_get(document, "trials");

	if (!json_array_size(trials))
		return;
	writer->ops->section(writer, LEVEL_DETAIL, "trials", "Trials");
	writer->ops->paragraph(writer,
			       "Loads are per interface; counts of frames sum over all interfaces. Duplicates never make up "
			       "for lost frames: a frame counts as received once.");
	content_put_trial_fold(writer, "trial-fold", TEXT_OF(64, "All %zu trials", json_array_size(trials)), trials,
			       frame_octets(document));
}

/* --- one trial ------------------------------------------------------------------------------------------------------ */

/* What people call members whose names do not say it. */
static const struct called {
	const char *key, *label;
} called[] = {
	{ "dropped_before_wire", "Dropped before the wire" },
	{ "tester_burst", "Lost in the tester's own burst" },
	{ "receiver_damaged", "Arrived damaged at our port" },
	{ "receiver_missed", "Missed by the receiver" },
	{ "sut", "Lost in the SUT" },
	{ "excess_frames_max", "Excess max (frames)" },
	{ "excess_at", "Excess at (s)" },
	{ "burst_allowed", "Burst allowed (frames)" },
	{ "marked_frames", "Sent beyond the burst (frames)" },
	{ "excess_duration", "Beyond the burst for (s)" },
	{ "stop_count", "Stops" },
	{ "stop_max_ns", "Longest stop (ns)" },
	{ "stop_max_at", "Longest stop at (s)" },
	{ "stop_total_ns", "All stops (ns)" },
	{ "moves", "Moves of the schedule" },
	{ "moved_ns", "The schedule was moved by (ns)" },
};

static char *label_of(const char *key, char label[VALUE_SIZE])
{
	const struct called *row = row_with(called, COUNT(called), key, key);

	snprintf(label, VALUE_SIZE, "%s", row ? row->label : text_label(key, VALUE_ROOM));
	return label;
}

/* A member's number, its label without a unit in it; times as elsewhere, whatever unit is in the name. */
static const char *number_text(const json_t *object, const char *key, const json_t *value, char label[VALUE_SIZE],
			       char buffer[VALUE_SIZE])
{
	double number = json_is_number(value) ? json_number_value(value) : NAN;
	char *unit = strstr(label_of(key, label), " (ns)");

	if (strstr(label, " (s)")) /* a tenth of a second says too little */
		return text_plain(number, buffer);
	if (!unit)
		return text_number(number, json_is_real(value) ? 1 : 0, buffer);
	*unit = '\0';
	return text_of_member(object, key, number, text_ns, buffer);
}

/* "Intended (frames/s)" as it stands before, and behind, a number in a sentence: "intended" and "frames/s". Cuts the label. */
static const char *take_unit(char *label)
{
	char *unit = strstr(label, " (");

	if (!isupper((unsigned char)label[1])) /* "NIC", "TX" */
		label[0] = (char)tolower((unsigned char)label[0]);
	if (!unit)
		return "";
	*unit = '\0';
	unit[strlen(unit + 1)] = '\0'; /* the bracket behind it */
	return unit + 2;
}

/* The numbers of an object in a line, without those that are 0. */
static void add_numbers(struct facts *facts, const char *label, const json_t *object)
{
	char text[1000] = "", name[VALUE_SIZE];

	json_each_member (key, value, object) {
		const char *number = number_text(object, key, value, name, VALUE_ROOM), *unit = take_unit(name);

		if (json_is_null(value) || json_number_value(value) != 0)
			text_join(text, sizeof(text), ", ", "%s %s%s%s", name, json_is_null(value) ? "not known" : number,
				  *unit ? " " : "", unit);
	}
	if (json_object_size(object))
		facts_add(facts, label, "%s", *text ? text : "none");
}

/* The numbers of an object below a heading. */
static void put_numbers(struct writer *writer, const char *heading, const json_t *object)
{
	struct facts facts = { .count = 0 };
	char label[VALUE_SIZE];

	json_each_member (key, value, object)
		if (!json_is_string(value) && !json_is_object(value) && !json_is_array(value)) {
			const char *text = number_text(object, key, value, label, VALUE_ROOM);

			facts_add(&facts, label, "%s", text);
		}
	if (facts.count)
		writer->ops->subsection(writer, heading);
	facts_put(&facts, writer);
}

/* What each port counted: with its counts among its members. */
static void put_ports(struct writer *writer, const json_t *document)
{
	json_auto_t *rows = json_array();

	json_each (port, json_object_get(document, "ports")) {
		json_t *row = json_copy(port);

		json_object_update(row, json_object_get(row, "counts"));
		json_object_del(row, "counts");
		json_object_del(row, "counters_moved");
		json_array_append_new(rows, row);
	}
	objects_put(writer, "port-table", "Frames, unless it says otherwise", rows);
}

/* Each direction by itself. */
static const struct field direction_columns[] = {
	{ "Direction", .phrase = DIRECTION },
	{ "Sent (frames)", "/counts/sent", text_count },
	{ "Received", "/counts/received", text_count },
	{ "Lost", "/counts/lost", text_count },
	{ "Loss Ratio", "/loss_ratio", text_percent },
	{ "Duplicate", "/counts/duplicate", text_count },
	{ "Reordered", "/counts/reordered", text_count },
	{ "Longest gap", "/order/gap_max_frames", text_count },
	{ "Latency: minimum", "/latency/min_ns", text_ns },
	{ "mean", "/latency/mean_ns", text_ns },
	{ "p99", "/latency/p99_ns", text_ns },
	{ "maximum", "/latency/max_ns", text_ns },
	{ "PDV: p99", "/latency/pdv_p99_ns", text_ns },
	{ "p99.9", "/latency/pdv_p99_9_ns", text_ns },
	{ "IPDV: p99", "/latency/ipdv_p99_ns", text_ns },
};

static const struct field flow_columns[] = {
	{ "Flow", "/flow", text_plain },           { "Direction", .phrase = DIRECTION },
	{ "Sent (frames)", "/sent", text_count },  { "Received", "/received", text_count },
	{ "Lost", "/lost", text_count },           { "Duplicate", "/duplicate", text_count },
	{ "Reordered", "/reordered", text_count }, { "Latency: mean", "/latency/mean_ns", text_ns },
	{ "maximum", "/latency/max_ns", text_ns },
};

static const struct field counter_columns[] = {
	{ "Port", "/name" },
	{ "Counter", "/counter" },
	{ "Moved by", "/moved", text_count },
};

/* What routers say of frames of the trial. */
static const struct field icmp_columns[] = {
	{ "At port", "/port" },
	{ "From", "/from" },
	{ "Says", "/message" },
	{ "MTU (octets)", "/mtu_octets", text_count },
	{ "About frames to", "/about" },
	{ "Flow", "/flow", text_plain },
	{ "Frames", "/frames", text_count },
	{ "of other flows", "/of_other_flows", text_count },
	{ "Type", "/type", text_plain, .level = LEVEL_DETAIL },
	{ "Code", "/code", text_plain, .level = LEVEL_DETAIL },
};

static bool is_option(const json_t *document, const char *name, const char *value)
{
	return strcmp(read_text(json_object_get(document, "configuration"), name), value) == 0;
}

/* Earlier versions knew no excess, and burst_max was what they sent at once. */
static void put_pacing_definitions(struct writer *writer, const json_t *pacing)
{
	if (!json_object_get(pacing, "excess_frames_max")) {
		if (read_number(pacing, "burst_max") > 1)
			writer->ops->paragraph(writer, "A burst stands where a queue was held up.");
		return;
	}
	if (!isnan(read_number(pacing, "excess_frames_max")))
		writer->ops->paragraph(writer, "Excess max: " EXCESS_DEFINITION);
	if (!isnan(read_number(pacing, "burst_max")))
		writer->ops->paragraph(writer, "Burst max: " BURST_DEFINITION);
}

static void put_pacing(struct writer *writer, const json_t *document)
{
	const json_t *pacing = json_object_get(document, "pacing");

	if (writer->shown > LEVEL_MAIN)
		put_numbers(writer, "Pacing", pacing);
	if (json_is_object(pacing) && is_option(document, "load", "max"))
		writer->ops->paragraph(writer, "As fast as the transmitter could: not paced.");
	else
		put_pacing_definitions(writer, pacing);
}

/* The places of missing frames in the order in which a frame travels, and what else is there. A new reference, or NULL. */
static json_t *in_order(const json_t *attribution)
{
	json_t *ordered = json_is_object(attribution) ? json_object() : NULL;

	for (size_t i = 0; ordered && i < LOSS_PLACES; i++)
		if (json_object_get(attribution, loss_places[i]))
			json_object_set(ordered, loss_places[i], json_object_get(attribution, loss_places[i]));
	json_object_update_missing(ordered, (json_t *)attribution);
	return ordered;
}

/* Counts, losses and latency of the trial. */
static void put_counts(struct writer *writer, const json_t *document)
{
	static const struct {
		const char *heading, *label, *at; /* NULL: the places of missing frames, in order */
		bool beside;                      /* the trial, not in it */
	} parts[] = {
		{ "Frames", "Frames", "/counts" },
		{ "Where the missing frames went (frames)", "Missing frames", NULL },
		{ "Reordering, and gaps left by lost frames (frames)", "Reordering and gaps", "/order" },
		{ "Latency", "Latency", "/latency", .beside = true },
	};
	static const struct fact of_counts[] = {
		{ "Damaged", "[{damaged:whole}; of {received:whole} received, {verified:whole} were verified by checksum]" },
		{ "Without checksum",
		  "[without_checksum? {without_checksum:whole} of those received: the SUT took the UDP checksum away; only "
		  "signed ones are verified and timed]" },
	};
	static const struct fact of_latency[] = {
		{ "Latency counts", "{definition}" },
		{ "Clock", "{clock}" },
		{ "The tester's own floor", "{floor_source}" },
	};
	const json_t *trial = json_object_get(document, "trial_result");
	const json_t *latency = json_object_get(document, "latency"), *counts = json_object_get(trial, "counts");
	const char *changes = text_changes(counts, ROOM(CHANGES_SIZE));
	json_auto_t *attribution = in_order(json_object_get(trial, "loss_attribution"));
	struct facts facts = { .count = 0 };

	for (size_t i = 0; i < COUNT(parts); i++) {
		const json_t *object = parts[i].at ? json_at(parts[i].beside ? document : trial, parts[i].at) : attribution;

		if (writer->shown == LEVEL_MAIN)
			add_numbers(&facts, parts[i].label, object);
		else
			put_numbers(writer, parts[i].heading, object);
	}
	facts_say(&facts, counts, of_counts, COUNT(of_counts));
	if (*changes)
		facts_add(&facts, "Changed by the SUT", "%s", changes);
	if (!json_is_object(latency))
		facts_add(&facts, "Latency", "not measured%s",
			  is_option(document, "no-latency", "true") ? " (--no-latency)" : "");
	facts_say(&facts, latency, of_latency, COUNT(of_latency));
	if (writer->shown == LEVEL_MAIN)
		add_numbers(&facts, "Pacing", json_object_get(document, "pacing"));
	facts_put(&facts, writer);
}

static void put_spoilt_alone(struct writer *writer, const json_t *document)
{
	json_auto_t *alone = json_pack("[O?]", json_object_get(document, "trial_result"));

	put_spoilt(writer, "spoilt", alone);
}

#define WORST "worst_direction/loss_ratio"
static const struct fact trial_facts[] = {
	{ "Trial Load", "{trial_load:fps} per interface" },
	{ "Trial Duration", "{trial_duration:plain} s" },
	{ "Trial Loss Ratio", "{trial_loss_ratio:percent}" },
	{ "Worst direction", "[directions/1? lost {loss_ratio:percent} ([" WORST "? {" WORST "/from} to {" WORST
			     "/to}][!" WORST "? all directions alike])]" },
};
static const struct fact repeat_facts[] = {
	{ "Performed again", "[tester_repeats? {tester_repeats:times}, because the tester alone had spoilt it]" },
};

static void put_verdicts(struct writer *writer, const json_t *document)
{
	const json_t *trial = json_object_get(document, "trial_result");
	bool limited = read_truth(document, "tester_limited"), negative = read_truth(trial, "negative_loss");
	char limit[LIMIT_TEXT_SIZE] = "";
	double rate = read_number(trial, "trial_forwarding_rate");
	struct writer_verdict verdict = {
		.id = "trial",
		.name = "Trial",
		.tone = limited ? TONE_WARN : TONE_PLAIN,
		.state = LIMITED_WORD,
		.quantity = "Trial Forwarding Rate per interface",
	};

	if (!json_is_object(trial)) {
		writer->ops->banner(writer, TONE_BAD, "Nothing was measured.");
		return;
	}
	if (!limited)
		snprintf(verdict.state, sizeof(verdict.state), "lost %.60s",
			 text_percent(read_number(trial, "trial_loss_ratio"), VALUE_ROOM));
	text_split(rate, "frames/s", verdict.value, verdict.unit);
	text_fps(rate, verdict.exact);
	facts_say(&verdict.facts, trial, trial_facts, COUNT(trial_facts));
	facts_add_rates(&verdict.facts, rate, rate_octets(trial, "trial_forwarding_rate", frame_octets(document)));
	facts_say(&verdict.facts, trial, repeat_facts, COUNT(repeat_facts));
	if (limited)
		limit_text_of_trial(trial, json_object_get(document, "pacing"), limit);
	snprintf(verdict.warning, sizeof(verdict.warning), "%s%s%s", limit, *limit && negative ? "; " : "",
		 negative ? "more frames came back than were sent: the loss ratio is taken as 0" : "");
	writer->ops->verdicts(writer, LEVEL_MAIN, &verdict, 1);
	facts_free(&verdict.facts);
}

static void put_figure(struct writer *writer, const json_t *document)
{
	figure_percentiles(writer, json_object_get(document, "latency"));
}

static void put_over_time(struct writer *writer, const json_t *document)
{
	content_put_intervals(writer, json_object_get(document, "trial_result"));
	content_put_flows_over_time(writer, json_object_get(document, "trial_result"));
}

/* clang-format off */
static const struct part parts[] = {
	{ SECTION("figures", "Latency by percentile"), .when = "latency" },
	{ .put = put_figure },
	{ SECTION("details", "What was counted"), .when = "trial_result" },
	{ .put = put_counts },
	{ .subsection = "Directions", .when = "trial_result/directions/1" },
	{ TABLE("direction-table", "/trial_result/directions", direction_columns) },
	{ .say = "Latencies elsewhere are those of the worst direction, each figure by itself. Counts and the Trial Loss Ratio are "
		 "of all frames." },
	{ .subsection = "The worst flows", .when = "trial_result/flows" },
	{ .say = "Of {trial_result/flows/count:count} flows, {trial_result/flows/lossy:count} lost frames, "
		 "{trial_result/flows/duplicated:count} had copies, and {trial_result/flows/reordered:count} came out of order." },
	{ TABLE("flow-table", "/trial_result/flows/worst", flow_columns), .most = true, .when = "trial_result/flows/worst" },
	{ .put = put_pacing, .apart = true },
	{ .subsection = "What was said of frames, by ICMP", .when = "trial_result/icmp_errors" },
	{ TABLE("icmp-table", "/trial_result/icmp_errors", icmp_columns) },
	{ .put = put_spoilt_alone, .apart = true },
	{ .subsection = "Ports", .when = "ports" },
	{ .put = put_ports },
	{ .subsection = "Counters of our own ports that moved", .when = "ports[]/counters_moved" },
	{ TABLE("counter-table", "/ports[]/counters_moved", counter_columns) },
	{ .put = put_over_time, .apart = true },
};
/* clang-format on */

const struct content content_trial = {
	.kind = "trial",
	.title = "One trial",
	.of_sut = true,
	.known = "trial_result latency pacing ports tester_limited power",
	.put_verdicts = put_verdicts,
	.parts = parts,
	.part_count = COUNT(parts),
};
