/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suites (rfc2544.h, y1564.h) share this: they go through parts, as frame sizes or services, with a measurer each, and
 * make tests of each part, which consist of trials. The suite owns what its parts measured. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "config/config.h"
#include "measurer/measurer.h"

struct suite {
	const struct config *config;
	time_t start_time;
	uint64_t start_ns;
	json_t *setting; /* members measurer, traffic_profile, environment, deviations and configuration of the first part */
	struct trial_numbers numbers; /* trial numbers used so far; they continue from part to part */
	unsigned int transmitters;
	size_t trial_count; /* number of trials told as events */
	bool irregular, tester_limited;
	const char *end_reason; /* reason why the suite ended early; NULL if it did not */
	double duration_s;
};

/* One part while it is measured, and the test that runs. */
struct suite_part {
	struct suite *suite;
	const struct config *config; /* configuration of this part */
	struct measurer *measurer;
	const char *test; /* the name of the test that runs */
	double test_s;    /* about how long it takes */
	uint64_t test_start_ns;
	const char *reason;    /* why its result is irregular, NULL if it is not */
	bool tester_limited;   /* The result of the part is limited by the tester. */
	unsigned int repeated; /* trials that were repeated, because the tester itself was the limit */
};

/* Begin a suite. */
struct suite suite_begin(const struct config *config);
/* Return the exit code of the suite, by how it ended. `duration_s` is known from now on. */
enum exit_code suite_end(struct suite *suite, enum exit_code code);

/* Add to the document how it was measured: by the first part, with the deviations of all. */
void suite_keep_setting(struct suite_part *part);
/* End a part: free its measurer, and add to the document what came to it too late. */
void suite_end_part(struct suite_part *part);
/* Put the gateways' answers into the configuration of a later part, so that they are asked for once, with the first part.
 * They come from what its measurer said of itself; NULL: there was no part yet. */
void suite_take_macs(const json_t *measurer, struct config *config);
/* The same, and the numbers of earlier parts' trials: their frames are late then, not another tester's. */
void suite_take_earlier(const struct suite *suite, struct config *config);

/*
 * Make a test: `perform` puts its figures into the object, and this adds whether they are regular. `perform` returns a code:
 *
 *	EXIT_DONE	the test is done, or as far as possible; part->reason says what is irregular
 *	EXIT_UNMET	the time limit of the suite ended the test
 *	EXIT_INTERRUPTED, or another code after which nothing more can be measured; the reason was said
 */
enum exit_code suite_test(struct suite_part *part, const char *test, enum exit_code (*perform)(void *run, json_t *json),
			  void *run, json_t *json);

/* Show that a test of a part begins, how long it takes, and what follows it. */
void suite_stage(struct suite_part *part, const char *stage, double test_s, double after_s);
/* Perform one trial, with its event and view. It is repeated a few times if the tester itself was the limit. */
enum exit_code suite_trial(struct suite_part *part, double load_fps, double duration_s, struct measurement *ret);
/* Perform a trial with load steps, once. */
enum exit_code suite_steps(struct suite_part *part, struct load_steps *steps, struct measurement *ret);
