/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/rfc2544.h"

#include <math.h>

#include "base/clock.h"
#include "base/json_value.h"
#include "benchmark/rfc2544_run.h"
#include "benchmark/search_time.h"
#include "config/options_suite.h"
#include "measurer/apart.h"
#include "progress/progress.h"

const struct rfc2544_plan rfc2544_by_the_book = {
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
	.reconf_duration_s = 10,
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
	.reconf_duration_s = 10,
};

/* The tests, in the order in which they are performed: each needs the throughput of those before it. */
const struct rfc2544_name rfc2544_names[TEST_COUNT] = {
	[TEST_THROUGHPUT] = { "throughput", "throughput", "26.1" },
	[TEST_LATENCY] = { "latency", "latency", "26.2" },
	[TEST_FRAME_LOSS] = { "frame-loss", "frame_loss", "26.3" },
	[TEST_BACK_TO_BACK] = { "back-to-back", "back_to_back", "26.4" },
	[TEST_RECOVERY] = { "recovery", "recovery", "26.5" },
	[TEST_RESET] = { "reset", "reset", "26.6" },
	[TEST_RECONF] = { "reconf", "reconf", NULL },
};

static const struct test {
	enum exit_code (*perform)(struct rfc2544_run *run, json_t *json);
	bool needs_throughput;
} tests[TEST_COUNT] = {
	[TEST_THROUGHPUT] = { rfc2544_throughput, false }, [TEST_LATENCY] = { rfc2544_latency, true },
	[TEST_FRAME_LOSS] = { rfc2544_frame_loss, false }, [TEST_BACK_TO_BACK] = { rfc2544_back_to_back, true },
	[TEST_RECOVERY] = { rfc2544_recovery, true },      [TEST_RESET] = { rfc2544_reset, true },
	[TEST_RECONF] = { rfc2544_reconf, true },
};

/* Set the durations by the book or for --fast, and then by the options. */
static struct rfc2544_plan make_plan(const struct config *config)
{
	const struct rfc2544_options *options = &config->rfc2544;
	struct rfc2544_plan plan = config->fast ? fast : rfc2544_by_the_book;

	plan.trial_duration_s = options->trial_duration_s ?: plan.trial_duration_s;
	plan.latency_repeats = options->latency_repeats ?: plan.latency_repeats;
	plan.latency_duration_s = options->latency_duration_s ?: plan.latency_duration_s;
	plan.loss_step_ratio = options->loss_step_ratio ?: plan.loss_step_ratio;
	plan.burst_tests = options->burst_tests ?: plan.burst_tests;
	plan.recovery_repeats = options->recovery_repeats ?: plan.recovery_repeats;
	plan.overload_duration_s = options->overload_duration_s ?: plan.overload_duration_s;
	plan.reset_duration_s = options->reset_duration_s ?: plan.reset_duration_s;
	plan.reconf_duration_s = options->reconf_duration_s ?: plan.reconf_duration_s;
	return plan;
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

static enum exit_code perform_test(void *context, json_t *json)
{
	struct rfc2544_run *run = context;

	if (!tests[run->test].needs_throughput || run->throughput_fps > 0)
		return tests[run->test].perform(run, json);
	run->part.reason = "the throughput is not known";
	return EXIT_DONE;
}

/* Add the result of a test, whole or not. It takes the reference over. */
static enum exit_code run_test(struct rfc2544_run *run, enum rfc2544_test test)
{
	struct rfc2544 *suite = run->suite;
	json_auto_t *json = json_object();
	enum exit_code code;

