/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/message.h"
#include "base/standing.h"
#include "base/text_stream.h"
#include "base/units.h"

void watch_begin(struct watch *watch, const char *title)
{
	*watch = (struct watch){ .view = VIEW_UNKNOWN, .remaining_s = NAN };
	snprintf(watch->view.title, sizeof(watch->view.title), "%s", title);
}

/* --- events --------------------------------------------------------------------------------------------------------- */

/* How the search was set up, which its first event tells. */
static void read_input(struct watch *watch, const json_t *input)
{
	const json_t *goals = json_object_get(input, "goals");
	struct view *view = &watch->view;

	view->min_load_fps = read_number(input, "min_load");
	view->max_load_fps = read_number(input, "max_load");
	view->goal_count = json_array_size(goals) < MLR_GOALS_MAX ? json_array_size(goals) : MLR_GOALS_MAX;
	for (size_t i = 0; i < view->goal_count; i++) {
		const json_t *goal = json_array_get(goals, i);

		view->goals[i] = (struct view_goal){ .lower_fps = NAN, .upper_fps = NAN, .throughput_fps = NAN };
		snprintf(view->goals[i].name, sizeof(view->goals[i].name), "%s", read_text(goal, "name"));
		watch->goal_loss_ratios[i] = read_number(goal, "loss_ratio");
	}
}

static void read_start(struct watch *watch, const json_t *event)
{
	struct view *view = &watch->view;

	if (json_object_get(event, "controller_input"))
		read_input(watch, json_object_get(event, "controller_input"));
	view->load_fps = read_number(event, "trial_load");
	view->duration_s = read_number(event, "trial_duration");
	snprintf(view->goal, sizeof(view->goal), "%s", read_text(event, "goal"));
}

/* Return the loss ratio that a trial was made to keep; 0 if it was for no goal. */
static double loss_ratio_asked(const struct watch *watch)
{
	for (size_t i = 0; i < watch->view.goal_count; i++)
		if (strcmp(watch->view.goals[i].name, watch->view.goal) == 0)
			return watch->goal_loss_ratios[i];
	return 0;
}

static void read_trial(struct watch *watch, const json_t *event)
{
	const json_t *trial = json_object_get(event, "trial_result"), *counts = json_object_get(trial, "counts");
	struct view *view = &watch->view;
	double loss_ratio = read_number(trial, "trial_loss_ratio");
	double sent = read_number(counts, "sent"), lost = read_number(counts, "lost");

	view->last_loss_ratio = loss_ratio;
	view->trial_count++;
	view_add_frames(view, sent, lost);
	view_add_mark(view, read_truth(trial, "warmup")             ? VIEW_WARMUP
			    : read_truth(trial, "tester_limited")   ? VIEW_LIMITED
			    : loss_ratio <= loss_ratio_asked(watch) ? VIEW_GOOD
								    : VIEW_BAD);
}

static struct view_goal *find_goal(struct watch *watch, const char *name)
{
	return row_with(watch->view.goals, watch->view.goal_count, name, name);
}

static void read_bounds(struct watch *watch, const json_t *event)
{
	struct view_goal *goal = find_goal(watch, read_text(event, "goal"));

	if (!goal)
		return;
	goal->lower_fps = read_number(event, "relevant_lower_bound");
	goal->upper_fps = read_number(event, "relevant_upper_bound");
}

static void add_goal(struct watch *watch, const json_t *event)
{
	const json_t *result = json_object_get(event, "goal_result");
	struct view_goal *goal = find_goal(watch, read_text(json_object_get(result, "goal"), "name"));

	if (!goal)
		return;
	goal->throughput_fps = read_number(result, "conditional_throughput");
	goal->done = true;
}

/* The next of repeated searches. */
static void read_run(struct watch *watch, const json_t *event)
{
	struct view *view = &watch->view;

	view->run = (unsigned int)fmax(read_number(event, "run"), 0);
	view->runs = (unsigned int)fmax(read_number(event, "runs"), 0);
	view->trial_count = 0;
	view->sent_frames = view->lost_frames = NAN;
	view->marks[0] = '\0';
	view->goal_count = 0;
}

/* A test of a suite begins. */
static void read_test(struct watch *watch, const json_t *event)
{
	if (watch->test_count == WATCH_TESTS_MAX) {
		memmove(watch->tests, watch->tests + 1, sizeof(watch->tests) - sizeof(watch->tests[0]));
		watch->test_count--;
	}
	snprintf(watch->tests[watch->test_count++], WATCH_TEST_SIZE, "%.40s, frames of %.20s", read_text(event, "test"),
		 read_text(event, "frame_size"));
	watch->view.goal_count = 0;
}

