/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the suite makes of the latency of several repeats, by a measurer whose clock changes, and of bursts that the tester spoils. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "benchmark/rfc2544_run.h"

#define REPEATS 4

static const char hardware[] = "hardware receive timestamp, software departure", software[] = "software";

/* What each trial is to say. */
static struct {
	const char *source; /* NULL: it has no latency */
	double error_bound_ns;
} trials[REPEATS];
static size_t performed, directions;
static size_t silent; /* so many of the directions, the first ones, have no latency */

static enum exit_code measure(struct measurer *measurer, const struct mlr_trial_input *input, struct measurement *ret)
{
	(void)measurer;
	*ret = (struct measurement){
		.result = { .input = *input, .output = { .effective_duration_s = input->duration_s } },
		.has_latency = trials[performed].source,
		.latency = { .clock = "a clock",
			     .definition = "a definition",
			     .source = trials[performed].source,
			     .error_bound_ns = trials[performed].error_bound_ns,
			     .count = 100,
			     .mean_ns = 1000 },
	};
	if (directions > 1) {
		ret->direction_count = ret->port_count = directions;
		for (size_t i = 0; i < directions; i++) {
			snprintf(ret->ports[i].name, sizeof(ret->ports[i].name), "%c", (char)('a' + i));
			ret->directions[i] = (struct trial_direction){ .to = (unsigned int)i, .from = 1u << (1 - i) };
			ret->by_direction[i].has_latency = i >= silent;
			ret->by_direction[i].latency = ret->latency;
		}
		/* The trial has the worse mean of both, and the frames of both. */
		ret->by_direction[0].latency.count = 75;
		ret->by_direction[1].latency.count = 25;
		ret->by_direction[1].latency.mean_ns = 200;
	}
	performed++;
	return EXIT_DONE;
}

/* A burst longer than 100 frames loses one, to whom it says. */
static struct loss_attribution places;
static uint64_t spoilt_bursts; /* after so many such bursts it is the SUT's; at first it is whose `places` says */

static enum exit_code steps(struct measurer *measurer, struct load_steps *steps, struct measurement *ret)
{
	bool is_lossy = steps->frame_count > 100;

	(void)measurer;
	*ret = (struct measurement){ .direction_count = 1 };
	ret->verdict.lost = ret->by_direction[0].verdict.lost = is_lossy;
	if (is_lossy && spoilt_bursts)
		ret->attribution = places;
	spoilt_bursts -= is_lossy && spoilt_bursts;
	return EXIT_DONE;
}

static const struct measurer_ops ops = { .measure = measure, .steps = steps };
static struct measurer measurer = { .ops = &ops, .transmitters = 1 };
static struct config config = { .frame_size_text = "64", .quiet = true };
static struct rfc2544 suite = { .common = { .config = &config },
				.plan = { .latency_repeats = REPEATS, .latency_duration_s = 1 } };
static struct rfc2544_run run;
static json_t *result;

static void set_trial(size_t trial, const char *source, double error_bound_ns)
{
	trials[trial].source = source;
	trials[trial].error_bound_ns = error_bound_ns;
}

static int set_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < REPEATS; i++)
		set_trial(i, hardware, 100 + (double)i);
	performed = 0;
	directions = 1;
	silent = 0;
	run = (struct rfc2544_run){ .part = { .suite = &suite.common, .config = &config, .measurer = &measurer },
				    .suite = &suite,
				    .throughput_fps = 1000 };
	result = json_object();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	json_decref(result);
	return 0;
}

static const char *text_of(const char *name)
{
	return json_string_value(json_object_get(result, name));
}

static double number_of(const char *name)
{
	return json_number_value(json_object_get(result, name));
}

static void one_clock_is_named_with_its_worst_bound(void **state)
{
	(void)state;
	set_trial(1, hardware, 900);
	assert_int_equal(rfc2544_latency(&run, result), EXIT_DONE);
	assert_string_equal(text_of("source"), hardware);
	assert_string_equal(text_of("clock"), "a clock");
	assert_true(number_of("error_bound_ns") == 900);
	assert_true(number_of("repeats") == REPEATS);
	assert_null(run.part.reason);
}

