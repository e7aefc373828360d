/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This audit is of the tests of ITU-T Y.1564: figures and verdicts of each direction, and what they amount to. */
#include "result/audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "base/text_stream.h"
#include "mlr/profile.h"
#include "mlr/y1564.h"

/* --- one direction -------------------------------------------------------------------------------------------------- */

/* Read what was agreed. If nothing was, documents have null, which reads as NAN. */
static struct mlr_y1564_service service_of(const json_t *json)
{
	const json_t *sla = json_object_get(json, "sla");

	return (struct mlr_y1564_service){
		.cir_fps = read_number(json, "cir"),
		.eir_fps = read_number(json, "eir"),
		.margin_ratio = read_number(json, "margin_ratio"),
		.sla = { .loss_ratio = read_number(sla, "loss_ratio"),
			 .delay_ns = read_number(sla, "delay_mean_ns"),
			 .delay_max_ns = read_number(sla, "delay_max_ns"),
			 .variation_ns = read_number(sla, "delay_variation_ns"),
			 .availability_ratio = read_number(sla, "availability_ratio") },
	};
}

static struct mlr_y1564_outcome outcome_of(const json_t *json)
{
	return (struct mlr_y1564_outcome){
		.received_fps = read_number(json, "received_rate"),
		.loss_ratio = read_number(json, "loss_ratio"),
		.delay_ns = read_number(json, "delay_mean_ns"),
		.delay_max_ns = read_number(json, "delay_max_ns"),
		.variation_ns = read_number(json, "delay_variation_ns"),
		.variation_error_ns = read_number(json, "delay_variation_error_ns"),
		.availability_ratio = read_number(json, "availability_ratio"),
	};
}

/* Check the verdict: passed without faults. A test that the tester limited has none, or is passed. */
static void audit_verdict(struct audit *audit, const struct place *place, const json_t *json, unsigned int faults)
{
	const json_t *passed = json_object_get(json, "passed"), *stated = json_object_get(json, "faults");

	if (json_is_true(passed) && faults)
		contradict(audit, MEMBER(place, "passed"), "true is stated, but its figures break what was agreed");
	if (json_is_false(passed) && !faults)
		contradict(audit, MEMBER(place, "passed"), "false is stated, but its figures keep what was agreed");
	if (json_is_array(stated) && json_array_size(stated) != (size_t)__builtin_popcount(faults))
		contradict(audit, MEMBER(place, "faults"), "%zu are stated, %d follow", json_array_size(stated),
			   __builtin_popcount(faults));
}

/* Check loss and rate by the counts. A limited trial excuses what the tester lost, and unavailability leaves its time
 * out. */
static void audit_direction_counts(struct audit *audit, const struct place *place, const json_t *json, double load_fps,
				   bool exact)
{
	const json_t *counts = json_object_get(json, "counts");
	double sent = read_number(counts, "sent"), received = read_number(counts, "received");

	audit_number(audit, MEMBER(place, "counts"), counts, "lost", sent - received);
	if (!exact || !(sent > 0))
		return;
	audit_number(audit, place, json, "loss_ratio", fmax(sent - received, 0) / sent);
	if (read_number(json, "received_rate") > load_fps * received / sent * (1 + 1e-9))
		contradict(audit, MEMBER(place, "received_rate"), "%.6g is stated, at most %.6g follows",
			   read_number(json, "received_rate"), load_fps * received / sent);
}

static uint64_t *frames_of(const json_t *list)
{
	uint64_t *frames = memory_noticed(calloc(json_array_size(list) + 1, sizeof(*frames)));

	json_each (item, list)
		if (frames)
			frames[item_at] = (uint64_t)json_integer_value(item);
	return frames;
}

/* Check availability by the seconds, if they are there. */
static void audit_availability(struct audit *audit, const struct place *place, const json_t *json)
{
	const json_t *due = json_object_get(json, "due_by_second"), *received = json_object_get(json, "received_by_second");
	owned uint64_t *due_frames = frames_of(due), *received_frames = frames_of(received);
	struct mlr_y1564_availability found;

	if (!json_is_array(due) || json_array_size(due) != json_array_size(received) || !due_frames || !received_frames)
		return;
	found = mlr_y1564_availability(due_frames, received_frames, json_array_size(due));
	audit_number(audit, place, json, "seconds", (double)found.seconds);
	audit_number(audit, place, json, "severely_errored_seconds", (double)found.severely_errored);
	audit_number(audit, place, json, "unavailable_seconds", (double)found.unavailable);
	audit_number(audit, place, json, "availability_ratio", found.ratio);
}

