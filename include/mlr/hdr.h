/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions write a histogram of latencies in the format of HdrHistogram, version 2, and read it. So other tools show
 * it, and add those of several runs. The caller owns all structures. One begins as zeros, gets values from histograms or
 * from encoded ones, is written, and asked for quantiles.
 *
 * The format is HdrHistogram's "V2 encoding" before compression: a header of 40 octets, then the counts as ZigZag LEB128
 * numbers, a negative one for a run of zeros. All have three significant digits and the same range, so they can be added.
 */
#ifndef MLR_HDR_H
#define MLR_HDR_H

#include <stddef.h>
#include <stdint.h>

#include "mlr/delays.h"

#define MLR_HDR_DIGITS     3
#define MLR_HDR_HALF_BITS  10 /* an octave has 2^10 counts above 2^11; below, each value has one */
#define MLR_HDR_TOP_BIT    39 /* larger values count as the largest one */
#define MLR_HDR_COUNTS     ((MLR_HDR_TOP_BIT - MLR_HDR_HALF_BITS + 2) << MLR_HDR_HALF_BITS)
#define MLR_HDR_OCTETS_MAX (40 + 9 * MLR_HDR_COUNTS)

struct mlr_hdr {
	uint64_t count; /* number of all values */
	uint64_t counts[MLR_HDR_COUNTS];
};

/* Add all latencies. Each is at the middle of its bucket there, but the smallest and the largest are exact. */
void mlr_hdr_add(struct mlr_hdr *hdr, const struct mlr_delays *delays);

/* Write the octets into the buffer and return their number. */
size_t mlr_hdr_encode(const struct mlr_hdr *hdr, uint8_t buffer[MLR_HDR_OCTETS_MAX]);
/* Add all values of an encoded histogram. 0, or -EINVAL if it is none of this format, digits and range; then `hdr` may hold
 * a part of it. */
int mlr_hdr_decode(struct mlr_hdr *hdr, const uint8_t *octets, size_t length);

/* Return a quantile (0 to 1) in ns, as in mlr/histogram.h: the middle of what its count stands for. NAN if it is empty. */
double mlr_hdr_quantile_ns(const struct mlr_hdr *hdr, double quantile);

#endif
