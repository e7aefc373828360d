/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header estimates how long a search takes, before anything is measured. The caller owns the results; nothing is kept. It is
 * asked for --dry-run (plan.h), and by suites that contain searches.
 *
 * The time is found by searching: the search's own controller runs over simulated SUTs. Their limits are at several places
 * between Min Load and Max Load, and are sharp, or vary from trial to trial.
 */
#pragma once

#include "base/message.h"
#include "config/config.h"

struct search_estimate {
	double least_s, likely_s, most_s; /* NAN: not known */
	size_t trials;                    /* number of trials in the likely case; 0: not known */
	const char *assumption;
};

/* Get Max Load and its origin, as far as both are known without opening a port. */
struct expected_load {
	const char *source;
	double load_fps; /* 0: not known before the run */
};
struct expected_load search_time_max_load(const struct config *config);
/* Return Min Load, or 0 if it is not known before the run. */
double search_time_min_load_fps(const struct config *config);

/* Return how long a trial takes beyond its traffic. It is the lossy-th of the trials that lose frames; 0: it loses none. */
double search_time_waits_s(const struct config *config, unsigned int lossy);

/* Estimate all searches of a run. Members stay as they are if the loads are not known. EXIT_DONE, or the error was reported. */
enum exit_code search_time_estimate(const struct config *config, struct search_estimate *estimate);

/* Get the likely time of one search of this configuration; NAN if its loads are not known. EXIT_DONE, or the error was reported. */
enum exit_code search_time_s(const struct config *config, double *ret_duration_s);