/* --- all directions ------------------------------------------------------------------------------------------------- */

/* How the directions of a step or a performance are judged. */
struct judge {
	const struct mlr_y1564_service *service;
	const struct mlr_y1564_step *step; /* NULL: a performance */
	const json_t *agreed;              /* the service of a step */
};

/* Return the size of the frames of a rate with what they take beside it, where CIR was agreed as such bits; NAN: it was not. */
static double agreed_octets(const struct judge *judge, const json_t *json, const char *rate)
{
	const char *unit = read_text(json_object_get(judge->agreed, "cir_agreed"), "unit");
	const char *layer = strcmp(unit, "bit/s") == 0 ? "l2" : strcmp(unit, "bit/s of the line") == 0 ? "l1" : "";

	return read_number(json, TEXT_OF(32, "%s_%s_bps", rate, layer)) / read_number(json, rate);
}

static unsigned int faults_of(const struct judge *judge, const json_t *json)
{
	double ratio = agreed_octets(judge, json, "received_rate") / agreed_octets(judge, judge->agreed, "cir");
	struct mlr_y1564_outcome outcome = outcome_of(json);

	outcome.received_fps *= isnan(ratio) ? 1 : ratio;
	return judge->step ? mlr_y1564_judge_step(judge->service, judge->step, &outcome)
			   : mlr_y1564_judge_performance(judge->service, &outcome);
}

/* The word of the whole: false if one is false, true if all are true. */
static void audit_passed(struct audit *audit, const struct place *place, const json_t *whole, const json_t *parts)
{
	bool failed = false, all = json_array_size(parts) > 0;
	const json_t *passed = json_object_get(whole, "passed");

	json_each (part, parts) {
		failed |= json_is_false(json_object_get(part, "passed"));
		all &= json_is_true(json_object_get(part, "passed"));
	}
	if ((json_is_true(passed) && !all && json_array_size(parts)) || (json_is_false(passed) && !failed))
		contradict(audit, MEMBER(place, "passed"), "%s is stated, %s follows",
			   json_is_true(passed) ? "true" : "false",
			   failed ? "false"
			   : all  ? "true"
				  : "no verdict");
	else if (failed && passed && !json_is_false(passed))
		contradict(audit, MEMBER(place, "passed"), "it is not stated that it failed, but a part of it did");
}

/* Check that the worst of each figure stands for all directions. */
static void audit_worst(struct audit *audit, const struct place *place, const json_t *json, const json_t *directions,
			const struct judge *judge)
{
	struct mlr_y1564_outcome outcomes[MLR_PORTS_MAX], worst;
	unsigned int faults[MLR_PORTS_MAX];
	size_t count = json_array_size(directions), which[MLR_Y1564_FIGURES];

	if (!count || count > MLR_PORTS_MAX)
		return;
	for (size_t i = 0; i < count; i++) {
		outcomes[i] = outcome_of(json_array_get(directions, i));
		faults[i] = faults_of(judge, json_array_get(directions, i));
	}
	worst = mlr_y1564_worst(outcomes, faults, count, which);
	audit_number(audit, place, json, "received_rate", worst.received_fps);
	audit_number(audit, place, json, "loss_ratio", worst.loss_ratio);
	audit_number(audit, place, json, "delay_mean_ns", worst.delay_ns);
	audit_number(audit, place, json, "delay_max_ns", worst.delay_max_ns);
	audit_number(audit, place, json, "delay_variation_ns", worst.variation_ns);
}

static void audit_directions(struct audit *audit, const struct place *place, const json_t *json, const struct judge *judge,
			     bool limited)
{
	const json_t *directions = json_object_get(json, "directions");
	double load_fps = read_number(json, "load");

	audit_bps(audit, place, json, "load");
	audit_bps(audit, place, json, "received_rate");
	audit_worst(audit, place, json, directions, judge);
	json_each (direction, directions) {
		const struct place *here = ITEM(MEMBER(place, "directions"), direction_at);
		bool available = !(read_number(direction, "unavailable_seconds") > 0);

		audit_direction_counts(audit, here, direction, load_fps, !limited && available);
		audit_availability(audit, here, direction);
		audit_verdict(audit, here, direction, faults_of(judge, direction));
	}
	if (json_array_size(directions))
		audit_passed(audit, place, json, directions);
	else if (json_object_get(json, "faults"))
		audit_verdict(audit, place, json, faults_of(judge, json));
}

