/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/segments.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "mlr/welch.h"

#define MEDIAN_DEVIATION   0.6744897501960817 /* the median of |x| for a normal x with standard deviation 1 */
#define OUTLIER_DEVIATIONS 4
#define NOISE_WORTH        0.37 /* efficiency of a variance from a median, against one from a mean of squares */

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double mlr_series_noise(const double *values, size_t count, double least)
{
	size_t steps = count > 1 ? count - 1 : 0;
	double *sizes = steps ? malloc(steps * sizeof(*sizes)) : NULL, median;

	if (!sizes)
		return least;
	for (size_t i = 0; i < steps; i++)
		sizes[i] = fabs(values[i + 1] - values[i]);
	qsort(sizes, steps, sizeof(*sizes), compare_doubles);
	median = steps % 2 ? sizes[steps / 2] : (sizes[steps / 2 - 1] + sizes[steps / 2]) / 2;
	free(sizes);
	return fmax(median / (MEDIAN_DEVIATION * sqrt(2)), least);
}

/* Return the price of a further level: the square of t that a cut at any of the places exceeds by chance in that part of
 * all series. */
static double price_of_level(size_t count, double false_alarm)
{
	double freedom = fmax(1, NOISE_WORTH * (double)(count - 1)), part = false_alarm / (2 * (double)count);
	double t = mlr_student_quantile(part, freedom);

	return t * t;
}

/* The series, and what is known of each of its beginnings. */
struct cutter {
	double *sums, *squares; /* sums, and sums of squares, of the values before an index */
	double *costs;          /* least cost of a cut of the values before an index */
	size_t *firsts;         /* first index of the last segment of that cut */
};

/* Return the squares that are left of the values from `first` to before `end`. */
static double squares_left(const struct cutter *cutter, size_t first, size_t end)
{
	double sum = cutter->sums[end] - cutter->sums[first];

	return fmax(0, cutter->squares[end] - cutter->squares[first] - sum * sum / (double)(end - first));
}

static double median_of_three(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Return a value for the cuts. One value that is far from both neighbours is no level, so the middle of the three stands for
 * it. */
static double value_for_cuts(const double *values, size_t count, size_t i, double noise)
{
	double middle;

	if (i == 0 || i + 1 == count)
		return values[i];
	middle = median_of_three(values[i - 1], values[i], values[i + 1]);
	return fabs(values[i] - middle) > OUTLIER_DEVIATIONS * noise ? middle : values[i];
}

static void cut_before(struct cutter *cutter, size_t end, size_t count, double variance, double price)
{
	size_t least = end == count ? 1 : 2;

	cutter->costs[end] = INFINITY;
	for (size_t first = 0; first + least <= end; first++) {
		double cost = cutter->costs[first] + squares_left(cutter, first, end) / variance + (first ? price : 0);

		if (cost < cutter->costs[end]) {
			cutter->costs[end] = cost;
			cutter->firsts[end] = first;
		}
	}
}

int mlr_segments_find(const double *values, size_t count, double noise_least, double false_alarm, size_t *ret_first)
{
	double noise = mlr_series_noise(values, count, noise_least), *room = calloc(3 * (count + 1), sizeof(*room));
	struct cutter cutter = { .firsts = calloc(count + 1, sizeof(*cutter.firsts)) };
	double price = price_of_level(count, false_alarm);

	if (!room || !cutter.firsts) {
		free(room);
		free(cutter.firsts);
		return -ENOMEM;
	}
	cutter.sums = room;
	cutter.squares = room + count + 1;
	cutter.costs = room + 2 * (count + 1);
	for (size_t i = 0; i < count; i++) {
		double value = value_for_cuts(values, count, i, noise) -
			       values[0]; /* small numbers, so that their squares keep their digits */

		cutter.sums[i + 1] = cutter.sums[i] + value;
		cutter.squares[i + 1] = cutter.squares[i] + value * value;
	}
	for (size_t end = 1; end <= count; end++)
		cut_before(&cutter, end, count, noise * noise, price);
	for (size_t end = count; end > 0; end = cutter.firsts[end]) {
		for (size_t i = cutter.firsts[end]; i < end; i++)
			ret_first[i] = cutter.firsts[end];
	}
	free(room);
	free(cutter.firsts);
	return 0;
}
