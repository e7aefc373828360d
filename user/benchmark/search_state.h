/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a search has its trials, what is known of its goals, and how it ended. The caller owns it. search.h fills it;
 * the report and the view, which are declared here as well, read it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "config/config.h"
#include "measurer/measurer.h"
#include "mlr/controller.h"
#include "progress/view.h"

/* One trial of a search. */
struct search_trial {
	struct measurement measurement;
	struct mlr_decision decision; /* decision of the controller that asked for this trial */
	double lower_fps, upper_fps;  /* the Relevant Bounds of the goal in focus at that time; NAN for what did not exist */
};

/* A trial for its latency, after the search. */
struct search_latency {
	size_t goal;
	double share_ratio; /* part of the goal's Relevant Lower Bound; 0: next to no load */
	double load_fps;
	struct measurement measurement;
};

/* The state of one goal, at any time and in the end. */
struct goal_outcome {
	struct mlr_goal_result result;
	bool tester_limited; /* the tester's own limit decided a trial at the Relevant Upper Bound (without one, at the lower) */
	bool offered_less;   /* less was offered than the Relevant Lower Bound: limited, too, but the SUT may do less */
};

enum search_end {
	SEARCH_RUNNING,
	SEARCH_COMPLETE,
	SEARCH_OUT_OF_TIME,
	SEARCH_FAILED_FAST,
	SEARCH_REPLAYED, /* the stored trials end before the search does */
	SEARCH_INTERRUPTED,
	SEARCH_FAILED, /* a trial could not be performed */
};

struct search {
	const struct config *config;
	struct measurer *measurer;
	struct mlr_controller_input input;
	const char *max_load_source; /* "option", "line rate" or "calibration"; NULL: not known, nor are the loads */
	double stored_s;             /* time that the resumed run took */
	struct mlr_controller *controller;
	struct search_trial *trials;
	size_t trial_count, trial_size;
	struct search_latency *latencies; /* --latency-at; NULL: none */
	size_t latency_count;             /* number of latencies measured */
	time_t start_time;
	uint64_t start_ns;
	double virtual_s;  /* time that would have passed, where none does */
	double duration_s; /* duration of the whole search, once it has ended */
	enum search_end end;
	struct goal_outcome outcomes[MLR_GOALS_MAX]; /* outcomes of the goals, once the search has ended */
	struct goal_watch {                          /* figures of a goal that were told last */
		double lower_fps, upper_fps;
		bool reached;
	} watches[MLR_GOALS_MAX];
};

/* Return the seconds since the start of the search, by the clock that counts for it. */
double search_elapsed_s(const struct search *search);

/* Get the current Relevant Bounds of a goal. NAN stands for a bound that does not exist. */
void search_bounds(const struct search *search, size_t goal, double *ret_lower_fps, double *ret_upper_fps);

/* Get what is known of a goal now. EXIT_INCAPABLE without memory. */
enum exit_code search_outcome(const struct search *search, size_t goal, struct goal_outcome *ret);

void search_free(struct search *search);

/* --- search_latency.c: --latency-at, once the search has its outcomes. EXIT_INTERRUPTED: those so far are kept */
enum exit_code search_measure_latencies(struct search *search);
/* Return the member "latency_at", a new reference. */
json_t *report_search_latencies(const struct search *search);

/* --- search_report.c: the result document, and its parts, which events carry as well. Each is a new reference, or NULL
 * without memory */

/* Return one trial, as in "trials", with the reason why it was chosen. */
json_t *report_search_trial(const struct search *search, const struct search_trial *trial);
/* Return one Goal Result, as in "search_result". */
json_t *report_goal_result(const struct search *search, size_t goal, const struct goal_outcome *outcome);
/* Return how a search was set up: what --resume needs beside its trials. */
json_t *report_setting(const struct search *search);
/* Return the document "xdp-mlr/search/1". */
json_t *report_search(const struct search *search);

/* --- search_view.c: as progress/progress.h shows it */

/* Show the trial that begins, its purpose, and how far the search is. */
void search_show(const struct search *search, const struct mlr_decision *decision);
/* Return the state of a search that has ended. Its outcomes are known. */
struct view search_end_view(const struct search *search);
/* Show a trial for latency alone after that end, of those that take so long from now on. */
void search_show_latency(const struct search *search, const struct mlr_trial_input *input, double remaining_s);
/* Show a trial that has ended, whatever it was a part of. */
void view_take_measurement(struct view *view, const struct measurement *measurement);