	run->test = test;
	note("%s octets: %s", run->part.config->frame_size_text, rfc2544_names[test].name);
	code = suite_test(&run->part, rfc2544_names[test].name, perform_test, run, json);
	if (test == TEST_RESET)
		suite->reset = json_incref(json);
	else if (test == TEST_RECONF)
		suite->reconf = json_incref(json);
	else
		json_object_set(run->json, rfc2544_names[test].member, json);
	return code;
}

/* Whether a test has to be made: because it was asked for, or because another one needs its result. */
static bool is_needed(const struct rfc2544 *suite, enum rfc2544_test test, bool smallest)
{
	if (test == TEST_RESET || test == TEST_RECONF)
		return rfc2544_is_wanted(suite, test) && smallest;
	if (test != TEST_THROUGHPUT || rfc2544_is_wanted(suite, test))
		return rfc2544_is_wanted(suite, test);
	for (int i = 0; i < TEST_COUNT; i++)
		if (tests[i].needs_throughput && is_needed(suite, i, smallest))
			return true;
	return false;
}

/* --- how long it takes ---------------------------------------------------------------------------------------------- */

#define BURSTS_OF_SEARCH                                                                                                    \
	15.0 /* bursts of a search for the longest one, up by doubling and then by what arrived, from some hundred frames */
#define BURST_CHECK_S 4.0 /* time for which a SUT is left alone at the end of a search, at least */

/* Estimate the time of a test: as long as it took at the size before, or by its plan. */
static double expected_s(const struct rfc2544 *suite, enum rfc2544_test test)
{
	const struct rfc2544_plan *plan = &suite->plan;
	const struct waits *waits = &suite->common.config->waits;
	double wait_s = waits_always_s(waits) + waits->residual_s / WAIT_QUIET_PART; /* most trials lose frames */

	if (suite->took_s[test] > 0)
		return suite->took_s[test];
	switch (test) {
	case TEST_THROUGHPUT:
		return isnan(suite->search_s) ? 0 : suite->search_s;
	case TEST_LATENCY:
		return plan->latency_repeats * (plan->latency_duration_s + wait_s);
	case TEST_FRAME_LOSS:
		return (plan->trial_duration_s + wait_s) / plan->loss_step_ratio;
	case TEST_BACK_TO_BACK:
		return plan->burst_tests * BURSTS_OF_SEARCH * fmax(plan->burst_pause ? plan->burst_trial_s : 0, wait_s) +
		       fmax(BURST_CHECK_S, 2 * wait_s);
	case TEST_RECOVERY:
		return plan->recovery_repeats * (plan->overload_duration_s + plan->reduced_duration_s + wait_s);
	case TEST_RESET:
		return plan->reset_duration_s + wait_s;
	case TEST_RECONF:
		return plan->reconf_duration_s + wait_s;
	case TEST_COUNT:
		break;
	}
	return 0;
}

/* Estimate the time of the tests from this one on, at one frame size, and count all of them. */
static double size_s(const struct rfc2544 *suite, int first, bool smallest, unsigned int *ret_tests)
{
	double duration_s = 0;

	*ret_tests = 0;
	for (int i = 0; i < TEST_COUNT; i++) {
		if (!is_needed(suite, i, smallest))
			continue;
		++*ret_tests;
		duration_s += i >= first ? expected_s(suite, i) : 0;
	}
	return duration_s;
}

/* Estimate the time of so many sizes, with the smallest among them or without. */
static double sizes_s(const struct rfc2544 *suite, unsigned int sizes, bool with_smallest)
{
	unsigned int count;

	return sizes ? (sizes - with_smallest) * size_s(suite, 0, false, &count) +
			       (with_smallest ? size_s(suite, 0, true, &count) : 0)
		     : 0;
}

/* Show that a test begins, the n-th of this size. */
static void show_stage(struct rfc2544_run *run, enum rfc2544_test test, unsigned int number)
{
	struct rfc2544 *suite = run->suite;
	unsigned int count;
	double after_s = size_s(suite, test + 1, run->smallest, &count) +
			 sizes_s(suite, suite->sizes - suite->size, suite->size <= suite->smallest);
	const char *stage =
		TEXT_OF(VIEW_STAGE_SIZE, "size %u of %u, test %u of %u", suite->size, suite->sizes, number, count);

	suite_stage(&run->part, stage, expected_s(suite, test), after_s);
}

/* --- frame sizes -------------------------------------------------------------------------------------------------- */

static enum exit_code begin_frame_size(struct rfc2544_run *run)
{
	enum exit_code code = load_range_find(run->part.config, run->part.measurer, &run->range);
	double line_fps = run->part.measurer->line_rate_fps;

