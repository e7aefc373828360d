/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of services by ITU-T Y.1564. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "render/kinds.h"
#include "render/parts.h"

static const json_t *services_of(const json_t *document)
{
	return json_object_get(document, "services");
}

/* --- directions --------------------------------------------------------------------------------------------------------- */

/* Results within services as the rows of a table: where there are several directions, a row of each. A new reference. */
static json_t *service_rows(const json_t *document, const char *at)
{
	json_auto_t *results = rows_within(services_of(document), at);

	return rows_by_direction(results);
}

/* --- words -------------------------------------------------------------------------------------------------------------- */

static const char *step_name(const json_t *step)
{
	const char *name = read_text(step, "step");

	return strcmp(name, "cir") == 0 ? "CIR" : strcmp(name, "eir") == 0 ? "CIR + EIR" : "Policing";
}

static const char *fault_name(const json_t *text)
{
	const char *fault = json_string_value(text);
	static const struct {
		const char *fault, *name;
	} names[] = {
		{ "loss", "loss" },
		{ "delay", "mean delay" },
		{ "delay_max", "largest delay" },
		{ "variation", "delay variation" },
		{ "availability", "availability" },
		{ "too_little", "too little came through" },
		{ "too_much", "too much came through" },
		{ "unknown", "not measured" },
	};

	for (size_t i = 0; fault && i < COUNT(names); i++)
		if (strcmp(names[i].fault, fault) == 0)
			return names[i].name;
	return fault ? fault : "";
}

/* "loss, mean delay" of a step or a test; of several directions "t-b to t-a: loss; t-a to t-b: mean delay". */
static const char *faults_of(const json_t *result, char buffer[CELL_SIZE])
{
	const json_t *directions = several_directions(result);

	buffer[0] = '\0';
	json_each (direction, directions)
		if (json_array_size(json_object_get(direction, "faults")))
			text_join(buffer, CELL_SIZE, "; ", "%s: %s", text_direction(direction, VALUE_ROOM),
				  faults_of(direction, ROOM(CELL_SIZE)));
	if (directions)
		return buffer;
	json_each (fault, json_object_get(result, "faults"))
		text_join(buffer, CELL_SIZE, ", ", "%s", fault_name(fault));
	return buffer;
}

/* "FAILED: loss, mean delay" of a step or a test; "passed", or "-" where it did not end. */
static const char *verdict_of(const json_t *result, char buffer[CELL_SIZE])
{
	const json_t *passed = json_object_get(result, "passed");
	const char *faults = faults_of(result, ROOM(CELL_SIZE));

	if (!json_is_boolean(passed)) {
		snprintf(buffer, CELL_SIZE, "no verdict");
		return buffer;
	}
	snprintf(buffer, CELL_SIZE, "%s", json_is_true(passed) ? "passed" : "FAILED");
	if (*faults)
		text_add(buffer, CELL_SIZE, ": %s", faults);
	if (read_truth(result, "tester_limited"))
		text_add(buffer, CELL_SIZE, " (" LIMITED_WORD ")");
	return buffer;
}

static enum tone tone_of(const json_t *result)
{
	const json_t *passed = json_object_get(result, "passed");

	return json_is_false(passed)                  ? TONE_BAD
	       : read_truth(result, "tester_limited") ? TONE_WARN
	       : json_is_true(passed)                 ? TONE_GOOD
						      : TONE_PLAIN;
}

static void add_verdict(struct cells *cells, const json_t *result)
{
	cells_add(cells, "%s", verdict_of(result, ROOM(CELL_SIZE)));
}

/* --- verdicts ----------------------------------------------------------------------------------------------------------- */

/* What failed in it: its first step that did, or the performance. */
static const json_t *failure_in(const json_t *service)
{
	const json_t *steps = json_at(service, "/configuration/steps"),
		     *performance = json_object_get(service, "performance");

	json_each (step, steps)
		if (json_is_false(json_object_get(step, "passed")))
			return step;
	return json_is_false(json_object_get(performance, "passed")) ? performance : NULL;
}

