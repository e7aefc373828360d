/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes what a report says of services by ITU-T Y.1564. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/message.h"
#include "render/kinds.h"

static const json_t *services_of(const json_t *document)
{
	return json_object_get(document, "services");
}

/* --- words -------------------------------------------------------------------------------------------------------------- */

static const char *step_name(const json_t *step)
{
	const char *name = read_text(step, "step");

	return strcmp(name, "cir") == 0 ? "CIR" : strcmp(name, "eir") == 0 ? "CIR + EIR" : "Policing";
}

static const char *fault_name(const json_t *text)
{
	const char *fault = json_string_value(text) ?: "";
	static const struct fault {
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

	const struct fault *row = row_with(names, COUNT(names), fault, fault);

	return row ? row->name : fault;
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

/* "FAILED: loss, mean delay" of a step or a test; "passed"; "no verdict" where it did not end, or "no verdict (limited)". */
static const char *verdict_of(const json_t *result, char buffer[CELL_SIZE])
{
	const json_t *passed = json_object_get(result, "passed");
	const char *faults = faults_of(result, ROOM(CELL_SIZE));

	snprintf(buffer, CELL_SIZE, "%s", json_is_true(passed) ? "passed" : json_is_false(passed) ? "FAILED" : "no verdict");
	if (*faults && json_is_boolean(passed))
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

/* --- figures beside what was agreed --------------------------------------------------------------------------------------- */

/* A figure, and where the service has what was agreed. */
struct agreement {
	const char *figure, *agreed;
	enum text_kind kind;
};

static const struct agreement loss = { "loss_ratio", "/sla/loss_ratio", TEXT_PERCENT },
			      delay = { "delay_mean_ns", "/sla/delay_mean_ns", TEXT_NS },
			      variation = { "delay_variation_ns", "/sla/delay_variation_ns", TEXT_NS },
			      availability = { "availability_ratio", "/sla/availability_ratio", TEXT_PERCENT };

/* The figure of a result of this service. */
static const char *figure_text(const struct agreement *agreement, const json_t *result, const json_t *service,
			       char buffer[VALUE_SIZE])
{
	return text_beside(read_number(result, agreement->figure), number_of(json_at(service, agreement->agreed)),
			   agreement->kind, buffer);
}

/* The rate that came through: unlike the least and the most that may, if it is none of both. */
static const char *text_received(const json_t *row, char text[CELL_SIZE])
{
	double rate = read_number(row, "received_rate"), least = read_number(row, "received_rate_min"),
	       most = read_number(row, "received_rate_max");
	double nearest = isnan(most) || fabs(rate - least) < fabs(rate - most) ? least : most;

	return text_beside(rate, nearest, TEXT_RATE, text);
}

static const char *text_limits(const json_t *row, char text[CELL_SIZE])
{
	double rate = read_number(row, "received_rate"), least = read_number(row, "received_rate_min"),
	       most = read_number(row, "received_rate_max");

	if (isnan(least))
		return "as agreed";
	if (isnan(most))
		return text_print(text, CELL_SIZE, "at least %s", text_beside(least, rate, TEXT_RATE, VALUE_ROOM));
	return text_print(text, CELL_SIZE, "%s to %s", text_beside(least, rate, TEXT_RATE, VALUE_ROOM),
			  text_beside(most, rate, TEXT_RATE, VALUE_ROOM));
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

#define TEST_STATE(test)                                                                                                    \
	"[" test "/passed=true? passed][" test "/passed=false? FAILED]"                                                     \
	"[!" test "/passed=true? [!" test "/passed=false? [" test "/irregular_reason? no verdict: {" test                   \
	"/irregular_reason}]"                                                                                               \
	"[!" test "/irregular_reason? not made, or not to its end]]]"
static const struct fact test_facts[] = {
	{ "VLAN", "<vlans|; |{id:whole}, priority {priority:whole}>" },
	{ "DSCP", "[dscp? {dscp:whole}]" },
	{ "Frames", "{frame_size} octets" },
	{ "Configuration test", TEST_STATE("configuration") },
	{ "Performance test", TEST_STATE("performance") },
};

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

/* Add a rate as agreed, in frames, as information rate, and as a share of the line. */
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
static void add_worst(struct facts *facts, const char *label, const json_t *service, const struct agreement *agreement)
{
	const json_t *performance = json_object_get(service, "performance");
	const json_t *direction = json_object_get(json_object_get(performance, "worst_direction"), agreement->figure);
	const char *text = figure_text(agreement, performance, service, VALUE_ROOM);

	if (direction && isnan(read_number(performance, agreement->figure)))
		facts_add(facts, label, "not known of %s", text_direction(direction, VALUE_ROOM));
	else if (direction)
		facts_add(facts, label, "%s (%s, the worst)", text, text_direction(direction, VALUE_ROOM));
	else if (!isnan(read_number(performance, agreement->figure)))
		facts_add(facts, label, "%s", text);
}

/* Whether a test was passed, or not asked for. A service that did not pass one has no verdict, or failed. */
static bool is_settled(const json_t *document, const json_t *service, const char *test)
{
	const json_t *result = json_object_get(service, test);
	const char *tests = read_text(json_object_get(document, "configuration"), "tests");

	if (json_is_object(result))
		return json_is_true(json_object_get(result, "passed"));
	return *tests && !strstr(tests, test);
}

static void fill_verdict(struct writer_verdict *verdict, const json_t *document, const json_t *service, size_t index)
{
	const json_t *failure = failure_in(service), *performance = json_object_get(service, "performance");
	bool passed =
		!failure && is_settled(document, service, "configuration") && is_settled(document, service, "performance");

	snprintf(verdict->id, sizeof(verdict->id), "service-%zu", index + 1);
	snprintf(verdict->name, sizeof(verdict->name), "%.120s", read_text(service, "name"));
	verdict->quantity = "As agreed (ITU-T Y.1564)";
	verdict->tone = failure ? TONE_BAD : passed ? TONE_GOOD : TONE_WARN;
	snprintf(verdict->state, sizeof(verdict->state), "%s", failure ? "FAILED" : passed ? "passed" : "no verdict");
	snprintf(verdict->value, sizeof(verdict->value), "%s", failure ? "no" : passed ? "yes" : DASH);
	if (failure)
		snprintf(verdict->warning, sizeof(verdict->warning), "%s %.400s",
			 failure == performance ? "Performance" : step_name(failure), verdict_of(failure, ROOM(CELL_SIZE)));
	add_rate(&verdict->facts, "Committed (CIR)", service, "cir");
	add_rate(&verdict->facts, "Excess (EIR)", service, "eir");
	facts_say(&verdict->facts, service, test_facts, COUNT(test_facts));
	add_worst(&verdict->facts, "Loss", service, &loss);
	add_worst(&verdict->facts, "Mean delay", service, &delay);
	add_worst(&verdict->facts, "Delay variation", service, &variation);
	add_worst(&verdict->facts, "Availability", service, &availability);
}

/* Add each reason for which the tester limited a trial, once. */
static void add_reasons(json_t *reasons, const json_t *trials)
{
	json_each (trial, trials)
		if (read_truth(trial, "tester_limited") && *read_text(trial, "tester_limited_reason"))
			json_put(reasons, read_text(trial, "tester_limited_reason"), true);
}

/* Tell that the tester limited trials, and why. */
static void put_limited(struct writer *writer, const json_t *document)
{
	json_auto_t *reasons = json_object();
	char text[CELL_SIZE] = "";

	json_each (service, services_of(document)) {
		add_reasons(reasons, json_at(service, "/configuration/trials"));
		add_reasons(reasons, json_at(service, "/performance/trials"));
	}
	add_reasons(reasons, json_at(document, "/performance/trials"));
	json_each_member (reason, value, reasons)
		text_join(text, sizeof(text), "; ", "%s", reason);
	banner_put(writer, TONE_WARN,
		   "Limited by the tester%s%s%s. Verdicts are without the frames that it lost itself, and left open where "
		   "it may have decided them.",
		   *text ? " in some trial (" : "", text, *text ? ")" : "");
}

static void put_verdicts(struct writer *writer, const json_t *document)
{
	const json_t *passed = json_object_get(document, "passed");

	if (json_is_boolean(passed))
		writer->ops->banner(writer, json_is_true(passed) ? TONE_GOOD : TONE_BAD,
				    json_is_true(passed) ? "Every service is as agreed."
							 : "Not every service is as agreed.");
	if (read_truth(document, "tester_limited"))
		put_limited(writer, document);
	verdicts_put(writer, LEVEL_REFERENCE, document, services_of(document), fill_verdict);
}

/* --- tables ------------------------------------------------------------------------------------------------------------- */

static const struct field configuration_columns[] = {
	{ "Service", "/name" },
	{ "Step", .phrase = "[step=cir? {load_ratio:percent} of CIR][step=eir? CIR + EIR][step=policing? Policing]" },
	{ "Direction", .phrase = DIRECTION },
	{ "Load (frames/s)", "/load", text_rate },
	{ "Information rate", "/load_l2_bps", text_bps },
	{ "Line rate", "/load_l1_bps", text_bps },
	{ "Came through", .write = text_received, .numeric = true },
	{ "as information rate", "/received_rate_l2_bps", text_bps, .level = LEVEL_DETAIL },
	{ "Has to", .write = text_limits, .numeric = true },
	{ "Loss", "/loss_ratio", text_percent, .agreed = "/sla/loss_ratio" },
	{ "Mean delay", "/delay_mean_ns", text_ns, .agreed = "/sla/delay_mean_ns" },
	{ "Largest", "/delay_max_ns", text_ns, .agreed = "/sla/delay_max_ns", .level = LEVEL_DETAIL },
	{ "Variation", "/delay_variation_ns", text_ns, .agreed = "/sla/delay_variation_ns" },
	{ "Verdict", .write = verdict_of },
};

static const struct field performance_columns[] = {
	{ "Service", "/name" },
	{ "Direction", .phrase = DIRECTION },
	{ "Load (frames/s)", "/load", text_rate },
	{ "Information rate", "/load_l2_bps", text_bps, .level = LEVEL_DETAIL },
	{ "Line rate", "/load_l1_bps", text_bps, .level = LEVEL_DETAIL },
	{ "for (s)", "/trial_duration", text_rate },
	{ "Sent (frames)", "/counts/sent", text_count, .level = LEVEL_DETAIL },
	{ "Lost (frames)", "/counts/lost", text_count, .level = LEVEL_DETAIL },
	{ "Loss", "/loss_ratio", text_percent, .agreed = "/sla/loss_ratio" },
	{ "Mean delay", "/delay_mean_ns", text_ns, .agreed = "/sla/delay_mean_ns" },
	{ "Largest", "/delay_max_ns", text_ns, .agreed = "/sla/delay_max_ns" },
	{ "Variation", "/delay_variation_ns", text_ns, .agreed = "/sla/delay_variation_ns" },
	{ "Severely errored (s)", "/severely_errored_seconds", text_count },
	{ "Unavailable (s)", "/unavailable_seconds", text_count, .level = LEVEL_DETAIL },
	{ "Availability", "/availability_ratio", text_percent, .agreed = "/sla/availability_ratio" },
	{ "Verdict", .write = verdict_of },
};

static const char *text_agreed(const json_t *service, char text[CELL_SIZE])
{
	bool has_excess = read_number(service, "eir") > 0;

	return text_print(text, CELL_SIZE, "%s%s%s", agreed_text(service, "cir", VALUE_ROOM), has_excess ? " + " : "",
			  has_excess ? agreed_text(service, "eir", VALUE_ROOM) : "");
}

static const struct field sla_columns[] = {
	{ "Service", "/name" },
	{ "Rate", .write = text_agreed },
	{ "CIR (frames/s)", "/cir", text_rate },
	{ "EIR (frames/s)", "/eir", text_rate },
	{ "Loss, at most", "/sla/loss_ratio", text_percent, .agreed = "/sla/loss_ratio" },
	{ "Mean delay, at most", "/sla/delay_mean_ns", text_ns, .agreed = "/sla/delay_mean_ns" },
	{ "Largest", "/sla/delay_max_ns", text_ns, .agreed = "/sla/delay_max_ns" },
	{ "Variation", "/sla/delay_variation_ns", text_ns, .agreed = "/sla/delay_variation_ns" },
	{ "Availability, at least", "/sla/availability_ratio", text_percent, .agreed = "/sla/availability_ratio" },
	{ "Margin of policing", "/margin_ratio", text_percent },
};

static void put_trials(struct writer *writer, const json_t *document)
{
	static const char *const tests[] = { "configuration", "performance" };

	content_put_trial_folds(writer, services_of(document), "name", "", tests, tests, COUNT(tests));
	content_put_trial_fold(writer, "trials-performance", "Performance", json_at(document, "/performance/trials"), NAN);
}

#define PERFORMED .when = "services[]/performance"

/* clang-format off */
static const struct part parts[] = {
	{ SECTION("y1564-configuration", "Service configuration test (8.1)"), .when = "services[]/configuration/steps" },
	{ TABLE("configuration-table", "/services[]/configuration/steps", configuration_columns),
	  .directions = DIRECTIONS_TOO, .tone = tone_of },
	{ SECTION("y1564-performance", "Service performance test (8.2)[performance?, all services at once]"), PERFORMED },
	{ TABLE("performance-table", "/services[]/performance", performance_columns),
	  .directions = DIRECTIONS_TOO, .tone = tone_of, PERFORMED },
	{ .say = "A second is severely errored where more than half of its frames are lost; ten in a row begin a time of "
		 "unavailability, ten others in a row end it. Loss is that of the other time.", PERFORMED },
	{ SECTION("y1564-sla", "What was agreed"), .level = LEVEL_DETAIL },
	{ TABLE("sla-table", "/services", sla_columns) },
	{ SECTION("trials", "Trials"), .level = LEVEL_DETAIL },
	{ .put = put_trials, .level = LEVEL_DETAIL },
};
/* clang-format on */

const struct content content_y1564 = {
	.kind = "y1564",
	.title = "Services by ITU-T Y.1564",
	.of_sut = true,
	.known = "passed regular tester_limited suite_duration services performance",
	.put_verdicts = put_verdicts,
	.parts = parts,
	.part_count = COUNT(parts),
};
