/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether one of two samples has the smaller mean: Welch's test, for results of two versions of a SUT.
 */
#ifndef MLR_WELCH_H
#define MLR_WELCH_H

#include <stddef.h>

struct mlr_sample {
	size_t count;
	double mean, least, most; /* NAN for an empty sample */
	double stdev;             /* of the sample (divisor count - 1); NAN below two values */
};

struct mlr_sample mlr_sample_of(const double *values, size_t count);

struct mlr_welch {
	double t;
	double degrees_of_freedom; /* infinite where no variance was estimated from a sample */
	double p_value;            /* one-sided */
};

/* Welch's test of "the mean that `b` comes from is at least that of `a` less `margin`": a small p_value refutes it.
 * `known_variance` is that of an error which the difference of the means has beside what the samples show, and which more
 * values would not lessen (the resolution of the measurement). A sample of one value adds nothing to the variance. */
struct mlr_welch mlr_welch_below(const struct mlr_sample *a, const struct mlr_sample *b, double margin,
				 double known_variance);

/* Probability that a value of Student's distribution is above t; degrees_of_freedom > 0, may be infinite (the normal). */
double mlr_student_above(double t, double degrees_of_freedom);

#endif
