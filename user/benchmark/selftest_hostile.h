/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * selftest --hostile: a trial is performed alone, and then beside hostile frames (mlr/hostile.h). It is certified if each
 * of its counts is the same as alone, and each hostile frame stands in the count that is foreseen for it.
 *
 * Where nobody says how many hostile frames to send, they are as many as can be sent. If the receiver misses some of them, or
 * frames of the trial, the largest load that it takes is searched. The caller owns everything; only private parts of the
 * self-test and its tests include this header.
 */
#pragma once

#include <jansson.h>

#include "config/config.h"
#include "measurer/measurer.h"

#define HOSTILE_REASON_SIZE 256

/* What a trial beside hostile frames shows. */
enum hostile_outcome {
	HOSTILE_EXACT,
	HOSTILE_MISSED, /* Frames did not come, as the ports' counters tell. All that came were counted right. */
	HOSTILE_SPOILT, /* The tester could not send the trial, or others sent frames. It says nothing. */
	HOSTILE_WRONG,  /* A count is wrong, or frames did not come and nothing tells why. No other trial makes up for it. */
};

/* Judge a trial, also one without hostile frames. In `reason` it says why it is not exact. */
enum hostile_outcome hostile_judge(const struct measurement *measurement, char reason[HOSTILE_REASON_SIZE]);

/* Test one frame size, at this load of the trial; fill in the members of its result. *ret_certified says whether counts are
 * certified. */
enum exit_code hostile_test(const struct config *config, struct measurer *frames, double load_fps, json_t *json,
			    bool *ret_certified);
