/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/welch.h"

#include <math.h>

#define FRACTION_STEPS                                                                                                      \
	500 /* near the mean the fraction needs 10 * sqrt(a + b) steps; this is more than any sample in memory needs */
#define FRACTION_EXACT  1e-15
#define CENSORED_STEPS  50 /* most steps of expectation and maximization, which converge fast */
#define FRACTION_TINY   1e-300
#define QUANTILE_EXACT  1e-9
#define NORMAL_FROM_DOF 1e6 /* From here on, Student's and the normal distribution differ by less than 1e-7. */

struct mlr_sample mlr_sample_of(const double *values, size_t count)
{
	struct mlr_sample sample = { .count = count, .mean = NAN, .least = NAN, .most = NAN, .stdev = NAN };
	double squares = 0;

	if (!count)
		return sample;
	sample.mean = 0;
	for (size_t i = 0; i < count; i++) {
		sample.mean += values[i] / (double)count;
		sample.least = fmin(sample.least, values[i]);
		sample.most = fmax(sample.most, values[i]);
	}
	for (size_t i = 0; i < count; i++)
		squares += (values[i] - sample.mean) * (values[i] - sample.mean);
	if (count > 1)
		sample.stdev = sqrt(squares / (double)(count - 1));
	return sample;
}

/* Take the mean and the variance of a normal value that is above a limit. */
static void mean_above(double limit, const struct mlr_sample *sample, double *ret_mean, double *ret_variance)
{
	double z = (limit - sample->mean) / sample->stdev;
	double hazard = sqrt(2 / M_PI) * exp(-z * z / 2) / erfc(z / M_SQRT2);

	*ret_mean = sample->mean + sample->stdev * hazard;
	*ret_variance = pow(sample->stdev, 2) * fmax(0, 1 + z * hazard - hazard * hazard);
}

/* Replace each limit by what a value above it is on average, and take the sample anew. */
static void step_up(struct mlr_sample *sample, const double *values, size_t count, size_t least_count, double floor)
{
	double sum = 0, squares = 0, spread = 0;
	size_t taken = 0;

	for (size_t i = 0; i < count + least_count; i++) {
		double value = values[i], variance = 0;

		if (i >= count && value <= floor)
			continue;
		if (i >= count)
			mean_above(values[i], sample, &value, &variance);
		sum += value;
		squares += value * value;
		spread += variance;
		taken++;
	}
	sample->count = taken;
	sample->mean = sum / (double)taken;
	sample->stdev = sqrt(fmax(0, squares - sum * sample->mean + spread) / (double)(taken - 1));
}

struct mlr_sample mlr_sample_censored(const double *values, size_t count, size_t least_count)
{
	struct mlr_sample known = mlr_sample_of(values, count), all = mlr_sample_of(values, count + least_count);
	size_t above = 0;

	for (size_t i = count; i < count + least_count; i++)
		above += values[i] > known.mean;
	if (count && !above)
		return known;
	for (int i = 0; count && i < CENSORED_STEPS && all.stdev > 0; i++)
		step_up(&all, values, count, least_count, known.mean);
	return all;
}

/* --- Student's distribution ----------------------------------------------------------------------------------------- */

static double not_zero(double value)
{
	return fabs(value) < FRACTION_TINY ? FRACTION_TINY : value;
}

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8), by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), fraction = d;

	for (int m = 1; m <= FRACTION_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double change;

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		fraction *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		change = d * c;
		fraction *= change;
		if (fabs(change - 1) < FRACTION_EXACT)
			break;
	}
	return fraction;
}

/* The regularised incomplete beta function I_x(a, b). */
static double beta_ratio(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	/* the fraction converges fast only on this side of the mean */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double mlr_student_above(double t, double degrees_of_freedom)
{
	double tail;

	if (degrees_of_freedom > NORMAL_FROM_DOF)
		return erfc(t / sqrt(2)) / 2;
	tail = beta_ratio(degrees_of_freedom / 2, 0.5, degrees_of_freedom / (degrees_of_freedom + t * t)) / 2;
	return t < 0 ? 1 - tail : tail;
}

double mlr_student_quantile(double probability, double degrees_of_freedom)
{
	double low = 0, high = 1;

	while (mlr_student_above(high, degrees_of_freedom) > probability) {
		low = high;
		high *= 2;
	}
	while (high - low > QUANTILE_EXACT * high) {
		double middle = (low + high) / 2;

		if (mlr_student_above(middle, degrees_of_freedom) > probability)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* --- Welch's test --------------------------------------------------------------------------------------------------- */

/* Return the variance of the mean of a sample, as far as the sample itself shows it. */
static double mean_variance(const struct mlr_sample *sample)
{
	return sample->count > 1 ? sample->stdev * sample->stdev / (double)sample->count : 0;
}

/* Return the part of the sample in the denominator of the Welch-Satterthwaite equation. */
static double satterthwaite_part(const struct mlr_sample *sample)
{
	double variance = mean_variance(sample);

	return variance > 0 ? variance * variance / (double)(sample->count - 1) : 0;
}

struct mlr_welch mlr_welch_below(const struct mlr_sample *a, const struct mlr_sample *b, double margin,
				 double known_variance)
{
	double variance = mean_variance(a) + mean_variance(b) + known_variance;
	double parts = satterthwaite_part(a) + satterthwaite_part(b);
	double drop = a->mean - margin - b->mean;
	struct mlr_welch welch = { .degrees_of_freedom = parts > 0 ? variance * variance / parts : INFINITY };

	if (variance > 0)
		welch.t = drop / sqrt(variance);
	else
		welch.t = drop > 0 ? INFINITY : drop < 0 ? -INFINITY : 0;
	welch.p_value = mlr_student_above(welch.t, isinf(welch.t) ? INFINITY : welch.degrees_of_freedom);
	return welch;
}