/* --- tests ---------------------------------------------------------------------------------------------------------- */

static struct mlr_y1564_step step_of(const json_t *json)
{
	const char *name = read_text(json, "step");

	return (struct mlr_y1564_step){
		.kind = strcmp(name, "cir") == 0   ? MLR_Y1564_CIR
			: strcmp(name, "eir") == 0 ? MLR_Y1564_EIR
						   : MLR_Y1564_POLICING,
		.load_fps = read_number(json, "load"),
		.least_fps = read_number(json, "received_rate_min"),
		.most_fps = read_number(json, "received_rate_max"),
	};
}

static void audit_step(struct audit *audit, const struct place *place, const json_t *json, const json_t *trial,
		       const struct mlr_y1564_service *service, const json_t *agreed)
{
	struct mlr_y1564_step step = step_of(json);
	const struct judge judge = { service, &step, agreed };

	audit_number(audit, place, json, "load_ratio", step.load_fps / service->cir_fps);
	audit_directions(audit, place, json, &judge, read_truth(json, "tester_limited"));
	if (!trial)
		return;
	audit_number(audit, place, json, "load", read_number(trial, "trial_load"));
	audit_truth(audit, place, json, "tester_limited", read_truth(trial, "tester_limited"));
}

static void audit_configuration(struct audit *audit, const struct place *place, const json_t *test,
				const struct mlr_y1564_service *service, const json_t *agreed)
{
	const json_t *steps = json_object_get(test, "steps"), *trials = json_object_get(test, "trials");

	if (!json_is_object(test))
		return;
	audit_reason(audit, place, test);
	audit_trials(audit, MEMBER(place, "trials"), trials);
	json_each (step, steps)
		audit_step(audit, ITEM(MEMBER(place, "steps"), step_at), step, json_array_get(trials, step_at), service,
			   agreed);
	if (!read_string(test, "irregular_reason"))
		audit_passed(audit, place, test, steps);
}

static void audit_performance(struct audit *audit, const struct place *place, const json_t *test,
			      const struct mlr_y1564_service *service)
{
	const struct judge judge = { service, NULL, NULL };

	if (!json_is_object(test))
		return;
	audit_reason(audit, place, test);
	audit_directions(audit, place, test, &judge, read_truth(test, "tester_limited"));
	audit_trials(audit, MEMBER(place, "trials"), json_object_get(test, "trials"));
}

void audit_y1564(struct audit *audit, const json_t *document)
{
	const json_t *passed = json_object_get(document, "passed");
	bool failed = false, all = true;

	json_each (one, json_object_get(document, "services")) {
		const struct place *place = ITEM(MEMBER(NULL, "services"), one_at);
		struct mlr_y1564_service service = service_of(one);
		const json_t *tests[] = { json_object_get(one, "configuration"), json_object_get(one, "performance") };

		audit_bps(audit, place, one, "cir");
		audit_bps(audit, place, one, "eir");
		audit_configuration(audit, MEMBER(place, "configuration"), tests[0], &service, one);
		audit_performance(audit, MEMBER(place, "performance"), tests[1], &service);
		for (size_t i = 0; i < COUNT(tests); i++) {
			failed |= json_is_false(json_object_get(tests[i], "passed"));
			all &= !json_is_object(tests[i]) || json_is_true(json_object_get(tests[i], "passed"));
		}
	}
	audit_trials(audit, MEMBER(MEMBER(NULL, "performance"), "trials"), json_at(document, "/performance/trials"));
	audit_reason(audit, NULL, document);
	if (json_is_true(passed) && !all)
		contradict(audit, MEMBER(NULL, "passed"), "true is stated, but a test of a service did not pass");
	if (json_is_false(passed) && !failed)
		contradict(audit, MEMBER(NULL, "passed"), "false is stated, but no test of a service failed");
	if (failed && passed && !json_is_false(passed))
		contradict(audit, MEMBER(NULL, "passed"), "it is not stated that it failed, but a test of a service did");
}
