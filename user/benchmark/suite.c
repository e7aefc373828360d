/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/suite.h"

#include <netinet/ether.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/message.h"
#include "base/stop.h"
#include "progress/events.h"
#include "progress/progress.h"
#include "result/report.h"

/* Whether something of this duration still ends in time. */
static bool has_time(const struct suite *suite, double duration_s)
{
	double elapsed_s = clock_since_s(suite->start_ns);
	double waits_s = waits_always_s(&suite->config->waits);

	return suite->config->max_time_s <= 0 || elapsed_s + duration_s + waits_s <= suite->config->max_time_s;
}

/* Begin a trial. EXIT_UNMET if it would end too late. */
static enum exit_code begin_trial(struct suite_part *part, double load_fps, double duration_s)
{
	struct event_reason reason = { .goal = part->test, .rule = part->config->frame_size_text };
	const struct mlr_trial_input input = { .load_fps = load_fps, .duration_s = duration_s };

	if (stop_requested())
		return EXIT_INTERRUPTED;
	if (!has_time(part->suite, duration_s))
		return EXIT_UNMET;
	progress_show_trial(part->config, &input, part->test_s - (double)(clock_ns() - part->test_start_ns) / NS_PER_S);
	return event_trial_started(part->config, ++part->suite->trial_count, &input, &reason);
}

static enum exit_code end_trial(struct suite_part *part, const struct measurement *measurement)
{
	progress_trial_ended(&measurement->counts, measurement->verdict.lost, measurement->result.output.loss_ratio);
	return event_trial_finished(part->config, part->suite->trial_count, report_trial(measurement));
}

enum exit_code suite_trial(struct suite_part *part, double load_fps, double duration_s, struct measurement *ret)
{
	const struct mlr_trial_input input = { .load_fps = load_fps, .duration_s = duration_s };

	enum exit_code code = begin_trial(part, load_fps, duration_s)
				      ?: part->measurer->ops->measure(part->measurer, &input, ret);

	if (code != EXIT_DONE)
		return code;
	part->repeated += (unsigned int)ret->tester_repeats;
	return end_trial(part, ret);
}

enum exit_code suite_steps(struct suite_part *part, struct load_steps *steps, struct measurement *ret)
{
	return begin_trial(part, steps->load_fps, load_steps_duration_s(steps))
		       ?: measurer_xdp_measure_steps(part->measurer, steps, ret)
		       ?: end_trial(part, ret);
}

/* --- the suite ------------------------------------------------------------------------------------------------------ */

struct suite suite_begin(const struct config *config)
{
	struct suite suite = { .config = config, .start_time = time(NULL), .start_ns = clock_ns() };

	suite.numbers.given = getrandom(&suite.numbers.base, sizeof(suite.numbers.base), 0) > 0;
	return suite;
}

static void note_end(struct suite *suite, enum exit_code code)
{
	if (code == EXIT_UNMET)
		suite->end_reason = "the time limit of the suite was reached";
	else if (code == EXIT_INTERRUPTED)
		suite->end_reason = "interrupted";
	else if (code != EXIT_DONE)
		suite->end_reason = "a trial could not be measured";
}

enum exit_code suite_end(struct suite *suite, enum exit_code code)
{
	progress_end();
	progress_stage("", 0, 0, 0);
	note_end(suite, code);
	suite->duration_s = clock_since_s(suite->start_ns);
	return code == EXIT_DONE && (suite->irregular || suite->tester_limited) ? EXIT_UNMET : code;
}

void suite_stage(struct suite_part *part, const char *stage, double test_s, double after_s)
{
	part->test_s = test_s;
	part->test_start_ns = clock_ns();
	progress_stage(stage, part->suite->start_ns, after_s, part->suite->config->max_time_s);
}

/* Add the deviations that this part has beside those before it. */
static void add_deviations(json_t *setting, const struct suite_part *part)
{
	json_auto_t *deviations = report_deviations(part->config, part->measurer);
	json_t *known = json_object_get(setting, "deviations");

	json_each (sentence, deviations)
		if (!json_list_has(known, sentence))
			json_array_append(known, sentence);
}