static const char *test_state(const json_t *service, const char *test)
{
	const json_t *passed = json_object_get(json_object_get(service, test), "passed");

	return json_is_true(passed) ? "passed" : json_is_false(passed) ? "FAILED" : "not made, or not to its end";
}

/* "10.00 Mbit/s of the line", as it was given; "" where that is not known. */
static const char *agreed_text(const json_t *service, const char *name, char buffer[VALUE_SIZE])
{
	const json_t *agreed = json_object_get(service, TEXT_OF(32, "%s_agreed", name));
	const char *unit = read_text(agreed, "unit");
	double value = read_number(agreed, "value");

	buffer[0] = '\0';
	if (strcmp(unit, "frames/s") == 0)
		text_fps(value, buffer);
	else if (strcmp(unit, "of the line rate") == 0)
		snprintf(buffer, VALUE_SIZE, "%s of the line rate", text_percent(value, VALUE_ROOM));
	else if (*unit)
		snprintf(buffer, VALUE_SIZE, "%s%s", text_bps(value, VALUE_ROOM),
			 strcmp(unit, "bit/s") ? " of the line" : " in frames");
	return buffer;
}

/* As agreed, and what that is: in frames, as information rate, and what it takes of the line. */
static void add_rate(struct facts *facts, const char *label, const json_t *service, const char *name)
{
	const char *agreed = agreed_text(service, name, VALUE_ROOM),
		   *rate = text_fps(read_number(service, name), VALUE_ROOM);
	bool is_other = *agreed && strcmp(agreed, rate) != 0;

	if (read_number(service, name) > 0)
		facts_add(facts, label, "%s%s%s (information rate %s, line rate %s)", is_other ? agreed : "",
			  is_other ? " = " : "", rate,
			  text_bps(read_number(service, TEXT_OF(32, "%s_l2_bps", name)), VALUE_ROOM),
			  text_bps(read_number(service, TEXT_OF(32, "%s_l1_bps", name)), VALUE_ROOM));
}

/* A figure of the performance; where directions differ, the worst, and whose it is. */
static void add_worst(struct facts *facts, const char *label, const json_t *performance, const char *name,
		      text_of_number *text)
{
	const json_t *direction = json_object_get(json_object_get(performance, "worst_direction"), name);

	if (direction && isnan(read_number(performance, name)))
		facts_add(facts, label, "not known of %s", text_direction(direction, VALUE_ROOM));
	else if (direction)
		facts_add(facts, label, "%s (%s, the worst)", text(read_number(performance, name), VALUE_ROOM),
			  text_direction(direction, VALUE_ROOM));
	else
		facts_add_member(facts, label, performance, TEXT_OF(64, "/%s", name), text);
}

static void add_vlans(struct facts *facts, const json_t *service)
{
	char text[VALUE_SIZE] = "";

	json_each (vlan, json_object_get(service, "vlans"))
		text_join(text, sizeof(text), "; ", "%.0f, priority %.0f", read_number(vlan, "id"),
			  read_number(vlan, "priority"));
	if (*text)
		facts_add(facts, "VLAN", "%s", text);
}

