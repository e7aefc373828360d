/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --metrics says of the times of a suite, whose parts know their own. */
#include "../test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "progress/metrics.h"
#include "progress/progress.h"

#define BEFORE_S 100 /* since the suite began */
#define AFTER_S  50  /* for what comes after this part */

static struct config config = { .verb = VERB_RFC2544, .measurer = MEASURER_SIM };

/* A number that the metrics have now. */
static double said(const char *name)
{
	char line[256], asked[64];
	double value = NAN;
	FILE *stream;

	stream = fopen(config.metrics_path, "re");
	assert_non_null(stream);
	snprintf(asked, sizeof(asked), "xdp_mlr_%s ", name);
	while (fgets(line, sizeof(line), stream))
		if (strncmp(line, asked, strlen(asked)) == 0)
			value = atof(line + strlen(asked));
	fclose(stream);
	return value;
}

/* And when they are told for the last time. */
static double told(const char *name)
{
	assert_int_equal(metrics_finish(EXIT_DONE), EXIT_DONE);
	return said(name);
}

/* A search within it has ended: 3 s of its own. As the first state it is written at once. */
static void test_end_of_part(void **state)
{
	struct view view = VIEW_UNKNOWN;

	(void)state;
	view.elapsed_s = 3;
	view.remaining_s = 0;
	progress_stage("size 1 of 2, test 1 of 5", clock_ns() - BEFORE_S * NS_PER_S, AFTER_S, 0);
	progress_show_end(&view);
	assert_true(said("elapsed_seconds") >= BEFORE_S);
	assert_true(said("remaining_seconds") == AFTER_S);
}

/* A trial has ended: its time is among the suite's. */
static void test_end_of_trial(void **state)
{
	const struct mlr_trial_input input = { .load_fps = 1000, .duration_s = 20 };
	const struct mlr_trial_counts counts = { .sent = 1000 };
	double before_s;

	(void)state;
	progress_stage("size 1 of 2, test 2 of 5", clock_ns() - BEFORE_S * NS_PER_S, AFTER_S, 0);
	progress_show_trial(&config, &input, 0);
	before_s = told("elapsed_seconds");
	assert_true(told("remaining_seconds") == AFTER_S + input.duration_s);
	usleep(20000);
	progress_trial_ended(&counts, 0, 0);
	assert_true(told("elapsed_seconds") >= before_s + 0.02);
	assert_true(told("remaining_seconds") <= AFTER_S + input.duration_s - 0.02);
	progress_end();
}

/* The trials of a search count among those of the suite, while it runs and from then on. */
static void test_trials_of_parts(void **state)
{
	const struct mlr_trial_input input = { .load_fps = 1000, .duration_s = 20 };
	const struct mlr_trial_counts counts = { .sent = 1000 };
	struct view search = VIEW_UNKNOWN;
	double trials, sent, lost;

	(void)state;
	progress_stage("size 2 of 2, test 1 of 5", clock_ns() - BEFORE_S * NS_PER_S, AFTER_S, 0);
	progress_show_trial(&config, &input, 0);
	progress_trial_ended(&counts, 10, 0.01);
	trials = told("trials");
	sent = told("sent_frames");
	lost = told("lost_frames");
	search.trial_count = 3;
	search.sent_frames = 500;
	search.lost_frames = 5;
	search.last_loss_ratio = 0.5;
	progress_show(&config, &search, false);
	assert_true(told("trials") == trials + 3 && told("sent_frames") == sent + 500 && told("lost_frames") == lost + 5);
	assert_true(told("last_trial_loss_ratio") == 0.5);
	progress_show_end(&search);
	assert_true(told("trials") == trials + 3);
	progress_show_trial(&config, &input, 0);
	assert_true(told("trials") == trials + 3 && told("last_trial_loss_ratio") == 0.5);
	progress_trial_ended(&counts, 10, 0.01);
	assert_true(told("trials") == trials + 4 && told("sent_frames") == sent + 1500 && told("lost_frames") == lost + 15);
	progress_end();
}

/* What no trial tells is not 0. */
static void test_frames_not_known(void **state)
{
	struct view view = VIEW_UNKNOWN;

	(void)state;
	progress_stage("", 0, 0, 0);
	view.trial_count = 3;
	progress_show_end(&view);
	assert_true(told("trials") == 3 && isnan(told("sent_frames")) && isnan(told("lost_frames")));
	view_add_frames(&view, NAN, NAN);
	assert_true(isnan(view.sent_frames) && isnan(view.lost_frames));
	view_add_frames(&view, 10, 0);
	view_add_frames(&view, NAN, NAN);
	assert_true(view.sent_frames == 10 && view.lost_frames == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_end_of_part),
		cmocka_unit_test(test_end_of_trial),
		cmocka_unit_test(test_trials_of_parts),
		cmocka_unit_test(test_frames_not_known),
	};
	char path[] = "/tmp/test_progress.XXXXXX";
	int failed, fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	message_quiet = true;
	config.metrics_path = path;
	failed = metrics_start(&config) == EXIT_DONE ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
	unlink(path);
	return failed;
}