void watch_event(struct watch *watch, const json_t *event)
{
	static const struct {
		const char *name;
		void (*take)(struct watch *watch, const json_t *event);
	} events[] = {
		{ "run_started", read_run }, { "trial_started", read_start }, { "trial_finished", read_trial },
		{ "bounds", read_bounds },   { "goal_reached", add_goal },    { "test_started", read_test },
	};
	const char *name = read_text(event, "event");

	for (size_t i = 0; i < COUNT(events); i++)
		if (strcmp(events[i].name, name) == 0)
			events[i].take(watch, event);
}

/* --- metrics -------------------------------------------------------------------------------------------------------- */

/* A gauge without labels; NAN where there is none. */
static double find_gauge(const char *text, const char *name)
{
	char wanted[96];
	size_t length = (size_t)snprintf(wanted, sizeof(wanted), "\nxdp_mlr_%s ", name);
	const char *found = strstr(text, wanted);

	return found ? strtod(found + length, NULL) : NAN;
}

void watch_metrics(struct watch *watch, const char *text)
{
	watch->remaining_s = find_gauge(text, "remaining_seconds");
	watch->view.estimate_fps = find_gauge(text, "critical_load_frames_per_second");
	watch->view.estimate_stdev_fps = find_gauge(text, "critical_load_stdev_frames_per_second");
}

/* --- a result in a line --------------------------------------------------------------------------------------------- */

static void add_load(char buffer[WATCH_SUMMARY_SIZE], const char *name, double load_fps)
{
	text_join(buffer, WATCH_SUMMARY_SIZE, ", ", "%.60s %s", name,
		  isnan(load_fps) ? "none" : format_si(load_fps, "fps", UNIT_ROOM));
}

static void add_goals(char buffer[WATCH_SUMMARY_SIZE], const json_t *goals)
{
	json_each (goal, goals)
		add_load(buffer, read_text(json_object_get(goal, "goal"), "name"),
			 read_number(goal, "conditional_throughput"));
}

static void add_trial(char buffer[WATCH_SUMMARY_SIZE], const json_t *trial)
{
	if (json_is_object(trial))
		text_join(buffer, WATCH_SUMMARY_SIZE, ", ", "%s for %g s lost %s",
			  format_si(read_number(trial, "trial_load"), "fps", UNIT_ROOM),
			  read_number(trial, "trial_duration"),
			  format_percent(read_number(trial, "trial_loss_ratio"), UNIT_ROOM));
}

/* "every service is as agreed" */
static void add_services(char buffer[WATCH_SUMMARY_SIZE], const json_t *document)
{
	const json_t *passed = json_object_get(document, "passed");

	if (json_is_array(json_object_get(document, "services")))
		text_join(buffer, WATCH_SUMMARY_SIZE, ", ",
			  json_is_true(passed)    ? "every service is as agreed"
			  : json_is_false(passed) ? "NOT every service is as agreed"
						  : "no verdict on the services");
}

static void add_unmet(char buffer[WATCH_SUMMARY_SIZE], const json_t *requirements)
{
	json_each (requirement, requirements)
		if (!read_truth(requirement, "met"))
			text_join(buffer, WATCH_SUMMARY_SIZE, ", ", "NOT MET: %.60s", read_text(requirement, "requirement"));
}

const char *watch_summary(const json_t *document, char buffer[WATCH_SUMMARY_SIZE])
{
	const json_t *critical = json_object_get(document, "critical_load");
	enum standing standing = standing_of_document(document);

	buffer[0] = '\0';
	add_goals(buffer, json_object_get(document, "search_result"));
	add_trial(buffer, json_object_get(document, "trial_result"));
	if (json_is_array(json_object_get(document, "frame_sizes")))
		text_join(buffer, WATCH_SUMMARY_SIZE, ", ", "%zu frame sizes",
			  json_array_size(json_object_get(document, "frame_sizes")));
	json_each (test, json_object_get(document, "self_tests"))
		add_load(buffer, "clean load", read_number(test, "clean_load"));
	json_each (test, json_object_get(document, "hostile_tests"))
		add_load(buffer, "counts exact beside", read_number(test, "certified_rate"));
	if (json_is_object(critical) || json_is_number(critical))
		add_load(buffer, "critical load",
			 json_is_number(critical) ? json_number_value(critical) : read_number(critical, "mean"));
	if (json_is_object(json_object_get(document, "curve")))
		add_load(buffer, "maximum forwarding rate",
			 read_number(json_object_get(document, "curve"), "maximum_forwarding_rate"));
	add_services(buffer, document);
	add_unmet(buffer, json_object_get(document, "requirements"));
	if (standing != STANDING_REGULAR)
		text_join(buffer, WATCH_SUMMARY_SIZE, ", ", "%s", standing_word(standing));
	return buffer;
}
