/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header weighs the evidence that one version of a SUT is slower than another. It takes one load for each search: its
 * threshold (mlr/threshold.h), or else its Conditional Throughput. The caller owns all values; the functions keep nothing. A
 * comparison is made once, from two samples and from what is known of the spread. The spread is how far results of an
 * unchanged SUT lie apart.
 *
 * Two or more searches of a version show the spread. One search does not: a SUT may place its threads or buffers anew for
 * each run, and keep them for the whole search. So for single searches a spread is assumed, with little certainty, and only
 * a large change is believed.
 */
#ifndef MLR_EVIDENCE_H
#define MLR_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "mlr/welch.h"

/* What is assumed of single searches: the standard deviation between results, as a ratio of their mean, and its worth. */
#define MLR_SPREAD_ASSUMED_RATIO   0.03
#define MLR_SPREAD_ASSUMED_FREEDOM 2.0

#define MLR_REPEATS_MOST 100 /* more searches are not recommended */

/* The standard deviation between searches of an unchanged SUT, as a ratio of their mean. */
struct mlr_spread {
	double stdev_ratio;        /* NAN: not known */
	double degrees_of_freedom; /* degrees of freedom of the estimate, above 0; INFINITY: it is known exactly */
};

/* Return the spread within several samples, each around its own mean. Its stdev_ratio is NAN if no sample has two values. */
struct mlr_spread mlr_spread_of(const struct mlr_sample *samples, size_t count);

struct mlr_comparison {
	double tolerance_ratio; /* a smaller change is none */
	double significance;    /* the p-value below which a change is believed */
	double resolution_ratio; /* a standard deviation that repeats do not reduce: what the Goal Width leaves open, both sides */
	double error_ratio[2];    /* the standard deviation of one value of a and of b, as its own trials show it */
	struct mlr_spread spread; /* known from elsewhere; stdev_ratio NAN: not known */
};

enum mlr_spread_source {
	MLR_SPREAD_ASSUMED,  /* both samples have one value, and nothing else is known */
	MLR_SPREAD_GIVEN,    /* the one of struct mlr_comparison */
	MLR_SPREAD_MEASURED, /* the spread of the samples */
};

struct mlr_evidence {
	double change_ratio; /* mean of b / mean of a - 1 */
	enum mlr_spread_source source;
	double stdev_ratio; /* standard deviation of one search, as the source says; the larger of both samples */
	double t_slower, t_faster, degrees_of_freedom;
	double p_slower, p_faster; /* probability that such a change comes by chance, although it is within the tolerance */
	double detectable_ratio;   /* the smallest fall that these searches would have shown */
	double within_ratio; /* a larger change, down or up, would come out as this one less often than `significance` */
	size_t repeats;      /* searches a side that would show the change; 0: it is within the tolerance, or too small */
};

/* Compare two samples of at least one value, whose means are above 0. */
struct mlr_evidence mlr_evidence_of(const struct mlr_sample *a, const struct mlr_sample *b,
				    const struct mlr_comparison *comparison);

/* Say which of several p-values are significant, so that at most the share `significance` of those is false (Benjamini and
 * Hochberg). `ret_is_significant` has `count` values. */
void mlr_false_discovery(const double *p_values, size_t count, double significance, bool *ret_is_significant);

#endif
