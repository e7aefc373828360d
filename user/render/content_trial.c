/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report says of one trial, and of every trial of a search or soak. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/text_stream.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/parts.h"

/* --- all trials of a search ----------------------------------------------------------------------------------------- */

/* Why a trial stands there, and what is odd about it. */
static void add_remark(struct cells *cells, const json_t *trial)
{
	const json_t *decision = json_object_get(trial, "decision");
	const char *goal = read_string(decision, "goal"), *rule = read_string(decision, "rule");

	double exceed = read_number(decision, "exceed_probability"), asked = read_number(decision, "asked_load");
	char odds[80] = "", instead[2 * VALUE_SIZE] = "";

	if (!isnan(exceed))
		snprintf(odds, sizeof(odds), " (exceeds with p = %.2f, %.0f trials to go)", exceed,
			 read_number(decision, "trials_ahead"));
	if (!isnan(asked))
		snprintf(instead, sizeof(instead), " (asked for %s, %g s)", text_fps(asked, VALUE_ROOM),
			 read_number(decision, "asked_duration"));
	cells_add(cells, "%s%s%s%s%s%s%s%s", read_truth(trial, "warmup") ? "warm-up, never counted; " : "",
		  read_truth(trial, "tester_limited") ? "tester-limited; " : "",
		  read_truth(trial, "negative_loss") ? "more came back than was sent; " : "", goal ? goal : "",
		  rule ? ": " : "", rule ? rule : "", odds, instead);
}

static enum tone tone_of_trial(const json_t *trial)
{
	return read_truth(trial, "tester_limited") ? TONE_WARN : TONE_PLAIN;
}

void content_put_trial_fold(struct writer *writer, const char *id, const char *summary, const json_t *trials)
{
	static const struct field fields[] = {
		{ "Trial", .add = cells_add_row_number, .numeric = true },
		{ "Load (frames/s)", "/trial_load", text_rate },
		{ "Duration (s)", "/trial_duration", text_plain },
		{ "Effective (s)", "/trial_effective_duration", text_plain },
		{ "Loss Ratio", "/trial_loss_ratio", text_percent },
		{ "Known before: from (frames/s)", "/decision/lower_bound", text_rate },
		{ "to (frames/s)", "/decision/upper_bound", text_rate },
		{ "Why this trial", .add = add_remark },
		{ "Unsent (frames)", "/counts/unsent", text_count },
		{ "Sent", "/counts/sent", text_count },
		{ "Received", "/counts/received", text_count },
		{ "Lost", "/counts/lost", text_count },
		{ "Damaged", "/counts/damaged", text_count },
		{ "Wrong length", "/counts/wrong_length", text_count },
		{ "Duplicate", "/counts/duplicate", text_count },
		{ "Reordered", "/counts/reordered", text_count },
		{ "Late", "/counts/late", text_count },
		{ "Foreign", "/counts/foreign", text_count },
	};

	if (!json_array_size(trials))
		return;
	writer->ops->fold(writer, RANK_MAIN, id, summary);
	table_put(writer, TEXT_OF(64, "%s-table", id), fields, COUNT(fields), trials, tone_of_trial);
	writer->ops->fold_end(writer);
}

void content_put_trials(struct writer *writer, const json_t *trials)
{
	if (!json_array_size(trials))
		return;
	writer->ops->section(writer, RANK_COURSE, "trials", "Trials");
	writer->ops->paragraph(writer,
			       "Loads are per interface; counts of frames sum over all interfaces. Duplicates never make up "
			       "for lost frames: a frame counts as received once.");
	content_put_trial_fold(writer, "trial-fold", TEXT_OF(64, "All %zu trials", json_array_size(trials)), trials);
}

/* --- one trial ------------------------------------------------------------------------------------------------------ */

/* A member's number, its label without a unit in it; times as elsewhere, whatever unit is in the name. */
static const char *number_text(const char *key, const json_t *value, char label[VALUE_SIZE], char buffer[VALUE_SIZE])
{
	double number = json_is_number(value) ? json_number_value(value) : NAN;
	char *unit = strstr(text_label(key, label), " (ns)");

	if (!unit)
		return text_number(number, json_is_real(value) ? 1 : 0, buffer);
	*unit = '\0';
	return text_ns(number, buffer);
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
		const char *number = number_text(key, value, name, VALUE_ROOM), *unit = take_unit(name);

		if (json_is_null(value) || json_number_value(value) != 0)
			text_join(text, sizeof(text), ", ", "%s %s%s%s", name, json_is_null(value) ? "not known" : number,
				  *unit ? " " : "", unit);
	}
	if (json_object_size(object))
		facts_add(facts, label, "%s", *text ? text : "none");
}

/* The numbers of an object as a table of one row. */
static void put_numbers(struct writer *writer, const char *id, const char *heading, const json_t *object)
{
	struct writer_column columns[CELLS_MAX];
	char labels[CELLS_MAX][VALUE_SIZE];
	struct cells cells = { .count = 0 };
	size_t count = 0;

	json_each_member (key, value, object) {
		if (count == CELLS_MAX || json_is_string(value) || json_is_object(value) || json_is_array(value))
			continue;
		cells_add(&cells, "%s", number_text(key, value, labels[count], VALUE_ROOM));
		columns[count] = (struct writer_column){ .heading = labels[count], .numeric = true };
		count++;
	}
	if (!count)
		return;
	writer->ops->subsection(writer, heading);
	writer->ops->table(writer, id, columns, count);
	cells_put(&cells, writer, TONE_PLAIN);
	writer->ops->table_end(writer);
}

