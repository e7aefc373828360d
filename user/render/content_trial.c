/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report says of one trial, and of every trial of a search or soak. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/values.h"

#define PORTS_MAX (CELLS_MAX - 1)

static const char *const known[] = { "trial_result", "latency", "pacing", "ports", "tester_limited", NULL };

/* --- all trials of a search ----------------------------------------------------------------------------------------- */

/* Why a trial stands there, and what is odd about it. */
static void add_remark(struct cells *cells, const json_t *trial)
{
	const json_t *decision = json_object_get(trial, "decision");
	const char *goal = read_string(decision, "goal"), *rule = read_string(decision, "rule");

	double exceed = read_number(decision, "exceed_probability"), asked = read_number(decision, "asked_load");
	char odds[80] = "", instead[2 * VALUE_SIZE] = "", text[VALUE_SIZE];

	if (!isnan(exceed))
		snprintf(odds, sizeof(odds), " (exceeds with p = %.2f, %.0f trials to go)", exceed,
			 read_number(decision, "trials_ahead"));
	if (!isnan(asked))
		snprintf(instead, sizeof(instead), " (asked for %s, %g s)", text_fps(asked, text),
			 read_number(decision, "asked_duration"));
	cells_add(cells, "%s%s%s%s%s%s%s%s", read_truth(trial, "warmup") ? "warm-up, never counted; " : "",
		  read_truth(trial, "tester_limited") ? "tester-limited; " : "",
		  read_truth(trial, "negative_loss") ? "more came back than was sent; " : "", goal ? goal : "",
		  rule ? ": " : "", rule ? rule : "", odds, instead);
}

static void put_trial_row(struct writer *writer, struct cells *cells, size_t number, const json_t *trial)
{
	const json_t *counts = json_object_get(trial, "counts"), *decision = json_object_get(trial, "decision");
	static const char *const columns[] = { "sent", "received", "lost", "duplicate", "reordered", "late", "foreign" };
	char text[VALUE_SIZE];

	cells_add(cells, "%zu", number);
	cells_add_number(cells, read_number(trial, "trial_load"), 1);
	cells_add(cells, "%g", read_number(trial, "trial_duration"));
	cells_add(cells, "%g", read_number(trial, "trial_effective_duration"));
	cells_add(cells, "%s", text_percent(read_number(trial, "trial_loss_ratio"), text));
	cells_add_number(cells, read_number(decision, "lower_bound"), 1);
	cells_add_number(cells, read_number(decision, "upper_bound"), 1);
	add_remark(cells, trial);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		cells_add_number(cells, read_number(counts, columns[i]), 0);
	cells_put(cells, writer, read_truth(trial, "tester_limited") ? TONE_WARN : TONE_PLAIN);
}

void content_put_trial_fold(struct writer *writer, const char *id, const char *summary, const json_t *trials)
{
	static const struct writer_column columns[] = {
		{ "Trial", true },         { "Load (frames/s)", true },
		{ "Duration (s)", true },  { "Effective (s)", true },
		{ "Loss Ratio", true },    { "Known before: from (frames/s)", true },
		{ "to (frames/s)", true }, { "Why this trial", false },
		{ "Sent (frames)", true }, { "Received", true },
		{ "Lost", true },          { "Duplicate", true },
		{ "Reordered", true },     { "Late", true },
		{ "Foreign", true },
	};
	struct cells cells = { .count = 0 };
	char table[64];

	if (!json_array_size(trials))
		return;
	snprintf(table, sizeof(table), "%s-table", id);
	writer->ops->fold(writer, RANK_MAIN, id, summary);
	writer->ops->table(writer, table, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < json_array_size(trials); i++)
		put_trial_row(writer, &cells, i + 1, json_array_get(trials, i));
	writer->ops->table_end(writer);
	writer->ops->fold_end(writer);
}