static void two_clocks_are_not_averaged_in_silence(void **state)
{
	(void)state;
	set_trial(3, software, 40);
	assert_int_equal(rfc2544_latency(&run, result), EXIT_DONE);
	assert_string_equal(text_of("source"),
			    "3 repeats by hardware receive timestamp, software departure; 1 repeat by software");
	assert_null(json_object_get(result, "clock"));
	assert_null(json_object_get(result, "definition"));
	assert_true(number_of("error_bound_ns") == 102);
	assert_non_null(strstr(run.part.reason, "different clocks"));
}

static void a_repeat_without_latency_is_said(void **state)
{
	(void)state;
	set_trial(2, NULL, 0);
	assert_int_equal(rfc2544_latency(&run, result), EXIT_DONE);
	assert_true(number_of("repeats") == REPEATS - 1);
	assert_string_equal(text_of("source"), hardware);
	assert_non_null(strstr(run.part.reason, "has no latency"));
}

static void an_unknown_bound_stays_unknown(void **state)
{
	(void)state;
	set_trial(1, hardware, NAN);
	assert_int_equal(rfc2544_latency(&run, result), EXIT_DONE);
	assert_true(json_is_null(json_object_get(result, "error_bound_ns")));
}

static void without_any_latency_there_is_no_source(void **state)
{
	(void)state;
	for (size_t i = 0; i < REPEATS; i++)
		set_trial(i, NULL, 0);
	assert_int_equal(rfc2544_latency(&run, result), EXIT_DONE);
	assert_true(json_is_null(json_object_get(result, "source")));
	assert_true(json_is_null(json_object_get(result, "error_bound_ns")));
	assert_non_null(run.part.reason);
}

static void the_mean_of_all_frames_is_not_that_of_the_worst_direction(void **state)
{
	(void)state;
	directions = 2;
	assert_int_equal(rfc2544_latency(&run, result), EXIT_DONE);
	assert_true(number_of("average_of_means_ns") == 1000);
	assert_true(number_of("mean_of_all_frames_ns") == 0.75 * 1000 + 0.25 * 200);
}

static void a_direction_without_latency_is_not_the_worst(void **state)
{
	const json_t *worst;

	(void)state;
	directions = 2;
	silent = 1;
	assert_int_equal(rfc2544_latency(&run, result), EXIT_DONE);
	worst = json_object_get(json_object_get(json_object_get(result, "worst_direction"), "average_of_means_ns"), "to");
	assert_string_equal(json_string_value(worst), "b");
}

/* The longest burst of a SUT that takes 100 frames, where the tester spoils so many of those that are longer. */
static void find_burst(struct loss_attribution lost, uint64_t spoilt)
{
	places = lost;
	spoilt_bursts = spoilt;
	suite.plan.burst_tests = 1;
	suite.plan.burst_trial_s = 1e-3;
	run.range.max_fps = run.throughput_fps = 1e6;
	assert_int_equal(rfc2544_back_to_back(&run, result), EXIT_DONE);
	assert_true(number_of("max") == 100);
}

static void a_burst_that_the_tester_lost_is_sent_again(void **state)
{
	(void)state;
	find_burst((struct loss_attribution){ .receiver_missed = 1 }, 3);
	assert_int_equal(run.part.repeated, 3);
	assert_false(run.part.tester_limited);
}

static void a_burst_that_the_tester_always_loses_is_limited(void **state)
{
	(void)state;
	find_burst((struct loss_attribution){ .dropped_before_wire = 1 }, UINT64_MAX);
	assert_true(run.part.tester_limited);
}

static void a_burst_that_the_sut_loses_is_not(void **state)
{
	(void)state;
	find_burst((struct loss_attribution){ .sut = 1 }, UINT64_MAX);
	assert_int_equal(run.part.repeated, 0);
	assert_false(run.part.tester_limited);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_clock_is_named_with_its_worst_bound),
		TEST(two_clocks_are_not_averaged_in_silence),
		TEST(a_repeat_without_latency_is_said),
		TEST(an_unknown_bound_stays_unknown),
		TEST(without_any_latency_there_is_no_source),
		TEST(the_mean_of_all_frames_is_not_that_of_the_worst_direction),
		TEST(a_direction_without_latency_is_not_the_worst),
		TEST(a_burst_that_the_tester_lost_is_sent_again),
		TEST(a_burst_that_the_tester_always_loses_is_limited),
		TEST(a_burst_that_the_sut_loses_is_not),
	};

	return cmocka_run_group_tests_name("rfc2544", tests, NULL, NULL);
}
