/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions write the events of --format jsonl as they happen, one JSON object a line. They keep nothing, and the
 * caller owns the objects unless a comment says otherwise. In every other format these functions do nothing. Each returns
 * EXIT_DONE, or says why the line could not be written and returns the exit code: then the run ends.
 */
#pragma once

#include <jansson.h>

#include "config/config.h"
#include "mlr/trial.h"

/* Why a trial of a search is made. */
struct event_reason {
	const char *goal, *rule;
	json_t *setting; /* how the search was set up, for --resume: with its first trial, else NULL. Taken over */
};

/* With --repeat, the search of this number begins. */
enum exit_code event_run_started(const struct config *config, unsigned int run);
/* The load may be NAN (--load max: not known before), and `reason` NULL. */
enum exit_code event_trial_started(const struct config *config, size_t number, const struct mlr_trial_input *input,
				   const struct event_reason *reason);
/* Each takes over the reference to its object. */
enum exit_code event_trial_finished(const struct config *config, size_t number, json_t *trial);
enum exit_code event_bounds(const struct config *config, const char *goal, double lower_fps, double upper_fps);
enum exit_code event_goal_reached(const struct config *config, json_t *goal_result);
enum exit_code event_test_finished(const struct config *config, const char *frame_size, const char *test, json_t *result);
enum exit_code event_test_started(const struct config *config, const char *frame_size, const char *test);
enum exit_code event_self_test_finished(const struct config *config, json_t *self_test);
enum exit_code event_finished(const struct config *config, double duration_s, const char *irregular_reason);
