/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rfc2544.h"

#include <math.h>
#include <netinet/ether.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "events.h"
#include "json_text.h"
#include "progress.h"
#include "report.h"
#include "stop.h"
#include "suite_options.h"
#include "units.h"

#define TRIAL_TRIES   3 /* of a plain trial in which the tester itself was the limit */
#define REASON_SIZE   1024
#define SENTENCE_SIZE 400

static const struct rfc2544_plan by_the_book = {
	.trial_duration_s = 60,    /* section 24 */
	.latency_repeats = 20,     /* 26.2 */
	.latency_duration_s = 120, /* 26.2 */
	.loss_step_ratio = 0.1,    /* 26.3 */
	.burst_tests = 50,         /* 26.4 */
	.burst_trial_s = 2,        /* 26.4 */
	.burst_pause = true,
	.recovery_repeats = 3,     /* 26.5: "a number of times" */
	.overload_duration_s = 60, /* 26.5 */
	.reduced_duration_s = 10,
	.reset_duration_s = 120,
};

static const struct rfc2544_plan fast = {
	.trial_duration_s = 1,
	.latency_repeats = 3,
	.latency_duration_s = 2,
	.loss_step_ratio = 0.1,
	.burst_tests = 5,
	.burst_trial_s = 0.5,
	.recovery_repeats = 1,
	.overload_duration_s = 5,
	.reduced_duration_s = 2,
	.reset_duration_s = 10,
};

/* In the order in which they are made: each needs the throughput of those before it. */
static const struct test {
	const char *name, *member;
	const char *section;
	bool needs_throughput;
	enum exit_code (*perform)(struct rfc2544_run *run, json_t *json);
} tests[TEST_COUNT] = {
	[TEST_THROUGHPUT] = { "throughput", "throughput", "26.1", false, rfc2544_throughput },
	[TEST_LATENCY] = { "latency", "latency", "26.2", true, rfc2544_latency },
	[TEST_FRAME_LOSS] = { "frame-loss", "frame_loss", "26.3", false, rfc2544_frame_loss },
	[TEST_BACK_TO_BACK] = { "back-to-back", "back_to_back", "26.4", true, rfc2544_back_to_back },
	[TEST_RECOVERY] = { "recovery", "recovery", "26.5", true, rfc2544_recovery },
	[TEST_RESET] = { "reset", "reset", "26.6", true, rfc2544_reset },
};

static bool is_wanted(const struct rfc2544 *suite, enum rfc2544_test test)
{
	return suite->config->tests >> test & 1;
}

/* The book, or fast; and then what the options say. */
static struct rfc2544_plan make_plan(const struct config *config)
{
	const struct rfc2544_options *options = &config->rfc2544;
	struct rfc2544_plan plan = config->fast ? fast : by_the_book;

	if (options->trial_duration_s > 0)
		plan.trial_duration_s = options->trial_duration_s;
	if (options->latency_repeats)
		plan.latency_repeats = options->latency_repeats;
	if (options->latency_duration_s > 0)
		plan.latency_duration_s = options->latency_duration_s;
	if (options->loss_step_ratio > 0)
		plan.loss_step_ratio = options->loss_step_ratio;
	if (options->burst_tests)
		plan.burst_tests = options->burst_tests;
	if (options->recovery_repeats)
		plan.recovery_repeats = options->recovery_repeats;
	if (options->overload_duration_s > 0)
		plan.overload_duration_s = options->overload_duration_s;
	if (options->reset_duration_s > 0)
		plan.reset_duration_s = options->reset_duration_s;
	return plan;
}

/* --- trials ---------------------------------------------------------------------------------------------------------------- */

bool rfc2544_has_time(const struct rfc2544 *suite, double duration_s)
{
	const struct waits *waits = &suite->config->waits;
	double elapsed_s = (double)(clock_ns() - suite->start_ns) / (double)NS_PER_S;
	double waits_s = waits->routing_s + waits->learning_s + waits->stabilize_s;

	return suite->config->max_time_s <= 0 || elapsed_s + duration_s + waits_s <= suite->config->max_time_s;
}

/* What every trial begins with; EXIT_UNMET where it would end too late. */
static enum exit_code begin_trial(struct rfc2544_run *run, double load_fps, double duration_s)
{
	struct event_reason reason = { .goal = run->test, .rule = run->config->frame_size_text };
	const struct mlr_trial_input input = { .load_fps = load_fps, .duration_s = duration_s };

