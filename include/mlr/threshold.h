/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threshold of a search is the load at which every second trial fails. It is estimated from the trials near the bounds
 * of one search or several, by one likelihood: a trial at load x fails with the probability Phi(log(x / threshold) / width).
 * All searches have the same width, which is how gradually their SUT begins to fail. Each search has its own threshold.
 * The caller owns trials and results, and the functions keep nothing.
 *
 * Where no good trial has a load above that of a failed one, the threshold lies anywhere between them. The error says so. A
 * search without a failed trial shows only how much its SUT does at least.
 */
#ifndef MLR_THRESHOLD_H
#define MLR_THRESHOLD_H

#include <stdbool.h>
#include <stddef.h>

struct mlr_outcome {
	double load_fps; /* above 0 */
	bool failed;
};

/* The trials of one search, in any order. */
struct mlr_outcomes {
	const struct mlr_outcome *trials;
	size_t count;
};

enum mlr_threshold_kind {
	MLR_THRESHOLD_NONE,  /* there is no trial */
	MLR_THRESHOLD_FOUND, /* load_fps is the estimate, and error_ratio its standard deviation */
	MLR_THRESHOLD_LEAST, /* none failed, up to load_fps */
	MLR_THRESHOLD_MOST,  /* All searches failed, down to load_fps. */
};

struct mlr_threshold {
	enum mlr_threshold_kind kind;
	double load_fps;
	double error_ratio; /* error of load_fps as a ratio; 0 for other kinds than FOUND */
};

/* Estimate the thresholds of searches of SUTs that begin to fail alike. `ret` has `count` values. Returns 0 or -ENOMEM. */
int mlr_thresholds_find(const struct mlr_outcomes *searches, size_t count, struct mlr_threshold *ret);

#endif