	if (code == EXIT_DONE || code == EXIT_INTERRUPTED)
		suite_keep_setting(&run->part);
	if (code != EXIT_DONE)
		return code;
	run->throughput_fps = NAN;
	run->json = json_with("frame_size", run->part.config->frame_size_text, "frame_size_octets",
			      run->part.config->frame_size_octets, "line_rate", line_fps > 0 ? line_fps : NAN, "max_load",
			      run->range.max_fps, "max_load_source", run->range.max_source, "max_rate", run->range.max_fps);
	json_array_append(run->suite->frame_sizes, run->json);
	for (size_t i = 0; i < TEST_RESET; i++)
		json_put(run->json, rfc2544_names[i].member, json_null());
	return EXIT_DONE;
}

static enum exit_code measure_frame_size(struct rfc2544 *suite, const char *frame_size)
{
	struct config config;
	struct rfc2544_run run = { .part = { .suite = &suite->common, .config = &config },
				   .suite = suite,
				   .smallest = suite->size == suite->smallest + 1 };
	const struct part_name part = { .kind = PART_FRAME_SIZE, .number = suite->size - 1 };
	unsigned int number = 0;
	enum exit_code code = config_for_frame_size(suite->common.config, frame_size, &config);

	if (code != EXIT_DONE)
		return code;
	suite_take_earlier(&suite->common, &config);
	code = measurer_new_part(&config, &part, &run.part.measurer);
	if (code == EXIT_DONE || code == EXIT_INTERRUPTED)
		code = begin_frame_size(&run);
	for (int i = 0; i < TEST_COUNT && code == EXIT_DONE; i++) {
		if (!is_needed(suite, i, run.smallest))
			continue;
		show_stage(&run, i, ++number);
		code = run_test(&run, i);
		suite->took_s[i] = clock_since_s(run.part.test_start_ns);
	}
	json_decref(run.json);
	suite_end_part(&run.part);
	return code;
}

/* Return the index of the smallest frame size, for which reset and reconfiguration are measured. */
static enum exit_code find_smallest(const struct config *config, unsigned int *ret_index)
{
	double least_octets = INFINITY;
	char frame_size[FRAME_SIZE_TEXT];

	for (unsigned int i = 0; frame_sizes_part(config->frame_size_text, i, frame_size); i++) {
		struct config one;
		enum exit_code code = config_for_frame_size(config, frame_size, &one);

		if (code != EXIT_DONE)
			return code;
		if (one.frame_size_octets < least_octets) {
			least_octets = one.frame_size_octets;
			*ret_index = i;
		}
	}
	return EXIT_DONE;
}

/* Make the suite before it begins. */
static enum exit_code prepare(const struct config *config, struct rfc2544 *ret)
{
	char frame_size[FRAME_SIZE_TEXT];
	struct config search = *config;
	enum exit_code code;

	*ret = (struct rfc2544){
		.common = suite_begin(config),
		.plan = make_plan(config),
	};
	while (frame_sizes_part(config->frame_size_text, ret->sizes, frame_size))
		ret->sizes++;
	code = find_smallest(config, &ret->smallest);
	rfc2544_set_goal(&search, &ret->plan);
	search.max_time_s = 0;
	return code ?: search_time_s(&search, &ret->search_s);
}

enum exit_code rfc2544_estimate(const struct config *config, double *ret_duration_s)
{
	struct rfc2544 suite;
	enum exit_code code = prepare(config, &suite);
	double duration_s = sizes_s(&suite, suite.sizes, true);

	if (code == EXIT_DONE)
		*ret_duration_s = config->max_time_s > 0 ? fmin(config->max_time_s, duration_s) : duration_s;
	return code;
}

enum exit_code rfc2544_run(const struct config *config, struct rfc2544 *ret)
{
	struct rfc2544 *suite = ret;
	char frame_size[FRAME_SIZE_TEXT];
	enum exit_code code = prepare(config, suite);

	suite->frame_sizes = json_array();
	while (code == EXIT_DONE && frame_sizes_part(config->frame_size_text, suite->size, frame_size)) {
		suite->size++;
		code = measure_frame_size(suite, frame_size);
	}
	return suite_end(&suite->common, code);
}

void rfc2544_free(struct rfc2544 *suite)
{
	json_decref(suite->frame_sizes);
	json_decref(suite->reset);
	json_decref(suite->reconf);
	json_decref(suite->common.setting);
}
