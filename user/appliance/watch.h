/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header follows a run from outside. The caller owns the state. It begins empty for each run. Events of --format jsonl
 * and the file of --metrics fill in the state that progress/view.h draws. Nothing here reads a clock: whoever shows the
 * state says how much time has passed.
 */
#pragma once

#include <jansson.h>

#include "progress/view.h"

#define WATCH_TESTS_MAX 32
#define WATCH_TEST_SIZE 80

struct watch {
	struct view view;
	double goal_loss_ratios[MLR_GOALS_MAX];
	char tests[WATCH_TESTS_MAX][WATCH_TEST_SIZE]; /* tests of a suite: "512 octets, throughput" */
	size_t test_count;
	double remaining_s; /* remaining time, as the metrics tell it; NAN: they do not */
};

/* Begin a run, of which nothing is known yet. */
void watch_begin(struct watch *watch, const char *title);
void watch_event(struct watch *watch, const json_t *event);
/* Take OpenMetrics text, for what events do not tell. */
void watch_metrics(struct watch *watch, const char *text);

/* Write a result in one line: "ndr 998.3 kfps, pdr 1.003 Mfps". */
#define WATCH_SUMMARY_SIZE 240
const char *watch_summary(const json_t *document, char buffer[WATCH_SUMMARY_SIZE]);