	if (stop_requested())
		return EXIT_INTERRUPTED;
	if (!rfc2544_has_time(run->suite, duration_s))
		return EXIT_UNMET;
	progress_show_trial(run->config, &input);
	return event_trial_started(run->config, ++run->suite->trial_count, &input, &reason);
}

static enum exit_code end_trial(struct rfc2544_run *run, const struct measurement *measurement)
{
	return event_trial_finished(run->config, run->suite->trial_count, report_trial(measurement));
}

enum exit_code rfc2544_trial(struct rfc2544_run *run, double load_fps, double duration_s, struct measurement *ret)
{
	const struct mlr_trial_input input = { .load_fps = load_fps, .duration_s = duration_s };

	for (int try = 1;; try++) {
		enum exit_code code = begin_trial(run, load_fps, duration_s);

		if (code == EXIT_DONE)
			code = run->measurer->ops->measure(run->measurer, &input, ret);
		if (code == EXIT_DONE)
			code = end_trial(run, ret);
		if (code != EXIT_DONE || !ret->tester_limited || try == TRIAL_TRIES)
			return code;
		measurement_free(ret);
		run->repeated++;
	}
}

enum exit_code rfc2544_course(struct rfc2544_run *run, struct trial_course *course, struct measurement *ret)
{
	double duration_s = (double)course->frame_count / course->load_fps;
	enum exit_code code;

	if (course->then_load_fps > 0)
		duration_s += (double)course->then_frame_count / course->then_load_fps;
	code = begin_trial(run, course->load_fps, duration_s);
	if (code == EXIT_DONE)
		code = measurer_xdp_measure_course(run->measurer, course, ret);
	return code == EXIT_DONE ? end_trial(run, ret) : code;
}

/* --- tests ----------------------------------------------------------------------------------------------------------------- */

static void end_suite(struct rfc2544 *suite, enum exit_code code)
{
	if (code == EXIT_UNMET)
		suite->end_reason = "the time limit of the suite was reached";
	else if (code == EXIT_INTERRUPTED)
		suite->end_reason = "interrupted";
	else if (code != EXIT_DONE)
		suite->end_reason = "a trial could not be measured";
}

/* The result of a test, as it stands in the document; its trials are not told twice. */
static enum exit_code tell_test(const struct rfc2544_run *run, const json_t *json)
{
	json_t *copy = json_copy((json_t *)json);

	json_object_del(copy, "trials");
	return event_test_finished(run->config, run->config->frame_size_text, run->test, copy);
}

static enum exit_code perform_test(struct rfc2544_run *run, const struct test *test, json_t *json)
{
	if (!test->needs_throughput || run->throughput_fps > 0)
		return test->perform(run, json);
	run->reason = "the throughput is not known";
	return EXIT_DONE;
}

/* Takes its result over, whole or not. */
static enum exit_code run_test(struct rfc2544_run *run, const struct test *test)
{
	struct rfc2544 *suite = run->suite;
	uint64_t start_ns = clock_ns();
	json_t *json = json_object();
	enum exit_code code, told;

	run->test = test->name;
	run->reason = NULL;
	run->tester_limited = false;
	run->repeated = 0;
	note("%s octets: %s", run->config->frame_size_text, test->name);
	code = event_test_started(run->config, run->config->frame_size_text, test->name);
	if (code == EXIT_DONE)
		code = perform_test(run, test, json);
	end_suite(suite, code);
	if (code != EXIT_DONE)
		run->reason = suite->end_reason;
	json_object_update_new(json, json_pack("{s:b, s:s?, s:b, s:f, s:I}", "regular", !run->reason, "irregular_reason",
					       run->reason, "tester_limited", run->tester_limited, "duration",
					       (double)(clock_ns() - start_ns) / (double)NS_PER_S, "repeated_trials",
					       (json_int_t)run->repeated));
	suite->irregular |= run->reason != NULL;
	suite->tester_limited |= run->tester_limited;
	if (test == &tests[TEST_RESET])
		suite->reset = json_incref(json);
	else
		json_object_set(run->json, test->member, json);
	told = tell_test(run, json);
	json_decref(json);
	return code == EXIT_DONE || code == EXIT_UNMET ? (told == EXIT_DONE ? code : told) : code;
}