static void fill_verdict(struct writer_verdict *verdict, const json_t *, const json_t *service, size_t index)
{
	const json_t *failure = failure_in(service), *configuration = json_object_get(service, "configuration"),
		     *performance = json_object_get(service, "performance");
	bool passed = !failure && (json_is_true(json_object_get(performance, "passed")) ||
				   (json_is_true(json_object_get(configuration, "passed")) && json_is_null(performance)));

	snprintf(verdict->id, sizeof(verdict->id), "service-%zu", index + 1);
	snprintf(verdict->name, sizeof(verdict->name), "%.120s", read_text(service, "name"));
	verdict->quantity = "As agreed (ITU-T Y.1564)";
	verdict->tone = failure ? TONE_BAD : passed ? TONE_GOOD : TONE_WARN;
	snprintf(verdict->state, sizeof(verdict->state), "%s", failure ? "FAILED" : passed ? "passed" : "no verdict");
	snprintf(verdict->value, sizeof(verdict->value), "%s", failure ? "no" : passed ? "yes" : "-");
	if (failure)
		snprintf(verdict->warning, sizeof(verdict->warning), "%s %.400s",
			 failure == performance ? "Performance" : step_name(failure), verdict_of(failure, ROOM(CELL_SIZE)));
	add_rate(&verdict->facts, "Committed (CIR)", service, "cir");
	add_rate(&verdict->facts, "Excess (EIR)", service, "eir");
	add_vlans(&verdict->facts, service);
	if (read_number(service, "dscp") > 0)
		facts_add(&verdict->facts, "DSCP", "%.0f", read_number(service, "dscp"));
	facts_add(&verdict->facts, "Frames", "%s octets", read_text(service, "frame_size"));
	facts_add(&verdict->facts, "Configuration test", "%s", test_state(service, "configuration"));
	facts_add(&verdict->facts, "Performance test", "%s", test_state(service, "performance"));
	add_worst(&verdict->facts, "Loss", performance, "loss_ratio", text_percent);
	add_worst(&verdict->facts, "Mean delay", performance, "delay_mean_ns", text_ns);
	add_worst(&verdict->facts, "Delay variation", performance, "delay_variation_ns", text_ns);
	add_worst(&verdict->facts, "Availability", performance, "availability_ratio", text_percent);
}

static void put_verdicts(struct writer *writer, const json_t *document)
{
	const json_t *passed = json_object_get(document, "passed");

	if (json_is_boolean(passed))
		writer->ops->banner(writer, json_is_true(passed) ? TONE_GOOD : TONE_BAD,
				    json_is_true(passed) ? "Every service is as agreed."
							 : "Not every service is as agreed.");
	if (read_truth(document, "tester_limited"))
		writer->ops->banner(
			writer, TONE_WARN,
			"Limited by the tester: in some trial not all frames were sent in time; the verdicts are on those "
			"that were.");
	verdicts_put(writer, LEVEL_REFERENCE, document, services_of(document), fill_verdict);
}

/* --- tables ------------------------------------------------------------------------------------------------------------- */

static void add_step_name(struct cells *cells, const json_t *step)
{
	if (strcmp(read_text(step, "step"), "cir") == 0)
		cells_add(cells, "%s of CIR", text_percent(read_number(step, "load_ratio"), VALUE_ROOM));
	else
		cells_add(cells, "%s", step_name(step));
}

/* "9 990 to 14 140", "at least 9 990"; what is judged by the SLA has neither. */
static void add_expected(struct cells *cells, const json_t *step)
{
	double least = read_number(step, "received_rate_min"), most = read_number(step, "received_rate_max");

	if (isnan(least))
		cells_add(cells, "as agreed");
	else if (isnan(most))
		cells_add(cells, "at least %s", text_rate(least, VALUE_ROOM));
	else
		cells_add(cells, "%s to %s", text_rate(least, VALUE_ROOM), text_rate(most, VALUE_ROOM));
}

static void put_configuration(struct writer *writer, const json_t *document)
{
	static const struct field fields[] = {
		{ "Service", "/name" },
		{ "Step", .add = add_step_name },
		{ "Direction", .add = cells_add_direction },
		{ "Load (frames/s)", "/load", text_rate },
		{ "Information rate", "/load_l2_bps", text_bps },
		{ "Line rate", "/load_l1_bps", text_bps },
		{ "Came through", "/received_rate", text_rate },
		{ "Has to", .add = add_expected, .numeric = true },
		{ "Loss", "/loss_ratio", text_percent },
		{ "Mean delay", "/delay_mean_ns", text_ns },
		{ "Largest", "/delay_max_ns", text_ns, .level = LEVEL_DETAIL },
		{ "Variation", "/delay_variation_ns", text_ns },
		{ "Verdict", .add = add_verdict },
	};
	json_auto_t *rows = service_rows(document, "/configuration/steps");

	if (json_array_size(rows)) {
		writer->ops->section(writer, LEVEL_MAIN, "y1564-configuration", "Service configuration test (8.1)");
		table_put(writer, "configuration-table", fields, COUNT(fields), rows, tone_of);
	}
}