/* What each port counted: with its counts among its members. */
static void put_ports(struct writer *writer, const json_t *ports)
{
	json_auto_t *rows = json_array();

	json_each (port, ports) {
		json_t *row = json_copy(port);

		json_object_update(row, json_object_get(row, "counts"));
		json_object_del(row, "counts");
		json_array_append_new(rows, row);
	}
	if (json_array_size(rows)) {
		writer->ops->subsection(writer, "Ports");
		objects_put(writer, "port-table", "Frames, unless it says otherwise", rows);
	}
}

static bool is_option(const json_t *document, const char *name, const char *value)
{
	return strcmp(read_text(json_object_get(document, "configuration"), name), value) == 0;
}

static void put_pacing(struct writer *writer, const json_t *holder)
{
	const json_t *pacing = json_object_get(holder, "pacing");

	if (writer->shown > RANK_MAIN)
		put_numbers(writer, "pacing", "Pacing", pacing);
	if (json_is_object(pacing) && is_option(holder, "load", "max"))
		writer->ops->paragraph(writer, "As fast as the transmitter could: not paced.");
	else if (read_number(pacing, "burst_max") > 1)
		writer->ops->paragraph(writer, "A burst stands where a queue was held up.");
}

/* Counts, losses, latency, pacing and ports of one trial; `holder` is the object that has its latency, pacing and ports. */
static void put_details(struct writer *writer, const json_t *trial, const json_t *holder)
{
	static const struct part {
		const char *id, *heading, *label, *at;
		bool beside; /* the trial, not in it */
	} parts[] = {
		{ "counts", "Frames", "Frames", "/counts" },
		{ "loss-attribution", "Where the missing frames went (frames)", "Missing frames", "/loss_attribution" },
		{ "order", "Reordering, and gaps left by lost frames (frames)", "Reordering and gaps", "/order" },
		{ "latency", "Latency", "Latency", "/latency", .beside = true },
	};
	const json_t *latency = json_object_get(holder, "latency"), *counts = json_object_get(trial, "counts");
	struct facts facts = { .count = 0 };

	for (size_t i = 0; i < COUNT(parts); i++) {
		const json_t *object = json_at(parts[i].beside ? holder : trial, parts[i].at);

		if (writer->shown == RANK_MAIN)
			add_numbers(&facts, parts[i].label, object);
		else
			put_numbers(writer, parts[i].id, parts[i].heading, object);
	}
	if (read_number(counts, "verified") >= 0)
		facts_add(&facts, "Damaged", "%.0f; of %.0f received, %.0f were verified by checksum",
			  read_number(counts, "damaged"), read_number(counts, "received"), read_number(counts, "verified"));
	if (!json_is_object(latency))
		facts_add(&facts, "Latency", "not measured%s",
			  is_option(holder, "no-latency", "true") ? " (--no-latency)" : "");
	facts_add_member(&facts, "Latency counts", latency, "/definition", NULL);
	facts_add_member(&facts, "Clock", latency, "/clock", NULL);
	facts_add_member(&facts, "The tester's own floor", latency, "/floor_source", NULL);
	if (writer->shown == RANK_MAIN)
		add_numbers(&facts, "Pacing", json_object_get(holder, "pacing"));
	facts_put(&facts, writer);
	put_pacing(writer, holder);
	put_ports(writer, json_object_get(holder, "ports"));
}

static void add_trial_facts(struct facts *facts, const json_t *document, const json_t *trial)
{
	facts_add(facts, "Trial Load", "%s per interface", text_fps(read_number(trial, "trial_load"), VALUE_ROOM));
	facts_add(facts, "Trial Duration", "%g s", read_number(trial, "trial_duration"));
	facts_add(facts, "Trial Loss Ratio", "%s", text_percent(read_number(trial, "trial_loss_ratio"), VALUE_ROOM));
	facts_add_rates(facts, read_number(trial, "trial_forwarding_rate"), frame_octets(document));
}

static void put_verdicts(struct writer *writer, const json_t *document)
{
	const json_t *trial = json_object_get(document, "trial_result");
	bool limited = read_truth(document, "tester_limited"), negative = read_truth(trial, "negative_loss");
	const char *advice = limited ? limit_advice(read_text(trial, "tester_limited_reason")) : "";
	double rate = read_number(trial, "trial_forwarding_rate");
	struct writer_verdict verdict = {
		.id = "trial",
		.name = "Trial",
		.tone = limited ? TONE_WARN : TONE_PLAIN,
		.state = "tester-limited",
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
	add_trial_facts(&verdict.facts, document, trial);
	snprintf(verdict.warning, sizeof(verdict.warning), "%s%s%s%s%s",
		 limited ? read_text(trial, "tester_limited_reason") : "", *advice ? ": " : "", advice,
		 limited && negative ? "; " : "",
		 negative ? "more frames came back than were sent: the loss ratio is taken as 0" : "");
	writer->ops->verdicts(writer, RANK_MAIN, &verdict, 1);
	facts_free(&verdict.facts);
}

static void put_figures(struct writer *writer, const json_t *document)
{
	if (!json_is_object(json_object_get(document, "latency")))
		return;
	writer->ops->section(writer, RANK_MAIN, "figures", "Latency by percentile");
	figure_percentiles(writer, json_object_get(document, "latency"));
}

static void put_tables(struct writer *writer, const json_t *document)
{
	const json_t *trial = json_object_get(document, "trial_result");

	if (!json_is_object(trial))
		return;
	writer->ops->section(writer, RANK_MAIN, "details", "What was counted");
	put_details(writer, trial, document);
	content_put_intervals(writer, trial);
}

const struct content content_trial = {
	.kind = "trial",
	.title = "One trial",
	.of_sut = true,
	.known = "trial_result latency pacing ports tester_limited",
	.put_verdicts = put_verdicts,
	.put_figures = put_figures,
	.put_tables = put_tables,
};