/* Whether a test has to be made: because it was asked for, or because another one needs its result. */
static bool is_needed(const struct rfc2544 *suite, enum rfc2544_test test, bool smallest)
{
	if (test == TEST_RESET)
		return is_wanted(suite, TEST_RESET) && smallest;
	if (test != TEST_THROUGHPUT || is_wanted(suite, test))
		return is_wanted(suite, test);
	for (int i = 0; i < TEST_COUNT; i++)
		if (tests[i].needs_throughput && is_needed(suite, i, smallest))
			return true;
	return false;
}

/* --- frame sizes ------------------------------------------------------------------------------------------------------------ */

static const json_t *port_of(const json_t *measurer, size_t port)
{
	return json_array_get(json_object_get(measurer, "ports"), port);
}

/* Whom the ports face is asked once, with the first frame size. */
static void take_macs(const json_t *measurer, struct config *config)
{
	for (size_t i = 0; i < config->port_count; i++) {
		const char *text = json_string_value(json_object_get(port_of(measurer, i), "destination_mac"));

		if (text && ether_aton_r(text, &config->ports[i].destination_mac))
			config->ports[i].destination_mac_given = true;
	}
}

/* What the document says of how it was measured, by the first frame size. */
static void keep_setting(struct rfc2544_run *run)
{
	struct rfc2544 *suite = run->suite;

	if (suite->setting)
		return;
	suite->setting = json_object();
	suite->transmitters = run->measurer->transmitters;
	report_add_setting(suite->setting, run->config, run->measurer, suite->start_time);
}

static enum exit_code begin_frame_size(struct rfc2544_run *run)
{
	enum exit_code code = load_range_find(run->config, run->measurer, &run->range);
	double line_fps = run->measurer->line_rate_fps;
	unsigned int octets = run->config->frame_size_octets;

	if (code == EXIT_DONE || code == EXIT_INTERRUPTED)
		keep_setting(run);
	if (code != EXIT_DONE)
		return code;
	run->throughput_fps = NAN;
	run->json = json_pack("{s:s, s:o, s:o, s:f, s:s, s:f}", "frame_size", run->config->frame_size_text,
			      "frame_size_octets", octets ? json_integer(octets) : json_null(), "line_rate",
			      json_number_or_null(line_fps > 0 ? line_fps : NAN), "max_load", run->range.max_fps,
			      "max_load_source", run->range.max_source, "max_rate", run->range.max_fps);
	json_array_append(run->suite->frame_sizes, run->json);
	for (size_t i = 0; i < TEST_RESET; i++)
		json_object_set_new(run->json, tests[i].member, json_null());
	return EXIT_DONE;
}

static enum exit_code measure_frame_size(struct rfc2544 *suite, const char *frame_size, bool smallest)
{
	struct config config;
	struct rfc2544_run run = { .suite = suite, .config = &config };
	enum exit_code code = config_for_frame_size(suite->config, frame_size, &config);

	if (code != EXIT_DONE)
		return code;
	if (suite->setting)
		take_macs(json_object_get(suite->setting, "measurer"), &config);
	code = measurer_new(&config, &run.measurer);
	if (code == EXIT_DONE || code == EXIT_INTERRUPTED)
		code = begin_frame_size(&run);
	for (int i = 0; i < TEST_COUNT && code == EXIT_DONE; i++)
		if (is_needed(suite, i, smallest))
			code = run_test(&run, &tests[i]);
	json_decref(run.json);
	measurer_free(run.measurer);
	return code;
}

/* The index of the smallest frame size, for which the reset is measured. */
static enum exit_code find_smallest(const struct config *config, unsigned int *ret_index)
{
	unsigned int least_octets = UINT32_MAX;
	char frame_size[FRAME_SIZE_TEXT];

	for (unsigned int i = 0; frame_sizes_part(config->frame_size_text, i, frame_size); i++) {
		struct config one;
		enum exit_code code = config_for_frame_size(config, frame_size, &one);

		if (code != EXIT_DONE)
			return code;
		if (one.frame_size_octets && one.frame_size_octets < least_octets) {
			least_octets = one.frame_size_octets;
			*ret_index = i;
		}
	}
	return EXIT_DONE;
}