void content_put_trials(struct writer *writer, const json_t *trials)
{
	char summary[64];

	if (!json_array_size(trials))
		return;
	writer->ops->section(writer, RANK_COURSE, "trials", "Trials");
	writer->ops->paragraph(writer,
			       "Loads are per interface; counts of frames sum over all interfaces. Duplicates never make up "
			       "for lost frames: a frame counts as received once.");
	snprintf(summary, sizeof(summary), "All %zu trials", json_array_size(trials));
	content_put_trial_fold(writer, "trial-fold", summary, trials);
}

/* --- one trial ------------------------------------------------------------------------------------------------------ */

/* The numbers of an object as a table of one row. */
static void put_numbers(struct writer *writer, const char *id, const char *heading, const json_t *object)
{
	struct writer_column columns[CELLS_MAX];
	char labels[CELLS_MAX][VALUE_SIZE];
	struct cells cells = { .count = 0 };
	const char *key;
	json_t *value;
	size_t count = 0;

	json_object_foreach ((json_t *)object, key, value) {
		if (count == CELLS_MAX || json_is_string(value) || json_is_object(value) || json_is_array(value))
			continue;
		columns[count] = (struct writer_column){ .heading = text_label(key, labels[count]), .numeric = true };
		count++;
		cells_add_number(&cells, json_is_number(value) ? json_number_value(value) : NAN,
				 json_is_real(value) ? 1 : 0);
	}
	if (!count)
		return;
	writer->ops->subsection(writer, NULL, heading);
	writer->ops->table(writer, id, columns, count);
	cells_put(&cells, writer, TONE_PLAIN);
	writer->ops->table_end(writer);
}

/* What one port counted, in a column each: a row a quantity. */
static void put_port_rows(struct writer *writer, const json_t *ports, const json_t *names, const char *within)
{
	struct cells cells = { .count = 0 };
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)names, key, value) {
		char label[VALUE_SIZE];

		if (json_is_object(value) || json_is_array(value) || strcmp(key, "name") == 0)
			continue;
		cells_add(&cells, "%s", text_label(key, label));
		for (size_t i = 0; i < json_array_size(ports); i++) {
			const json_t *port = json_array_get(ports, i);
			const json_t *cell = json_object_get(within ? json_object_get(port, within) : port, key);

			if (json_is_number(cell))
				cells_add_number(&cells, json_number_value(cell), json_is_real(cell) ? 1 : 0);
			else
				cells_add(&cells, "%s", json_is_true(cell) ? "yes" : json_is_false(cell) ? "no" : "");
		}
		cells_put(&cells, writer, TONE_PLAIN);
	}
}

static void put_ports(struct writer *writer, const json_t *ports)
{
	struct writer_column columns[1 + PORTS_MAX] = { { "Frames, unless it says otherwise", false } };
	const json_t *first = json_array_get(ports, 0);
	size_t count = json_array_size(ports);

	if (!count || count > PORTS_MAX)
		return;
	for (size_t i = 0; i < count; i++) {
		const char *name = read_string(json_array_get(ports, i), "name");

		columns[1 + i] = (struct writer_column){ .heading = name ? name : "port", .numeric = true };
	}
	writer->ops->subsection(writer, NULL, "Ports");
	writer->ops->table(writer, "port-table", columns, 1 + count);
	put_port_rows(writer, ports, first, NULL);
	put_port_rows(writer, ports, json_object_get(first, "counts"), "counts");
	writer->ops->table_end(writer);
}

static bool is_option(const json_t *document, const char *name, const char *value)
{
	return strcmp(read_text(json_object_get(document, "configuration"), name), value) == 0;
}

static void put_pacing(struct writer *writer, const json_t *holder)
{
	const json_t *pacing = json_object_get(holder, "pacing");

	put_numbers(writer, "pacing", "Pacing", pacing);
	if (json_is_object(pacing) && is_option(holder, "load", "max"))
		writer->ops->paragraph(writer, "As fast as the transmitter could: not paced.");
	else if (read_number(pacing, "burst_max") > 1)
		writer->ops->paragraph(writer, "A burst stands where a queue was held up.");
}