void suite_keep_setting(struct suite_part *part)
{
	struct suite *suite = part->suite;

	if (suite->setting) {
		add_deviations(suite->setting, part);
		return;
	}
	suite->setting = json_object();
	suite->transmitters = part->measurer->transmitters;
	report_add_setting(suite->setting, part->config, part->measurer, suite->start_time);
	/* nothing has come yet */
	json_object_del(json_object_get(suite->setting, "measurer"), "late_frames");
}

/* Add frames to those of the same trial. */
static void add_trial(json_t *trials, json_t *more)
{
	json_each (trial, trials) {
		json_t *frames = json_object_get(trial, "frames");

		if (json_equal(json_object_get(trial, "trial_number"), json_object_get(more, "trial_number"))) {
			json_integer_set(frames, json_integer_value(frames) + (json_int_t)read_number(more, "frames"));
			return;
		}
	}
	json_array_append(trials, more);
}

/* Add what came late in another part. */
static void add_late(json_t *sum, const json_t *late)
{
	json_each_member (member, more, late) {
		json_t *here = json_object_get(sum, member);

		if (json_is_integer(more))
			json_integer_set(here, json_integer_value(here) + json_integer_value(more));
		else if (!strcmp(member, "of_trials"))
			json_each (trial, more)
				add_trial(here, trial);
		else
			json_array_extend(here, more);
	}
}

void suite_end_part(struct suite_part *part)
{
	struct trial_numbers *numbers = &part->suite->numbers;
	json_t *measurer = json_object_get(part->suite->setting, "measurer"),
	       *sum = json_object_get(measurer, "late_frames");
	json_auto_t *described = part->measurer ? part->measurer->ops->describe(part->measurer) : NULL;
	json_t *late = json_object_get(described, "late_frames");
	uint64_t last = part->measurer ? part->measurer->last_trial : 0;

	if (sum)
		add_late(sum, late);
	else if (late && measurer)
		json_object_set(measurer, "late_frames", late);
	/* The number after the last one is for what the next part sends to connect. A part that performed no trial may have
	 * sent frames to connect, too. */
	if (numbers->given && (last || part->config->connect != SWITCH_OFF) && last >= numbers->used)
		numbers->used = (uint32_t)last + 1;
	measurer_free(part->measurer);
	part->measurer = NULL;
}

void suite_take_macs(const json_t *measurer, struct config *config)
{
	const json_t *ports = json_object_get(measurer, "ports");

	for (size_t i = 0; i < config->port_count; i++) {
		const json_t *port = json_array_get(ports, i);
		const char *text = read_string(port, "destination_mac");

		/* if nobody answered for a gateway yet, it is asked again */
		if (text && strcmp(read_text(port, "destination_mac_source"), "the other port's") != 0 &&
		    ether_aton_r(text, &config->ports[i].destination_mac))
			config->ports[i].destination_mac_given = true;
	}
}

void suite_take_earlier(const struct suite *suite, struct config *config)
{
	suite_take_macs(json_object_get(suite->setting, "measurer"), config);
	config->earlier = suite->numbers;
}

/* Return the result of a test, as the document has it. Its trials are not repeated there. */
static enum exit_code emit_test(const struct suite_part *part, const json_t *json)
{
	json_t *copy = json_copy((json_t *)json);

	json_object_del(copy, "trials");
	return event_test_finished(part->config, part->config->frame_size_text, part->test, copy);
}

enum exit_code suite_test(struct suite_part *part, const char *test, enum exit_code (*perform)(void *run, json_t *json),
			  void *run, json_t *json)
{
	struct suite *suite = part->suite;
	uint64_t start_ns = clock_ns();
	enum exit_code code, told;

	part->test = test;
	part->reason = NULL;
	part->tester_limited = false;
	part->repeated = 0;
	code = event_test_started(part->config, part->config->frame_size_text, test) ?: perform(run, json);
	note_end(suite, code);
	if (code != EXIT_DONE)
		part->reason = suite->end_reason;
	json_put(json, "regular", json_boolean(!part->reason), "irregular_reason", part->reason, "tester_limited",
		 part->tester_limited, "duration", clock_since_s(start_ns), "repeated_trials", part->repeated);
	suite->irregular |= part->reason != NULL;
	suite->tester_limited |= part->tester_limited;
	told = emit_test(part, json);
	return code == EXIT_DONE || code == EXIT_UNMET ? (told == EXIT_DONE ? code : told) : code;
}
