/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments are the levels of a series: runs of values in a row that scatter around one mean. The caller owns the values and
 * the result, and the functions keep nothing. A series is cut once, when all of its values are known.
 *
 * The cuts are those with the shortest description: the squares that are left, in units of the noise, plus a price for each
 * level. The noise comes from the differences between neighbours, so a change of level hardly adds to it. The price is such
 * that a series without a change is cut with the given probability at most.
 */
#ifndef MLR_SEGMENTS_H
#define MLR_SEGMENTS_H

#include <stddef.h>

/* Return the standard deviation of the noise of a series, from its neighbours. It is at least `least`. */
double mlr_series_noise(const double *values, size_t count, double least);

/* Cut a series. ret_first[i] is the index of the first value of the segment that value i is in. A segment has two values at
 * least, but the last one may have one. `noise_least` is the resolution of the values, above 0. Returns 0 or -ENOMEM. */
int mlr_segments_find(const double *values, size_t count, double noise_least, double false_alarm, size_t *ret_first);

#endif