void content_put_trial_details(struct writer *writer, const json_t *trial, const json_t *holder)
{
	const json_t *latency = json_object_get(holder, "latency");
	struct facts facts = { .count = 0 };

	put_numbers(writer, "counts", "Frames", json_object_get(trial, "counts"));
	put_numbers(writer, "loss-attribution", "Where the missing frames went (frames)",
		    json_object_get(trial, "loss_attribution"));
	put_numbers(writer, "order", "Reordering, and gaps left by lost frames (frames)", json_object_get(trial, "order"));
	put_numbers(writer, "latency", "Latency", latency);
	if (!json_is_object(latency))
		facts_add(&facts, "Latency", "not measured%s",
			  is_option(holder, "no-latency", "true") ? " (--no-latency)" : "");
	if (read_string(latency, "definition"))
		facts_add(&facts, "Latency counts", "%s", read_string(latency, "definition"));
	if (read_string(latency, "clock"))
		facts_add(&facts, "Clock", "%s", read_string(latency, "clock"));
	if (read_string(latency, "floor_source"))
		facts_add(&facts, "The tester's own floor", "%s", read_string(latency, "floor_source"));
	facts_put(&facts, writer);
	put_pacing(writer, holder);
	put_ports(writer, json_object_get(holder, "ports"));
}

static void add_trial_facts(struct facts *facts, const json_t *document, const json_t *trial)
{
	double rate = read_number(trial, "trial_forwarding_rate"), octets = frame_octets(document);
	char text[VALUE_SIZE];

	facts_add(facts, "Trial Load", "%s per interface", text_fps(read_number(trial, "trial_load"), text));
	facts_add(facts, "Trial Duration", "%g s", read_number(trial, "trial_duration"));
	facts_add(facts, "Trial Loss Ratio", "%s", text_percent(read_number(trial, "trial_loss_ratio"), text));
	if (!isnan(octets)) {
		facts_add(facts, "Frames alone (L2)", "%s", text_bps(frame_l2_bps(rate, octets), text));
		facts_add(facts, "On the link (L1)", "%s", text_bps(frame_l1_bps(rate, octets), text));
	}
}

static void put_verdicts(struct writer *writer, const json_t *document)
{
	const json_t *trial = json_object_get(document, "trial_result");
	bool limited = read_truth(document, "tester_limited"), negative = read_truth(trial, "negative_loss");
	double rate = read_number(trial, "trial_forwarding_rate");
	char value[VALUE_SIZE], unit[VALUE_SIZE], exact[VALUE_SIZE], loss[VALUE_SIZE], warning[400];
	struct facts facts = { .count = 0 };

	if (!json_is_object(trial)) {
		writer->ops->banner(writer, TONE_BAD, "Nothing was measured.");
		return;
	}
	text_split(rate, "frames/s", value, unit);
	add_trial_facts(&facts, document, trial);
	snprintf(warning, sizeof(warning), "%s%s%s", limited ? read_text(trial, "tester_limited_reason") : "",
		 limited && negative ? "; " : "",
		 negative ? "more frames came back than were sent: the loss ratio is taken as 0" : "");
	snprintf(loss, sizeof(loss), "lost %.60s", text_percent(read_number(trial, "trial_loss_ratio"), exact));
	writer->ops->verdicts(writer, RANK_MAIN,
			      &(struct writer_verdict){
				      .id = "trial",
				      .name = "Trial",
				      .tone = limited ? TONE_WARN : TONE_PLAIN,
				      .state = limited ? "tester-limited" : loss,
				      .quantity = "Trial Forwarding Rate per interface",
				      .value = value,
				      .unit = unit,
				      .exact = text_fps(rate, exact),
				      .facts = facts.list,
				      .fact_count = facts.count,
				      .warning = *warning ? warning : NULL,
			      },
			      1);
	facts_free(&facts);
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
	content_put_trial_details(writer, trial, document);
}

const struct content content_trial = {
	.kind = "trial",
	.title = "One trial",
	.of_sut = true,
	.known = known,
	.put_verdicts = put_verdicts,
	.put_figures = put_figures,
	.put_tables = put_tables,
};