static void put_performance(struct writer *writer, const json_t *document)
{
	static const struct field fields[] = {
		{ "Service", "/name" },
		{ "Direction", .add = cells_add_direction },
		{ "Load (frames/s)", "/load", text_rate },
		{ "Information rate", "/load_l2_bps", text_bps, .level = LEVEL_DETAIL },
		{ "Line rate", "/load_l1_bps", text_bps, .level = LEVEL_DETAIL },
		{ "for (s)", "/trial_duration", text_rate },
		{ "Sent (frames)", "/counts/sent", text_count, .level = LEVEL_DETAIL },
		{ "Lost (frames)", "/counts/lost", text_count, .level = LEVEL_DETAIL },
		{ "Loss", "/loss_ratio", text_percent },
		{ "Mean delay", "/delay_mean_ns", text_ns },
		{ "Largest", "/delay_max_ns", text_ns },
		{ "Variation", "/delay_variation_ns", text_ns },
		{ "Severely errored (s)", "/severely_errored_seconds", text_count },
		{ "Unavailable (s)", "/unavailable_seconds", text_count, .level = LEVEL_DETAIL },
		{ "Availability", "/availability_ratio", text_percent },
		{ "Verdict", .add = add_verdict },
	};
	json_auto_t *rows = service_rows(document, "/performance");

	if (json_array_size(rows)) {
		writer->ops->section(writer, LEVEL_MAIN, "y1564-performance",
				     json_object_get(document, "performance")
					     ? "Service performance test (8.2), all services at once"
					     : "Service performance test (8.2)");
		table_put(writer, "performance-table", fields, COUNT(fields), rows, tone_of);
		writer->ops->paragraph(
			writer,
			"A second is severely errored where more than half of its frames are lost; "
			"ten in a row begin a time of unavailability, ten others in a row end it. Loss is that of the "
			"other time.");
	}
}

static void add_agreed(struct cells *cells, const json_t *service)
{
	bool has_excess = read_number(service, "eir") > 0;

	cells_add(cells, "%s%s%s", agreed_text(service, "cir", VALUE_ROOM), has_excess ? " + " : "",
		  has_excess ? agreed_text(service, "eir", VALUE_ROOM) : "");
}

static void put_sla(struct writer *writer, const json_t *document)
{
	static const struct field fields[] = {
		{ "Service", "/name" },
		{ "Rate", .add = add_agreed },
		{ "CIR (frames/s)", "/cir", text_rate },
		{ "EIR (frames/s)", "/eir", text_rate },
		{ "Loss, at most", "/sla/loss_ratio", text_percent },
		{ "Mean delay, at most", "/sla/delay_mean_ns", text_ns },
		{ "Largest", "/sla/delay_max_ns", text_ns },
		{ "Variation", "/sla/delay_variation_ns", text_ns },
		{ "Availability, at least", "/sla/availability_ratio", text_percent },
		{ "Margin of policing", "/margin_ratio", text_percent },
	};

	writer->ops->section(writer, LEVEL_DETAIL, "y1564-sla", "What was agreed");
	table_put(writer, "sla-table", fields, COUNT(fields), services_of(document), NULL);
}

static void put_tests(struct writer *writer, const json_t *document)
{
	put_configuration(writer, document);
	put_performance(writer, document);
	put_sla(writer, document);
}

static void put_trials(struct writer *writer, const json_t *document)
{
	static const char *const tests[] = { "configuration", "performance" };

	writer->ops->section(writer, LEVEL_DETAIL, "trials", "Trials");
	content_put_trial_folds(writer, services_of(document), "name", "", tests, tests, COUNT(tests));
	content_put_trial_fold(writer, "trials-performance", "Performance", json_at(document, "/performance/trials"));
}

const struct content content_y1564 = {
	.kind = "y1564",
	.title = "Services by ITU-T Y.1564",
	.of_sut = true,
	.known = "passed regular tester_limited suite_duration services performance",
	.put_verdicts = put_verdicts,
	.put_figures = put_tests,
	.put_tables = put_trials,
};