enum exit_code rfc2544_run(const struct config *config, struct rfc2544 *ret)
{
	struct rfc2544 *suite = ret;
	char frame_size[FRAME_SIZE_TEXT];
	unsigned int smallest = 0;
	enum exit_code code;

	*suite = (struct rfc2544){
		.config = config,
		.plan = make_plan(config),
		.start_time = time(NULL),
		.start_ns = clock_ns(),
		.frame_sizes = json_array(),
	};
	code = find_smallest(config, &smallest);
	for (unsigned int i = 0; code == EXIT_DONE && frame_sizes_part(config->frame_size_text, i, frame_size); i++)
		code = measure_frame_size(suite, frame_size, i == smallest);
	progress_end();
	end_suite(suite, code);
	suite->duration_s = (double)(clock_ns() - suite->start_ns) / (double)NS_PER_S;
	return code == EXIT_DONE && (suite->irregular || suite->tester_limited) ? EXIT_UNMET : code;
}

void rfc2544_free(struct rfc2544 *suite)
{
	json_decref(suite->frame_sizes);
	json_decref(suite->reset);
	json_decref(suite->setting);
}

/* --- deviations from the book ---------------------------------------------------------------------------------------------- */

static bool has_frame_size(const struct config *config, const char *wanted)
{
	char frame_size[FRAME_SIZE_TEXT];

	for (unsigned int i = 0; frame_sizes_part(config->frame_size_text, i, frame_size); i++)
		if (!strcmp(frame_size, wanted))
			return true;
	return false;
}

/* 9.1 and what was left out of section 26. */
static void add_omissions(const struct rfc2544 *suite, json_t *sentences)
{
	char missing[SENTENCE_SIZE] = "", wanted[FRAME_SIZE_TEXT];
	size_t used = 0;

	for (unsigned int i = 0; frame_sizes_part(RFC2544_FRAME_SIZES, i, wanted); i++)
		if (!has_frame_size(suite->config, wanted))
			used += (size_t)snprintf(missing + used, sizeof(missing) - used, "%s%s", used ? ", " : "", wanted);
	if (used)
		append_sentence(sentences, "Frame sizes: RFC 2544 section 9.1 also has %s octets.", missing);
	for (int i = 0; i < TEST_COUNT; i++)
		if (!is_wanted(suite, i))
			append_sentence(sentences, "Section %s: %s was not asked for.", tests[i].section, tests[i].name);
	if (suite->config->direction == DIRECTION_A_TO_B || suite->config->direction == DIRECTION_B_TO_A)
		append_sentence(sentences, "Section 14: one direction only; RFC 2544 says both.");
}

static void add_deviations(const struct rfc2544 *suite, json_t *sentences)
{
	const struct rfc2544_plan *plan = &suite->plan, *book = &by_the_book;

	if (plan->trial_duration_s < book->trial_duration_s)
		append_sentence(sentences, "Throughput: trials of %g s, RFC 2544 section 24 says at least %g s.",
				plan->trial_duration_s, book->trial_duration_s);
	if (is_wanted(suite, TEST_LATENCY) && plan->latency_repeats < book->latency_repeats)
		append_sentence(sentences, "Latency: %u repeats, RFC 2544 section 26.2 says at least %u.",
				plan->latency_repeats, book->latency_repeats);
	if (is_wanted(suite, TEST_LATENCY) && plan->latency_duration_s < book->latency_duration_s)
		append_sentence(sentences, "Latency: streams of %g s, RFC 2544 section 26.2 says at least %g s.",
				plan->latency_duration_s, book->latency_duration_s);
	if (is_wanted(suite, TEST_LATENCY))
		append_sentence(sentences,
				"Latency: every frame is measured, RFC 2544 section 26.2 says one frame after 60 s of "
				"each stream; the value of a repeat is the mean over its frames.");
	if (is_wanted(suite, TEST_FRAME_LOSS) && plan->trial_duration_s < book->trial_duration_s)
		append_sentence(sentences, "Frame loss rate: trials of %g s, RFC 2544 section 24 says at least %g s.",
				plan->trial_duration_s, book->trial_duration_s);
	if (is_wanted(suite, TEST_BACK_TO_BACK) && plan->burst_tests < book->burst_tests)
		append_sentence(sentences, "Back-to-back frames: %u tests, RFC 2544 section 26.4 says at least %u.",
				plan->burst_tests, book->burst_tests);
	if (is_wanted(suite, TEST_BACK_TO_BACK) && !plan->burst_pause)
		append_sentence(sentences,
				"Back-to-back frames: bursts of at most %g s without a pause after them, RFC 2544 "
				"section 26.4 says trials of at least %g s.",
				plan->burst_trial_s, book->burst_trial_s);
	if (is_wanted(suite, TEST_RECOVERY) && plan->overload_duration_s < book->overload_duration_s)
		append_sentence(sentences, "System recovery: overload for %g s, RFC 2544 section 26.5 says at least %g s.",
				plan->overload_duration_s, book->overload_duration_s);
}

