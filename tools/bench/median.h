/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The median of what benches measure. */
#ifndef BENCH_MEDIAN_H
#define BENCH_MEDIAN_H

#include <stdlib.h>

static inline int compare_numbers(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Sort the values, and return their median. */
static inline double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), compare_numbers);
	return values[count / 2];
}

#endif
