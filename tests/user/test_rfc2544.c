/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the suite makes of the latency of several repeats, by a measurer whose clock changes, and of bursts that the tester spoils. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "base/json_read.h"
#include "benchmark/rfc2544.h"

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

/* --- throughput ------------------------------------------------------------------------------------------------------- */

/* Return what is said of a throughput at which nothing is lost, up to this Max Load. */
static const char *reason_up_to(double max_load_fps, double line_rate_fps)
{
	struct measurer of_line = measurer;

	of_line.virtual_time = true;
	of_line.line_rate_fps = line_rate_fps;
	run.part.measurer = &of_line;
	run.range = (struct load_range){ .min_fps = 1000, .max_fps = max_load_fps, .max_source = "option" };
	suite.plan.trial_duration_s = 0.1;
	performed = 0;
	assert_int_equal(rfc2544_throughput(&run, result), EXIT_DONE);
	assert_true(number_of("throughput") == max_load_fps);
	return run.part.reason;
}

static void no_loss_below_the_line_rate_is_no_throughput(void **state)
{
	(void)state;
	assert_non_null(strstr(reason_up_to(1e6, 1e6), "loses nothing at the maximum rate"));
	assert_non_null(strstr(reason_up_to(9e5, 1e6), "its throughput is at least this"));
	assert_non_null(strstr(reason_up_to(1e6, 0), "its throughput is at least this"));
}

/* --- deviations ------------------------------------------------------------------------------------------------------- */

/* Whether a suite of these frame sizes has a deviation that begins so. */
static bool deviates(const char *sizes, unsigned int recovery_repeats, const char *beginning)
{
	static struct config all = { .frame_size_text = "64,1518", .tests = 1u << TEST_RECOVERY | 1u << TEST_FRAME_LOSS };
	struct rfc2544 whole = { .common = { .config = &all, .setting = json_pack("{s:[]}", "deviations") },
				 .plan = rfc2544_by_the_book,
				 .frame_sizes = json_loads(sizes, 0, NULL) };
	json_auto_t *document;
	bool found = false;

	whole.plan.recovery_repeats = recovery_repeats;
	document = report_rfc2544(&whole);
	assert_non_null(whole.frame_sizes);
	json_each (sentence, json_object_get(document, "deviations"))
		found |= strncmp(json_string_value(sentence), beginning, strlen(beginning)) == 0;
	rfc2544_free(&whole);
	return found;
}

static void every_frame_size_may_be_below_the_line_rate(void **state)
{
	static const char second[] = "[{\"frame_size\": \"1518\", \"line_rate\": 812743.8, \"max_rate\": 812743.8},"
				     " {\"frame_size\": \"64\", \"line_rate\": 14880952.4, \"max_rate\": 1e7}]";
	static const char none[] = "[{\"frame_size\": \"64\", \"line_rate\": 14880952.4, \"max_rate\": 14880952.4}]";
	static const char unknown[] = "[{\"frame_size\": \"64\", \"line_rate\": null, \"max_rate\": 1e7}]";

	(void)state;
	assert_true(deviates(second, 3, "Maximum rate: Max Load is below the line rate at 64 octets;"));
	assert_false(deviates(none, 3, "Maximum rate:"));
	assert_true(deviates(unknown, 3, "Maximum rate: these ports have no known line rate;"));
}

static void one_recovery_is_not_a_number_of_them(void **state)
{
	(void)state;
	assert_true(deviates("[]", 1, "System recovery: measured once"));
	assert_false(deviates("[]", 3, "System recovery:"));
}

static void what_is_not_made_at_all_is_told(void **state)
{
	(void)state;
	assert_true(deviates("[]", 3, "Section 11: every test is made once, without modifiers;"));
	assert_true(deviates("[]", 3, "Section 12:"));
	assert_true(deviates("[]", 3, "Section 21:"));
}

/* A part has deviations of its own, and says again those that are known. */
static void add_deviation(struct measurer *of, json_t *list)
{
	(void)of;
	json_array_append_new(list, json_string("known"));
	json_array_append_new(list, json_string("of this size"));
}

static json_t *nothing(struct measurer *of)
{
	(void)of;
	return json_object();
}

static void each_part_adds_its_deviations(void **state)
{
	static const struct measurer_ops deviating = { .deviations = add_deviation,
						       .describe = nothing,
						       .traffic_profile = nothing };
	struct measurer other = { .ops = &deviating, .transmitters = 1 };
	struct config external = { .measurer = MEASURER_EXEC };
	struct suite of = { .config = &external, .setting = json_pack("{s:[s]}", "deviations", "known") };
	struct suite_part part = { .suite = &of, .config = &external, .measurer = &other };

	(void)state;
	suite_keep_setting(&part);
	assert_int_equal(json_array_size(json_object_get(of.setting, "deviations")), 2);
	assert_string_equal(json_string_value(json_array_get(json_object_get(of.setting, "deviations"), 1)), "of this size");
	json_decref(of.setting);
}

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
		TEST(no_loss_below_the_line_rate_is_no_throughput),
		TEST(every_frame_size_may_be_below_the_line_rate),
		TEST(one_recovery_is_not_a_number_of_them),
		TEST(what_is_not_made_at_all_is_told),
		TEST(each_part_adds_its_deviations),
	};

	return cmocka_run_group_tests_name("rfc2544", tests, NULL, NULL);
}