/* Where the maximum rate is not that of the medium. */
static void add_rate_deviations(const struct rfc2544 *suite, json_t *sentences)
{
	const json_t *first = json_array_get(suite->frame_sizes, 0);
	double line_fps = json_number_value(json_object_get(first, "line_rate"));
	double max_fps = json_number_value(json_object_get(first, "max_rate"));

	if (!first)
		return;
	if (line_fps <= 0)
		append_sentence(
			sentences,
			"Maximum rate: these ports have no known line rate; 100 %% of the frame loss rate, and the rate of "
			"bursts, is Max Load (%s), not the maximum of the medium.",
			json_string_value(json_object_get(first, "max_load_source")));
	else if (max_fps < line_fps)
		append_sentence(
			sentences,
			"Maximum rate: Max Load is below the line rate; it is 100 %% of the frame loss rate, and the rate "
			"of bursts.");
}

/* --- the document ---------------------------------------------------------------------------------------------------------- */

static json_t *tests_json(const struct rfc2544 *suite)
{
	json_t *list = json_array();

	for (int i = 0; i < TEST_COUNT; i++)
		if (is_wanted(suite, i))
			json_array_append_new(list, json_string(tests[i].name));
	return list;
}

static size_t add_reason(char text[REASON_SIZE], size_t used, const char *frame_size, const char *test, const json_t *json)
{
	const char *reason = json_string_value(json_object_get(json, "irregular_reason"));

	if (reason && used < REASON_SIZE)
		used += (size_t)snprintf(text + used, REASON_SIZE - used, "%s%s, %s: %s", used ? "; " : "", frame_size, test,
					 reason);
	return used;
}

/* How it ended, else what is irregular of each frame size. */
static json_t *irregular_reason_json(const struct rfc2544 *suite)
{
	char text[REASON_SIZE] = "";
	size_t used = 0;

	if (suite->end_reason)
		return json_string(suite->end_reason);
	for (size_t i = 0; i < json_array_size(suite->frame_sizes); i++) {
		const json_t *one = json_array_get(suite->frame_sizes, i);

		for (int test = 0; test < TEST_RESET; test++)
			used = add_reason(text, used, json_string_value(json_object_get(one, "frame_size")),
					  tests[test].name, json_object_get(one, tests[test].member));
	}
	used = add_reason(text, used, json_string_value(json_object_get(suite->reset, "frame_size")), "reset", suite->reset);
	return used ? json_string(text) : json_null();
}

json_t *report_rfc2544(const struct rfc2544 *suite)
{
	json_t *document, *sentences;

	if (!suite->setting)
		return NULL;
	sentences = json_object_get(suite->setting, "deviations");
	add_omissions(suite, sentences);
	add_rate_deviations(suite, sentences);
	add_deviations(suite, sentences);
	document = json_pack("{s:s, s:o, s:b, s:b, s:o, s:b, s:f, s:O, s:O?, s:s, s:i}", "schema", "xdp-mlr/rfc2544/1",
			     "tests", tests_json(suite), "fast", (int)suite->config->fast, "regular",
			     !suite->irregular && !suite->end_reason, "irregular_reason", irregular_reason_json(suite),
			     "tester_limited", (int)suite->tester_limited, "suite_duration", suite->duration_s,
			     "frame_sizes", suite->frame_sizes, "reset", suite->reset, "load_scope", "interface",
			     "aggregate_factor", (int)suite->transmitters);
	if (document)
		json_object_update(document, suite->setting);
	return document;
}
