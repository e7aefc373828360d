/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report says of a soak: the critical load, how its estimate went, what both functions say. */
#include <math.h>
#include <stdio.h>

#include "base/json_read.h"
#include "render/figures.h"
#include "render/kinds.h"
#include "render/values.h"

static const char *const known[] = {
	"target_loss_ratio",
	"critical_load",
	"estimates",
	"min_load_probability",
	"max_load_probability",
	"anomalies",
	"trend",
	"time_line",
	"trials",
	"min_load",
	"max_load",
	"max_load_source",
	"soak_duration",
	"ended_by",
	"tester_limited",
	NULL,
};

static void add_soak_facts(struct facts *facts, const json_t *document, double mean)
{
	double octets = frame_octets(document);
	char text[VALUE_SIZE];

	if (!isnan(octets)) {
		facts_add(facts, "Frames alone (L2)", "%s", text_bps(frame_l2_bps(mean, octets), text));
		facts_add(facts, "On the link (L1)", "%s", text_bps(frame_l1_bps(mean, octets), text));
	}
	facts_add(facts, "Target loss ratio", "%g", read_number(document, "target_loss_ratio"));
	facts_add(facts, "Trials", "%zu in %s s", json_array_size(json_object_get(document, "trials")),
		  text_number(read_number(document, "soak_duration"), 0, text));
}

static void put_verdicts(struct writer *writer, const json_t *document)
{
	const json_t *load = json_object_get(document, "critical_load");
	double mean = read_number(load, "mean"), stdev = read_number(load, "stdev");
	bool irregular = read_string(document, "irregular_reason");
	char value[VALUE_SIZE], unit[VALUE_SIZE], mean_text[VALUE_SIZE], stdev_text[VALUE_SIZE], ratio[VALUE_SIZE],
		exact[320];
	struct facts facts = { .count = 0 };

	text_split(mean, "frames/s", value, unit);
	add_soak_facts(&facts, document, mean);
	snprintf(exact, sizeof(exact), "%s per interface, standard deviation %s (%s)", text_fps(mean, mean_text),
		 text_fps(stdev, stdev_text), text_percent(stdev / mean, ratio));
	writer->ops->verdicts(writer, RANK_MAIN,
			      &(struct writer_verdict){
				      .id = "critical-load",
				      .name = "PLRsearch",
				      .tone = irregular ? TONE_BAD : TONE_GOOD,
				      .state = irregular ? "IRREGULAR" : "done",
				      .quantity = "Critical load: where the target ratio of frames is lost in the long run",
				      .value = value,
				      .unit = unit,
				      .exact = exact,
				      .facts = facts.list,
				      .fact_count = facts.count,
				      .warning = read_truth(document, "tester_limited")
							 ? "Tester-limited: the tester met its own limit in a trial."
							 : NULL,
			      },
			      1);
	facts_free(&facts);
}

static void put_figures(struct writer *writer, const json_t *document)
{
	writer->ops->section(writer, RANK_MAIN, "course", "The course of the soak");
	figure_estimate(writer, document);
	figure_loss(writer, json_object_get(document, "trials"), NULL);
	figure_latency(writer, json_object_get(document, "trials"));
}

static void put_estimates(struct writer *writer, const json_t *estimates)
{
	static const struct writer_column columns[] = {
		{ "Fitting function", false }, { "Mean (frames/s)", true }, { "Standard deviation (frames/s)", true },
		{ "of the mean", true },       { "Log evidence", true },
	};
	struct cells cells = { .count = 0 };

	writer->ops->table(writer, "estimate-table", columns, 5);
	for (size_t i = 0; i < json_array_size(estimates); i++) {
		const json_t *estimate = json_array_get(estimates, i);
		double mean = read_number(estimate, "mean"), stdev = read_number(estimate, "stdev");
		char text[VALUE_SIZE];

		cells_add(&cells, "%s", read_string(estimate, "fitting") ? read_string(estimate, "fitting") : "");
		cells_add_number(&cells, mean, 1);
		cells_add_number(&cells, stdev, 1);
		cells_add(&cells, "%s", text_percent(stdev / mean, text));
		cells_add_number(&cells, read_number(estimate, "log_evidence"), 2);
		cells_put(&cells, writer, TONE_PLAIN);
	}
	writer->ops->table_end(writer);
}

/* How many, and which. */
static void add_anomalies(struct facts *facts, const json_t *anomalies)
{
	char text[512] = "";
	size_t used = 0, count = json_array_size(anomalies);

	for (size_t i = 0; i < count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" JSON_INTEGER_FORMAT, i ? ", " : ": ",
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
	struct facts facts = { .count = 0 };
	char text[VALUE_SIZE];

	writer->ops->section(writer, RANK_MAIN, "results", "Estimates");
	put_estimates(writer, json_object_get(document, "estimates"));
	facts_add(&facts, "Min Load", "%s per interface", text_fps(read_number(document, "min_load"), text));
	facts_add(&facts, "Max Load", "%s per interface, from the %s", text_fps(read_number(document, "max_load"), text),
		  read_string(document, "max_load_source") ? read_string(document, "max_load_source") : "");
	facts_add(&facts, "Ended by", "%s", read_string(document, "ended_by") ? read_string(document, "ended_by") : "");
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
	.known = known,
	.put_verdicts = put_verdicts,
	.put_figures = put_figures,
	.put_tables = put_tables,
};
