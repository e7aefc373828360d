/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run seen through its events is the run as it was. */
#include "../test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "appliance/watch.h"

static void tell(struct watch *watch, const char *text)
{
	json_t *event = json_loads(text, 0, NULL);

	assert_non_null(event);
	watch_event(watch, event);
	json_decref(event);
}

static void begin(struct watch *watch)
{
	watch_begin(watch, "night: search eth0,eth1");
	tell(watch,
	     "{\"event\": \"trial_started\", \"trial\": 1, \"trial_load\": 2e6, \"trial_duration\": 1, \"goal\": \"pdr\","
	     " \"controller_input\": {\"min_load\": 1e4, \"max_load\": 2e6, \"goals\": ["
	     "{\"name\": \"ndr\", \"loss_ratio\": 0}, {\"name\": \"pdr\", \"loss_ratio\": 0.005}]}}");
}

static void the_first_event_tells_goals_and_loads(void **state)
{
	struct watch watch;

	(void)state;
	begin(&watch);
	assert_int_equal(watch.view.goal_count, 2);
	assert_string_equal(watch.view.goals[1].name, "pdr");
	assert_true(watch.view.max_load_fps == 2e6 && watch.view.load_fps == 2e6);
	assert_true(isnan(watch.view.goals[0].lower_fps));
	assert_string_equal(watch.view.goal, "pdr");
}

static void a_trial_is_marked_by_the_goal_that_it_was_for(void **state)
{
	static const char lost[] = "{\"event\": \"trial_finished\", \"trial_result\": {\"trial_loss_ratio\": 0.004,"
				   " \"counts\": {\"sent\": 1000, \"lost\": 4}}}";
	struct watch watch;

	(void)state;
	begin(&watch);
	tell(&watch, lost);
	tell(&watch, "{\"event\": \"trial_started\", \"trial_load\": 1e6, \"trial_duration\": 1, \"goal\": \"ndr\"}");
	tell(&watch, lost);
	tell(&watch, "{\"event\": \"trial_finished\", \"trial_result\": {\"trial_loss_ratio\": 1, \"warmup\": true}}");
	tell(&watch,
	     "{\"event\": \"trial_finished\", \"trial_result\": {\"trial_loss_ratio\": 1, \"tester_limited\": true}}");
	assert_string_equal(watch.view.marks, ".xwt");
	assert_int_equal(watch.view.trial_count, 4);
	assert_true(watch.view.sent_frames == 2000 && watch.view.lost_frames == 8);
}

static void bounds_and_ends_of_goals_are_taken(void **state)
{
	struct watch watch;

	(void)state;
	begin(&watch);
	tell(&watch,
	     "{\"event\": \"bounds\", \"goal\": \"ndr\", \"relevant_lower_bound\": 9e5, \"relevant_upper_bound\": null}");
	assert_true(watch.view.goals[0].lower_fps == 9e5 && isnan(watch.view.goals[0].upper_fps));
	tell(&watch, "{\"event\": \"goal_reached\", \"goal_result\": {\"goal\": {\"name\": \"ndr\"}, "
		     "\"conditional_throughput\": 9.1e5}}");
	assert_true(watch.view.goals[0].done && watch.view.goals[0].throughput_fps == 9.1e5);
	assert_false(watch.view.goals[1].done);
	tell(&watch, "{\"event\": \"bounds\", \"goal\": \"nobody's\", \"relevant_lower_bound\": 1}");
}

/* Whatever an event is, nothing breaks. */
static void what_is_no_event_is_let_pass(void **state)
{
	static const char *const strange[] = { "{}",
					       "{\"event\": 7}",
					       "{\"event\": \"trial_finished\"}",
					       "{\"event\": \"trial_started\", \"controller_input\": {\"goals\": 3}}",
					       "{\"event\": \"goal_reached\", \"goal_result\": []}",
					       "{\"event\": \"run_started\"}" };
	struct watch watch;

	(void)state;
	begin(&watch);
	for (size_t i = 0; i < sizeof(strange) / sizeof(*strange); i++)
		tell(&watch, strange[i]);
}

static void metrics_tell_what_events_do_not(void **state)
{
	struct watch watch;

	(void)state;
	begin(&watch);
	watch_metrics(&watch, "# HELP\nxdp_mlr_elapsed_seconds 3\nxdp_mlr_remaining_seconds 41.5\n# EOF\n");
	assert_true(watch.remaining_s == 41.5 && isnan(watch.view.estimate_fps));
	watch_metrics(&watch, "");
	assert_true(isnan(watch.remaining_s));
}

static void a_summary_is_a_line_of_every_kind_of_document(void **state)
{
	static const struct {
		const char *file, *summary;
	} documents[] = {
		{ "tests/golden/search-1-sim.json", "ndr " },
		{ "tests/golden/trial-1-xdp.json", " lost " },
		{ "tests/golden/soak-1-sim.json", "critical load " },
		{ "tests/golden/rfc2544-1-xdp.json", "frame sizes" },
		{ "tests/golden/selftest-1-xdp.json", "clean load " },
		{ "tests/golden/sweep-1-xdp.json", "maximum forwarding rate " },
		{ "tests/golden/y1564-1-xdp.json", "NOT every service is as agreed" },
		{ "tests/golden/search-1-irregular.json", "IRREGULAR" },
		{ "tests/golden/search-1-limited.json", "limited" },
		{ "tests/golden/trial-1-limited.json", "limited" },
		{ "tests/golden/soak-1-xdp.json", "limited" },
	};
	char summary[WATCH_SUMMARY_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(documents) / sizeof(*documents); i++) {
		json_t *document = json_load_file(documents[i].file, 0, NULL);

		assert_non_null(document);
		assert_non_null(strstr(watch_summary(document, summary), documents[i].summary));
		assert_null(strchr(summary, '\n'));
		json_decref(document);
	}
}

static void a_summary_says_which_requirement_is_not_met(void **state)
{
	json_t *document = json_pack("{s:[{s:s, s:b}, {s:s, s:b}], s:[], s:n}", "requirements", "requirement", "ndr>=1Mfps",
				     "met", 0, "requirement", "pdr>=1Mfps", "met", 1, "services", "passed");
	char summary[WATCH_SUMMARY_SIZE];

	(void)state;
	assert_string_equal(watch_summary(document, summary), "no verdict on the services, NOT MET: ndr>=1Mfps, IRREGULAR");
	json_decref(document);
	document = json_pack("{s:s, s:[], s:b}", "schema", "xdp-mlr/y1564/1", "services", "passed", 1);
	assert_string_equal(watch_summary(document, summary), "every service is as agreed");
	json_decref(document);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_event_tells_goals_and_loads),
		cmocka_unit_test(a_trial_is_marked_by_the_goal_that_it_was_for),
		cmocka_unit_test(bounds_and_ends_of_goals_are_taken),
		cmocka_unit_test(what_is_no_event_is_let_pass),
		cmocka_unit_test(metrics_tell_what_events_do_not),
		cmocka_unit_test(a_summary_is_a_line_of_every_kind_of_document),
		cmocka_unit_test(a_summary_says_which_requirement_is_not_met),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
