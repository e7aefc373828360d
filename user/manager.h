/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Manager (draft-ietf-bmwg-mlrsearch-15, section 4.9.3): takes each Trial Input from the controller to the measurer and
 * each result back, keeps the time, and knows in the end all that the report needs.
 */
#ifndef XDP_MLR_MANAGER_H
#define XDP_MLR_MANAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "config.h"
#include "load_range.h"
#include "measurer.h"
#include "mlr/controller.h"

/* One trial of a search. */
struct search_trial {
	struct measurement measurement;
	struct mlr_decision decision; /* of the controller, which this trial followed; its input is what was asked for */
	double lower_fps, upper_fps;  /* the Relevant Bounds of the goal in focus at that time; NAN for what did not exist */
};

/* What is known of one goal: at any time, and in the end. */
struct goal_outcome {
	struct mlr_goal_result result;
	bool tester_limited; /* the tester's own limit decided a trial at the Relevant Upper Bound (without one, at the lower) */
};

enum search_end {
	SEARCH_RUNNING,
	SEARCH_COMPLETE,
	SEARCH_OUT_OF_TIME,
	SEARCH_REPLAYED, /* the stored trials end before the search does */
	SEARCH_INTERRUPTED,
	SEARCH_FAILED, /* a trial could not be performed */
};

struct search {
	const struct config *config;
	struct measurer *measurer;
	struct mlr_controller_input input;
	const char *max_load_source; /* "option", "line rate" or "calibration"; NULL: not known, nor are the loads */
	double stored_s;             /* what an earlier run, which is resumed, took */
	struct mlr_controller *controller;
	struct search_trial *trials;
	size_t trial_count, trial_size;
	time_t start_time;
	uint64_t start_ns;
	double virtual_s;  /* time that would have passed, where none does */
	double duration_s; /* of the whole search, once it has ended */
	enum search_end end;
	struct goal_outcome outcomes[MLR_GOALS_MAX]; /* once it has ended */
	struct goal_watch {                          /* what was last told about a goal */
		double lower_fps, upper_fps;
		bool reached;
	} watches[MLR_GOALS_MAX];
};

/* Search. Whatever it returns, *ret_search is to be freed; where ret_search->end is not SEARCH_RUNNING, there is something
 * to report. EXIT_DONE or EXIT_UNMET: the search is over; EXIT_INTERRUPTED; else the reason was said. */
enum exit_code manager_search(const struct config *config, struct measurer *measurer, struct search *ret_search);
/* The same between loads that are known already. */
enum exit_code manager_search_between(const struct config *config, struct measurer *measurer, const struct load_range *range,
				      struct search *ret_search);
/* A search that was stopped before its loads were known: it has no trials, and can be reported. */
void manager_stopped_search(const struct config *config, struct measurer *measurer, struct search *ret_search);
void search_free(struct search *search);

/* The controller of the configuration's algorithm. EXIT_USAGE_ERROR for goals that it cannot search for. */
enum exit_code manager_new_controller(const struct config *config, const struct mlr_controller_input *input,
				      struct mlr_controller **ret);

/* Seconds since the start of the search, by the clock that counts for it. */
double search_elapsed_s(const struct search *search);

/* The current Relevant Bounds of a goal; NAN for what does not exist. */
void search_bounds(const struct search *search, size_t goal, double *ret_lower_fps, double *ret_upper_fps);

#endif
