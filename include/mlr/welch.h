/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Welch's test says whether one of two samples comes from a smaller mean, for results of two versions of a SUT. The caller
 * owns all values; the functions keep nothing. A sample is computed from its values once, and then compared with others.
 */
#ifndef MLR_WELCH_H
#define MLR_WELCH_H

#include <stddef.h>

struct mlr_sample {
	size_t count;
	double mean, least, most; /* NAN if the sample is empty */
	double stdev;             /* standard deviation of the sample (divisor count - 1); NAN below two values */
};

struct mlr_sample mlr_sample_of(const double *values, size_t count);

/* A sample of which some values are known only to be at least so large: the first `count` values are known, and `least_count`
 * more are such limits. Limits below the mean of what is known say nothing. Those above it raise the mean and the standard
 * deviation to what is most likely for normal values. If no value is known, the limits stand for the values. */
struct mlr_sample mlr_sample_censored(const double *values, size_t count, size_t least_count);

struct mlr_welch {
	double t;
	double degrees_of_freedom; /* infinite if no variance was estimated from a sample */
	double p_value;            /* one-sided */
};

/* Test the hypothesis "the mean behind `b` is at least the mean behind `a` less `margin`". A small p_value refutes it.
 * `known_variance` is the variance of a further error of the difference, such as the resolution of the measurement. More
 * values would not reduce that error. A sample of one value adds nothing to the variance. */
struct mlr_welch mlr_welch_below(const struct mlr_sample *a, const struct mlr_sample *b, double margin,
				 double known_variance);

/* Return the probability that a value of Student's distribution is above t. degrees_of_freedom is above 0; infinite means
 * the normal distribution. */
double mlr_student_above(double t, double degrees_of_freedom);

/* Return the t that such a value exceeds with this probability, which is above 0 and below 0.5. */
double mlr_student_quantile(double probability, double degrees_of_freedom);

#endif
