/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A series is the trials of a run without goals: a soak or a sweep. Its owner asks for each trial, and says what comes of it. The owner
 * begins the series, shows it, and frees it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "config/config.h"
#include "measurer/measurer.h"
#include "progress/view.h"

struct series {
	const struct config *config;
	struct measurer *measurer;
	struct measurement *trials;
	size_t trial_count;
	time_t start_time;
	uint64_t start_ns;
	double virtual_s;    /* time that would have passed, where none does */
	double duration_s;   /* duration of the whole series, once it has ended */
	bool tester_limited; /* the tester limited some trial */
};

struct series series_begin(const struct config *config, struct measurer *measurer);
void series_free(struct series *series);

/* Return the seconds since its start, by the clock that counts for it. */
double series_elapsed_s(const struct series *series);
/* Return a view with its trials and its time. What is known beyond that its owner adds. */
struct view series_view(const struct series *series);
/* End it: its duration is known, and shown for the last time. */
void series_end(struct series *series, struct view *view);

/* Perform a trial, and keep it. It is shown by the view, and its begin is told as an event. */
enum exit_code series_perform(struct series *series, const struct mlr_trial_input *input, struct view *view);
/* Tell the last trial as an event, once its owner has taken it. */
enum exit_code series_tell(const struct series *series);
